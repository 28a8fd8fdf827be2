# SPDX-License-Identifier: Apache-2.0
"""Running one operator eagerly where an input, or its result, is in sparse storage."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from ..base import env
from ..op.kernel import Kernel
from ..op.kernel_gradient import densified, run_recorded, stand_in
from ..op.record import Op, as_tuple
from ..op.sparse.storage import Value
from ..runtime.context import Context
from ..runtime.profiler import PROFILER, clock
from .accept import check, refuse
from .array import NDArray, wrap, wrap_recorded
from .invoke import facts_of, invoke
from .recording import STATE
from .sparse import BaseSparseNDArray, receive, wrap_value
from .tape import flow_of, outputs_of, step

__all__ = ["invoke_sparse"]

_log = logging.getLogger("mxnova")
_told: set[tuple[str, tuple[str, ...]]] = set()


def invoke_sparse(op: Op, arrays: Sequence[NDArray], context: Context, out: Any) -> Any:
    """`invoke` by the operator's kernel for this storage, on dense copies where it has none."""
    kernel = op.kernel_for([a.stype for a in arrays])
    if kernel is None:
        return _on_dense(op, arrays, out)
    outs = None if out is None else [out] if isinstance(out, NDArray) else list(out)
    results, links = _run(op, kernel, arrays, facts_of(kernel.facts, context, outs), context)
    states = [i for i, n in enumerate(op.inputs()) if n in op.mutates]
    _put([arrays[i] for i in states], results[len(op.outputs()) :], op.name)
    _put(outs or [], results, op.name)
    made = outs or [wrap_value(r, context) for r in results[: op.n_visible()]]
    if links:
        nodes = outputs_of(step(op, arrays), op.n_visible())
        for array, link, node in zip(made, links, nodes, strict=False):
            array._tracked, array._node = link, node
    return out if outs else made[0] if op.n_visible() == 1 else made


def _run(
    op: Op, kernel: Kernel, arrays: Sequence[NDArray], facts: dict[str, Any], context: Context
) -> tuple[tuple[Value, ...], Sequence[Tensor]]:
    """(results, what gradients flow through for each; nothing where nothing is recorded)."""
    values = [a._value for a in arrays]
    check(op, values)
    flows = [flow_of(a) for a in arrays] if STATE.recording else []
    start = clock() if PROFILER.running else 0
    links: Sequence[Tensor] = ()
    try:
        if any(f is not None for f in flows):
            tracked = [_constant(v) if f is None else f for v, f in zip(values, flows, strict=True)]
            results, links = run_recorded(op, kernel, values, tracked, facts)
        else:
            results = as_tuple(kernel.forward(op, *values, **facts))
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        refuse(op, values, error)
    if start:
        PROFILER.ran(op.name, start, context)
    return results, links


def _constant(value: Value) -> Tensor:
    """What stands for a value that no gradient flows through."""
    return value if isinstance(value, Tensor) else stand_in(value)


def _put(arrays: Sequence[NDArray], results: Sequence[Value], giver: str) -> None:
    """Writes results into arrays, unless the kernel has done so itself."""
    for array, result in zip(arrays, results, strict=False):
        if result is not array._value:
            receive(array, result, giver)


# Without a kernel ---------------------------------------------------------------------------------


def _on_dense(op: Op, arrays: Sequence[NDArray], out: Any) -> Any:
    _tell(op, arrays)
    dense = [_dense(a) if isinstance(a, BaseSparseNDArray) else a for a in arrays]
    result = invoke(op, dense, out)
    for name, array, copy in zip(op.inputs(), arrays, dense, strict=True):
        if copy is not array and (name in op.mutates or name in op.aux):
            receive(array, copy._tensor, op.name)
    return result


def _dense(array: BaseSparseNDArray) -> NDArray:
    flow = flow_of(array) if STATE.recording else None
    if flow is None or array._node is None:
        return wrap(array._storage.dense(), array.context)
    return wrap_recorded(densified(array._storage, flow), array.context, array._node)


def _tell(op: Op, arrays: Sequence[NDArray]) -> None:
    """Logs, once for an operator and its storage, that memory and time go to dense copies."""
    stypes = tuple(a.stype for a in arrays)
    if (op.name, stypes) in _told or not env.get("MXNET_STORAGE_FALLBACK_LOG_VERBOSE"):
        return
    _told.add((op.name, stypes))
    _log.warning(
        "operator %s has no kernel for inputs stored as %s and runs on dense copies; "
        "MXNET_STORAGE_FALLBACK_LOG_VERBOSE=0 silences this",
        op.name,
        ", ".join(stypes),
    )
