# SPDX-License-Identifier: Apache-2.0
"""Operators of the NumPy front end that change the shape of an array or the order in it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from math import prod
from typing import Annotated

import torch
from torch import Tensor

from ...base.errors import ArgumentError, told_as
from ...base.parameter_types import OptionalKind, ShapeKind
from ...base.params import Shape
from ...base.shapes import UNKNOWN, Dim, is_known, shape_text
from ..declaration import elementwise_shape, function_operator
from ..families.creation import PartialShape
from ..infer import Shapes
from ..schema import Op
from ..tensor.reshape import completed


class _AxesKind(OptionalKind):
    """A tuple of axes, or None for all of them; MXNet does not say that None is allowed."""

    label = "Shape(tuple)"


Axes = Annotated[tuple[int, ...] | None, _AxesKind(ShapeKind())]


def _distinct(s: Shapes, argument: str, axes: Iterable[int]) -> list[int]:
    """`axes` of the input, counted from the front."""
    name, given = s.inputs[0], tuple(axes)
    found = [s.axis(name, a, argument) for a in given]
    if len(set(found)) < len(found):
        reason = f"{argument}={given}: names an axis of {name} {shape_text(s[name])} twice"
        raise ArgumentError(str(s.fail(reason)))
    return found


# Reshaping ----------------------------------------------------------------------------------------


def _reshape_shape(op: Op, s: Shapes) -> None:
    newshape = op.attr("newshape")
    if min(newshape, default=0) < -1 or newshape.count(-1) > 1 or {0, -1} <= set(newshape):
        raise s.fail(f"newshape={newshape}: must be sizes, with one -1 at most, and that without 0")
    s.output = tuple(UNKNOWN if d == -1 else d for d in newshape)
    s.output = completed(s.output, prod(s.a))
    if is_known(s.output):
        s.a = completed(s.a, prod(s.output))
    if is_known(s.a) and prod(s.a) != prod(s.output):
        raise s.fail(
            f"newshape={newshape}: makes {shape_text(s.output)} of a {shape_text(s.a)}, "
            f"{prod(s.output)} elements of {prod(s.a)}; one size may be -1, which takes what is "
            "left"
        )


@function_operator("_np_reshape", shape=_reshape_shape)
def np_reshape(a: Tensor, *, newshape: Shape, order: str = "C") -> Tensor:
    """The elements of a in another shape.

    Args:
        a: any array.
        newshape: the new dimensions, one of which may be -1: what remains.
        order: ignored; the last axis always varies fastest.
    """
    return a.reshape(newshape)


def _described(newshape: Shape, reverse: bool, data: Sequence[int]) -> tuple[int, ...]:
    """The shape that `newshape` describes, given the dimensions of the array."""
    if min(newshape, default=0) < -6 or newshape.count(-1) > 1:
        raise ValueError("must be sizes or codes down to -6, with one -1 at most")
    step = -1 if reverse else 1
    try:
        dims = _dims(deque(newshape[::step]), deque(data[::step]))
    except IndexError:
        raise ValueError(f"needs more dimensions than {shape_text(tuple(data))} has") from None
    if -1 in dims:
        rest = prod(d for d in dims if d != -1)
        dims[dims.index(-1)] = prod(data) // rest if rest else -1
    if prod(dims) != prod(data) or -1 in dims:
        raise ValueError(f"does not fit the elements of {shape_text(tuple(data))}")
    return tuple(dims[::step])


def _dims(codes: deque[int], left: deque[int]) -> list[int]:
    """The dimensions that `codes` stand for; -1 is kept. Uses up `left`, the array's dimensions."""
    dims: list[int] = []
    while codes:
        code = codes.popleft()
        if code == -2:
            dims.append(left.popleft())
        elif code == -3:
            if left.popleft() != 1:
                raise ValueError("-3 can only drop a dimension of size 1")
        elif code == -4:
            dims += left
            left.clear()
        elif code == -5:
            dims.append(left.popleft() * left.popleft())
        elif code == -6:
            dims += _split(left.popleft(), codes.popleft(), codes.popleft())
        else:
            dims.append(code)
            if left:
                left.popleft()
    return dims


