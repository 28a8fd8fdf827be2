# SPDX-License-Identifier: Apache-2.0
"""Products of 8-bit integers, summed in 32-bit ones.

By ATen's integer kernels where those are fast; elsewhere by products of floats, in parts whose sums
are whole numbers that float32 holds exactly: 64 x 1024 by 1024 x 1024 takes 2 ms on one core with
AVX2, ATen's integers 49.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from math import prod

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.functional import pad as padded

from ...runtime import torch_api
from ...runtime.processor import HAS_AVX512

__all__ = ["convolution", "linear"]

_MIDDLE = 128  # what makes a uint8 an int8
_EXACT = {torch.int8: (1 << 24) // (128 * 128), torch.uint8: (1 << 24) // (255 * 128)}  # products
_CONVOLVE = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}


def linear(data: Tensor, weight: Tensor) -> Tensor:
    """int32 ``data @ weight.T``.

    Args:
        data: int8 or uint8, (…, k).
        weight: int8, (n, k).
    """
    rows = data.reshape(-1, data.shape[-1])
    if _is_better_in_floats(data):
        return _in_parts(F.linear, rows, weight, 1).reshape(*data.shape[:-1], len(weight))
    return _product(rows, weight).reshape(*data.shape[:-1], len(weight))


def _is_better_in_floats(data: Tensor, window: int = 1) -> bool:
    return not data.is_cuda and not HAS_AVX512 and window <= _EXACT[data.dtype]


def _in_parts(
    function: Callable[[Tensor, Tensor], Tensor], data: Tensor, weight: Tensor, window: int
) -> Tensor:
    """int32 sums of ``function(data, weight)`` over parts of axis 1.

    Args:
        function: of floats; it sums up `window` products for each item along that axis.
        data: 8-bit integers.
        weight: int8.
        window: at most so many as are exact.
    """
    step = _EXACT[data.dtype] // window
    parts = zip(torch.split(data, step, 1), torch.split(weight, step, 1), strict=True)
    sums = [function(d.float(), w.float()).to(torch.int32) for d, w in parts]
    return functools.reduce(operator.iadd, sums)


def _product(rows: Tensor, weight: Tensor) -> Tensor:
    if not rows.numel() or not weight.numel():
        return rows.new_zeros((len(rows), len(weight)), dtype=torch.int32)
    if rows.shape[1] == 1:  # for which oneDNN's kernel reads other memory (torch 2.13, AVX-512)
        return rows.to(torch.int32) * weight.T
    if rows.dtype is torch.uint8:
        shifted = (rows ^ _MIDDLE).view(torch.int8)  # 128 less
        return _product(shifted, weight) + weight.sum(1, dtype=torch.int32) * _MIDDLE
    if not rows.is_cuda:
        # That kernel takes rows that lie in one place for as many as there are.
        return torch_api.int_mm(rows.contiguous(), weight.contiguous().T)
    # Kernels on CUDA take more than 16 rows, and multiples of 8 of all else.
    inner = -rows.shape[1] % 8
    rows, n_rows = padded(rows, (0, inner, 0, max(17 - len(rows), 0))), len(rows)
    wider = padded(weight, (0, inner, 0, -len(weight) % 8))
    return torch_api.int_mm(rows, wider.T)[:n_rows, : len(weight)]


def convolution(
    data: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
) -> Tensor:
    """int32 cross-correlation.

    Args:
        data: int8 or uint8, (batch, channels, …).
        weight: int8, (filters, channels, …).
        stride: step of the window along each spatial axis.
        pad: zeros before and after each axis.
        dilate: distance of the window's items along each axis.
    """
    kernel = weight.shape[2:]
    if _is_better_in_floats(data, prod(kernel)):
        convolve = functools.partial(
            _CONVOLVE[len(kernel)], stride=stride, padding=pad, dilation=dilate
        )
        return _in_parts(convolve, data, weight, prod(kernel))
    windows = padded(data, [p for size in reversed(pad) for p in (size, size)])
    for axis, (size, step, distance) in enumerate(zip(kernel, stride, dilate, strict=True), 2):
        reach = distance * (size - 1) + 1
        windows = windows.unfold(axis, reach, step)[..., ::distance]
    n = len(kernel)
    places = windows.movedim(1, n + 1)  # (batch, positions …, channels, window …)
    found = linear(places.flatten(n + 1), weight.flatten(1))
    return found.movedim(-1, 1)
