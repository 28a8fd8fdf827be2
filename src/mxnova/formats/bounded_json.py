# SPDX-License-Identifier: Apache-2.0
"""JSON of strangers: linear time, bounded depth and bounded memory."""

from __future__ import annotations

import json
import re
import secrets
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
_PIECE = 1 << 16  # Characters that the parser reads in 2 ms, without releasing the GIL.
_MOST_TRIES = 8  # The number of commas that are tested as the end of a piece.

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
    """Return the value of a JSON text.

    Python's parser holds the GIL. With `unique`, a long text is parsed in pieces, between which
    other threads can run.

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
        decoder = _decoder(strict, unique, finite)
        if unique and len(text) > _PIECE:
            return _decode_pieces(text, decoder)
        return decoder.decode(text)
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
    if number := _find_large_number(characters.decode()):
        return f"a number starts with {number[0]}: too large"
    needed = sum(characters.count(character) * cost for character, cost in _COSTS.items())
    limit = FACTOR * size + _SLACK
    if needed > limit:
        return f"reading takes {needed} bytes of memory, more than {limit}"
    return None


def _find_large_number(text: str) -> re.Match[str] | None:
    """Return the first number of 20 digits, searched in pieces because `re` holds the GIL, too."""
    starts = range(0, len(text), _PIECE)
    matches = (_LARGE_NUMBER.search(text, start, start + _PIECE + 19) for start in starts)
    return next(filter(None, matches), None)


def _decode_pieces(text: str, decoder: json.JSONDecoder) -> Any:
    """Decode a text in pieces that end at commas.

    The brackets that are open at a comma are closed behind the piece before it and opened again in
    front of the piece behind it, so that both are JSON texts. The value of each piece is then
    merged into the value of the pieces before it.
    """
    key = secrets.token_hex(8)  # Stands for the name of a member that began in an earlier piece.
    value: Any = None
    begin, opened = 0, ""
    while True:
        end, still_open = _find_cut(text, begin, opened)
        prefix = _open(opened, key)
        try:
            piece = decoder.decode(prefix + text[begin:end] + _close(still_open))
        except json.JSONDecodeError as error:
            at = min(begin + max(0, error.pos - len(prefix)), end)
            raise json.JSONDecodeError(error.msg, text, at) from None
        if begin:
            _merge(value, piece, opened, key)
        else:
            value = piece
        if end == len(text):
            return value
        if not still_open:
            raise json.JSONDecodeError("Extra data", text, end)
        begin, opened = end + 1, still_open


def _find_cut(text: str, begin: int, opened: str) -> tuple[int, str]:
    """Return the position of a comma between two values, and the brackets that are open there.

    Args:
        text: The whole text.
        begin: The position of the piece, outside of strings.
        opened: Brackets that are open at `begin`.
    """
    size = _PIECE
    while begin + size < len(text):
        window = text[begin : begin + size]
        plain = window.replace(r"\\", "__").replace(r"\"", "__").encode("ascii", "replace")
        codes = np.frombuffer(plain, np.uint8)
        is_outside = np.cumsum(codes == ord('"'), dtype=np.uint8) % 2 == 0
        commas = np.flatnonzero((codes == ord(",")) & is_outside)
        for comma in commas[: -_MOST_TRIES - 1 : -1].tolist():
            before, after = window[:comma].rstrip()[-1:], window[comma + 1 :].lstrip()[:1]
            # A comma beside a bracket or another comma is an error that a cut would hide.
            if before and after and before not in "[{,:" and after not in "]},:":
                is_bracket = is_outside[:comma] & (_BRACKETS[codes[:comma]] != 0)
                return begin + comma, _open_brackets(opened, codes[:comma][is_bracket])
        size *= 2
    return len(text), ""


def _open_brackets(opened: str, brackets: np.ndarray[Any, Any]) -> str:
    """Return the brackets that are open behind some brackets."""
    depths = np.cumsum(_BRACKETS[brackets], dtype=np.int32)
    n_closed = -int(depths.min(initial=0))
    lowest_from = np.minimum.accumulate(depths[::-1])[::-1]
    stays_open = (_BRACKETS[brackets] > 0) & (lowest_from >= depths)
    kept = opened[: max(0, len(opened) - n_closed)]
    return kept + bytes(brackets[stays_open]).decode()


def _open(brackets: str, key: str) -> str:
    """Return the text that opens brackets, the last of which is where a piece goes on."""
    return f'{{"{key}":'.join(brackets[:-1].split("{")) + brackets[-1:]


def _close(brackets: str) -> str:
    return brackets[::-1].translate({ord("["): "]", ord("{"): "}"})


def _merge(value: Any, piece: Any, opened: str, key: str) -> None:
    """Add the value of a piece to the value of the pieces before it.

    Args:
        value: Of the pieces before it.
        piece: Of the piece.
        opened: Brackets that were open where the piece begins.
        key: Stands in the piece for names of members that began before it.
    """
    for depth, bracket in enumerate(opened, 1):
        is_innermost = depth == len(opened)
        if bracket == "[":
            inner = None if is_innermost else (value[-1], piece[0])
            value += piece if is_innermost else piece[1:]
        else:
            inner = None if is_innermost else (value[next(reversed(value))], piece.pop(key))
            for name in value.keys() & piece.keys():
                raise FormatError(f"the key {shown(name)} stands there twice")
            value.update(piece)
        if inner is not None:
            value, piece = inner


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
