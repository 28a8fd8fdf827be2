# SPDX-License-Identifier: Apache-2.0
"""Vanilla and GRU layers on CPUs, step by step, with a backward of their own.

ATen has kernels of whole LSTM layers for CPUs, but none of these: it records every operator of
every step. Here a step costs two operators (GRU: six), and one less (three) backwards: products
that do not depend on the step before, those of weights' gradients among them, are made for all
steps at once, and factors of the gradients, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

__all__ = ["layer"]

_VF: Any = torch._VF


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
    output: Tensor = _Layer.apply(mode, data, state, *cell)  # type: ignore[no-untyped-call]
    last = output[-1]
    return (output.flip(0) if backwards else output), last


class _Layer(torch.autograd.Function):
    """Outputs of all steps; gradients of gradients are those of ATen's layer."""

    @staticmethod
    def forward(ctx: Any, mode: str, data: Tensor, state: Tensor, *cell: Tensor) -> Tensor:
        run = _gru if mode == "gru" else _vanilla
        output, kept = run(mode, data, state, *cell)
        ctx.mode = mode
        ctx.save_for_backward(data, state, *cell, output, *kept)
        return output

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Any, ...]:
        (d_output,) = d_outputs
        data, state, *cell, output = ctx.saved_tensors[:7]
        if torch.is_grad_enabled():
            return None, *_differentiable(ctx.mode, d_output, data, state, cell)
        back = _gru_backward if ctx.mode == "gru" else _vanilla_backward
        before = torch.cat([state.unsqueeze(0), output[:-1]])
        factors = (ctx.mode, d_output, output, before, *ctx.saved_tensors[7:])
        d_state, d_i2h, d_h2h = back(cell[1], *factors)
        i2h, h2h = d_i2h.flatten(0, 1), d_h2h.flatten(0, 1)
        return (
            None,
            (i2h @ cell[0]).view_as(data) if ctx.needs_input_grad[1] else None,
            d_state,
            i2h.t() @ data.flatten(0, 1),
            h2h.t() @ before.flatten(0, 1),
            i2h.sum(0),
            h2h.sum(0),
        )


def _differentiable(
    mode: str, d_output: Tensor, data: Tensor, state: Tensor, cell: list[Tensor]
) -> list[Tensor | None]:
    inputs = [t if t.requires_grad else t.detach() for t in (data, state, *cell)]
    settings = (cell, True, 1, 0.0, True, False, False)
    output, _ = getattr(_VF, mode)(data, state.unsqueeze(0), *settings)
    wanted = [t for t in inputs if t.requires_grad]
    found = iter(torch.autograd.grad(output, wanted, d_output, create_graph=True))
    return [next(found) if t.requires_grad else None for t in inputs]


def _vanilla(
    mode: str, data: Tensor, state: Tensor, weight: Tensor, recurrent: Tensor, *biases: Tensor
) -> tuple[Tensor, tuple[Tensor, ...]]:
    activate = torch.relu_ if mode == "rnn_relu" else torch.tanh_
    output = F.linear(data, weight, biases[0] + biases[1])
    hidden, transposed = state, recurrent.t()
    for step in output.unbind(0):
        hidden = activate(step.addmm_(hidden, transposed))
    return output, ()


def _vanilla_backward(
    recurrent: Tensor, mode: str, d_output: Tensor, output: Tensor, before: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    slope = (output > 0).to(output.dtype) if mode == "rnn_relu" else 1 - output * output
    d_sums = torch.empty_like(output)
    d_state = torch.zeros_like(before[0])
    steps = zip(d_output.unbind(0), slope.unbind(0), d_sums.unbind(0), strict=True)
    for d_step, factor, d_sum in reversed(list(steps)):
        torch.mul(d_state.add_(d_step), factor, out=d_sum)
        torch.mm(d_sum, recurrent, out=d_state)
    return d_state, d_sums, d_sums


def _gru(
    mode: str, data: Tensor, state: Tensor, weight: Tensor, recurrent: Tensor, *biases: Tensor
) -> tuple[Tensor, tuple[Tensor, ...]]:
    width = state.shape[1]
    i2h = F.linear(data, weight, biases[0])
    h2h = torch.empty_like(i2h)
    output = i2h.new_empty((*i2h.shape[:2], width))
    hidden, transposed = state, recurrent.t()
    gates, new = i2h[..., : 2 * width], i2h[..., 2 * width :]
    steps = zip(
        *(t.unbind(0) for t in (h2h, h2h[..., : 2 * width], h2h[..., 2 * width :])),
        *(t.unbind(0) for t in (gates, gates[..., :width], gates[..., width:], new, output)),
        strict=True,
    )
    for product, h2h_gates, h2h_new, gate, reset, update, fresh, out in steps:
        torch.addmm(biases[1], hidden, transposed, out=product)
        gate.add_(h2h_gates).sigmoid_()
        fresh.addcmul_(reset, h2h_new).tanh_()
        hidden = torch.lerp(fresh, hidden, update, out=out)
    return output, (i2h, h2h)


def _gru_backward(
    recurrent: Tensor,
    mode: str,
    d_output: Tensor,
    output: Tensor,
    before: Tensor,
    i2h: Tensor,
    h2h: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    reset, update, new = i2h.chunk(3, -1)
    by_new = (1 - update) * (1 - new * new)
    by_update = (before - new) * update * (1 - update)
    by_reset = by_new * h2h.chunk(3, -1)[2] * reset * (1 - reset)
    factors = torch.stack([by_reset, by_update, by_new * reset], 2)
    d_h2h, d_steps = torch.empty_like(factors), torch.empty_like(output)
    flat = d_h2h.flatten(2)
    d_state = torch.zeros_like(before[0])
    tensors = (d_output, factors, update, d_h2h, flat, d_steps)
    steps = list(zip(*(t.unbind(0) for t in tensors), strict=True))
    for d_out, factor, keep, d_product, d_flat, d_step in reversed(steps):
        torch.add(d_state, d_out, out=d_step)
        torch.mul(d_step.unsqueeze(1), factor, out=d_product)
        d_state = torch.addmm(d_step * keep, d_flat, recurrent)
    d_i2h = flat.clone()
    d_i2h[..., 2 * output.shape[2] :] = d_steps * by_new
    return d_state, d_i2h, flat
