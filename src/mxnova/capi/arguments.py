# SPDX-License-Identifier: Apache-2.0
"""What C gives: texts, numbers, handles and arrays of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeVar

from ..core.base.dtypes import DType, dtype_of_flag
from ..core.base.errors import ArgumentError
from ..core.base.handles import find
from .interface import NULL, ffi

__all__ = [
    "found",
    "maybe_found",
    "numbers",
    "optional_text",
    "pairs",
    "shapes_by_name",
    "text",
    "texts",
]

T = TypeVar("T")

_MOST = 2**24  # more than that of anything is a count that lies


def refuse_null(pointer: Any, size: int) -> None:
    """Raises ArgumentError: there is something at a null pointer."""
    if size and pointer == NULL:
        raise ArgumentError("values are given as a null pointer")


def text(pointer: Any) -> str:
    """A text; a null pointer is an error."""
    if pointer == NULL:
        raise ArgumentError("a text is given as a null pointer")
    return str(ffi.string(pointer).decode(errors="surrogateescape"))


def optional_text(pointer: Any) -> str | None:
    """A text; None for a null pointer."""
    return None if pointer == NULL else text(pointer)


def numbers(count: int, array: Any) -> list[Any]:
    """The numbers, pointers or handles of an array."""
    if not _checked(count):
        return []
    if array == NULL:
        raise ArgumentError(f"an array of {count} items is given as a null pointer")
    return list(ffi.unpack(array, count))


def _checked(count: int) -> int:
    if not 0 <= count <= _MOST:
        raise ArgumentError(f"an array of {count} items is given")
    return count


def texts(count: int, array: Any) -> list[str]:
    """The texts of an array."""
    return [text(pointer) for pointer in numbers(count, array)]


def pairs(count: int, keys: Any, values: Any) -> dict[str, str]:
    """Texts by texts."""
    return dict(zip(texts(count, keys), texts(count, values), strict=True))


def shapes_by_name(count: int, names: Any, begins: Any, sizes: Any) -> dict[str, tuple[int, ...]]:
    """Shapes by name: the sizes of number i are those from ``begins[i]`` to ``begins[i + 1]``."""
    bounds = numbers(count + 1, begins) if count else [0]
    if any(a > b for a, b in pairwise(bounds)) or bounds[0]:
        raise ArgumentError(f"shapes begin at {bounds}: must begin at 0 and not decrease")
    everything = numbers(bounds[-1], sizes)
    shapes = (tuple(everything[a:b]) for a, b in pairwise(bounds))
    return dict(zip(texts(count, names), shapes, strict=True))


def found(count: int, array: Any, kind: type[T]) -> list[T]:
    """What the handles of an array stand for."""
    return [find(number, kind) for number in numbers(count, array)]


def maybe_found(count: int, array: Any, kind: type[T]) -> list[T | None]:
    """`found`, with None for null pointers; a null array has none but those."""
    if array == NULL:
        return [None] * _checked(count)
    return [find(number, kind) if number else None for number in numbers(count, array)]


def element_type(flag: int) -> DType:
    """The element type of this number.

    Raises:
        ArgumentError: there is none.
    """
    found = dtype_of_flag(flag)
    if found is None:
        raise ArgumentError(f"dtype={flag}: is the number of no element type")
    return found
