# SPDX-License-Identifier: Apache-2.0
"""How integers take part in ATen's autograd, which has gradients of real numbers only.

An integer value that gradients flow through is accompanied by a stand-in: a tensor of float64, of
its shape and without memory, which is what autograd sees. An operator with such values is one step
of the graph. Its gradient is that of the operator on the same numbers in float64; what flows to
integers is cut to whole numbers at every step, as MXNet's integer arithmetic does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from ..base.errors import MXNetError
from ..base.shapes import Pause
from .dtypes import torch_dtype
from .gradient import recorded
from .infer import DTypes
from .kernel_gradient import stand_in
from .outputs import as_tuple
from .schema import Op

__all__ = ["flows_through_integers", "integer_stand_in", "makes_integers", "step_on_integers"]

_REAL = torch.float64
# Remainders: MXNet gives them slopes on real numbers only.
_LEVEL = {"_mod", "broadcast_mod", "_mod_scalar", "_rmod_scalar"}
_LEVEL |= {"_npi_mod", "_npi_mod_scalar", "_npi_rmod_scalar"}


def integer_stand_in(value: Tensor) -> Tensor:
    """Return the floating-point tensor through which gradients of the integers `value` flow."""
    return stand_in(value, _REAL)


def makes_integers(op: Op, dtypes: Sequence[torch.dtype | None]) -> bool:
    """Whether gradients flow through `op`, for inputs of these types, to integers that it makes."""
    if not op.differentiable:
        return False
    names, outputs = op.inputs(), op.outputs()
    table = DTypes(op.name, names, outputs, [*dtypes, *[None] * len(outputs)])
    with suppress(Pause, MXNetError):
        op.infer_dtype(table)
    made = map(table.known, outputs)
    return any(d is not None and not d.is_floating_point for d in made)


def flows_through_integers(
    op: Op, values: Sequence[Tensor], tracked: Sequence[Tensor], makes_some: bool
) -> bool:
    """Whether a gradient of `op` goes to integers, or comes from some; else they are constants.

    Args:
        op: the operator.
        values: its inputs.
        tracked: what gradients flow through for each: itself, or a stand-in for integers.
        makes_some: what `makes_integers` says.
    """
    flows = any(
        t.requires_grad and (makes_some or not v.is_floating_point())
        for t, v in zip(tracked, values, strict=True)
    )
    return flows and bool(op.differentiable) and op.can_run_twice


def step_on_integers(
    op: Op, values: Sequence[Tensor], tracked: Sequence[Tensor], facts: Mapping[str, Any]
) -> tuple[list[Tensor], tuple[Tensor, ...]]:
    """(results, what gradients flow through for each) of an operator with integers.

    Args:
        op: the operator.
        values: its inputs.
        tracked: what gradients flow through for each: itself, or a stand-in for integers.
        facts: of the run.
    """
    results: list[Tensor] = []
    pairs = zip(values, tracked, strict=True)
    linked = [t if v.is_floating_point() else v for v, t in pairs]
    with torch.enable_grad():
        links = _Step.apply(op, linked, facts, results, *tracked)  # type: ignore[no-untyped-call]
    return results, links


class _Step(torch.autograd.Function):
    """One operator; its results go into a list, since autograd sees stand-ins of integers."""

    @staticmethod
    def forward(
        ctx: Any,
        op: Op,
        values: Sequence[Tensor],
        facts: Mapping[str, Any],
        results: list[Tensor],
        *tracked: Tensor,
    ) -> tuple[Tensor, ...]:
        results.extend(as_tuple(op.forward(*values, **facts)))
        ctx.op, ctx.values, ctx.facts = op, values, facts
        ctx.set_materialize_grads(False)
        return tuple(r if r.is_floating_point() else integer_stand_in(r) for r in results)

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor | None) -> tuple[Any, ...]:
        op, values, wanted = ctx.op, ctx.values, ctx.needs_input_grad[4:]
        if op.name in _LEVEL:
            return (None,) * len(ctx.needs_input_grad)
        create_graph = torch.is_grad_enabled()
        with torch.enable_grad():
            inputs = _as_reals(op, values, wanted, create_graph)
            if op.cuts_slopes and not any(v.is_floating_point() for v in values):
                found = _pointwise_gradients(op, inputs, wanted, d_outputs[0])
            else:
                found = _gradients(op, inputs, wanted, d_outputs, ctx.facts, create_graph)
        gradients = iter(found)
        made = (next(gradients) if is_wanted else None for is_wanted in wanted)
        return None, None, None, None, *(_cut(g, v) for g, v in zip(made, values, strict=True))


def _gradients(
    op: Op,
    inputs: Sequence[Tensor],
    wanted: Sequence[bool],
    d_outputs: Sequence[Tensor | None],
    facts: Mapping[str, Any],
    create_graph: bool,
) -> Sequence[Tensor | None]:
    results = as_tuple(recorded(_on_reals(op))(*inputs, **facts))
    pairs = zip(results, d_outputs, strict=True)
    heads = [(r, d.to(r.dtype)) for r, d in pairs if d is not None and r.requires_grad]
    leaves = [t for t, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
    if not heads:
        return [None] * len(leaves)
    found: Sequence[Tensor | None] = torch.autograd.grad(
        [r for r, _ in heads],
        leaves,
        [d for _, d in heads],
        allow_unused=True,
        create_graph=create_graph,
    )
    return found


def _pointwise_gradients(
    op: Op, inputs: Sequence[Tensor], wanted: Sequence[bool], d_output: Tensor | None
) -> Sequence[Tensor | None]:
    """MXNet cuts the slope, then multiplies: the gradient of ``x * 2.7`` is 2 times what comes."""
    if d_output is None:
        return [None] * sum(wanted)
    wide = [
        t.detach().expand(d_output.shape).requires_grad_(is_wanted)
        for t, is_wanted in zip(inputs, wanted, strict=True)
    ]
    (result,) = as_tuple(recorded(op)(*wide))
    leaves = [t for t in wide if t.requires_grad]
    ones = [torch.ones_like(result)]
    slopes = torch.autograd.grad([result], leaves, ones, allow_unused=True)
    shapes = [t.shape for t, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
    return [
        None if slope is None else (slope.trunc() * d_output).sum_to_size(shape)
        for slope, shape in zip(slopes, shapes, strict=True)
    ]


def _cut(gradient: Tensor | None, value: Tensor) -> Tensor | None:
    """The gradient of `value`, in numbers of its type where that holds integers."""
    if gradient is None or value.is_floating_point():
        return gradient
    return gradient.detach().long().to(value.dtype).to(_REAL)


def _as_reals(
    op: Op, values: Sequence[Tensor], wanted: Sequence[bool], linked: bool
) -> list[Tensor]:
    """The inputs, integers as real numbers where gradients are wanted, or of a type with those.

    Args:
        op: the operator.
        values: its inputs.
        wanted: which gradients are.
        linked: whether gradients have gradients, which find their way through the inputs.
    """
    found = []
    for value, is_wanted, is_tied in zip(values, wanted, _tied(op, values, wanted), strict=True):
        if value.is_floating_point() and linked and is_wanted:
            found.append(value.view_as(value))
        elif is_wanted or is_tied:
            found.append(value.detach().to(_REAL if is_tied else value.dtype))
            found[-1].requires_grad_(is_wanted)
        else:
            found.append(value.detach())
    return found


def _tied(op: Op, values: Sequence[Tensor], wanted: Sequence[bool]) -> list[bool]:
    """Which inputs are of float64 by the operator's rules once the wanted integers are."""
    facts = [
        _REAL if is_wanted and not v.is_floating_point() else None
        for v, is_wanted in zip(values, wanted, strict=True)
    ]
    names, outputs = op.inputs(), op.outputs()
    table = DTypes(op.name, names, outputs, [*facts, *[None] * len(outputs)])
    with suppress(Pause, MXNetError):
        op.infer_dtype(table)
    pairs = zip(names, values, strict=True)
    return [table.known(n) is _REAL and not v.is_floating_point() for n, v in pairs]


def _on_reals(op: Op) -> Op:
    """The operator that gives real numbers where `op` is told to give integers."""
    dtype = op.values.get("dtype")
    if dtype in (None, "", "None") or torch_dtype(dtype).is_floating_point:
        return op
    return op.changed(dtype="float64")
