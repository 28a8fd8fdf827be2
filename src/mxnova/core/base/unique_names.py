# SPDX-License-Identifier: Apache-2.0
"""Identifiers that are made from names in files, and names that are still free."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

__all__ = ["FreeNames", "to_identifier"]

_NOT_IN_IDENTIFIERS = re.compile(r"\W", re.ASCII)


def to_identifier(name: str) -> str:
    """Return `name` as an ASCII Python identifier that has no leading underscore.

    Code generators of this package and of torch write names into source without quoting them, so
    every name from a file passes through this function first. The result is ASCII because Python
    normalizes other identifiers: two different names could become one. Different names may have
    the same result; `FreeNames` tells them apart.
    """
    base = _NOT_IN_IDENTIFIERS.sub("_", name).lstrip("_") or "value"
    return f"a_{base}" if base[0].isdigit() or keyword.iskeyword(base) else base


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
