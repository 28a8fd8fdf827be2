# SPDX-License-Identifier: Apache-2.0
"""Running one operator eagerly on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ..base.errors import MXNetError
from ..op.gradient import recorded
from ..op.record import Op
from ..runtime.context import Context, context_of
from ..runtime.profiler import PROFILER, clock
from ..runtime.resource import random_stream
from .accept import check, owned, refuse
from .array import NDArray, recorded_write, wrap, wrap_recorded
from .recording import STATE
from .tape import linked, outputs_of, step

__all__ = ["facts_of", "invoke"]

_ACCEPTED_LIMIT = 4096


class _Plan:
    """What invoking one operator needs to know, worked out once and kept with the operator.

    Attributes:
        accepted: shapes and dtypes of inputs that the operator's rules have passed.
        facts: run facts that its forward asks for.
        sparse: whether it may give sparse results from dense inputs.
        visible: how many of its outputs callers see.
        written: inputs that it writes to, by number.
    """

    __slots__ = ("accepted", "facts", "sparse", "visible", "written")

    def __init__(self, op: Op) -> None:
        self.accepted: set[Any] = set()
        self.facts = op.type.signature.facts
        self.sparse = op.kernel_for(["default"] * len(op.inputs())) is not None
        self.visible = op.n_visible()
        self.written = op.structure.written

    def accept(self, op: Op, tensors: Sequence[Tensor]) -> None:
        """Runs the operator's rules, once for each combination of inputs."""
        key = tuple([(t.shape, t.dtype) for t in tensors])
        if key not in self.accepted:
            check(op, tensors)
            if len(self.accepted) > _ACCEPTED_LIMIT:
                self.accepted.clear()
            self.accepted.add(key)


def _plan_of(op: Op) -> _Plan:
    plan = op.structure.plan = _Plan(op)
    return plan


def invoke(op: Op, arrays: Sequence[NDArray], out: Any = None) -> Any:
    """The result of `op` on `arrays`: an NDArray, or a list where the operator has several outputs.

    Args:
        op: the operator.
        arrays: its inputs, in order.
        out: array, or list of arrays, to write the results into.

    Raises:
        MXNetError: the inputs do not fit the operator; the text names what and why.
    """
    plan: _Plan = op.structure.plan or _plan_of(op)
    context = arrays[0]._chunk.context if arrays else _context_of_creation(op)
    for i in plan.written:
        _ = arrays[i]._target  # waits for those who read it
    tensors = []
    sparse = plan.sparse
    for array in arrays:
        if array.stype != "default":
            sparse = True
            break
        tensors.append(array._tensor)
    if sparse:
        from .sparse_invoke import invoke_sparse

        return invoke_sparse(op, arrays, context, out)
    plan.accept(op, tensors)
    outs = None if out is None else [out] if isinstance(out, NDArray) else list(out)
    if STATE.recording:
        inputs = linked(arrays)
        if outs is not None:
            _refuse_recorded(outs, arrays if inputs else ())
        if inputs is not None:
            return _invoke_recorded(op, plan, arrays, inputs, context, out, outs)
    results = _run(op, op.forward, plan, tensors, context, outs)
    if outs is not None:
        _write(op, results, outs)
        return out
    if plan.visible == 1:
        return wrap(owned(results[0], tensors), context)
    return [wrap(owned(r, tensors), context) for r in results[: plan.visible]]


def _context_of_creation(op: Op) -> Context:
    """Where an operator without inputs makes its result: its `ctx`, else the current context."""
    named = getattr(op, "ctx", None)
    return context_of(named if isinstance(named, str) else None)


def _refuse_recorded(outs: Sequence[NDArray], inputs: Sequence[NDArray]) -> None:
    for array in outs:
        if array._is_recorded or any(array is i for i in inputs):
            raise recorded_write()


def _invoke_recorded(
    op: Op,
    plan: _Plan,
    arrays: Sequence[NDArray],
    inputs: list[Tensor],
    context: Context,
    out: Any,
    outs: list[NDArray] | None,
) -> Any:
    """`invoke` where recording is on and gradients flow through an input: results keep graphs."""
    if not torch.is_grad_enabled():
        with torch.enable_grad():
            return _invoke_recorded(op, plan, arrays, inputs, context, out, outs)
    for i in plan.written:
        inputs[i] = arrays[i]._tensor
    results = [owned(r, inputs) for r in _run(op, recorded(op), plan, inputs, context, None)]
    node = step(op, arrays)
    if outs is None and plan.visible == 1:
        return wrap_recorded(results[0], context, node)
    nodes = outputs_of(node, plan.visible)
    if outs is None:
        return [wrap_recorded(r, context, n) for r, n in zip(results, nodes, strict=False)]
    _write(op, [r.detach() for r in results], outs)
    for array, result, output in zip(outs, results, nodes, strict=False):
        array._tracked, array._node = result, output
    return out


def _run(
    op: Op,
    forward: Callable[..., Any],
    plan: _Plan,
    tensors: list[Tensor],
    context: Context,
    outs: list[NDArray] | None,
) -> tuple[Tensor, ...]:
    facts = facts_of(plan.facts, context, outs) if plan.facts else {}
    start = clock() if PROFILER.running else 0
    try:
        if tensors or context.device_type == "cpu":
            results = forward(*tensors, **facts)
        else:
            with torch.device(context.device):
                results = forward(**facts)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        refuse(op, tensors, error)
    if start:
        PROFILER.ran(op.name, start, context, results)
    return results if isinstance(results, tuple) else (results,)


def facts_of(wanted: Sequence[str], context: Context, outs: list[NDArray] | None) -> dict[str, Any]:
    """The run facts that a forward asks for; `outs` are the caller's output arrays."""
    facts: dict[str, Any] = {}
    if "train" in wanted:
        facts["train"] = STATE.training
    if "rng" in wanted:
        facts["rng"] = random_stream(context)
    if "out" in wanted:
        facts["out"] = None if outs is None else tuple(o._target for o in outs)
    return facts


def _write(op: Op, results: Sequence[Tensor], outs: Sequence[NDArray]) -> None:
    if len(outs) > len(results):
        raise MXNetError(f"{op.name} gives {len(results)} arrays, out= holds {len(outs)}")
    for array, result in zip(outs, results, strict=False):
        array._receive(result, op.name)
