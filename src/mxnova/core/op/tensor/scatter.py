# SPDX-License-Identifier: Apache-2.0
"""Operators that read or write elements by coordinates or by a mask."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor

from ...base.errors import MXNetError, from_foreign, told_as
from ...base.params import Shape
from ...base.shapes import shape_text
from ...kernels.wide_sums import index, index_select
from ..declaration import function_operator, operator
from ..infer import DTypes, Shapes
from ..schema import Op


def _same_but_indices(op: Op, t: DTypes) -> None:
    t.same(*(n for n in t.inputs if n not in ("indices", "index", "index_vector")), *t.outputs)


def _coordinates(indices: Tensor) -> tuple[Tensor, ...]:
    return indices.long().unbind(0)


@operator("gather_nd", "_npi_gather_nd", "_npx_gather_nd")
class GatherNd(Op):
    """The elements (or, with fewer coordinates than axes, the slices) of `data` at some places.

    Args:
        data: any array.
        indices: (coordinates, …), of any type; negative ones are counted from the end.
    """

    def infer_shape(self, s: Shapes) -> None:
        data, indices = s.full("data"), s.full("indices")
        if len(indices) < 2 or not 1 <= indices[0] <= len(data):
            raise s.fail(
                f"indices {shape_text(indices)}: must have two axes or more, the first of size "
                f"1 to {len(data)}, the axes of data {shape_text(data)}"
            )
        s.output = (*indices[1:], *data[indices[0] :])

    def infer_dtype(self, t: DTypes) -> None:
        _same_but_indices(self, t)

    def forward(self, data: Tensor, indices: Tensor) -> Tensor:
        try:
            if len(indices) == 1 and data.ndim > 1:
                return _slices(data, indices[0].long())
            return index(data, _coordinates(indices))
        except IndexError as error:
            raise told_as("IndexError", from_foreign(error, self.name)) from None


def _slices(data: Tensor, rows: Tensor) -> Tensor:
    """Return ``data[rows]``. Copying rows as a whole takes half the time of ATen's indexing."""
    forwards = rows.where(rows >= 0, rows + len(data))
    try:
        return index_select(data, 0, forwards.flatten()).view(*rows.shape, *data.shape[1:])
    except (IndexError, RuntimeError):
        # This raises an error that names the row out of range.
        _ = torch.arange(len(data), device=data.device)[rows]
        return index(data, rows)


def _check_scatter(s: Shapes, values: str, shape: tuple[int, ...]) -> None:
    """Raises unless `values` and `indices` go with an array of `shape`."""
    data, indices = s.full(values), s.full("indices")
    fits = len(indices) > 1 and 1 <= indices[0] <= len(shape)
    if not fits or data != (*indices[1:], *shape[indices[0] :]):
        raise s.fail(
            f"{values} {shape_text(data)} and indices {shape_text(indices)} do not go with "
            f"shape={shape}"
        )


@operator("scatter_nd")
class ScatterNd(Op):
    """An array of zeros with the values of `data` written at some places.

    Args:
        data: the values, as `gather_nd` would read them.
        indices: (coordinates, …), of any type; where a place is named twice the last value stays.
        shape: shape of the result.
    """

    shape: Shape

    def infer_shape(self, s: Shapes) -> None:
        s.output = self.shape
        _check_scatter(s, "data", self.shape)

    def infer_dtype(self, t: DTypes) -> None:
        _same_but_indices(self, t)

    def forward(self, data: Tensor, indices: Tensor) -> Tensor:
        return data.new_zeros(self.shape).index_put(_coordinates(indices), data)


@operator("_scatter_set_nd", "_npi_scatter_set_nd")
class ScatterSetNd(Op):
    """`lhs` with the values of `rhs` written at some places.

    Args:
        lhs: array of shape `shape`.
        rhs: the values, as `gather_nd` would read them.
        indices: (coordinates, …), of any type; where a place is named twice the last value stays.
        shape: shape of `lhs`.
    """

    shape: Shape
    differentiable = None

    def infer_shape(self, s: Shapes) -> None:
        s.lhs = s.output = self.shape
        _check_scatter(s, "rhs", self.shape)

    def infer_dtype(self, t: DTypes) -> None:
        _same_but_indices(self, t)

    def forward(self, lhs: Tensor, rhs: Tensor, indices: Tensor) -> Tensor:
        return lhs.index_put(_coordinates(indices), rhs)


