# SPDX-License-Identifier: Apache-2.0
"""MXNet's gradients as `torch.autograd.Function`s that functorch and compilers can trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from ..core.op.gradient import Reads
from ..core.op.outputs import as_tuple
from ..core.op.schema import Op

__all__ = ["differentiated"]


def differentiated(op: Op, forward: Callable[..., Any]) -> Callable[..., Any]:
    """`forward` with MXNet's gradient of `op`, where that is not the derivative of `forward`."""
    if not op.differentiable:
        return _cut(forward)
    if op.backward is None:
        return forward
    return _explicit(op, forward)


def _cut(forward: Callable[..., Any]) -> Callable[..., Any]:
    def run(*tensors: Tensor, **facts: Any) -> Any:
        with torch.no_grad():
            return forward(*tensors, **facts)

    return run


def _explicit(op: Op, forward: Callable[..., Any]) -> Callable[..., Any]:
    """`forward`, recorded with ``op.backward``; without its labels with its own derivative."""

    def run(*tensors: Tensor | None, **facts: Any) -> Any:
        given = [t for t in tensors if t is not None]
        if len(given) < len(tensors) or not _is_recorded(given):
            return forward(*tensors, **facts)
        return _Explicit.apply(op, forward, facts, *given)  # type: ignore[no-untyped-call]

    return run


def _is_recorded(tensors: list[Tensor]) -> bool:
    return torch.is_grad_enabled() and any(t.requires_grad for t in tensors)


class _Explicit(torch.autograd.Function):
    """An operator with a gradient of its own; only what its backward names is kept."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        op: Op, forward: Callable[..., Any], facts: Mapping[str, Any], *tensors: Tensor
    ) -> Any:
        return forward(*tensors, **facts)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        op, _, _, *tensors = inputs
        arrays = (*tensors, *as_tuple(output))
        ctx.op, ctx.n_inputs = op, len(tensors)
        ctx.save_for_backward(*[arrays[i] for i in Reads.of(op).kept])

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Any, ...]:
        op: Op = ctx.op
        saved = ctx.saved_tensors
        pool = (*d_outputs, *saved)
        backward: Any = op.backward
        gradients = as_tuple(backward(*[pool[i] for i in Reads.of(op).order]))
        # Autograd may add to what it is given.
        owned = [g.clone() if any(g is t for t in saved) else g for g in gradients]
        missing = ctx.n_inputs - len(gradients)  # trailing inputs (labels, lengths) get none
        return (None, None, None, *owned, *(None,) * missing)
