# SPDX-License-Identifier: Apache-2.0
"""JSON of strangers: linear time, bounded depth and bounded memory."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import numpy as np

from mxnova.core.base.errors import FormatError, shown

__all__ = ["FACTOR", "loads"]

# Reading takes no more than 16 MiB and this many bytes for each byte of the text, which symbols
# stay below: documents of nothing but empty objects and arrays are refused before they are made.
FACTOR = 16
_SLACK = 15 << 20
_COSTS = {b"{": 88, b"[": 88, b",": 8, b'"': 40}  # bytes that what such a character begins takes
_SMALL = _SLACK // 88  # characters, none of which can begin more than the slack
_LARGE_NUMBER = re.compile(r"(?<![0-9.])[0-9]{20}")  # digits of fractions cost nothing

_BRACKETS = np.zeros(256, np.int8)
_BRACKETS[[ord("["), ord("{")]] = 1
_BRACKETS[[ord("]"), ord("}")]] = -1


def loads(
    text: str | bytes,
    *,
    max_depth: int,
    strict: bool = True,
    unique: bool = False,
    finite: bool = False,
) -> Any:
    """The value of a JSON text.

    Args:
        text: the text; bytes are UTF-8.
        max_depth: how deep brackets may nest.
        strict: refuse control characters inside of strings.
        unique: refuse objects that have a key twice.
        finite: refuse NaN and Infinity, which Python reads although JSON has no such numbers.

    Raises:
        FormatError: it is no JSON, or exceeds a bound; the message tells the place.
    """
    try:
        text = text if isinstance(text, str) else text.decode()
        if text.startswith("\ufeff"):
            raise FormatError("line 1, column 1: a byte order mark (BOM) stands before the JSON")
        _check_bounds(text, max_depth)
        return _decoder(strict, unique, finite).decode(text)
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start} is not UTF-8: {error.reason}") from None
    except json.JSONDecodeError as error:
        raise FormatError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None


@cache
def _decoder(strict: bool, unique: bool, finite: bool) -> json.JSONDecoder:
    """`json.loads` makes one for each call, which takes as long as reading a small text."""
    return json.JSONDecoder(
        strict=strict,
        object_pairs_hook=_unique if unique else None,
        parse_constant=_refuse_constant if finite else None,
    )


def _check_bounds(text: str, max_depth: int) -> None:
    """Refuse what would make Python's parser recurse deeply or spend quadratic time, or memory."""
    if (
        len(text) <= _SMALL
        and text.count("[") + text.count("{") <= max_depth
        and not _LARGE_NUMBER.search(text)
    ):
        return
    characters = text.replace(r"\\", "").replace(r"\"", "").encode("ascii", "replace")
    most = characters.count(b"[") + characters.count(b"{")
    # Characters inside of strings only add: most texts are within the bounds with them, too.
    if _excess(characters, most, max_depth, len(text)) is None:
        return
    codes = np.frombuffer(characters, np.uint8)
    outside = codes[np.cumsum(codes == ord('"'), dtype=np.uint8) % 2 == 0]
    brackets = _BRACKETS[outside]
    depth = int(np.cumsum(brackets[brackets != 0], dtype=np.int32).max(initial=0))
    # The quotes that end strings are left.
    if (excess := _excess(outside.tobytes(), depth, max_depth, len(text))) is not None:
        raise FormatError(excess)


def _excess(characters: bytes, depth: int, max_depth: int, size: int) -> str | None:
    """Which bound a text of `size` characters exceeds, None: none."""
    if depth > max_depth:
        return f"brackets nest {depth} deep, at most {max_depth} are read"
    if number := _LARGE_NUMBER.search(characters.decode()):
        return f"a number starts with {number[0]}: too large"
    needed = sum(characters.count(character) * cost for character, cost in _COSTS.items())
    limit = FACTOR * size + _SLACK
    if needed > limit:
        return f"reading takes {needed} bytes of memory, more than {limit}"
    return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise FormatError(f"the key {shown(name)} stands there twice")
            seen.add(name)
    return found


def _refuse_constant(name: str) -> None:
    raise FormatError(f"{name} is no number of JSON")
