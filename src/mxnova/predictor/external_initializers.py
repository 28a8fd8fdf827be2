# SPDX-License-Identifier: Apache-2.0
"""Weights that a session of ONNX Runtime reads where they are."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from ..core.base.protobuf import message, number
from .network import Array

__all__ = ["add_external_initializers"]

_DIRECTLY = "session.use_external_initializer_file_buffers_directly"
_KINDS = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
    "float16": 10, "float64": 11, "uint32": 12, "uint64": 13,
}  # fmt: skip


def add_external_initializers(
    options: Any, weights: Mapping[str, Array], runtime: Any
) -> tuple[bytes, Any]:
    """Has a session read weights that its graph lacks in their memory, from ONNX Runtime 1.24 on.

    To ONNX Runtime they lie in files of random names, so that a graph cannot have initializers of
    its own there: of texts, whose bytes would be taken for addresses.

    Args:
        options: of the session.
        weights: by name.
        runtime: the package onnxruntime.

    Returns:
        What stands before the graph in the ONNX file (behind it, a graph that is cut off could take
        it for its own), and what must live as long as the session.
    """
    folder = secrets.token_hex(16)
    places = {f"{folder}/{name}": values for name, values in weights.items()}
    if hasattr(options, "add_external_initializers_from_files_in_memory"):
        held: Any = [*places.values()]
        options.add_session_config_entry(_DIRECTLY, "1")
        options.add_external_initializers_from_files_in_memory(
            [*places], held, [values.nbytes for values in held]
        )
    else:
        held = [runtime.OrtValue.ortvalue_from_numpy(values) for values in weights.values()]
        options.add_external_initializers([*weights], held)
    tensors = map(_tensor, weights, weights.values(), places)
    return message(7, b"".join(message(5, tensor) for tensor in tensors)), held


def _tensor(name: str, values: Array, place: str) -> bytes:
    """A TensorProto, whose values are in a file; numbers are those of its fields."""
    location = message(1, b"location") + message(2, place.encode())
    return b"".join(
        (
            *(number(1, size) for size in values.shape),
            number(2, _KINDS[values.dtype.name]),
            message(8, name.encode()),
            message(13, location),
            number(14, 1),
        )
    )
