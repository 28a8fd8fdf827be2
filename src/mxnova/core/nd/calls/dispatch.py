# SPDX-License-Identifier: Apache-2.0
"""The one way by which an operator runs on arrays.

`invoke` takes every call: of functions, methods, Python's operators, indexing that is recorded. It
chooses the kernel for the storage of the inputs, records, and gives arrays of the inputs' class.
What is to see calls of any kind enters in one place, `_on_slow_path`: engines with work under way,
the profiler, and modes (see `modes`). `fast_calls` has shorter ways for calls in which nothing is
out of the ordinary; everything else is `invoke`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, is_grad_enabled

from ...base.errors import ArgumentTypeError, MXNetError, shown
from ...op.gradient import recorded
from ...op.integer_gradient import flows_through_integers, step_on_integers
from ...op.kernel import Kernel
from ...op.kernel_gradient import run_kernel
from ...op.outputs import as_tuple
from ...op.schema import Op
from ...op.sparse.storage import Value
from ...runtime.context import Context, context_of
from ...runtime.profiler import PROFILER, clock
from ...runtime.resource import random_stream
from ...runtime.slow_path import SLOW_PATH
from ...runtime.storage import placed
from ..access import READ, WRITE, settle
from ..base_array import CLASSES, BaseArray
from ..deferred_errors import fail, failing_results, is_failing, share_failure
from ..modes import MODES
from ..recording import STATE, recorded_write
from ..tape import Source, TapeNode, flow_of, is_live, linked, outputs_of, step
from ..wrapping import owned, receive, view_of, wrap, wrap_value
from .fallback import dense_copy, tell_of_fallback
from .plan import MAKES_INTEGERS, Plan, plan_of
from .validation import refuse, refuse_count

__all__ = ["execute", "invoke"]


# Running ------------------------------------------------------------------------------------------


def invoke(
    op: Op,
    arrays: Sequence[BaseArray],
    out: Any = None,
    *,
    cls: type[BaseArray] | None = None,
    context: Context | None = None,
    is_view: bool = False,
) -> Any:
    """The result of `op` on `arrays`: an array, or a list where the operator has several outputs.

    Args:
        op: the operator.
        arrays: its inputs, in order.
        out: array, or list of arrays, to write the results into.
        cls: class of the results; default: that of the inputs, a subclass before its bases.
        context: where the results go; default: where the inputs are.
        is_view: the result shares the memory of the first input.

    Raises:
        MXNetError: the inputs do not fit the operator; the text names what and why.
    """
    run = _on_slow_path if SLOW_PATH else _run
    try:
        return run(op, arrays, out, cls, context, is_view)
    except MXNetError as error:
        if not error.of_values:
            raise
        results = _failing(op, arrays, out, cls, context)
        if results is None:
            raise
        fail(error, results, op.name)
    return _handed_back(op, results, out)


def _failing(
    op: Op,
    arrays: Sequence[BaseArray],
    out: Any,
    cls: type[BaseArray] | None,
    context: Context | None,
) -> list[BaseArray] | None:
    """What `op` should have written to: the caller's arrays, else new ones."""
    if out is not None:
        return _listed(out)
    here = context or (arrays[0]._chunk.context if arrays else _context_of_creation(op, None))
    return failing_results(op, arrays, here, cls or (type(arrays[0]) if arrays else None))


def _handed_back(op: Op, results: list[BaseArray], out: Any) -> Any:
    """What the caller of `op` gets, of the arrays that hold its results."""
    if out is not None:
        return out
    return results if op.n_visible() > 1 else results[0]


def _on_slow_path(
    op: Op,
    arrays: Sequence[BaseArray],
    out: Any,
    cls: type[BaseArray] | None,
    context: Context | None,
    is_view: bool,
) -> Any:
    """`_run`, where somebody is to see it, or to be waited for."""
    for reason in tuple(SLOW_PATH):
        reason.leave_if_idle()
    if MODES:
        with MODES.outer() as mode:
            return mode.invoke(op, arrays, out, cls=cls, context=context, is_view=is_view)
    source = next(filter(is_failing, arrays), None)
    results = None if source is None else _failing(op, arrays, out, cls, context)
    if source is not None and results is not None:
        share_failure(source, results)
        return _handed_back(op, results, out)
    written = plan_of(op).written
    for i, array in enumerate(arrays):
        settle(array, WRITE if i in written else READ)
    for array in _listed(out):
        settle(array, WRITE)
    return _run(op, arrays, out, cls, context, is_view)


def _listed(out: Any) -> list[BaseArray]:
    if out is None:
        return []
    if isinstance(out, BaseArray):
        return [out]
    is_list = isinstance(out, (list, tuple)) and out
    if not is_list or not all(isinstance(o, BaseArray) for o in out):
        raise ArgumentTypeError(f"out={shown(out)}: must be an array, or a list that holds arrays")
    return list(out)


