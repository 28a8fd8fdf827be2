# SPDX-License-Identifier: Apache-2.0
"""Other ways where ATen's kernels leave a processor's vectors empty: float32 on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

__all__ = ["argmax", "argmin", "softmax", "tanh_"]

# Without AVX-512 ATen's hyperbolic tangent is MKL's, which on AMD's processors takes 14 µs for
# 4,096 numbers on one core, NumPy's 6. With AVX-512 MKL's is fast.
_NUMPY_IS_FASTER = torch.backends.cpu.get_cpu_capability() == "AVX2"
# Below, the array that NumPy sees costs more than it saves; above, ATen's threads share the work.
_LEAST, _MOST = 1 << 9, 1 << 15


def tanh_(data: Tensor) -> Tensor:
    """The hyperbolic tangent of `data`, in its place; for what autograd does not see."""
    if _NUMPY_IS_FASTER and _LEAST <= data.numel() <= _MOST and _takes(data):
        array = data.numpy()
        np.tanh(array, out=array)
        return data
    return torch.tanh_(data)


# ATen goes row by row, number by number where a row is shorter than a vector. 8,000 rows of 5
# numbers take 1.0 ms on one core with AVX2, as columns 0.21; 20,000 of 2 take 1.4 and 0.32.
_WIDTH = 16 if torch.backends.cpu.get_cpu_capability() == "AVX512" else 8
_WORTH_TURNING = 1 << 11


def softmax(
    data: Tensor, axis: int, function: Callable[[Tensor, int], Tensor] = torch.softmax
) -> Tensor:
    """``function(data, axis)``, for torch.softmax or torch.log_softmax."""
    if (
        axis in (-1, data.ndim - 1)
        and data.numel() >= _WORTH_TURNING
        and 1 < data.shape[-1] < _WIDTH
        and _takes(data)
    ):
        columns = function(data.reshape(-1, data.shape[-1]).T, 0)
        return columns.T.contiguous().view(data.shape)
    return function(data, axis)


# ATen looks for places along an inner axis number by number: along the second one of 8 x 21 x 64 x
# 64 numbers for 7.0 ms on one core, where this takes 1.4.
_WORTH_COMPARING = 1 << 11
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
    if (
        axis in (None, -1, data.ndim - 1)
        or data.numel() < _WORTH_COMPARING
        or data.shape[axis] > _MOST_PLACES
        or not _takes(data)
    ):
        return place(data, axis, keepdim)
    best = extreme(data, axis, keepdim=True)
    if best.isnan().any():
        return place(data, axis, keepdim)
    last = data.shape[axis] - 1
    countdown = torch.arange(last, -1, -1, dtype=data.dtype)
    countdown = countdown.view([-1 if d == axis % data.ndim else 1 for d in range(data.ndim)])
    return last - ((data == best) * countdown).amax(axis, keepdim=keepdim)


def _takes(data: Tensor) -> bool:
    is_compiling = torch.compiler.is_compiling()
    return data.dtype is torch.float32 and data.device.type == "cpu" and not is_compiling
