# SPDX-License-Identifier: Apache-2.0
"""Sizes that a model leaves open: huge primes while shapes are inferred, symbols in the file.

A size that depends on an open one is huge, too, and its factors tell on which.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from ..base.errors import ArgumentError
from ..op.infer import Shapes

__all__ = ["HugeShapes", "OpenSizes", "is_open"]


class HugeShapes(Shapes):
    """Shapes that are allowed to have any number of elements."""

    __slots__ = ()
    most_elements = inf


_FIRST, _APART = 1 << 48, 1 << 40  # padding and cutting make no open size another
_TO_PRIMES = (21, 41, 5, 15, 23, 41, 19, 5, 5, 3, 71, 1, 103, 69, 29, 55, 21, 1)
_LEAST = 1 << 30  # the longest axis of a model has fewer items; strides may shorten by 2**18


def is_open(size: int) -> bool:
    """Whether a size depends on one that a model leaves open."""
    return size >= _LEAST


class OpenSizes:
    """Those of one model.

    Args:
        caller: the function that errors name.
        multiple_of: divides all of them; with 1, nothing does that a network may ask for.
    """

    def __init__(self, caller: str = "export_model", multiple_of: int = 1) -> None:
        self._caller, self._multiple_of = caller, multiple_of
        self._names: dict[int, str] = {}

    def shape_of(self, given: Sequence[Any], name: str) -> tuple[int, ...]:
        """A shape to infer with.

        Args:
            given: for each axis a size, the name of one, or None.
            name: of the input.
        """
        return tuple(
            size if isinstance(size, int) else self.size_named(size or f"{name}_{axis}")
            for axis, size in enumerate(given)
        )

    def opened(self, name: str, fixed: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
        """The shape of an input with some axes open."""
        given = [None if axis in axes else size for axis, size in enumerate(fixed)]
        return self.shape_of(given, name)

    def size_named(self, name: str) -> int:
        """The size that a name stands for."""
        for size, known in self._names.items():
            if known == name:
                return size
        if len(self._names) == len(_TO_PRIMES):
            raise ArgumentError(f"{self._caller}: more than {len(_TO_PRIMES)} sizes are left open")
        number = len(self._names)
        size = (_FIRST + number * _APART + _TO_PRIMES[number]) * self._multiple_of
        self._names[size] = name
        return size

    def named(self, text: str) -> str:
        """A text with the names of open sizes instead of their numbers."""
        for size, name in self._names.items():
            text = text.replace(str(size), name)
        return text

    def described(self, shape: Sequence[int]) -> list[int | str | None]:
        """A shape for a file: the names of open sizes; None for those that depend on them."""
        return [self._names.get(size) if is_open(size) else size for size in shape]