def _run(
    op: Op,
    arrays: Sequence[BaseArray],
    out: Any,
    cls: type[BaseArray] | None,
    context: Context | None,
    is_view: bool,
) -> Any:
    plan: Plan = op.structure.plan or plan_of(op)
    if len(arrays) != plan.n_inputs:
        refuse_count(op, len(arrays))
    here = arrays[0]._chunk.context if arrays else context or _context_of_creation(op, out)
    kind = cls or CLASSES["default"]
    sparse = plan.sparse
    values = []
    for array in arrays:
        given = type(array)
        if given is not kind:
            if given.stype != "default":
                sparse = True
            elif cls is None and issubclass(given, kind):
                kind = given
        values.append(array._raw)
    if sparse:
        kernel = op.kernel_for([a.stype for a in arrays])
        if kernel is not None:
            return _run_kernel(op, plan, kernel, arrays, values, out, kind, here)
        if any(a.stype != "default" for a in arrays):
            return _densely(op, arrays, out)
    integers = plan.accept(op, values)
    if STATE.recording:
        links = linked(arrays)
        if out is not None:
            _refuse_recorded(_listed(out), arrays if links else ())
        if links is not None:
            return _run_recorded(
                op, plan, arrays, values, links, integers, out, kind, here, context, is_view
            )
    outs = None if out is None else _listed(out)
    made = execute(op, op.forward, plan.facts, values, here, outs)
    if outs is not None:
        _write(op, made, outs)
        return out
    if is_view:
        return view_of(arrays[0], made[0])
    if context is not None and arrays:
        return wrap(placed(made[0], context), context, kind)
    if plan.visible == 1:
        return wrap(owned(made[0], values), here, kind)
    return [wrap(owned(r, values), here, kind) for r in made[: plan.visible]]


def _context_of_creation(op: Op, out: Any) -> Context:
    """Where an operator without inputs makes its result: where `out` is, at `ctx`, or here."""
    if out is not None:
        return _listed(out)[0]._chunk.context
    named = getattr(op, "ctx", None)
    return context_of(named if isinstance(named, str) else None)


def execute(
    op: Op,
    forward: Callable[..., Any],
    wanted: Sequence[str],
    values: Sequence[Any],
    context: Context,
    outs: Sequence[BaseArray] | None,
) -> tuple[Any, ...]:
    """What `forward` gives; the boundary at which whatever it raises becomes an MXNetError."""
    facts = _facts(op, wanted, context, outs) if wanted else {}
    start = clock() if PROFILER.running else 0
    try:
        if values or context.device_type == "cpu":
            results = forward(*values, **facts)
        else:
            with torch.device(context.device):
                results = forward(**facts)
    except Exception as error:  # noqa: BLE001 - operators meet whatever users give them
        refuse(op, values, error)
    if start:
        PROFILER.ran(op.name, start, context, results)
    return results if type(results) is tuple else as_tuple(results)


def _facts(
    op: Op, wanted: Sequence[str], context: Context, outs: Sequence[BaseArray] | None
) -> dict[str, Any]:
    """The run facts that a forward asks for; `outs` are the caller's output arrays."""
    facts: dict[str, Any] = {}
    if "train" in wanted:
        facts["train"] = STATE.training
    if "rng" in wanted:
        facts["rng"] = random_stream(context) if op.draws else None
    if "out" in wanted:
        facts["out"] = None if outs is None else tuple([o._raw for o in outs])
    if "inside" in wanted:
        facts["inside"] = False
    return facts


def _write(op: Op, results: Sequence[Any], outs: Sequence[BaseArray]) -> None:
    if len(outs) > len(results):
        raise MXNetError(f"{op.name} gives {len(results)} arrays, out= holds {len(outs)}")
    for array, result in zip(outs, results, strict=False):
        receive(array, result, op.name)


# Recording ----------------------------------------------------------------------------------------


def _run_recorded(
    op: Op,
    plan: Plan,
    arrays: Sequence[BaseArray],
    values: Sequence[Tensor],
    links: list[Tensor],
    integers: int,
    out: Any,
    cls: type[BaseArray],
    here: Context,
    context: Context | None,
    is_view: bool,
) -> Any:
    """`_run` where gradients flow through an input: results keep their graphs."""
    if integers:
        if flows_through_integers(op, values, links, integers == MAKES_INTEGERS):
            return _run_on_integers(
                op, plan, arrays, values, links, out, cls, here, context, is_view
            )
        links = _without_integers(links, values)
    if plan.written:
        for i in op.structure.without_gradient:
            links[i] = values[i]
    results = _recorded(op, plan, links, here, context, is_view)
    node, there = _step(op, plan, arrays, results), context or here
    if out is None and plan.visible == 1:
        array = wrap(results[0], there, cls, node)
        if is_view:
            array._chunk = arrays[0]._chunk
        return array
    nodes = outputs_of(node, plan.visible)
    if out is None:
        return [wrap(r, there, cls, n) for r, n in zip(results, nodes, strict=False)]
    _write_recorded(op, [r.detach() for r in results], results, nodes, _listed(out))
    return out


