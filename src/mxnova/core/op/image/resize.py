# SPDX-License-Identifier: Apache-2.0
"""Images resized as OpenCV does it, on any device: each output row, then each column, is a sum."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.params import Shape
from ..declaration import operator
from ..infer import Shapes
from ..schema import Op
from . import opencv
from .fixed_point import resized_bytes, step
from .pixels import saturated


@operator("_image_resize", "_npx__image_resize")
class Resize(Op):
    """Images brought to another size.

    Args:
        data: (height, width, channels) or a batch of them.
        size: (width, height) of the output, or one number for both.
        keep_ratio: one number is the length of the shorter side; the other follows.
        interp: nearest pixel (0), bilinear (1, 5), bicubic (2), mean of the covered area (3) or
            Lanczos over 8 pixels (4).
    """

    size: Shape = ()
    keep_ratio: bool = False
    interp: int = 1

    untraceable = "OpenCV or NumPy makes the weights of pixels"

    def infer_shape(self, s: Shapes) -> None:
        if len(self.size) not in (1, 2) or min(self.size) < 1:
            raise s.fail(f"size={self.size}: it must be a width and a height, or one number, >= 1")
        if not 0 <= self.interp <= 5:
            raise s.fail(f"interp={self.interp}: it must be from 0 to 5")
        s.rank("data", 3, 4)
        fixed = not self.keep_ratio or len(self.size) == 2
        size = self._new_size(1, 1) if fixed else self._new_size(*s.full("data")[-3:-1])
        s.output = (*s.data[:-3], *size, s.data[-1])

    def _new_size(self, height: int, width: int) -> tuple[int, int]:
        if len(self.size) == 2:
            return self.size[1], self.size[0]
        short = self.size[0]
        if not self.keep_ratio:
            return short, short
        if height > width:
            return int(short * height / width), short
        return short, int(short * width / height)

    def forward(self, data: Tensor) -> Tensor:
        old = (data.shape[-3], data.shape[-2])
        new = self._new_size(*old)
        kind = self.interp
        if kind == 3 and (new[0] > old[0] or new[1] > old[1]):
            kind = _ENLARGED_AREA
        if data.dtype is torch.uint8:
            resized = opencv.resized_bytes(data, self.interp, new)
            if resized is not None:
                return resized
        if data.dtype is torch.uint8 and kind not in (_NEAREST, _AREA):
            return resized_bytes(data, kind, new)
        floats = data.dtype if data.is_floating_point() else torch.float32
        rows, columns = (
            _taps(kind, n, m, floats, data.device) for n, m in zip(old, new, strict=True)
        )
        # Along the first axis each time: (rows, …, columns, channels), then columns first.
        strips = rows.sums(data.to(floats).movedim(-3, 0))
        resized = columns.sums(strips.movedim(-2, 0))
        resized = resized.movedim(0, -2).movedim(0, -3)
        if kind == _AREA and old == (2 * new[0], 2 * new[1]) and data.dtype is torch.uint8:
            return saturated((resized + 0.5).floor(), data.dtype)  # a sum of 4, halved upwards
        return saturated(resized if data.is_floating_point() else resized.round(), data.dtype)


_NEAREST, _AREA, _ENLARGED_AREA = 0, 3, 6


class _Taps(NamedTuple):
    """Which pixels along an axis each output is a sum of, with which weights."""

    pixels: Tensor
    weights: Tensor
    starts: Tensor

    def sums(self, data: Tensor) -> Tensor:
        """`data` with its first axis brought to the new size."""
        table = data.reshape(len(data), -1).contiguous()
        outputs = F.embedding_bag(
            self.pixels, table, self.starts, mode="sum", per_sample_weights=self.weights
        )
        return outputs.view(len(self.starts), *data.shape[1:])


@functools.lru_cache(maxsize=64)  # images mostly come in the same sizes
def _taps(kind: int, n: int, m: int, dtype: torch.dtype, device: torch.device) -> _Taps:
    """For `n` pixels brought to `m`."""
    weights = _WEIGHTS[kind](n, m, device)
    output, pixel = weights.nonzero(as_tuple=True)
    counts = torch.bincount(output, minlength=m)
    return _Taps(pixel, weights[output, pixel].to(dtype), counts.cumsum(0) - counts)


def _scattered(at: Tensor, weight: Tensor, n: int) -> Tensor:
    """The matrix (outputs, n) of the taps `at` (outputs, taps); beyond the border it repeats."""
    matrix = torch.zeros(len(at), n, dtype=torch.float64, device=at.device)
    return matrix.scatter_add_(1, at.long().clamp(0, n - 1), weight)


def _centers(n: int, m: int, device: torch.device) -> Tensor:
    """Where the centers of `m` output pixels lie among `n` input pixels."""
    return (torch.arange(m, dtype=torch.float64, device=device) + 0.5) * step(n, m) - 0.5


def _nearest(n: int, m: int, device: torch.device) -> Tensor:
    at = (torch.arange(m, dtype=torch.float64, device=device) * step(n, m)).floor().unsqueeze(1)
    return _scattered(at, torch.ones_like(at), n)


def _interpolated(
    radius: int, kernel: Callable[[Tensor], Tensor]
) -> Callable[[int, int, torch.device], Tensor]:
    def weights(n: int, m: int, device: torch.device) -> Tensor:
        center = _centers(n, m, device).unsqueeze(1)
        offsets = torch.arange(1 - radius, radius + 1, device=device)
        at = center.floor() + offsets
        weight = kernel((center - at).abs())
        return _scattered(at, weight / weight.sum(1, keepdim=True), n)

    return weights


def _linear(distance: Tensor) -> Tensor:
    return 1 - distance


def _cubic(distance: Tensor) -> Tensor:
    a, d = -0.75, distance
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return torch.where(d <= 1, near, far)


def _lanczos(distance: Tensor) -> Tensor:
    return torch.sinc(distance) * torch.sinc(distance / 4)


def _area(n: int, m: int, device: torch.device) -> Tensor:
    edge = torch.arange(m + 1, dtype=torch.float64, device=device).unsqueeze(1) * (n / m)
    pixel = torch.arange(n, dtype=torch.float64, device=device)
    covered = torch.minimum(edge[1:], pixel + 1) - torch.maximum(edge[:-1], pixel)
    return covered.clamp(min=0) * (m / n)


def _enlarged_area(n: int, m: int, device: torch.device) -> Tensor:
    which = torch.arange(m, dtype=torch.float64, device=device).unsqueeze(1)
    at = (which * step(n, m)).floor()
    share = (which + 1) - (at + 1) * (m / n)
    share = torch.where(share <= 0, 0.0, share - share.floor())
    return _scattered(torch.cat((at, at + 1), 1), torch.cat((1 - share, share), 1), n)


_WEIGHTS: dict[int, Callable[[int, int, torch.device], Tensor]] = {
    0: _nearest,
    1: _interpolated(1, _linear),
    2: _interpolated(2, _cubic),
    3: _area,
    4: _interpolated(4, _lanczos),
    5: _interpolated(1, _linear),
    _ENLARGED_AREA: _enlarged_area,
}