def _split(dim: int, first: int, second: int) -> tuple[int, int]:
    given = max(first, second)
    pair = tuple(dim // given if d == -1 and given > 0 else d for d in (first, second))
    if min(pair) < 0 or prod(pair) != dim:
        raise ValueError(f"-6 cannot split {dim} into {first} and {second}")
    return pair[0], pair[1]


def _described_shape(op: Op, s: Shapes) -> None:
    newshape, reverse = op.attr("newshape"), op.attr("reverse")
    try:
        s.output = _described(newshape, reverse, s.full("a"))
    except ValueError as error:
        raise s.fail(f"newshape={newshape}, reverse={reverse}: {error}") from None


@function_operator("_npx_reshape", "_npi_reshape", shape=_described_shape)
def npx_reshape(a: Tensor, *, newshape: Shape, reverse: bool = False, order: str = "C") -> Tensor:
    """The elements of a in the shape that newshape describes.

    Args:
        a: any array.
        newshape: the new dimensions. Besides sizes: -1 takes what remains (at most once), -2 copies
            the dimension of a at this place, -3 drops it if it is 1, -4 copies all further ones, -5
            joins the next two, and -6 splits the next one into the two that follow, one of which
            may be -1.
        reverse: read newshape and the dimensions of a from the last to the first.
        order: ignored; the last axis always varies fastest.
    """
    return a.reshape(_described(newshape, reverse, a.shape))


def _squeeze_shape(op: Op, s: Shapes) -> None:
    data = s.full("a")
    chosen = op.attr("axis")
    if not data and chosen is not None and all(i in (0, -1) for i in chosen):
        chosen = ()  # NumPy takes these two where there is no axis
    dropped = _ones(data) if chosen is None else {s.axis("a", i) for i in chosen}
    for i in dropped:
        if data[i] != 1:
            raise s.fail(f"axis={i}: a {shape_text(data)} has size {data[i]} there, not 1")
    s.output = tuple(d for i, d in enumerate(data) if i not in dropped)


def _ones(shape: Sequence[int]) -> set[int]:
    return {i for i, d in enumerate(shape) if d == 1}


@function_operator("_np_squeeze", shape=_squeeze_shape)
def squeeze(a: Tensor, *, axis: Shape | None = None) -> Tensor:
    """`a` without axes of size one.

    Args:
        a: any array.
        axis: the axes to drop, each of size one; all such axes when None.
    """
    return (
        a.squeeze() if axis is None or not a.ndim else a.squeeze(tuple({i % a.ndim for i in axis}))
    )


# Order of axes ------------------------------------------------------------------------------------


def _transpose_shape(op: Op, s: Shapes) -> None:
    known = s.output if s.known("a") is None else s.a
    s.a = (UNKNOWN,) * len(known)
    axes = op.attr("axes")
    try:
        order = list(range(len(known)))[::-1] if axes is None else _distinct(s, "axes", axes)
    except ArgumentError as error:
        raise told_as("ValueError", error) from None
    if len(order) != len(known):
        raise s.fail(f"axes={axes}: must name each of the {len(known)} axes of a")
    _permute(s, order)


def _permute(s: Shapes, order: Sequence[int]) -> None:
    if s.known("output") is not None:
        s.a = tuple(s.output[order.index(i)] for i in range(len(order)))
    s.output = tuple(s.a[i] for i in order)


@function_operator("_np_transpose", shape=_transpose_shape)
def transpose(a: Tensor, *, axes: PartialShape = None) -> Tensor:
    """`a` with its axes in another order.

    Args:
        a: any array.
        axes: for each axis of the result, the axis of a it comes from; None: reversed order.
    """
    return a.permute(tuple(range(a.ndim))[::-1] if axes is None else axes)


def _moveaxis_shape(op: Op, s: Shapes) -> None:
    source = _distinct(s, "source", op.attr("source"))
    destination = _distinct(s, "destination", op.attr("destination"))
    if len(source) != len(destination):
        raise s.fail(f"source={source}, destination={destination}: must be equally many axes")
    rest = (i for i in range(len(s.a)) if i not in source)
    moved = dict(zip(destination, source, strict=True))
    _permute(s, [moved[i] if i in moved else next(rest) for i in range(len(s.a))])


@function_operator("_np_moveaxis", shape=_moveaxis_shape)
def moveaxis(a: Tensor, *, source: Shape, destination: Shape) -> Tensor:
    """`a` with some axes moved to other places; the rest keep their order.

    Args:
        a: any array.
        source: the axes to move; negative: counted from the end.
        destination: where each of them goes.
    """
    return a.movedim(source, destination)


# Order of elements --------------------------------------------------------------------------------


def _roll_shape(op: Op, s: Shapes) -> None:
    elementwise_shape(op, s)
    shift, axis = op.attr("shift"), op.attr("axis")
    if axis is not None:
        _distinct(s, "axis", axis)
    n = 1 if axis is None else len(axis)
    if shift is None or n == 0 or len(shift) not in (1, n):
        raise s.fail(f"shift={shift}, axis={axis}: there must be one shift, or one for each axis")


@function_operator("_np_roll", shape=_roll_shape)
def roll(data: Tensor, *, shift: Shape | None = None, axis: Shape | None = None) -> Tensor:
    """`data` with its elements moved along some axes; what leaves at the end enters in front.

    Args:
        data: any array.
        shift: number of places, one for all axes or one for each; negative: toward the front.
        axis: the axes; None: the array is flattened, and restored afterwards.
    """
    shifts = shift or ()
    if axis is None:
        return data.flatten().roll(shifts).reshape(data.shape)
    return data.roll(shifts * len(axis) if len(shifts) == 1 else shifts, axis)


def _flip_shape(op: Op, s: Shapes) -> None:
    elementwise_shape(op, s)
    for a in op.attr("axis") or ():
        s.axis("data", a)


@function_operator("_npi_flip", shape=_flip_shape)
def flip(data: Tensor, *, axis: Axes) -> Tensor:
    """`data` with the order of its elements reversed along some axes.

    Args:
        data: any array.
        axis: the axes to reverse, one named twice being reversed twice; None: all.
    """
    for a in range(data.ndim) if axis is None else axis:
        data = data.flip(a)
    return data


def _rot90_shape(op: Op, s: Shapes) -> None:
    axes = _distinct(s, "axes", op.attr("axes") or ())
    if len(axes) != 2:
        raise s.fail(f"axes={op.attr('axes')}: must be the two axes of the plane")
    dims = list(s.data)
    if op.attr("k") % 2:
        dims[axes[0]], dims[axes[1]] = dims[axes[1]], dims[axes[0]]
    s.output = tuple(dims)


def _rot90_backward(d_output: Tensor, *, k: int, axes: Shape) -> Tensor:
    # MXNet turns the gradient on in the same direction, not back: right for even k only.
    return d_output.rot90(k, axes)


@function_operator("_npi_rot90", shape=_rot90_shape, backward=_rot90_backward)
def rot90(data: Tensor, *, k: int = 1, axes: Shape | None = None) -> Tensor:
    """`data` rotated in the plane of two axes.

    Args:
        data: an array of two axes or more.
        k: number of quarter turns, from the first of axes toward the second.
        axes: the two axes; must be given.
    """
    return data.rot90(k, axes or ())


# Diagonals and triangles --------------------------------------------------------------------------


def _diagonal(s: Shapes, offset: int, axis1: int, axis2: int) -> tuple[tuple[Dim, ...], Dim]:
    """The shape of data without two axes, and the length of their diagonal."""
    data = s.data
    rows, columns = s.axis("data", axis1, "axis1"), s.axis("data", axis2, "axis2")
    if rows == columns:
        raise s.fail(f"axis1={axis1}, axis2={axis2}: must be different axes")
    sides = data[rows] + min(offset, 0), data[columns] - max(offset, 0)
    length = UNKNOWN if any(d is UNKNOWN for d in sides) else max(min(sides), 0)
    return tuple(d for i, d in enumerate(data) if i not in (rows, columns)), length


def _diagonal_shape(op: Op, s: Shapes) -> None:
    rest, length = _diagonal(s, op.attr("offset"), op.attr("axis1"), op.attr("axis2"))
    s.output = (*rest, length)


@function_operator("_np_diagonal", shape=_diagonal_shape)
def diagonal(data: Tensor, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """A diagonal of data, as the last axis.

    Args:
        data: an array of two axes or more.
        offset: the diagonal, counted upward from the main one; one outside data has no elements.
        axis1: the axis of matrix rows.
        axis2: the axis of matrix columns.
    """
    return data.diagonal(offset, axis1, axis2)


def _trace_shape(op: Op, s: Shapes) -> None:
    s.output, _ = _diagonal(s, op.attr("offset"), op.attr("axis1"), op.attr("axis2"))


@function_operator("_np_trace", shape=_trace_shape)
def trace(data: Tensor, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The sum of a diagonal of data.

    Args:
        data: an array of two axes or more.
        offset: the diagonal, counted upward from the main one.
        axis1: the axis of matrix rows.
        axis2: the axis of matrix columns.
    """
    return data.diagonal(offset, axis1, axis2).sum(-1, dtype=data.dtype)


def _diag_shape(op: Op, s: Shapes) -> None:
    if s.rank("data", 1, 2) == 1:
        n = s.data[0] + abs(op.attr("k"))
        s.output = (n, n)
    else:
        s.output = (_diagonal(s, op.attr("k"), 0, 1)[1],)


@function_operator("_np_diag", shape=_diag_shape)
def diag(data: Tensor, *, k: int = 0) -> Tensor:
    """A diagonal of a matrix; of a vector, the matrix that has it as diagonal.

    Args:
        data: a vector or a matrix.
        k: the diagonal, counted upward from the main one.
    """
    return data.diag_embed(k) if data.ndim == 1 else data.diagonal(k)


def _diagflat_shape(op: Op, s: Shapes) -> None:
    n = prod(s.data) + abs(op.attr("k"))
    s.output = (n, n)


@function_operator("_np_diagflat", shape=_diagflat_shape)
def diagflat(data: Tensor, *, k: int = 0) -> Tensor:
    """The matrix that has all elements of data as a diagonal.

    Args:
        data: any array.
        k: the diagonal, counted upward from the main one.
    """
    return data.flatten().diag_embed(k)


def _tril_shape(op: Op, s: Shapes) -> None:
    if not s.data:
        raise s.fail("data must not be a scalar")
    s.output = s.data * 2 if len(s.data) == 1 else s.data


@function_operator("_npi_tril", shape=_tril_shape)
def tril(data: Tensor, *, k: int = 0) -> Tensor:
    """Matrices without what is above a diagonal.

    Args:
        data: (…, rows, columns); a vector is taken for a matrix of equal rows.
        k: the diagonal, counted upward from the main one.
    """
    matrix = data.expand(len(data), -1) if data.ndim == 1 else data
    return torch.tril(matrix, k)
