# SPDX-License-Identifier: Apache-2.0
"""Lines of Python that are not wider than a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

__all__ = ["folded"]

_WIDEST = 99
_PAIRS = {"(": ")", "[": "]"}


def folded(lines: Sequence[str]) -> list[str]:
    """`lines`, with what is in the widest brackets of wide ones on lines of its own."""
    return [part for line in lines for part in _parts(line)]


def _parts(line: str) -> Iterator[str]:
    found = _widest_brackets(line) if len(line) > _WIDEST else None
    if found is None:
        yield line
        return
    begin, end = found
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    inner = line[begin + 1 : end]
    yield line[: begin + 1]
    items = _items(inner)
    if len(items) == 1 or len(indent) + len(inner) <= _WIDEST:
        yield from _parts(f"{indent}{inner}")
    else:
        for item in items:
            yield from _parts(f"{indent}{item},")
    yield f"{indent[:-4]}{line[end:]}"


def _widest_brackets(line: str) -> tuple[int, int] | None:
    """Places of the brackets around most of it; None if they are all empty."""
    begin, end = max(_pairs(line), key=lambda pair: pair[1] - pair[0], default=(0, 0))
    return (begin, end) if end > begin + 1 else None


def _pairs(line: str) -> Iterator[tuple[int, int]]:
    """Brackets that are in no others."""
    open_, begin = "", 0
    for place, sign in _signs(line):
        if sign in _PAIRS:
            begin = begin if open_ else place
            open_ += sign
        elif sign in _PAIRS.values():
            open_ = open_[:-1]
            if not open_:
                yield begin, place


def _items(text: str) -> list[str]:
    """What stands between commas that are in no brackets."""
    cuts, depth = [-1], 0
    for place, sign in _signs(text):
        depth += (sign in _PAIRS) - (sign in _PAIRS.values())
        if sign == "," and not depth:
            cuts.append(place)
    cuts.append(len(text))
    items = [text[a + 1 : b].strip() for a, b in pairwise(cuts)]
    return [item for item in items if item]


def _signs(line: str) -> Iterator[tuple[int, str]]:
    """Characters outside of strings."""
    quote = before = ""
    for place, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote and before != "\\" else quote
        elif sign in "\"'":
            quote = sign
        else:
            yield place, sign
        before = "" if before == "\\" else sign
