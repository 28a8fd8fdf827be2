# SPDX-License-Identifier: Apache-2.0
"""Sums of float16 and bfloat16 numbers in float32, where ATen's kernels add in the short dtype.

A float16 sum stops growing at 2048 times its summands, a bfloat16 one at 256 times. ATen adds in
the short dtype when it scatters: in the gradients of lookups, of resampled images and of regions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..runtime.torch_api import apply_function, is_traced

__all__ = ["accumulate_in_float32", "index", "index_select", "widen"]

_SHORT = (torch.float16, torch.bfloat16)


def widen(data: Tensor) -> Tensor:
    """Return float16 and bfloat16 numbers as float32, others unchanged."""
    return data.float() if data.dtype in _SHORT else data


def accumulate_in_float32(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return `function` so that ATen adds the gradient of a short first argument in float32."""

    @functools.wraps(function)
    def run(data: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if data.dtype in _SHORT and data.requires_grad and torch.is_grad_enabled():
            return function(data.float(), *args, **kwargs).to(data.dtype)
        return function(data, *args, **kwargs)

    return run


class _SelectedRows(torch.autograd.Function):
    """Rows of a table, whose gradient is added in float32 for the selected rows only."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Tensor) -> Tensor:
        ctx.shape = table.shape
        ctx.save_for_backward(rows)
        return table.index_select(0, rows)

    @staticmethod
    def backward(ctx: Any, *d_output: Tensor) -> tuple[Tensor, None]:
        rows, places = torch.unique(*ctx.saved_tensors, return_inverse=True)
        wide = d_output[0].float()
        sums = wide.new_zeros(len(rows), *ctx.shape[1:]).index_add_(0, places, wide)
        gradient = d_output[0].new_zeros(ctx.shape)
        return gradient.index_copy_(0, rows, sums.to(gradient.dtype)), None


_select_rows: Callable[..., Tensor] = apply_function(_SelectedRows)
_select_widely = accumulate_in_float32(torch.index_select)


def index_select(data: Tensor, axis: int, indices: Tensor) -> Tensor:
    """Return ``data.index_select(axis, indices)``."""
    if axis == 0 and data.dtype in _SHORT and data.device.type == "cpu" and not is_traced():
        return _select_rows(data, indices)
    return _select_widely(data, axis, indices)


# Compute data[key] for a key with index tensors.
index = accumulate_in_float32(torch.Tensor.__getitem__)
