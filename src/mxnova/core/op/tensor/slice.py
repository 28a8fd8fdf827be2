# SPDX-License-Identifier: Apache-2.0
"""Operators that read or replace a box of an array."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from ...base.parameter_types import REQUIRED
from ...base.params import Count, Double, OptionalInts, Shape
from ...base.shapes import UNKNOWN, Dim, UnknownDim, shape_text
from ..declaration import operator
from ..families.rules import as_element
from ..infer import DTypes, Shapes
from ..schema import Op


def box_ranges(op: Op, shape: tuple[int, ...]) -> list[range]:
    """The items that `op` (begin, end, step) selects along the leading axes of `shape`."""
    begin, end = op.attr("begin"), op.attr("end")
    step = op.attr("step")
    if not any(step):  # () and (None,) are 1 along all axes
        step = (None,) * len(begin)
    bounds = zip(begin, end, step, shape, strict=False)
    return [range(*slice(b, e, k).indices(n)) for b, e, k, n in bounds]


def _box(op: Op, data: Tensor) -> tuple[Tensor, list[int]]:
    """A view of what `op` selects in `data`, and the axes that still have to be reversed."""
    index, backward = [], []
    for axis, r in enumerate(box_ranges(op, data.shape)):
        if r.step < 0:
            backward.append(axis)
            r = r[::-1]
        index.append(slice(r.start, r.stop, r.step) if r else slice(0, 0))
    return data[tuple(index)], backward


def _box_shape(op: Op, s: Shapes, name: str) -> tuple[Dim, ...]:
    """The shape of what `op` selects in array `name`; raises when it selects nothing sensible."""
    data = s[name]
    begin, end, step = op.attr("begin"), op.attr("end"), op.attr("step")
    if len(begin) > len(data):
        raise s.fail(f"begin={begin}: names {len(begin)} axes, {name} has {len(data)}")
    if len(end) != len(begin):
        raise s.fail(f"end={end}: must be as long as begin={begin}")
    if any(s is not None for s in step) and (len(step) != len(begin) or 0 in step):
        raise s.fail(f"step={step}: must be as long as begin={begin} and without 0")
    known = tuple(0 if isinstance(d, UnknownDim) else d for d in data)
    lengths = (len(r) for r in box_ranges(op, known))
    head = (UNKNOWN if d is UNKNOWN else n for d, n in zip(data, lengths, strict=False))
    return (*head, *data[len(begin) :])


@operator("slice", "_npi_slice", "_npx_slice", "_sparse_slice", "crop", method=True)
class Slice(Op):
    """A box of `data`: the elements from begin to end, by step, of each of the leading axes.

    Args:
        data: any array.
        begin: first index of each axis; negative: counted from the end; None: the beginning.
        end: the index after the last one, likewise.
        step: distance between elements, 1 when empty; negative: backward.
    """

    begin: OptionalInts
    end: OptionalInts
    step: OptionalInts = ()

    def infer_shape(self, s: Shapes) -> None:
        s.output = _box_shape(self, s, "data")

    def forward(self, data: Tensor) -> Tensor:
        box, backward = _box(self, data)
        return box.flip(backward) if backward else box


@operator("_slice_assign", "_crop_assign", "_npi_slice_assign")
class SliceAssign(Op):
    """`lhs` with the box that `slice` would read replaced by `rhs`.

    Args:
        lhs: any array.
        rhs: the new content of the box, of its shape.
        begin: first index of each axis, as in `slice`.
        end: the index after the last one of each axis.
        step: distance between elements, 1 when empty.
    """

    begin: OptionalInts
    end: OptionalInts
    step: OptionalInts = ()
    differentiable = None

    def infer_shape(self, s: Shapes) -> None:
        s.output = s.lhs
        s.rhs = _box_shape(self, s, "lhs")

    def forward(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        output = lhs.clone()
        box, backward = _box(self, output)
        box.copy_(rhs.flip(backward))
        return output


@operator("_slice_assign_scalar", "_crop_assign_scalar", "_npi_slice_assign_scalar")
class SliceAssignScalar(Op):
    """`data` with the box that `slice` would read filled with a number.

    Args:
        data: any array.
        scalar: the number, cast to the type of `data`.
        begin: first index of each axis, as in `slice`.
        end: the index after the last one of each axis.
        step: distance between elements, 1 when empty.
    """

    scalar: Double = 0.0
    begin: OptionalInts = REQUIRED
    end: OptionalInts = REQUIRED
    step: OptionalInts = ()
    differentiable = None

    def infer_shape(self, s: Shapes) -> None:
        _box_shape(self, s, "data")
        s.output = s.data

    def forward(self, data: Tensor) -> Tensor:
        output = data.clone()
        _box(self, output)[0].fill_(as_element(self.scalar, data.dtype))
        return output


@operator("slice_axis", method=True)
class SliceAxis(Op):
    """The part of `data` from begin to end of one axis.

    Args:
        data: any array.
        axis: the axis; negative: counted from the end.
        begin: first index; negative: counted from the end.
        end: the index after the last one, likewise; None: to the end.
    """

    axis: int
    begin: int
    end: int | None

    def infer_shape(self, s: Shapes) -> None:
        axis = s.axis("data", self.axis)
        data = s.data
        s.output = (*data[:axis], self._length(s, data[axis]), *data[axis + 1 :])

    def _length(self, s: Shapes, size: Dim) -> Dim:
        if size is UNKNOWN or size == 0:
            return size
        end = size if self.end is None else self.end
        first, last = (at + size if at < 0 else at for at in (self.begin, end))
        if not 0 <= first < last <= size:
            raise s.fail(
                f"begin={self.begin}, end={self.end}: select nothing or too much of "
                f"axis={self.axis}, which has size {size}"
            )
        return last - first

    def forward(self, data: Tensor) -> Tensor:
        return data[(slice(None),) * (self.axis % data.ndim) + (slice(self.begin, self.end),)]


@operator("slice_like", method=True)
class SliceLike(Op):
    """The leading part of `data` that is as large as `shape_like` along some axes.

    Args:
        data: any array.
        shape_like: the array whose sizes are taken, of any type.
        axes: the axes to cut, negative: counted from the end; empty: all.
    """

    axes: Shape = ()

    def infer_shape(self, s: Shapes) -> None:
        data, like = s.data, s.shape_like
        if not self.axes and len(data) != len(like):
            raise s.fail(
                f"data {shape_text(data)} and shape_like {shape_text(like)} differ in rank: "
                f"axes must name the axes to cut"
            )
        output = list(data)
        for axis in self._axes(s):
            if axis >= len(like):
                raise s.fail(f"axes={self.axes}: shape_like {shape_text(like)} has no axis {axis}")
            output[axis] = like[axis]
        s.output = tuple(output)
        for axis in self._axes(s):
            if like[axis] > data[axis]:
                raise s.fail(
                    f"axis {axis} of data {shape_text(data)} is smaller than that of "
                    f"shape_like {shape_text(like)}"
                )

    def _axes(self, s: Shapes) -> list[int]:
        return [s.axis("data", a, "axes") for a in self.axes or range(len(s.data))]

    def infer_dtype(self, t: DTypes) -> None:
        t.same("data", "output")

    def forward(self, data: Tensor, shape_like: Tensor) -> Tensor:
        cut = [slice(None)] * data.ndim
        for a in self.axes or range(data.ndim):
            cut[a] = slice(shape_like.shape[a % data.ndim])
        return data[tuple(cut)]


@operator("Crop")
class Crop(Op):
    """A window of images, of a given size or of the size of a second array of images.

    Args:
        data: images (batch, channels, height, width), then an array whose last two axes give the
            window when num_args is 2.
        num_args: 1 or 2.
        offset: row and column where the window begins.
        h_w: height and width of the window, when num_args is 1.
        center_crop: put the window in the center instead of at `offset`.
    """

    num_args: Count
    offset: Shape = (0, 0)
    h_w: Shape = (0, 0)
    center_crop: bool = False

    def infer_shape(self, s: Shapes) -> None:
        s.rank("arg0", 4)
        data = s.arg0
        if len(self.offset) != 2 or len(self.h_w) != 2 or self.num_args > 2:
            raise s.fail(
                f"offset={self.offset}, h_w={self.h_w}, num_args={self.num_args}: "
                f"must be two numbers, two numbers, and 1 or 2"
            )
        window = s.arg1[2:4] if self.num_args == 2 else self.h_w
        s.output = (*data[:2], *window)
        for size, length, first in zip(data[2:], window, self._offset(data, window), strict=True):
            if length < 1 or first < 0 or first + length > size:
                raise s.fail(
                    f"a window of h_w={shape_text(window)} at offset={self.offset} does not fit "
                    f"into data {shape_text(data)}"
                )

    def _offset(self, data: tuple[Any, ...], window: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.center_crop:
            return self.offset
        return tuple((size - length) // 2 for size, length in zip(data[2:], window, strict=True))

    def forward(self, *data: Tensor) -> Tensor:
        shape = data[0].shape
        window = data[1].shape[2:4] if self.num_args == 2 else self.h_w
        (top, left), (height, width) = self._offset(shape, window), window
        return data[0][:, :, top : top + height, left : left + width]
