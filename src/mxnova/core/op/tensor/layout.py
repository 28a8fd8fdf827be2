# SPDX-License-Identifier: Apache-2.0
"""Operators that permute or move elements."""

from __future__ import annotations

from torch import Tensor

from ...base.params import Shape
from ...base.shapes import UNKNOWN, Dim, shape_text
from ..declaration import elementwise_shape, function_operator, operator
from ..infer import Shapes
from ..schema import Op
from ..traits import InputShapes, ItemAxes


@operator("transpose", method=True)
class Transpose(Op):
    """`data` with its axes in another order.

    Args:
        data: any array.
        axes: for each axis of the result, the axis of `data` it comes from; empty: reversed order.
    """

    axes: Shape = ()

    def infer_shape(self, s: Shapes) -> None:
        rank = len(s.output if s.known("data") is None else s.data)
        axes = self.axes or tuple(range(rank))[::-1]
        if sorted(axes) != list(range(rank)):
            raise s.fail(f"axes={axes}: must hold each of the {rank} axes of data once")
        if s.known("output") is not None:
            s.data = tuple(s.output[axes.index(i)] for i in range(rank))
        s.output = tuple(s.data[a] for a in axes)

    def forward(self, data: Tensor) -> Tensor:
        return data.permute(self.axes or tuple(range(data.ndim))[::-1])


@operator("SwapAxis", "_npi_swapaxes", "swapaxes", method="swapaxes")
class SwapAxis(Op):
    """`data` with two axes exchanged.

    Args:
        data: any array.
        dim1: one axis; negative: counted from the end.
        dim2: the other axis.
    """

    dim1: int = 0
    dim2: int = 0

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        axis, shape = axes[0], shapes[0]
        if axis is None or shape is None:
            return None
        one, other = self.dim1 % len(shape), self.dim2 % len(shape)
        return {one: other, other: one}.get(axis, axis)

    def infer_shape(self, s: Shapes) -> None:
        dims = list(s.data)
        one, other = s.axis("data", self.dim1, "dim1"), s.axis("data", self.dim2, "dim2")
        dims[one], dims[other] = dims[other], dims[one]
        s.output = tuple(dims)

    def forward(self, data: Tensor) -> Tensor:
        return data.transpose(self.dim1, self.dim2)


@operator("reverse", "flip", method="flip")
class Reverse(Op):
    """`data` with the order of its elements reversed along some axes.

    Args:
        data: any array.
        axis: the axes to reverse, counted from the front.
    """

    axis: Shape

    def infer_shape(self, s: Shapes) -> None:
        elementwise_shape(self, s)
        rank = len(s.data)
        if not all(0 <= a < rank for a in self.axis) or len(set(self.axis)) < len(self.axis):
            raise s.fail(f"axis={self.axis}: must be different axes from 0 to {rank - 1}")

    def forward(self, data: Tensor) -> Tensor:
        return data.flip(self.axis)


def _blocks_to_depth_shape(op: Op, s: Shapes) -> None:
    n, depth, height, width = _image(op, s)
    block = op.attr("block_size")
    for dim in (height, width):
        _divisible(s, dim, block, "block_size")
    s.output = (n, depth * block * block, height // block, width // block)


def _depth_to_blocks_shape(op: Op, s: Shapes) -> None:
    n, depth, height, width = _image(op, s)
    block = op.attr("block_size")
    _divisible(s, depth, block * block, "depth: the square of block_size")
    s.output = (n, depth // (block * block), height * block, width * block)


def _image(op: Op, s: Shapes) -> tuple[Dim, ...]:
    s.rank("data", 4)
    if op.attr("block_size") < 1:
        raise s.fail(f"block_size={op.attr('block_size')}: must be >= 1")
    if any(d is not UNKNOWN and d == 0 for d in s.data):
        raise s.fail(f"data {shape_text(s.data)}: no size may be 0")
    return s.data


def _divisible(s: Shapes, dim: Dim, by: int, what: str) -> None:
    if dim is not UNKNOWN and dim % by:
        raise s.fail(f"data {shape_text(s.data)}: {dim} is no multiple of {by} ({what})")


@function_operator("depth_to_space", shape=_depth_to_blocks_shape, method=True)
def depth_to_space(data: Tensor, *, block_size: int) -> Tensor:
    """Channels moved into square blocks of pixels, the inverse of `space_to_depth`.

    Args:
        data: (batch, block_size² · depth, height, width).
        block_size: side of a block, in pixels of the result.
    """
    n, depth, height, width = data.shape
    b, depth = block_size, depth // block_size**2
    blocks = data.reshape(n, b, b, depth, height, width).permute(0, 3, 4, 1, 5, 2)
    return blocks.reshape(n, depth, height * b, width * b)


@function_operator("space_to_depth", shape=_blocks_to_depth_shape, method=True)
def space_to_depth(data: Tensor, *, block_size: int) -> Tensor:
    """Square blocks of pixels moved into channels, the inverse of `depth_to_space`.

    Args:
        data: (batch, depth, height, width), both sides multiples of block_size.
        block_size: side of a block, in pixels of `data`.
    """
    n, depth, height, width = data.shape
    b, height, width = block_size, height // block_size, width // block_size
    blocks = data.reshape(n, depth, height, b, width, b).permute(0, 3, 5, 1, 2, 4)
    return blocks.reshape(n, depth * b * b, height, width)
