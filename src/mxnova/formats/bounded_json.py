# SPDX-License-Identifier: Apache-2.0
"""JSON of strangers: linear time, bounded depth and bounded memory."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from mxnova.core.base.errors import FormatError, shown

__all__ = ["FACTOR", "loads"]

# Reading takes no more than 16 MiB and this many bytes for each byte of the text, which symbols
# stay below: documents of nothing but empty objects and arrays are refused before they are made.
FACTOR = 16
_SLACK = 15 << 20
_COSTS = {b"{": 88, b"[": 88, b",": 8, b'"': 40}  # bytes that what such a character begins takes

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
        _check_nesting(text, max_depth)
        return json.loads(
            text,
            strict=strict,
            object_pairs_hook=_unique if unique else None,
            parse_constant=_refuse_constant if finite else None,
        )
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start} is not UTF-8: {error.reason}") from None
    except json.JSONDecodeError as error:
        raise FormatError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None


def _check_nesting(text: str, max_depth: int) -> None:
    """Refuse what would make Python's parser recurse deeply or spend quadratic time."""
    unescaped = text.replace(r"\\", "").replace(r"\"", "").encode("ascii", "replace")
    codes = np.frombuffer(unescaped, np.uint8)
    in_string = np.cumsum(codes == ord('"'), dtype=np.uint8) % 2 == 1
    outside = codes[~in_string]
    brackets = _BRACKETS[outside]
    depth = np.cumsum(brackets[brackets != 0], dtype=np.int32).max(initial=0)
    if depth > max_depth:
        raise FormatError(f"brackets nest {depth} deep, at most {max_depth} are read")
    if number := re.search(rb"(?<![\d.])\d{20}", outside.data):  # digits of fractions cost nothing
        raise FormatError(f"a number starts with {number[0].decode()}: too large")
    _check_memory(outside, len(text))


def _check_memory(outside: npt.NDArray[np.uint8], size: int) -> None:
    """Refuses a text, given without what is inside of strings, whose values would be too large."""
    characters = outside.tobytes()
    needed = sum(characters.count(character) * cost for character, cost in _COSTS.items())
    if needed > FACTOR * size + _SLACK:
        limit = FACTOR * size + _SLACK
        raise FormatError(f"reading takes {needed} bytes of memory, more than {limit}")


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
