# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format, for models whose arrays stay in the file that holds them."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import GraphProto, ModelProto, TensorProto

from ..core.base.protobuf import DELIMITED, delimited

__all__ = ["without_arrays"]

_FIXED = {1: 8, 5: 4}  # bytes of numbers by wire type
_MOST_VARINT = 10  # bytes


def without_arrays(content: memoryview, location: str, least: int) -> bytes:
    """A ModelProto whose large initializers are external data in the file that it was read from.

    Args:
        content: the file.
        location: its name.
        least: bytes of an array that is large.

    Raises:
        ValueError: it breaks the wire format.
    """
    return b"".join(_model_parts(content, location, least))


def _model_parts(content: memoryview, location: str, least: int) -> Iterator[bytes | memoryview]:
    for field, whole, start, end in _fields(content, 0, len(content)):
        if field != ModelProto.GRAPH_FIELD_NUMBER:
            yield content[whole:end]
            continue
        graph = b"".join(_graph_parts(content, start, end, location, least))
        yield delimited(field, len(graph))
        yield graph


def _graph_parts(
    content: memoryview, start: int, end: int, location: str, least: int
) -> Iterator[bytes | memoryview]:
    for field, whole, first, last in _fields(content, start, end):
        if field != GraphProto.INITIALIZER_FIELD_NUMBER or last - first < least:
            yield content[whole:last]
            continue
        tensor = _outside(content, first, last, location, least)
        yield delimited(field, len(tensor))
        yield tensor


def _outside(content: memoryview, start: int, end: int, location: str, least: int) -> bytes:
    """A TensorProto that says where its numbers lie in the file, if they are large bytes."""
    fields = list(_fields(content, start, end))
    raw = [f for f in fields if f[0] == TensorProto.RAW_DATA_FIELD_NUMBER]
    if len(raw) != 1 or raw[0][3] - raw[0][2] < least:
        return bytes(content[start:end])
    kept = b"".join(content[whole:last] for field, whole, _, last in fields if field != raw[0][0])
    tensor = TensorProto.FromString(kept)
    if tensor.data_location == TensorProto.EXTERNAL:
        return bytes(content[start:end])
    tensor.data_location = TensorProto.EXTERNAL
    facts = {"location": location, "offset": raw[0][2], "length": raw[0][3] - raw[0][2]}
    for key, value in facts.items():
        tensor.external_data.add(key=key, value=str(value))
    return bytes(tensor.SerializeToString())


def _fields(content: memoryview, place: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Number, start, start of its content, and end of each field of a message."""
    while place < end:
        whole = place
        tag, place = _number(content, place, end)
        kind, start = tag & 7, place
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
    number = 0
    for i in range(min(_MOST_VARINT, end - place)):
        byte = content[place + i]
        number |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return number, place + i + 1
    raise ValueError(f"byte {place}: a number without an end")
