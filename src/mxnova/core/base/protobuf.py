# SPDX-License-Identifier: Apache-2.0
"""Fields of protobuf's wire format, written and found without the package of that name."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["DELIMITED", "delimited", "fields_of", "message", "number"]

DELIMITED = 2  # the wire type of bytes, texts and messages
_FIXED = {1: 8, 5: 4}  # bytes of numbers by wire type
_MOST_VARINT = 10  # bytes
_MOST_FIELDS = 1 << 29  # numbers of fields; readers drop the bits beyond


def number(field: int, value: int) -> bytes:
    """A field that is a number from 0 on."""
    return _varint(field << 3) + _varint(value)


def message(field: int, content: bytes) -> bytes:
    """A field that is bytes, a text or a message."""
    return delimited(field, len(content)) + content


def delimited(field: int, size: int) -> bytes:
    """What stands before `size` bytes of a field that `message` writes."""
    return _varint(field << 3 | DELIMITED) + _varint(size)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def fields_of(content: memoryview, place: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Number, start, start of its content, and end of each field of a message.

    Args:
        content: what it stands in.
        place: where it begins.
        end: where it ends.

    Raises:
        ValueError: it breaks the wire format.
    """
    while place < end:
        whole = place
        tag, place = _number(content, place, end)
        kind, start = tag & 7, place
        if tag >> 3 >= _MOST_FIELDS:
            raise ValueError(f"byte {whole}: a field of number {tag >> 3}")
        if kind == 0:
            _, place = _number(content, place, end)
        elif kind in _FIXED:
            place += _FIXED[kind]
        elif kind == DELIMITED:
            size, start = _number(content, place, end)
            place = start + size
        else:
            raise ValueError(f"byte {whole}: a field of wire type {kind}")
        if place > end:
            raise ValueError(f"byte {whole}: a field of {place - start} bytes, {end - start} left")
        yield tag >> 3, whole, start, place


def _number(content: memoryview, place: int, end: int) -> tuple[int, int]:
    """A varint, and where it ends."""
    if place < end and (byte := content[place]) < 0x80:  # most are a byte
        return byte, place + 1
    number = 0
    for i in range(min(_MOST_VARINT, end - place)):
        byte = content[place + i]
        number |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return number, place + i + 1
    raise ValueError(f"byte {place}: a number without an end")
