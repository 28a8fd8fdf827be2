# SPDX-License-Identifier: Apache-2.0
"""Products of 8-bit integers, summed in 32-bit ones, by ATen's integer kernels."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad as padded

__all__ = ["convolution", "linear"]

_MIDDLE = 128  # what makes a uint8 an int8


def linear(data: Tensor, weight: Tensor) -> Tensor:
    """int32 ``data @ weight.T``.

    Args:
        data: int8 or uint8, (…, k).
        weight: int8, (n, k).
    """
    rows = data.reshape(-1, data.shape[-1])
    return _product(rows, weight).reshape(*data.shape[:-1], len(weight))


def _product(rows: Tensor, weight: Tensor) -> Tensor:
    if not rows.numel() or not weight.numel():
        return rows.new_zeros((len(rows), len(weight)), dtype=torch.int32)
    if rows.dtype is torch.uint8:
        shifted = (rows ^ _MIDDLE).view(torch.int8)  # 128 less
        return _product(shifted, weight) + weight.sum(1, dtype=torch.int32) * _MIDDLE
    if not rows.is_cuda:
        return torch._int_mm(rows, weight.T)
    # Kernels on CUDA take more than 16 rows, and multiples of 8 of all else.
    inner = -rows.shape[1] % 8
    rows, n_rows = padded(rows, (0, inner, 0, max(17 - len(rows), 0))), len(rows)
    wider = padded(weight, (0, inner, 0, -len(weight) % 8))
    return torch._int_mm(rows, wider.T)[:n_rows, : len(weight)]


def convolution(
    data: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
) -> Tensor:
    """int32 cross-correlation, by a product of all windows at once.

    Args:
        data: int8 or uint8, (batch, channels, …).
        weight: int8, (filters, channels, …).
        stride: step of the window along each spatial axis.
        pad: zeros before and after each axis.
        dilate: distance of the window's items along each axis.
    """
    kernel = weight.shape[2:]
    windows = padded(data, [p for size in reversed(pad) for p in (size, size)])
    for axis, (size, step, distance) in enumerate(zip(kernel, stride, dilate, strict=True), 2):
        reach = distance * (size - 1) + 1
        windows = windows.unfold(axis, reach, step)[..., ::distance]
    n = len(kernel)
    places = windows.movedim(1, n + 1)  # (batch, positions …, channels, window …)
    found = linear(places.flatten(n + 1), weight.flatten(1))
    return found.movedim(-1, 1)