def _step(op: Op, plan: Plan, arrays: Sequence[BaseArray], links: Sequence[Tensor]) -> TapeNode:
    """The node of `op`, run on `arrays`; `links` is what gradients of its results flow through."""
    node = step(op, arrays, plan.node)
    if plan.node is Source:
        always = plan.starts_gradients
        # Those that write do so when a gradient of their first result comes.
        node.keep(links if always else links[:1], always)  # type: ignore[attr-defined]
    return node


def _write_recorded(
    op: Op,
    results: Sequence[Tensor],
    links: Sequence[Tensor],
    nodes: Sequence[Any],
    outs: Sequence[BaseArray],
) -> None:
    _write(op, results, outs)
    for written, link, node in zip(outs, links, nodes, strict=False):
        written._tracked, written._node = link, node


def _run_on_integers(
    op: Op,
    plan: Plan,
    arrays: Sequence[BaseArray],
    values: Sequence[Tensor],
    links: list[Tensor],
    out: Any,
    cls: type[BaseArray],
    here: Context,
    context: Context | None,
    is_view: bool,
) -> Any:
    """`_run_recorded` where gradients flow through integers: ATen's graph has stand-ins of them."""
    links_of_results: tuple[Tensor, ...] = ()

    def forward(*values: Tensor, **facts: Any) -> tuple[Tensor, ...]:
        nonlocal links_of_results
        results, links_of_results = step_on_integers(op, values, links, facts)
        return tuple(results)

    results = execute(op, forward, plan.facts, values, here, None)
    if not is_view:
        results = tuple(
            owned(r, values) if context is None else placed(r, context) for r in results
        )
    there = context or here
    nodes = outputs_of(_step(op, plan, arrays, links_of_results), plan.visible)
    if out is not None:
        _write_recorded(op, results, links_of_results, nodes, _listed(out))
        return out
    made = []
    for result, link, node in zip(results, links_of_results, nodes, strict=False):
        array = wrap(link, there, cls, node)
        array._raw = result.detach()
        made.append(array)
    if is_view:
        made[0]._chunk = arrays[0]._chunk
    return made[0] if plan.visible == 1 else made


def _without_integers(links: Sequence[Tensor], values: Sequence[Tensor]) -> list[Tensor]:
    """`links`, integers as the constants that they are where no gradient flows through them."""
    return [t if v.is_floating_point() else v for t, v in zip(links, values, strict=True)]


def _recorded(
    op: Op,
    plan: Plan,
    links: list[Tensor],
    here: Context,
    target: Context | None,
    is_view: bool,
) -> list[Tensor]:
    if not is_grad_enabled():
        with torch.enable_grad():
            return _recorded(op, plan, links, here, target, is_view)
    results = execute(op, recorded(op), plan.facts, links, here, None)
    if is_view:
        return list(results)
    if target is not None:
        return [placed(r, target) for r in results]
    return [owned(r, links) for r in results]


def _refuse_recorded(outs: Sequence[BaseArray], inputs: Sequence[BaseArray]) -> None:
    for array in outs:
        if is_live(array) or any(array is i for i in inputs):
            raise recorded_write()


# Sparse storage -----------------------------------------------------------------------------------


def _run_kernel(
    op: Op,
    plan: Plan,
    kernel: Kernel,
    arrays: Sequence[BaseArray],
    values: Sequence[Value],
    out: Any,
    cls: type[BaseArray],
    context: Context,
) -> Any:
    """`_run` by the operator's kernel for this storage."""
    plan.accept(op, values)
    outs = _listed(out)
    flows = [flow_of(a) for a in arrays] if STATE.recording else []
    tracked = flows if any(f is not None for f in flows) else []
    links: tuple[Tensor, ...] = ()

    def forward(*values: Value, **facts: Any) -> tuple[Value, ...]:
        nonlocal links
        results, links = run_kernel(op, kernel, values, tracked, facts)
        return results

    results = execute(op, forward, kernel.facts, values, context, outs or None)
    states = [i for i, n in enumerate(op.inputs()) if n in op.mutates]
    for i, state in zip(states, results[len(op.outputs()) :], strict=False):
        receive(arrays[i], state, op.name, owned=True)
    _write(op, results, outs)
    made = outs or [wrap_value(r, context, cls) for r in results[: plan.visible]]
    if links:
        nodes = outputs_of(_step(op, plan, arrays, links), plan.visible)
        for array, link, node in zip(made, links, nodes, strict=False):
            array._tracked, array._node = link, node
    return out if outs else made[0] if plan.visible == 1 else made


def _densely(op: Op, arrays: Sequence[BaseArray], out: Any) -> Any:
    """`_run` on dense copies, where no kernel takes this storage."""
    op.infer_stype([a.stype for a in arrays])  # may refuse it
    tell_of_fallback(op, arrays)
    copies = [dense_copy(a) if a.stype != "default" else a for a in arrays]
    result = invoke(op, copies, out)
    for at in op.structure.written:
        if copies[at] is not arrays[at]:
            receive(arrays[at], copies[at]._raw, op.name)
    return result
