# SPDX-License-Identifier: Apache-2.0
"""Sliding windows of images as columns of a matrix, and back."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import shape_text
from ...runtime import tuning
from ..declaration import function_operator
from ..families.rules import floats_only
from ..infer import Shapes
from ..schema import Op


def _windows(op: Op, s: Shapes, size: tuple[int, ...]) -> int:
    """The number of windows that fit into images of `size`; raises for unusable parameters."""
    kernel = op.attr("kernel")
    stride, dilate, pad = (op.attr(n) for n in ("stride", "dilate", "pad"))
    given = f"kernel={kernel}, stride={stride}, dilate={dilate}, pad={pad}"
    if any(len(p) != 2 for p in (kernel, stride or (1, 1), dilate or (1, 1), pad or (0, 0))):
        raise s.fail(f"{given}: must be pairs (height, width)")
    steps = zip(kernel, stride or (1, 1), dilate or (1, 1), pad or (0, 0), size, strict=True)
    counts = []
    for k, step, spread, border, length in steps:
        if min(k, step, spread) < 1 or border < 0 or spread * (k - 1) + 1 > length + 2 * border:
            raise s.fail(f"{given}: no window fits into images of {shape_text(size)}")
        counts.append((length + 2 * border - spread * (k - 1) - 1) // step + 1)
    return prod(counts)


def _im2col_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 4)
    n, channels, *size = s.full("data")
    windows = _windows(op, s, tuple(size))
    s.output = (n, channels * prod(op.attr("kernel")), windows)


def _col2im_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 3)
    n, rows, columns = s.full("data")
    size = op.attr("output_size")
    if len(size) != 2:
        raise s.fail(f"output_size={size}: must be a pair (height, width)")
    if _windows(op, s, size) != columns or rows % prod(op.attr("kernel")):
        raise s.fail(
            f"data {shape_text(s.data)}: must be (batch, channels · {prod(op.attr('kernel'))}, "
            f"{_windows(op, s, size)}) for output_size={size}"
        )
    s.output = (n, rows // prod(op.attr("kernel")), *size)


class _Sliding(NamedTuple):
    """How windows lie on images of height and width `size`: pairs all."""

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
        return cls(size, kernel, stride or (1, 1), dilate or (1, 1), pad or (0, 0))

    def counts(self) -> tuple[int, ...]:
        """The number of windows down and across."""
        return tuple(
            (size + 2 * pad - dilate * (kernel - 1) - 1) // stride + 1
            for size, kernel, stride, dilate, pad in zip(*self, strict=True)
        )

    def in_rows(self, data: Tensor) -> bool:
        """Whether rows are worth to be taken as a whole."""
        return data.device.type == "cpu" and self.counts()[1] >= tuning.COLUMNS_MIN_ROW

    def columns(self, data: Tensor) -> Tensor:
        """Return the columns of `im2col` for `data`."""
        batch, channels, *_ = data.shape
        if not self.in_rows(data):  # ATen goes image by image: better one of all channels
            options = (self.kernel, self.dilate, self.pad, self.stride)
            columns = F.unfold(data.reshape(1, -1, *self.size), *options)
            return columns.view(batch, -1, columns.shape[2])
        (down, across), (high, wide) = self.pad, self.dilate
        padded = F.pad(data, (across, across, down, down))
        spans = [d * (k - 1) + 1 for d, k in zip(self.dilate, self.kernel, strict=True)]
        windows = padded.unfold(2, spans[0], self.stride[0]).unfold(3, spans[1], self.stride[1])
        windows = windows[..., ::high, ::wide].permute(0, 1, 4, 5, 2, 3)
        return windows.reshape(batch, channels * prod(self.kernel), prod(self.counts()))

    def images(self, data: Tensor) -> Tensor:
        """Return the images of `col2im` for `data`."""
        batch, height = data.shape[:2]
        channels = height // prod(self.kernel)
        if not self.in_rows(data):
            columns = data.reshape(1, -1, data.shape[2])
            options = (self.kernel, self.dilate, self.pad, self.stride)
            return F.fold(columns, self.size, *options).view(batch, channels, *self.size)
        columns = data.reshape(batch, channels, *self.kernel, *self.counts())
        (down, across), (n_rows, n_columns) = self.pad, self.size
        total = data.new_zeros(batch, channels, n_rows + 2 * down, n_columns + 2 * across)
        for row, column in product(*map(range, self.kernel)):
            total[:, :, self._hit(0, row), self._hit(1, column)] += columns[:, :, row, column]
        return total[:, :, down : down + n_rows, across : across + n_columns].contiguous()

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
        data: images (batch, channels, height, width), floats.
        kernel: height and width of the window.
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
        output_size: height and width of the images.
        kernel: height and width of the window.
        stride: step of the window, 1 when empty.
        dilate: distance of neighboring elements of the window, 1 when empty.
        pad: zeros around the image, 0 when empty.
    """
    return _Sliding.of(output_size, kernel, stride, dilate, pad).images(data)
