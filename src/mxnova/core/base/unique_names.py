# SPDX-License-Identifier: Apache-2.0
"""Names that nobody has yet."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["FreeNames"]


class FreeNames:
    """Gives names that are not taken, each in constant time.

    Args:
        taken: names that are taken from the start.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}  # name -> the last number that it was given

    def reserve(self, names: Iterable[str]) -> None:
        """Takes names as they are."""
        self._taken.update(names)

    def free(self, name: str) -> str:
        """`name`, or ``name_1``, ``name_2``, … where it is taken; from now on that is, too."""
        found, count = name, self._counts.get(name, 0)
        while found in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._counts[name] = count
        self._taken.add(found)
        return found
