# SPDX-License-Identifier: Apache-2.0
"""Something in a script that needs a look."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Finding"]


class Finding(NamedTuple):
    """A place in a file.

    Attributes:
        line: its number, from 1.
        column: its number, from 1.
        kind: missing, deviation, numpy, syntax or file.
        name: of what is used there.
        text: what is wrong.
        remedy: what to do.
    """

    line: int
    column: int
    kind: str
    name: str
    text: str
    remedy: str = ""
