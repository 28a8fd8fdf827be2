# SPDX-License-Identifier: Apache-2.0
"""Images of bytes resized in integers, pixel by pixel as OpenCV's fixed-point arithmetic does it.

A weight is a whole number of 2048ths, of 256ths in the exact bilinear form; each output pixel is a
sum along its row, then along its column, and is rounded as the weights' scale tells.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

__all__ = ["LINEAR_EXACT", "resized_bytes", "step"]

LINEAR_EXACT = 5
_CUBIC, _LANCZOS = 2, 4
_ENLARGED_AREA = 6


def step(n: int, m: int) -> float:
    """How far apart, among `n` pixels, `m` outputs lie.

    OpenCV's way to say n / m: they differ in the last bit, which decides where whole numbers fall.
    """
    return 1 / (m / n)


def resized_bytes(data: Tensor, kind: int, new: tuple[int, int]) -> Tensor:
    """`data` (…, height, width, channels) of uint8 brought to `new` (height, width)."""
    across = _taps(kind, data.shape[-2], new[1], data.device, True)
    down = _taps(kind, data.shape[-3], new[0], data.device, False)
    strips = _sums(data.to(torch.int64), -2, *across)
    if kind == LINEAR_EXACT:
        total = (_sums(strips, -3, *down) + (1 << 15)) >> 16
    elif kind in (_CUBIC, _LANCZOS):
        total = (_sums(strips, -3, *down) + (1 << 21)) >> 22
        if kind == _CUBIC:
            total = _halves_to_even(total, strips, *down)
    else:  # bilinear: each product loses its low bits before they are added
        total = (_sums(strips >> 4, -3, *down, shift=16) + 2) >> 2
    return total.clamp_(0, 255).to(torch.uint8)


def _sums(data: Tensor, axis: int, pixels: Tensor, weights: Tensor, shift: int = 0) -> Tensor:
    """Weighted sums of pixels along `axis`; each product is shifted before it is added."""
    shape = (-1, *(1,) * (-axis - 1))
    parts = [
        data.index_select(axis, at) * weight.view(shape)
        for at, weight in zip(pixels, weights, strict=True)
    ]
    total: Tensor = functools.reduce(torch.add, [p >> shift for p in parts] if shift else parts)
    return total


def _halves_to_even(total: Tensor, strips: Tensor, pixels: Tensor, weights: Tensor) -> Tensor:
    """`total` with sums in floats, where OpenCV takes 8 numbers of a row at once."""
    scaled = weights.to(torch.float32) * 2.0**-22
    floats = _sums(strips.to(torch.float32), -3, pixels, scaled).round().long()
    n_numbers = total.shape[-2] * total.shape[-1]
    at_once = torch.arange(n_numbers, device=total.device) < n_numbers // 8 * 8
    return torch.where(at_once.view(total.shape[-2:]), floats, total)


@functools.lru_cache(maxsize=64)  # images mostly come in the same sizes
def _taps(kind: int, n: int, m: int, device: torch.device, in_row: bool) -> tuple[Tensor, Tensor]:
    """(pixels, weights), each (taps, m): what the `m` outputs are made of among `n` pixels.

    At the borders of a row the one pixel there counts in whole; those of a column are met twice.
    """
    real = np.float64 if kind == LINEAR_EXACT else np.float32
    at, share = _enlarged_area(n, m) if kind == _ENLARGED_AREA else _centers(n, m, real)
    inside = (at >= 0) & (at < n - 1)
    radius = {_CUBIC: 2, _LANCZOS: 4}.get(kind, 1)
    if radius == 1 and in_row:
        share = np.where(inside, share, 0)
    kernel, scale = _KERNELS.get(kind, _linear), 256 if kind == LINEAR_EXACT else 2048
    weights = _rounded(kernel(share.astype(real)), scale)
    if kind == LINEAR_EXACT:
        weights[0] = 256 - weights[1]
    offsets = np.arange(1 - radius, radius + 1)[:, None]
    first = np.clip(at, 0, n - 1) if radius == 1 and in_row else at
    pixels = np.clip(first + offsets, 0, n - 1)
    return torch.from_numpy(pixels).to(device), torch.from_numpy(weights).to(device)


def _rounded(weights: np.ndarray, scale: int) -> np.ndarray:
    rounded: np.ndarray = np.rint(weights * weights.dtype.type(scale)).astype(np.int64)
    return rounded


def _centers(n: int, m: int, real: type[np.floating]) -> tuple[np.ndarray, np.ndarray]:
    center = ((np.arange(m) + 0.5) * step(n, m) - 0.5).astype(real)
    at = np.floor(center)
    return at.astype(np.int64), center - at


def _enlarged_area(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    which = np.arange(m)
    at = np.floor(which * step(n, m))
    share = (which + 1) - (at + 1) * (m / n)
    return at.astype(np.int64), np.where(share <= 0, 0, share - np.floor(share))


def _linear(share: np.ndarray) -> np.ndarray:
    return np.stack([1 - share, share])


def _cubic(share: np.ndarray) -> np.ndarray:
    a, one = np.float32(-0.75), np.float32(1)
    far = ((a * (share + one) - 5 * a) * (share + one) + 8 * a) * (share + one) - 4 * a
    near = [((a + 2) * d - (a + 3)) * d * d + one for d in (share, one - share)]
    return np.stack([far, *near, one - far - near[0] - near[1]])


def _lanczos(share: np.ndarray) -> np.ndarray:
    distance = share.astype(np.float64) + np.arange(3, -5, -1)[:, None]
    weights = np.sinc(distance) * np.sinc(distance / 4)
    normal: np.ndarray = (weights / weights.sum(0)).astype(np.float32)
    return normal


_KERNELS: dict[int, Callable[[np.ndarray], np.ndarray]] = {_CUBIC: _cubic, _LANCZOS: _lanczos}
