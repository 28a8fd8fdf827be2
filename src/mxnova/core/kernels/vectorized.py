# SPDX-License-Identifier: Apache-2.0
"""Other ways where ATen's kernels leave a processor's vectors empty: float32 on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..runtime import tuning
from ..runtime.processor import HAS_AVX512, IS_AVX2
from ..runtime.torch_api import is_traced

__all__ = [
    "argmax",
    "argmin",
    "fill_rows",
    "layer_norm",
    "predicate",
    "softmax",
    "take_rows",
    "tanh_",
]

# Without AVX-512 ATen's hyperbolic tangent is MKL's, which on AMD's processors takes 14 µs for
# 4,096 numbers on one core, NumPy's 6. With AVX-512 MKL's is fast.
_NUMPY_IS_FASTER = IS_AVX2


def tanh_(data: Tensor) -> Tensor:
    """The hyperbolic tangent of `data`, in its place; for what autograd does not see."""
    if (
        _NUMPY_IS_FASTER
        and _takes(data)
        and tuning.TANH_MIN_SIZE <= data.numel() <= tuning.TANH_MAX_SIZE
    ):
        array = data.numpy()
        np.tanh(array, out=array)
        return data
    return torch.tanh_(data)


# ATen goes row by row, number by number where a row is shorter than a vector. 8,000 rows of 5
# numbers take 1.0 ms on one core with AVX2, as columns 0.21; 20,000 of 2 take 1.4 and 0.32.
_WIDTH = 16 if HAS_AVX512 else 8


def softmax(
    data: Tensor, axis: int, function: Callable[[Tensor, int], Tensor] = torch.softmax
) -> Tensor:
    """``function(data, axis)``, for torch.softmax or torch.log_softmax."""
    if (
        axis in (-1, data.ndim - 1)
        and _takes(data)
        and data.numel() >= tuning.SHORT_ROWS_MIN_SIZE
        and 1 < data.shape[-1] < _WIDTH
    ):
        if torch.is_grad_enabled() and data.requires_grad:
            turned = function(data.reshape(-1, data.shape[-1]).T, 0)
            return turned.T.contiguous().view(data.shape)
        return _rows(function(_columns(data), 0)).view(data.shape)
    return function(data, axis)


def _columns(data: Tensor) -> Tensor:
    """``data.reshape(-1, n).T``, its last axis being short, in one piece.

    A copy for each column takes a seventh of the time of one of all, one for each row of `_rows` a
    third.
    """
    rows = data.reshape(-1, data.shape[-1])
    columns = torch.empty_like(rows.T, memory_format=torch.contiguous_format)
    for column, source in zip(columns, rows.unbind(1), strict=True):
        column.copy_(source)
    return columns


def _rows(columns: Tensor) -> Tensor:
    """``columns.T`` in one piece, for few columns."""
    rows = torch.empty_like(columns.T, memory_format=torch.contiguous_format)
    for source, column in zip(columns, rows.unbind(1), strict=True):
        column.copy_(source)
    return rows


def layer_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """``torch.native_layer_norm(data, gamma.shape, gamma, beta, eps)``."""
    inputs = (data, gamma, beta)
    if (
        not all(map(_takes, inputs))
        or not 1 < data.shape[-1] <= tuning.LAYER_NORM_SHORT_ROW
        or data.numel() < tuning.LAYER_NORM_MIN_SIZE
        or (torch.is_grad_enabled() and any(t.requires_grad for t in inputs))
    ):
        return torch.native_layer_norm(data, gamma.shape, gamma, beta, eps)
    columns = _columns(data)
    mean = columns.mean(0)
    columns -= mean
    inverse_std = (columns * columns).mean(0).add_(eps).rsqrt_()
    columns *= inverse_std
    columns *= gamma.unsqueeze(1)
    columns += beta.unsqueeze(1)
    shape = (*data.shape[:-1], 1)
    return _rows(columns).view(data.shape), mean.view(shape), inverse_std.view(shape)


def take_rows(table: Tensor, places: Tensor) -> Tensor:
    """``table[places]``; places before the first row mean that, those behind the last the last.

    NumPy takes 500,000 rows of 10 in 1.9 ms, ATen in 2.8.
    """
    if _takes(table):
        return torch.from_numpy(np.take(table.numpy(), places.numpy(), axis=0, mode="clip"))
    rows = table.index_select(0, places.clamp(0, len(table) - 1).flatten())
    return rows.view(*places.shape, *table.shape[1:])


def fill_rows(data: Tensor, rows: Tensor, value: float) -> Tensor:
    """A copy of `data` with `value` where `rows`, a mask of its first axes, is true.

    NumPy takes 0.33 ms for half of 128 x 64 rows of 128, ATen by their places 0.65.
    """
    if _takes(data) and not (torch.is_grad_enabled() and data.requires_grad):
        filled = data.clone()
        filled.numpy()[rows.numpy()] = value
        return filled
    if data.device.type == "cpu" and data.ndim > rows.ndim:
        places = rows.reshape(-1).nonzero().squeeze(1)
        return data.flatten(0, rows.ndim - 1).index_fill(0, places, value).view(data.shape)
    return data.masked_fill(rows.reshape(*rows.shape, *(1,) * (data.ndim - rows.ndim)), value)


# ATen looks for places along an inner axis number by number: along the second one of 8 x 21 x 64 x
# 64 numbers for 7.0 ms on one core, where this takes 1.4.
_MOST_PLACES = 1 << 24  # of which float32 tells one from the next


def argmax(data: Tensor, axis: int | None, keepdim: bool = False) -> Tensor:
    """``torch.argmax(data, axis, keepdim)``, as any type that holds places."""
    return _place_of(torch.amax, torch.argmax, data, axis, keepdim)


def argmin(data: Tensor, axis: int | None, keepdim: bool = False) -> Tensor:
    """``torch.argmin(data, axis, keepdim)``, as any type that holds places."""
    return _place_of(torch.amin, torch.argmin, data, axis, keepdim)


def _place_of(
    extreme: Callable[..., Tensor],
    place: Callable[..., Tensor],
    data: Tensor,
    axis: int | None,
    keepdim: bool,
) -> Tensor:
    """The first place of the extreme number: those that are equal to it count down to it."""
    if not _takes(data) or data.numel() < tuning.EXTREMES_MIN_SIZE:
        return place(data, axis, keepdim)
    if axis in (None, -1, data.ndim - 1):
        return _place_in_row(place, data, axis, keepdim)
    if data.shape[axis] > _MOST_PLACES:
        return place(data, axis, keepdim)
    best = extreme(data, axis, keepdim=True)
    if best.isnan().any():
        return place(data, axis, keepdim)
    last = data.shape[axis] - 1
    countdown = torch.arange(last, -1, -1, dtype=data.dtype)
    countdown = countdown.view([-1 if d == axis % data.ndim else 1 for d in range(data.ndim)])
    return last - ((data == best) * countdown).amax(axis, keepdim=keepdim)


def _place_in_row(
    place: Callable[..., Tensor], data: Tensor, axis: int | None, keepdim: bool
) -> Tensor:
    """Along the last axis, or of all numbers."""
    rows = data.detach().reshape(-1) if axis is None else data.detach()
    if (
        rows.shape[-1] < tuning.EXTREMES_MIN_ROW
        or not rows.is_contiguous()
        or (axis is None and keepdim)
    ):
        return place(data, axis, keepdim)
    array = rows.numpy()
    found = array.argmax(-1) if place is torch.argmax else array.argmin(-1)
    places = torch.from_numpy(np.asarray(found))
    return places.unsqueeze(-1) if keepdim else places


def predicate(
    function: Callable[..., Tensor], of_arrays: Callable[..., Any]
) -> Callable[..., Tensor]:
    """`function`, whose values are booleans; `of_arrays`: NumPy's, in a fifth of ATen's time."""

    def forward(data: Tensor, *others: Tensor) -> Tensor:
        if not all(map(_takes, (data, *others))) or data.numel() < tuning.EXTREMES_MIN_SIZE:
            return function(data, *others)
        found = of_arrays(*(t.detach().numpy() for t in (data, *others)))
        return torch.from_numpy(found)

    return forward


def _takes(data: Tensor) -> bool:
    return data.dtype is torch.float32 and data.device.type == "cpu" and not is_traced()
