# SPDX-License-Identifier: Apache-2.0
"""Operators that change the shape of an array and keep the order of its elements."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import prod
from typing import Any

from torch import Tensor

from ...base.errors import MXNetError, argument_error
from ...base.params import Shape
from ...base.scopes import is_np_shape
from ...base.shapes import UNKNOWN, Dim, is_known, shape_text
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..schema import Op
from ..traits import batch_apart


@operator("Reshape", "reshape")
class Reshape(Op):
    """The elements of `data` in the shape that `shape` describes.

    Args:
        data: any array.
        shape: the new dimensions. Besides sizes: 0 copies the dimension of `data` at this place,
            -1 takes what remains (at most once), -2 copies all further dimensions, -3 joins the
            next two, and -4 splits the next one into the two that follow, one of which may be -1.
        reverse: read `shape` and the dimensions of `data` from the last to the first.
        target_shape: what old versions wrote; read when `shape` is empty. One 0 is inferred.
        keep_highest: with `target_shape`: keep the first dimension of `data`.
    """

    shape: Shape = ()
    reverse: bool = False
    target_shape: Shape = ()
    keep_highest: bool = False

    keeps_precision = True

    def infer_shape(self, s: Shapes) -> None:
        data = s.data
        s.output = self._target(data)
        output = s.output
        if not is_known(output):
            return
        s.data = data = completed(data, prod(output))
        if is_known(data) and prod(data) != prod(output):
            raise self._unfit(
                f"makes {shape_text(output)} of data {shape_text(data)}, {prod(output)} elements "
                f"of {prod(data)}; one size may be -1, which takes what remains"
            )

    def _target(self, data: Sequence[Dim]) -> tuple[Dim, ...]:
        """The new shape of an array of shape `data`."""
        if not self.shape:
            return self._legacy_target(data)
        if self.reverse:
            return self._read(self.shape[::-1], data[::-1])[::-1]
        return self._read(self.shape, data)

    def _legacy_target(self, data: Sequence[Dim]) -> tuple[Dim, ...]:
        if not self.target_shape and not is_np_shape():
            raise self._unfit("names no dimension")
        start = int(self.keep_highest)
        fixed: Any = (*data[:start], *self.target_shape[start:])
        zeros = [i for i in range(start, len(fixed)) if self.target_shape[i] == 0]
        if len(zeros) != 1:
            return tuple(fixed)
        rest = prod(d for i, d in enumerate(fixed) if i != zeros[0])
        return (*fixed[: zeros[0]], prod(data) // rest, *fixed[zeros[0] + 1 :])

    def _read(self, shape: Sequence[int], data: Sequence[Dim]) -> tuple[Dim, ...]:
        codes, left = deque(shape), deque(data)
        dims: list[Dim] = []
        inferred: list[int] = []
        try:
            while codes:
                code = codes.popleft()
                if code == -1:
                    inferred.append(len(dims))
                dims += self._dims(code, codes, left)
        except IndexError:
            raise self._unfit(f"needs more dimensions than {shape_text(tuple(data))} has") from None
        if len(inferred) > 1:
            raise self._unfit("has more than one -1")
        for at in inferred:
            dims[at] = _quotient(prod(data), prod(dims[:at] + dims[at + 1 :]))
        return tuple(dims)

    def _dims(self, code: int, codes: deque[int], left: deque[Dim]) -> Sequence[Dim]:
        """The dimensions that `code` stands for; takes what it uses from `codes` and `left`."""
        if code == 0:
            return (left.popleft(),)
        if code >= -1:
            if left:
                left.popleft()
            return (code,)
        if code == -2:
            rest = tuple(left)
            left.clear()
            return rest
        if code == -3:
            return (left.popleft() * left.popleft(),)
        if code == -4:
            return self._split(left.popleft(), codes.popleft(), codes.popleft())
        raise self._unfit(f"{code} has no meaning")

    def _split(self, dim: Dim, first: int, second: int) -> tuple[Dim, Dim]:
        if first == second == -1:
            raise self._unfit("-4 is followed by two -1")
        pair = (
            _quotient(dim, second) if first == -1 else first,
            _quotient(dim, first) if second == -1 else second,
        )
        if dim is not UNKNOWN and pair[0] * pair[1] != dim:
            raise self._unfit(f"-4 cannot split {dim} into {first} and {second}")
        return pair

    def _unfit(self, reason: str) -> MXNetError:
        name = "shape" if self.shape else "target_shape"
        return argument_error("Reshape", name, getattr(self, name), reason)

    def forward(self, data: Tensor) -> Tensor:
        return data.reshape(self._target(data.shape))  # type: ignore[arg-type]


def _quotient(size: Dim, rest: Dim) -> Dim:
    """`size` / `rest`; 0 when nothing is left to divide, as in an array of no elements."""
    if size is UNKNOWN or rest is UNKNOWN:
        return UNKNOWN
    return size // rest if rest else 0


def completed(shape: tuple[Dim, ...], size: Dim) -> tuple[Dim, ...]:
    """`shape` with its unknown dimension, when it is the only one, found from the `size` of all."""
    unknown = [i for i, d in enumerate(shape) if d is UNKNOWN]
    if len(unknown) != 1:
        return shape
    at = unknown[0]
    return (*shape[:at], _quotient(size, prod(shape[:at] + shape[at + 1 :])), *shape[at + 1 :])


@operator("Flatten", "_npx_batch_flatten", "flatten")
class Flatten(Op):
    """The elements of `data` as a matrix: the first axis is kept, all others become one.

    Args:
        data: (batch, …); a vector becomes a matrix of one column.
    """

    item_axis = batch_apart

    keeps_precision = True

    def infer_shape(self, s: Shapes) -> None:
        data = s.full("data")
        if not data:
            raise s.fail("data is a scalar: it must have at least one dimension")
        s.output = (data[0], prod(data[1:]))

    def forward(self, data: Tensor) -> Tensor:
        return data.flatten(1) if data.ndim > 1 else data.unsqueeze(1)


@operator("expand_dims", "_npi_expand_dims")
class ExpandDims(Op):
    """`data` with an axis of size one more.

    Args:
        data: any array.
        axis: where the new axis stands in the result; negative: counted from the end.
    """

    axis: int

    keeps_precision = True

    def infer_shape(self, s: Shapes) -> None:
        data, output = s.known("data"), s.known("output")
        rank = len(data) + 1 if data is not None else len(s.output)
        if not -rank <= self.axis < rank:
            raise s.fail(f"axis={self.axis}: must be from {-rank} to {rank - 1}")
        at = self.axis % rank
        if output is not None and len(output) == rank:
            s.data = output[:at] + output[at + 1 :]
        s.output = (*s.data[:at], 1, *s.data[at:])

    def forward(self, data: Tensor) -> Tensor:
        return data.unsqueeze(self.axis)


@operator("squeeze")
class Squeeze(Op):
    """`data` without axes of size one; when nothing remains, an array of shape (1,).

    Args:
        data: any array.
        axis: the axes to drop, each of size one; all such axes when None.
    """

    axis: Shape | None = None

    keeps_precision = True

    def infer_shape(self, s: Shapes) -> None:
        data = s.full("data")
        dropped = self._dropped(s, data)
        s.output = tuple(d for i, d in enumerate(data) if i not in dropped) or (1,)

    def _dropped(self, s: Shapes, data: tuple[int, ...]) -> set[int]:
        if self.axis is None:
            return {i for i, d in enumerate(data) if d == 1}
        axes = {s.axis("data", a) for a in self.axis}
        if len(axes) < len(self.axis):
            raise s.fail(f"axis={self.axis}: names an axis twice")
        for a in axes:
            if data[a] != 1:
                raise s.fail(f"axis={a}: data {shape_text(data)} has size {data[a]} there, not 1")
        return axes

    def forward(self, data: Tensor) -> Tensor:
        squeezed = data.squeeze() if self.axis is None else data.squeeze(self.axis)
        return squeezed if squeezed.ndim else squeezed.reshape(1)


@operator("reshape_like", "_npx_reshape_like", method=True)
class ReshapeLike(Op):
    """`lhs` with its axes lhs_begin … lhs_end replaced by the axes rhs_begin … rhs_end of `rhs`.

    Args:
        lhs: the array to reshape.
        rhs: the array whose shape is taken, of any type.
        lhs_begin: first axis of `lhs` to replace; None: the first.
        lhs_end: the axis after the last one to replace; None: all to the end.
        rhs_begin: first axis of `rhs` to take; None: the first.
        rhs_end: the axis after the last one to take; None: all to the end.
    """

    lhs_begin: int | None = None
    lhs_end: int | None = None
    rhs_begin: int | None = None
    rhs_end: int | None = None

    def infer_shape(self, s: Shapes) -> None:
        lhs, rhs = s.full("lhs"), s.full("rhs")
        self._check(s, "lhs", len(lhs))
        self._check(s, "rhs", len(rhs))
        output = self._target(lhs, rhs)
        if prod(output) != prod(lhs):
            raise s.fail(f"lhs {shape_text(lhs)} does not fit into {shape_text(output)}")
        s.output = output

    def _check(self, s: Shapes, side: str, rank: int) -> None:
        given = [self.attr(f"{side}_{end}") for end in ("begin", "end")]
        begin, end, _ = slice(*given).indices(rank)
        inside = all(at is None or -rank <= at <= rank for at in given)
        if rank and not (inside and begin < end):
            raise s.fail(
                f"{side}_begin={given[0]}, {side}_end={given[1]}: select no axis of {side}, "
                f"which has {rank}"
            )

    def infer_dtype(self, t: DTypes) -> None:
        t.same("lhs", "output")

    def _target(self, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> tuple[int, ...]:
        begin, end, _ = slice(self.lhs_begin, self.lhs_end).indices(len(lhs))
        return (*lhs[:begin], *rhs[self.rhs_begin : self.rhs_end], *lhs[end:])

    def forward(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        return lhs.reshape(self._target(lhs.shape, rhs.shape))
