# SPDX-License-Identifier: Apache-2.0
"""Fields of protobuf's wire format, written without the package of that name."""

from __future__ import annotations

__all__ = ["DELIMITED", "delimited", "message", "number"]

DELIMITED = 2  # the wire type of bytes, texts and messages


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
