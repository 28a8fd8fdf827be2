# SPDX-License-Identifier: Apache-2.0
"""Partial shapes: unknown rank, unknown dimensions, unification, MXNet's text form.

A partial shape is None (rank unknown) or a tuple whose items are ints or `UNKNOWN`. MXNet writes
an unknown dimension as 0 and an unknown rank as () in legacy mode; under NumPy shape semantics they
are -1 and None. `from_user` and `to_user` translate; everything inside works on partial shapes.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeGuard

from .errors import argument_error
from .scopes import is_np_shape

__all__ = [
    "UNKNOWN",
    "Dim",
    "PartialShape",
    "Pause",
    "ShapeMismatch",
    "UnknownDim",
    "from_user",
    "is_known",
    "parse_shape",
    "shape_text",
    "sizes_of",
    "to_user",
    "unify",
]


class Pause(Exception):  # noqa: N818 - control flow of a rule, never seen by users
    """A rule needs a dimension that is not known yet; what it assigned so far stands."""


class ShapeMismatch(Exception):  # noqa: N818 - becomes an MXNetError where op and array are known
    """Two shapes that cannot be the same."""


class UnknownDim:
    """A dimension not known yet. Arithmetic keeps it unknown; a decision on it pauses the rule."""

    __slots__ = ()

    def _stay(self, _other: object = None) -> UnknownDim:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _stay
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _stay

    def __neg__(self) -> UnknownDim:
        return self

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        raise Pause

    def __hash__(self) -> int:
        return 0

    def _decide(self, _other: object = None) -> Any:
        raise Pause

    __lt__ = __le__ = __gt__ = __ge__ = _decide
    __bool__ = __index__ = __int__ = _decide

    def __repr__(self) -> str:
        return "?"


UNKNOWN = UnknownDim()
Dim: TypeAlias = int | UnknownDim
PartialShape: TypeAlias = tuple[Dim, ...] | None


def is_known(shape: PartialShape) -> TypeGuard[tuple[int, ...]]:
    """Whether rank and every dimension are known."""
    return shape is not None and not any(d is UNKNOWN for d in shape)


def unify(a: PartialShape, b: PartialShape) -> PartialShape:
    """The shape that says all that `a` and `b` say.

    Raises:
        ShapeMismatch: they contradict each other.
    """
    if a is None or a is b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise ShapeMismatch(f"{shape_text(a)} and {shape_text(b)} differ in rank")
    return tuple(_unify_dims(x, y, a, b) for x, y in zip(a, b, strict=True))


def _unify_dims(x: Dim, y: Dim, a: PartialShape, b: PartialShape) -> Dim:
    if x is UNKNOWN:
        return y
    if y is UNKNOWN or x == y:
        return x
    raise ShapeMismatch(f"{shape_text(a)} and {shape_text(b)} differ")


def from_user(shape: Iterable[int] | None) -> PartialShape:
    """The partial shape that a caller's tuple means under the shape semantics in force."""
    if shape is None:
        return None
    dims = tuple(shape)
    if is_np_shape():
        return tuple(UNKNOWN if d < 0 else int(d) for d in dims)
    return tuple(UNKNOWN if d <= 0 else int(d) for d in dims) if dims else None


_INTEGERS = frozenset({int})


def sizes_of(function: str, shape: Any) -> tuple[int, ...]:
    """The sizes that a caller's number, or list, tuple or array of numbers, means.

    Raises:
        ArgumentError: it is none of these, or a size is negative; the text names `function`.
    """
    sizes: tuple[int, ...]
    try:
        if type(shape) is tuple and _INTEGERS.issuperset(map(type, shape)):
            sizes = shape
        elif hasattr(shape, "__index__") and not getattr(shape, "shape", ()):
            sizes = (operator.index(shape),)
        else:
            sizes = tuple([operator.index(size) for size in shape])
    except (TypeError, ValueError):
        raise argument_error(function, "shape", shape, "sizes must be integers") from None
    if sizes and min(sizes) < 0:
        raise argument_error(function, "shape", sizes, "sizes must not be negative")
    return sizes


def to_user(shape: PartialShape) -> tuple[int, ...] | None:
    """The tuple that MXNet shows for `shape` under the shape semantics in force."""
    unknown = -1 if is_np_shape() else 0
    if shape is None:
        return None if is_np_shape() else ()
    return tuple(unknown if isinstance(d, UnknownDim) else d for d in shape)


_SHOWN = 64  # dimensions: more than any array has


def shape_text(shape: PartialShape) -> str:
    """``[2,?,3]``, MXNet's form in messages; ``unknown`` when not even the rank is known."""
    if shape is None:
        return "unknown"
    return "[" + ",".join(map(str, shape[:_SHOWN])) + ("]" if len(shape) <= _SHOWN else ",...]")


_SHAPE = re.compile(r"\s*(?:\(([^()\[\]]*)\)|\[([^()\[\]]*)\])\s*")
_ITEM = re.compile(r"\s*([+-]?\d+)L?\s*")  # Python 2 wrote (2L, 2L)


def parse_shape(text: str) -> tuple[int, ...] | None:
    """The tuple written as ``(3, 3)``, ``[3,3]``, ``(3L, 3L)`` or ``3``; None for ``None``.

    Raises:
        ValueError: `text` is none of these.
    """
    if text == "None":
        return None
    bracketed = _SHAPE.fullmatch(text)
    body = text if bracketed is None else (bracketed[1] or bracketed[2] or "")
    return tuple(_items(body, single=bracketed is None))


def _items(body: str, *, single: bool) -> Iterator[int]:
    parts = body.split(",")
    if single and len(parts) != 1:
        raise ValueError(body)
    if not single and not parts[-1].strip():
        parts.pop()
    for part in parts:
        item = _ITEM.fullmatch(part)
        if item is None:
            raise ValueError(body)
        yield _int64(item[1])


def _int64(text: str) -> int:
    """The integer in `text`, from which MXNet, too, takes no more than 64 bits."""
    number = int(text)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(text)
    return number
