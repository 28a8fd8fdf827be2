# SPDX-License-Identifier: Apache-2.0
"""Repeating an array along its axes of length 1."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import UNKNOWN, Dim, shape_text
from ..declaration import function_operator
from ..infer import DTypes, Shapes
from ..schema import Op


def _repeated(s: Shapes, name: str, target: Sequence[Dim]) -> tuple[Dim, ...]:
    """`target`, if array `name` can be repeated to it."""
    shape = s[name]
    fits = (a is UNKNOWN or b is UNKNOWN or a in (1, b) for a, b in zip(shape, target, strict=True))
    if not all(fits):
        raise s.fail(
            f"{name} {shape_text(shape)} cannot be broadcast to {shape_text(tuple(target))}"
        )
    return tuple(
        a if b is UNKNOWN and a is not UNKNOWN and a != 1 else b
        for a, b in zip(shape, target, strict=True)
    )


def _repeat(data: Tensor, shape: Sequence[int]) -> Tensor:
    return data.expand(shape).clone(memory_format=torch.contiguous_format)


def _axis_shape(op: Op, s: Shapes) -> None:
    axis, size = op.attr("axis"), op.attr("size")
    target: list[Dim] = list(s.full("data"))
    if len(axis) != len(size) or len(set(axis)) < len(axis):
        raise s.fail(
            f"axis={shape_text(axis)}, size={shape_text(size)}: "
            "there must be one size for each axis, and no axis twice"
        )
    for a, n in zip(axis, size, strict=True):
        if not 0 <= a < len(target) or n < 0:
            raise s.fail(f"axis={a}, size={n}: not a dimension of data {shape_text(s.data)}")
        if target[a] != 1:
            raise s.fail(
                f"axis={a}, size={n}: data {shape_text(s.data)} has no dimension of size 1 there"
            )
        target[a] = n
    s.output = tuple(target)


@function_operator("broadcast_axis", "broadcast_axes", shape=_axis_shape, method="broadcast_axes")
def broadcast_axis(data: Tensor, *, axis: Shape = (), size: Shape = ()) -> Tensor:
    """Its input, repeated along some axes of length 1.

    Args:
        data: of any shape.
        axis: the axes, counted from the front.
        size: how often data is repeated along each of them.
    """
    sizes = dict(zip(axis, size, strict=True))
    return _repeat(data, [sizes.get(a, d) for a, d in enumerate(data.shape)])


def _to_shape(op: Op, s: Shapes) -> None:
    shape = op.attr("shape")
    if len(shape) != s.rank("data") or min(shape, default=0) < 0:
        raise s.fail(
            f"shape={shape_text(shape)}: data {shape_text(s.data)} cannot be broadcast to it"
        )
    s.output = _repeated(s, "data", [n or d for n, d in zip(shape, s.data, strict=True)])


@function_operator("broadcast_to", shape=_to_shape, method=True)
def broadcast_to(data: Tensor, *, shape: Shape = ()) -> Tensor:
    """Its input, repeated along its axes of length 1 to a shape.

    Args:
        data: of any shape.
        shape: the shape of the output, of equal rank; 0 keeps the length of data.
    """
    return _repeat(data, [n or d for n, d in zip(shape, data.shape, strict=True)])


def _like_shape(op: Op, s: Shapes) -> None:
    lhs_axes, rhs_axes = op.attr("lhs_axes"), op.attr("rhs_axes")
    if lhs_axes is None or rhs_axes is None:
        s.rank("lhs", len(s.rhs))
        s.output = _repeated(s, "lhs", s.rhs)
        return
    if len(lhs_axes) != len(rhs_axes) or not lhs_axes:
        raise s.fail(
            f"lhs_axes={shape_text(lhs_axes)}, rhs_axes={shape_text(rhs_axes)}: "
            "there must be equally many, at least one"
        )
    target = list(s.lhs)
    for a, b in zip(lhs_axes, rhs_axes, strict=True):
        target[s.axis("lhs", a, "lhs_axes")] = s.rhs[s.axis("rhs", b, "rhs_axes")]
    s.output = _repeated(s, "lhs", target)


def _like_dtype(op: Op, t: DTypes) -> None:
    """The type of rhs does not matter."""
    t.same("lhs", "output")


@function_operator("broadcast_like", shape=_like_shape, dtype=_like_dtype, method=True)
def broadcast_like(
    lhs: Tensor, rhs: Tensor, *, lhs_axes: Shape | None = None, rhs_axes: Shape | None = None
) -> Tensor:
    """Its first input, repeated along its axes of length 1 to the shape of rhs.

    Args:
        lhs: of any shape and type.
        rhs: of the rank of lhs, unless axes are given; any type.
        lhs_axes: the axes to repeat; all of them unless both lists are given.
        rhs_axes: for each of lhs_axes the axis of rhs whose length it gets.
    """
    if lhs_axes is None or rhs_axes is None:
        return _repeat(lhs, rhs.shape)
    shape = list(lhs.shape)
    for a, b in zip(lhs_axes, rhs_axes, strict=True):
        shape[a] = rhs.shape[b]
    return _repeat(lhs, shape)
