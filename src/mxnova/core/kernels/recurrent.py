# SPDX-License-Identifier: Apache-2.0
"""Vanilla and GRU layers on CPUs, step by step, with a backward of their own.

ATen has kernels of whole LSTM layers for CPUs, but none of these: it records every operator of
every step. Here a step costs two operators (GRU: five), and two (three) backwards: products that
do not depend on the step before, those of weights' gradients among them, are made for all steps at
once, and factors of the gradients, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import onednn
from .activation import relu_
from .vectorized import tanh_

__all__ = ["layer"]


def layer(
    mode: str, data: Tensor, state: Tensor, cell: Sequence[Tensor], backwards: bool
) -> tuple[Tensor, Tensor]:
    """One layer in one direction: (outputs of all steps, the state after the last).

    Args:
        mode: ``rnn_relu``, ``rnn_tanh`` or ``gru``.
        data: (time, batch, features).
        state: (batch, width).
        cell: input and recurrent weights, their biases.
        backwards: whether steps go from the end of time to its beginning.
    """
    if backwards:
        data = data.flip(0)
    if torch.is_grad_enabled() and any(t.requires_grad for t in (data, state, *cell)):
        output: Tensor = _Layer.apply(mode, data, state, *cell)  # type: ignore[no-untyped-call]
    else:
        output, _ = _outputs(mode, data, state, cell, keep=False)
    last = output[-1]
    return (output.flip(0) if backwards else output), last


class _Layer(torch.autograd.Function):
    """Outputs of all steps; gradients of gradients are those of ATen's layer."""

    @staticmethod
    def forward(ctx: Any, mode: str, data: Tensor, state: Tensor, *cell: Tensor) -> Tensor:
        output, kept = _outputs(mode, data, state, cell, keep=True)
        ctx.mode = mode
        ctx.save_for_backward(data, state, *cell, output, *kept)
        return output

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Any, ...]:
        (d_output,) = d_outputs
        data, state, *cell, output = ctx.saved_tensors[:7]
        if torch.is_grad_enabled():
            return None, *_differentiable(ctx.mode, d_output, data, state, cell)
        before = torch.cat([state.unsqueeze(0), output[:-1]])
        # Of the initial state and of all outputs: to those, later steps are to be added.
        d_states = torch.cat([torch.zeros_like(d_output[:1]), d_output])
        if ctx.mode == "gru":
            d_i2h, d_h2h = _gru_backward(cell[1], d_states, before, *ctx.saved_tensors[7:])
        else:
            d_i2h = d_h2h = _vanilla_backward(cell[1], d_states, output, ctx.mode)
        i2h, h2h = d_i2h.flatten(0, 1), d_h2h.flatten(0, 1)
        return (
            None,
            onednn.matmul(i2h, cell[0]).view_as(data) if ctx.needs_input_grad[1] else None,
            d_states[0],
            onednn.matmul(i2h.t(), data.flatten(0, 1)),
            onednn.matmul(h2h.t(), before.flatten(0, 1)),
            i2h.sum(0),
            h2h.sum(0),
        )


def _differentiable(
    mode: str, d_output: Tensor, data: Tensor, state: Tensor, cell: list[Tensor]
) -> list[Tensor | None]:
    inputs = [t if t.requires_grad else t.detach() for t in (data, state, *cell)]
    settings = (cell, True, 1, 0.0, True, False, False)
    output, _ = getattr(torch, mode)(data, state.unsqueeze(0), *settings)
    wanted = [t for t in inputs if t.requires_grad]
    found = iter(torch.autograd.grad(output, wanted, d_output, create_graph=True))
    return [next(found) if t.requires_grad else None for t in inputs]


def _outputs(
    mode: str, data: Tensor, state: Tensor, cell: Sequence[Tensor], keep: bool
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Outputs of all steps, and what else a backward pass reads, if it is to be kept."""
    if mode == "gru":
        return _gru(data, state, *cell, keep=keep)
    return _vanilla(mode, data, state, *cell), ()


def _vanilla(
    mode: str, data: Tensor, state: Tensor, weight: Tensor, recurrent: Tensor, *biases: Tensor
) -> Tensor:
    activate = relu_ if mode == "rnn_relu" else tanh_
    output = onednn.linear(data, weight, biases[0] + biases[1])
    hidden, transposed = state, recurrent.t()
    for step in output.unbind(0):
        hidden = activate(step.addmm_(hidden, transposed))
    return output


def _vanilla_backward(recurrent: Tensor, d_states: Tensor, output: Tensor, mode: str) -> Tensor:
    slope = (output > 0).to(output.dtype) if mode == "rnn_relu" else 1 - output * output
    rows = d_states.unbind(0)
    steps = zip(rows[:-1], rows[1:], slope.unbind(0), strict=True)
    for d_before, d_step, factor in reversed(list(steps)):
        d_before.addmm_(d_step.mul_(factor), recurrent)
    return d_states[1:]


def _gru(
    data: Tensor, state: Tensor, weight: Tensor, recurrent: Tensor, *biases: Tensor, keep: bool
) -> tuple[Tensor, tuple[Tensor, ...]]:
    width = state.shape[1]
    gates, new = slice(2 * width), slice(2 * width, None)
    bias = torch.cat([biases[0][gates] + biases[1][gates], biases[0][new]])
    sums = onednn.linear(data, weight, bias)
    fresh = sums[..., new].clone()
    sums[..., new] = biases[1][new]
    # A view costs half of what an operator does on few numbers: if nothing is kept, all steps
    # share those of one.
    total = sums if keep else torch.empty_like(sums[:1])
    output = torch.empty_like(fresh) if keep else fresh
    reset, update, h2h = total.chunk(3, -1)
    views = (t.unbind(0) for t in (total, total[..., gates], reset, update, h2h))
    steps = (t.unbind(0) for t in (sums, fresh, output))
    hidden, transposed = state, recurrent.t()
    for i2h, n, out, product, gate, r, u, h in zip(
        *steps, *(views if keep else map(itertools.cycle, views)), strict=False
    ):
        torch.addmm(i2h, hidden, transposed, out=product)
        gate.sigmoid_()
        tanh_(n.addcmul_(r, h))
        hidden = torch.lerp(n, hidden, u, out=out)
    return output, (reset, update, h2h, fresh)


def _gru_backward(
    recurrent: Tensor,
    d_states: Tensor,
    before: Tensor,
    reset: Tensor,
    update: Tensor,
    h2h: Tensor,
    new: Tensor,
) -> tuple[Tensor, Tensor]:
    by_new = (1 - update) * (1 - new * new)
    by_update = (before - new) * update * (1 - update)
    by_reset = by_new * h2h * reset * (1 - reset)
    d_h2h = torch.stack([by_reset, by_update, by_new * reset], 2)  # times d_states, step by step
    flat = d_h2h.flatten(2)
    rows, wide = d_states.unbind(0), d_states[1:].unsqueeze(2)
    tensors = (wide, update, d_h2h, flat)
    steps = list(zip(rows[:-1], rows[1:], *(t.unbind(0) for t in tensors), strict=True))
    for d_before, d_step, d_wide, keep, d_product, d_flat in reversed(steps):
        d_product.mul_(d_wide)
        d_before.addmm_(d_flat, recurrent).addcmul_(d_step, keep)
    d_i2h = flat.clone()
    torch.mul(d_states[1:], by_new, out=d_i2h[..., 2 * new.shape[2] :])
    return d_i2h, flat
