# SPDX-License-Identifier: Apache-2.0
"""Sliding windows of images as columns of a matrix, and back."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any, NamedTuple

import torch.nn.functional as F
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import Dim, UnknownDim, shape_text
from ...runtime import tuning
from ..declaration import function_operator
from ..families.rules import floats_only
from ..infer import Shapes
from ..nn.window import Window
from ..schema import Op

_Index = tuple[Any, ...]


def _known(counts: tuple[Dim, ...]) -> int:
    """The product of those that are known, as all are of complete shapes."""
    return prod(n for n in counts if not isinstance(n, UnknownDim))


def _im2col_shape(op: Op, s: Shapes) -> None:
    window = Window.of(s, op)
    s.rank("data", len(window.kernel) + 2)
    n, channels, *size = s.full("data")
    windows = _known(window.counts(s, tuple(size)))
    s.output = (n, channels * prod(window.kernel), windows)


def _col2im_shape(op: Op, s: Shapes) -> None:
    window = Window.of(s, op)
    size, kernel = op.attr("output_size"), window.kernel
    if len(size) != len(kernel):
        raise s.fail(f"output_size={size}: it must have as many items as kernel={kernel}")
    if any(item < 1 for item in size):
        raise s.fail(f"output_size={size}: every item must be >= 1")
    s.rank("data", 3)
    n, rows, columns = s.full("data")
    windows = _known(window.counts(s, size, of="output_size"))
    if windows != columns or rows % prod(kernel):
        raise s.fail(
            f"data {shape_text(s.data)}: must be (batch, channels · {prod(kernel)}, {windows}) "
            f"for output_size={size}"
        )
    s.output = (n, rows // prod(kernel), *size)


class _Sliding(NamedTuple):
    """How windows lie on images of `size`, one to three numbers as all the others."""

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilate: tuple[int, ...]
    pad: tuple[int, ...]

    @classmethod
    def of(
        cls, size: tuple[int, ...], kernel: Shape, stride: Shape, dilate: Shape, pad: Shape
    ) -> _Sliding:
        """That of an operator's parameters, empty ones having their defaults."""
        ones, zeros = (1,) * len(kernel), (0,) * len(kernel)
        return cls(tuple(size), kernel, stride or ones, dilate or ones, pad or zeros)

    def counts(self) -> tuple[int, ...]:
        """The number of windows along each axis."""
        return tuple(
            (size + 2 * pad - dilate * (kernel - 1) - 1) // stride + 1
            for size, kernel, stride, dilate, pad in zip(*self, strict=True)
        )

    def suits_aten(self, data: Tensor) -> bool:
        """Whether ATen's kernels are to be taken: of pictures, unless their rows are long."""
        has_long_rows = data.device.type == "cpu" and self.counts()[-1] >= tuning.COLUMNS_MIN_ROW
        return len(self.size) == 2 and not has_long_rows

    def columns(self, data: Tensor) -> Tensor:
        """Return the columns of `im2col` for `data`."""
        batch, channels, *_ = data.shape
        if self.suits_aten(data):  # which goes image by image: better one of all channels
            options = (self.kernel, self.dilate, self.pad, self.stride)
            columns = F.unfold(data.reshape(1, -1, *self.size), *options)
            return columns.view(batch, -1, columns.shape[2])
        windows = F.pad(data, [p for pad in reversed(self.pad) for p in (pad, pad)])
        n = len(self.size)
        each = zip(self.kernel, self.stride, self.dilate, strict=True)
        for axis, (kernel, stride, dilate) in enumerate(each, 2):
            windows = windows.unfold(axis, dilate * (kernel - 1) + 1, stride)
        spread: _Index = (..., *(slice(None, None, dilate) for dilate in self.dilate))
        windows = windows[spread]
        windows = windows.permute(0, 1, *range(2 + n, 2 + 2 * n), *range(2, 2 + n))
        return windows.reshape(batch, channels * prod(self.kernel), prod(self.counts()))

    def images(self, data: Tensor) -> Tensor:
        """Return the images of `col2im` for `data`."""
        batch, height = data.shape[:2]
        channels = height // prod(self.kernel)
        if self.suits_aten(data):
            columns = data.reshape(1, -1, data.shape[2])
            options = (self.kernel, self.dilate, self.pad, self.stride)
            return F.fold(columns, self.size, *options).view(batch, channels, *self.size)
        columns = data.reshape(batch, channels, *self.kernel, *self.counts())
        sizes = list(zip(self.size, self.pad, strict=True))
        total = data.new_zeros(batch, channels, *(size + 2 * pad for size, pad in sizes))
        for place in product(*map(range, self.kernel)):
            hit: _Index = (..., *(self._hit(axis, at) for axis, at in enumerate(place)))
            at_place: _Index = (slice(None), slice(None), *place)
            total[hit] += columns[at_place]
        inside: _Index = (..., *(slice(pad, pad + size) for size, pad in sizes))
        return total[inside].contiguous()

    def _hit(self, axis: int, place: int) -> slice:
        """What lies at a place of the windows, along an axis of the padded images."""
        start, step = place * self.dilate[axis], self.stride[axis]
        return slice(start, start + (self.counts()[axis] - 1) * step + 1, step)


def _im2col_gradient(d_output: Tensor, data: Tensor, **windows: Shape) -> Tensor:
    return _Sliding.of(data.shape[2:], **windows).images(d_output)


@function_operator("im2col", shape=_im2col_shape, dtype=floats_only, backward=_im2col_gradient)
def im2col(
    data: Tensor, *, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = ()
) -> Tensor:
    """A column for each position of a sliding window: (batch, channels · window, positions).

    Args:
        data: floats (batch, channels, *spatial) with 1 to 3 spatial axes.
        kernel: size of the window along each of them.
        stride: step of the window, 1 when empty.
        dilate: distance of neighboring elements of the window, 1 when empty.
        pad: zeros around the image, 0 when empty.
    """
    return _Sliding.of(data.shape[2:], kernel, stride, dilate, pad).columns(data)


def _col2im_gradient(d_output: Tensor, *, output_size: Shape, **windows: Shape) -> Tensor:
    return _Sliding.of(output_size, **windows).columns(d_output)


@function_operator("col2im", shape=_col2im_shape, dtype=floats_only, backward=_col2im_gradient)
def col2im(
    data: Tensor,
    *,
    output_size: Shape,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
) -> Tensor:
    """Images from the columns that `im2col` makes; what overlaps is added up.

    Args:
        data: (batch, channels · window, positions), floats.
        output_size: sizes of the spatial axes of the images, 1 to 3.
        kernel: size of the window along each of them.
        stride: step of the window, 1 when empty.
        dilate: distance of neighboring elements of the window, 1 when empty.
        pad: zeros around the image, 0 when empty.
    """
    return _Sliding.of(output_size, kernel, stride, dilate, pad).images(data)
