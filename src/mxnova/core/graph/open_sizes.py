# SPDX-License-Identifier: Apache-2.0
"""Sizes that a model leaves open: huge primes while shapes are inferred, symbols in the file.

A size that depends on an open one is huge, too, and its factors tell on which.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from ..base.errors import ArgumentError, shown
from ..op.infer import Shapes

__all__ = ["HugeShapes", "OpenSizes", "is_open"]


class HugeShapes(Shapes):
    """Shapes that are allowed to have any number of elements."""

    __slots__ = ()
    most_elements = inf


_FIRST = 1 << 32
_TO_PRIMES = (15, 61, 75, 81, 91, 93, 163, 181, 201, 217, 243, 247, 253, 265, 267, 273, 301, 331)
_LEAST = 1 << 26  # no array of a model has so many items along an axis, and no stride is so long


def is_open(size: int) -> bool:
    """Whether a size depends on one that a model leaves open."""
    return size >= _LEAST


class OpenSizes:
    """Those of one model.

    Args:
        caller: the function that errors name.
    """

    def __init__(self, caller: str = "export_model") -> None:
        self._caller = caller
        self._names: dict[int, str] = {}

    def shape_of(self, given: Sequence[Any], fixed: Sequence[int], name: str) -> tuple[int, ...]:
        """A shape to infer with.

        Args:
            given: for each axis a size, the name of one, or None.
            fixed: the sizes that the caller has for now.
            name: of the input.
        """
        if len(given) != len(fixed):
            raise ArgumentError(
                f"{self._caller}: dynamic_input_shapes: {shown(tuple(given))} for {name!r}, "
                f"whose shape is {tuple(fixed)}"
            )
        return tuple(
            size if isinstance(size, int) else self._prime(size or f"{name}_{axis}")
            for axis, size in enumerate(given)
        )

    def opened(self, name: str, fixed: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
        """The shape of an input with some axes open."""
        given = [None if axis in axes else size for axis, size in enumerate(fixed)]
        return self.shape_of(given, fixed, name)

    def _prime(self, name: str) -> int:
        for prime, known in self._names.items():
            if known == name:
                return prime
        if len(self._names) == len(_TO_PRIMES):
            raise ArgumentError(f"{self._caller}: more than {len(_TO_PRIMES)} sizes are left open")
        prime = _FIRST + _TO_PRIMES[len(self._names)]
        self._names[prime] = name
        return prime

    def named(self, text: str) -> str:
        """A text with the names of open sizes instead of their primes."""
        for prime, name in self._names.items():
            text = text.replace(str(prime), name)
        return text

    def described(self, shape: Sequence[int]) -> list[int | str | None]:
        """A shape for a file: the names of open sizes; None for those that depend on them."""
        return [self._names.get(size) if is_open(size) else size for size in shape]
