# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format, for models whose arrays stay in the file that holds them."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import GraphProto, ModelProto, TensorProto

from ..core.base.protobuf import delimited, fields_of

__all__ = ["without_arrays"]


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
    for field, whole, start, end in fields_of(content, 0, len(content)):
        if field != ModelProto.GRAPH_FIELD_NUMBER:
            yield content[whole:end]
            continue
        graph = b"".join(_graph_parts(content, start, end, location, least))
        yield delimited(field, len(graph))
        yield graph


def _graph_parts(
    content: memoryview, start: int, end: int, location: str, least: int
) -> Iterator[bytes | memoryview]:
    for field, whole, first, last in fields_of(content, start, end):
        if field != GraphProto.INITIALIZER_FIELD_NUMBER or last - first < least:
            yield content[whole:last]
            continue
        tensor = _outside(content, first, last, location, least)
        yield delimited(field, len(tensor))
        yield tensor


def _outside(content: memoryview, start: int, end: int, location: str, least: int) -> bytes:
    """A TensorProto that says where its numbers lie in the file, if they are large bytes."""
    fields = list(fields_of(content, start, end))
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
