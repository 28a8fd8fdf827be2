# SPDX-License-Identifier: Apache-2.0
"""Identifiers that are made from names in files, and names that are still free."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Collection, Iterable

__all__ = ["FreeNames", "to_identifier", "unique_identifiers"]

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


def unique_identifiers(
    names: Iterable[str],
    taken: Collection[str],
    convert: Callable[[str], str] = to_identifier,
) -> dict[str, str]:
    """Return a different identifier for each name; names stay as they are where possible.

    Args:
        names: the names.
        taken: identifiers that no name may get.
        convert: makes an identifier of a name, which other names may get, too.
    """
    made = {name: convert(name) for name in names}
    kept = {name for name, identifier in made.items() if name == identifier and name not in taken}
    free = FreeNames([*taken, *kept])
    return {name: name if name in kept else free.free(made[name]) for name in made}


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