@operator("_contrib_index_copy")
class IndexCopy(Op):
    """`old_tensor` with some of its slices along the first axis replaced.

    Args:
        old_tensor: any array.
        index_vector: the indices of the slices to replace, of any type.
        new_tensor: the new slices.
    """

    def infer_shape(self, s: Shapes) -> None:
        old, index, new = (s.full(n) for n in s.inputs)
        if len(index) != 1 or new != (*index, *old[1:]) or not old or index[0] > old[0]:
            raise s.fail(
                f"index_vector {shape_text(index)} and new_tensor {shape_text(new)} do not go with "
                f"old_tensor {shape_text(old)}"
            )
        s.output = old

    def infer_dtype(self, t: DTypes) -> None:
        _same_but_indices(self, t)

    def forward(self, old_tensor: Tensor, index_vector: Tensor, new_tensor: Tensor) -> Tensor:
        return old_tensor.index_copy(0, index_vector.long(), new_tensor)


@operator("_contrib_boolean_mask", "_npi_boolean_mask")
class BooleanMask(Op):
    """The slices of `data` along the first axis whose entry in `index` is not zero.

    Args:
        data: any array.
        index: one entry for each slice, of any type.
        axis: only 0 is possible.
    """

    axis: int = 0

    def infer_shape(self, s: Shapes) -> None:
        data, index = s.full("data"), s.full("index")
        if self.axis != 0:
            raise s.fail(f"axis={self.axis}: must be 0")
        if index != data[:1]:
            raise s.fail(f"index {shape_text(index)} does not go with data {shape_text(data)}")

    def infer_dtype(self, t: DTypes) -> None:
        _same_but_indices(self, t)

    def forward(self, data: Tensor, index: Tensor) -> Tensor:
        return data.index_select(0, index.nonzero().squeeze(1))  # a fifth of a mask's time


@operator("where", "_sparse_where")
class Where(Op):
    """Elements of `x` where `condition` is not zero, elements of `y` elsewhere.

    Args:
        condition: of the shape of `x`, or one entry for each slice along the first axis of `x`;
            of any type.
        x: any array.
        y: an array like `x`.
    """

    def infer_shape(self, s: Shapes) -> None:
        condition = s.full("condition")
        s.same("x", "y", "output")
        x = s.full("x")
        if condition != x and prod(condition) != prod(x[:1]):
            raise s.fail(
                f"condition {shape_text(condition)} has neither the shape of x {shape_text(x)} "
                f"nor one entry for each of its {x[:1] or 'axes'}"
            )

    def infer_dtype(self, t: DTypes) -> None:
        t.same("x", "y", "output")

    def infer_gradient_stypes(self, heads: Sequence[str], stypes: Sequence[str]) -> tuple[str, ...]:
        """The gradient of the condition is zero."""
        return (stypes[0], "default", "default")

    def forward(self, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
        if condition.shape != x.shape:
            condition = condition.reshape(-1, *(1,) * (x.ndim - 1))
        return torch.where(condition != 0, x, y)


def _ravel_shape(op: Op, s: Shapes) -> None:
    shape = _space(op, s)
    if s.known("output") is not None:
        s.data = (len(shape), *s.output)
    s.rank("data", 2)
    s.output = s.data[1:]
    if s.data[0] != len(shape):
        raise s.fail(f"data {shape_text(s.data)}: must have a row for each axis of shape={shape}")


def _unravel_shape(op: Op, s: Shapes) -> None:
    shape = _space(op, s)
    if s.known("output") is not None:
        s.data = s.output[1:]
    s.output = (len(shape), *s.data)


def _space(op: Op, s: Shapes) -> tuple[int, ...]:
    shape: tuple[int, ...] = op.attr("shape")
    if not shape:
        raise s.fail(f"shape={shape}: must name the dimensions")
    return shape


@function_operator(
    "_ravel_multi_index", "ravel_multi_index", shape=_ravel_shape, differentiable=False
)
def ravel_multi_index(
    data: Tensor,
    *,
    shape: Shape = None,  # type: ignore[assignment]
) -> Tensor:
    """Coordinates to positions in the flattened array.

    Args:
        data: (axes, n): a column of coordinates for each element.
        shape: shape of the array; its first dimension may be -1.
    """
    position = torch.zeros_like(data[0], dtype=torch.int64)
    for size, coordinate in zip(shape, data.long(), strict=True):
        position = position * size + coordinate
    return position.to(data.dtype)


@function_operator("_unravel_index", "unravel_index", shape=_unravel_shape, differentiable=False)
def unravel_index(
    data: Tensor,
    *,
    shape: Shape = None,  # type: ignore[assignment]
) -> Tensor:
    """Positions in a flattened array to coordinates, a column for each.

    Args:
        data: the positions, of any shape.
        shape: shape of the array; its first dimension may be -1.
    """
    if 0 in shape[1:] and data.numel():
        raise MXNetError(f"_unravel_index: shape={shape}: an empty array has no positions")
    rest, coordinates = data.long(), []
    for size in reversed(shape[1:]):
        above = rest.div(size, rounding_mode="trunc")
        coordinates.append(rest - above * size)
        rest = above
    return torch.stack([rest, *reversed(coordinates)]).to(data.dtype)
