# SPDX-License-Identifier: Apache-2.0
"""Operators that cut an array into several, or make one of several."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.params import AnyCount, Count, Shape
from ...base.shapes import (
    UNKNOWN,
    Dim,
    PartialShape,
    Pause,
    ShapeMismatch,
    is_known,
    shape_text,
    unify,
)
from ..declaration import function_operator, operator
from ..infer import MismatchError, Shapes
from ..outputs import lone, numbered
from ..schema import Op
from ..traits import InputShapes, ItemAxes


@operator("SliceChannel", "split", method="split")
class SliceChannel(Op):
    """`data` cut along one axis into parts of equal size.

    Args:
        data: any array.
        num_outputs: number of parts; must divide the size of the axis.
        axis: the axis; negative: counted from the end.
        squeeze_axis: drop the axis, which must have size `num_outputs`.
    """

    num_outputs: Count
    axis: int = 1
    squeeze_axis: bool = False

    def outputs(self) -> tuple[str, ...]:
        return numbered("output", self.num_outputs)

    def infer_shape(self, s: Shapes) -> None:
        axis = s.axis("data", self.axis)
        before, size, after = s.data[:axis], s.data[axis], s.data[axis + 1 :]
        part = () if self.squeeze_axis else (size // self.num_outputs,)
        for name in self.outputs():
            s[name] = (*before, *part, *after)
            _learn_data(s, name, axis)
        if size % self.num_outputs or (self.squeeze_axis and size != self.num_outputs):
            raise s.fail(
                f"num_outputs={self.num_outputs}, squeeze_axis={self.squeeze_axis}: cannot cut "
                f"axis={self.axis} of data {shape_text(s.data)}: {size} items there"
                + ("" if self.squeeze_axis else "; split_v2 makes parts that are not even")
            )

    def forward(self, data: Tensor) -> Any:
        if self.squeeze_axis:
            return lone(data.unbind(self.axis))
        return lone(data.chunk(self.num_outputs, self.axis))


def _learn_data(s: Shapes, part: str, axis: int) -> None:
    """Infer the axes of data that are not split from the shape of one part."""
    sizes = s[part]
    s.data = (*sizes[:axis], s.data[axis], *sizes[len(sizes) - (len(s.data) - axis - 1) :])


@operator("_split_v2", "_npi_split")
class SplitV2(Op):
    """`data` cut along one axis, at given places or into parts of almost equal size.

    Args:
        data: any array.
        indices: where each part begins, from 0 on; ignored when `sections` is positive.
        axis: the axis; negative: counted from the end.
        squeeze_axis: drop the axis; every part must have size one.
        sections: number of parts; the first ones are larger by one when it leaves a rest.
    """

    indices: Shape
    axis: int = 1
    squeeze_axis: bool = False
    sections: AnyCount = 0

    def outputs(self) -> tuple[str, ...]:
        return numbered("output", max(self.sections, 0) or len(self.indices))

    def infer_shape(self, s: Shapes) -> None:
        if not self.outputs():
            raise s.fail("indices=(), sections=0: one of them must tell the parts")
        axis = s.axis("data", self.axis)
        before, size, after = s.data[:axis], s.data[axis], s.data[axis + 1 :]
        lengths = self._lengths(size)
        if any(length is not UNKNOWN and length < 0 for length in lengths):
            raise self._uncuttable(s)
        for name, length in zip(self.outputs(), lengths, strict=True):
            s[name] = (*before, *(() if self.squeeze_axis else (length,)), *after)
            _learn_data(s, name, axis)
        if sum(lengths) != size or (self.squeeze_axis and set(lengths) != {1}):
            raise self._uncuttable(s)

    def _uncuttable(self, s: Shapes) -> MXNetError:
        return s.fail(
            f"indices={self.indices}, sections={self.sections}, "
            f"squeeze_axis={self.squeeze_axis}: cannot cut axis={self.axis} of data "
            f"{shape_text(s.data)}"
        )

    def _lengths(self, size: Dim) -> list[Dim]:
        if self.sections > 0:
            return [(size + self.sections - 1 - i) // self.sections for i in range(self.sections)]
        places: tuple[Dim, ...] = self.indices
        if size is not UNKNOWN:
            places = tuple(min(i, size) for i in places)  # as NumPy cuts
        return [end - begin for begin, end in pairwise((*places, size))]

    def forward(self, data: Tensor) -> Any:
        if self.squeeze_axis:
            return lone(data.unbind(self.axis))
        if self.sections > 0:
            return lone(data.tensor_split(self.sections, self.axis))
        return lone(data.tensor_split(self.indices[1:], self.axis))


def concat_shape(along: int, s: Shapes, argument: str = "axis") -> None:
    """States what arrays have that are joined along one axis, which `argument` names."""
    known = [n for n in (*s.inputs, "output") if s.known(n) is not None]
    if not known:
        raise Pause
    axis = s.axis(known[0], along, argument)
    for name in known:
        s.rank(name, len(s[known[0]]))
    # MXNet takes an input of unknown rank for an empty one.
    sizes = [s[n][axis] for n in s.inputs if s.known(n) is not None]
    around = s[known[0]]
    try:
        for name in (*known, *s.inputs):
            s[name] = (*around[:axis], UNKNOWN, *around[axis + 1 :])
            around = s[name]
    except MismatchError as error:
        named = "" if argument == "axis" else "axis "
        raise MXNetError(f"{error}; only {named}{argument}={along} may differ") from None
    s.output = (*around[:axis], sum(sizes) if sizes else UNKNOWN, *around[axis + 1 :])


def _concat_shape(op: Op, s: Shapes) -> None:
    concat_shape(op.attr("dim"), s, "dim")


def _joined_parameters_shape(op: Op, s: Shapes) -> None:
    _concat_shape(op, s)
    axis = s.axis("output", op.attr("dim"), "dim")
    sizes = {n: s[n][axis] for n in s.inputs}
    unknown = [n for n, size in sizes.items() if size is UNKNOWN]
    for name in unknown:
        rest = s.output[axis] - sum(d for d in sizes.values() if d is not UNKNOWN)
        s[name] = (*s[name][:axis], rest // len(unknown), *s[name][axis + 1 :])


def _joined_items(op: Op, axes: ItemAxes, shapes: InputShapes) -> int | None:
    shape = shapes[0]
    joined = op.attr("dim") if shape is None else op.attr("dim") % len(shape)
    return axes[0] if len(set(axes)) == 1 and joined >= 0 and joined != axes[0] else None


@function_operator(
    "Concat",
    "_sparse_concat",
    "concat",
    shape=_concat_shape,
    items=_joined_items,
    keeps_precision=True,
)
def concat(*data: Tensor, num_args: Count, dim: int = 1) -> Tensor:
    """The arrays of `data` put one after the other along one axis.

    Args:
        data: arrays of one type and of equal shape but for that axis.
        num_args: their number.
        dim: the axis; negative: counted from the end.
    """
    return torch.cat(data, dim)


@function_operator("_rnn_param_concat", "_npi_rnn_param_concat", shape=_joined_parameters_shape)
def rnn_param_concat(*data: Tensor, num_args: Count, dim: int = 1) -> Tensor:
    """`Concat` for the weights of a recurrent layer: sizes not known share what the result leaves.

    Args:
        data: arrays of one type and of equal shape but for that axis.
        num_args: their number.
        dim: the axis; negative: counted from the end.
    """
    return torch.cat(data, dim)


def stack_shape(op: Op, s: Shapes) -> None:
    """One more axis than the inputs have, which all have one shape."""
    merged: PartialShape = None
    for name in s.inputs:
        try:
            merged = unify(merged, s.known(name))
        except ShapeMismatch as error:
            raise s.fail(f"{name}: the arrays to stack must have one shape: {error}") from None
    if merged is None or not is_known(merged):
        raise Pause
    rank, axis = len(merged) + 1, op.attr("axis")
    if not -rank <= axis < rank:
        raise s.fail(f"axis={axis}: must be from {-rank} to {rank - 1}")
    at = axis % rank
    s.output = (*merged[:at], len(s.inputs), *merged[at:])


@function_operator("stack", shape=stack_shape)
def stack(*data: Tensor, axis: int = 0, num_args: Count) -> Tensor:
    """The arrays of `data` side by side along a new axis.

    Args:
        data: arrays of one type and shape.
        axis: where the new axis stands in the result; negative: counted from the end.
        num_args: number of arrays.
    """
    return torch.stack(data, axis)
