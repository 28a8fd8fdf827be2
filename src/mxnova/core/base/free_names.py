# SPDX-License-Identifier: Apache-2.0
"""Names that nobody has yet."""

from __future__ import annotations

__all__ = ["free_name"]


def free_name(name: str, taken: set[str]) -> str:
    """`name`, or ``name_1``, ``name_2``, … where it is taken; from now on that is, too."""
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found
