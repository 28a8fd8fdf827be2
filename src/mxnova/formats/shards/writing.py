# SPDX-License-Identifier: Apache-2.0
"""Files of a sharded checkpoint, each written as a whole."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from mxnova.core.base.errors import ArgumentError

from .. import safetensors
from ..atomic import replacing
from ..params import ArrayRecord
from .hashes import BlockHasher, FileHashes

__all__ = [
    "SHARDING",
    "WORKER",
    "dumps",
    "hash_of",
    "shard_name",
    "write_index",
    "write_shard",
]

SHARDING, WORKER = "DCP_SHARDING_INFO", "mxnova.worker"


def shard_name(rank: int) -> str:
    """The name of a worker's file, as torch's HuggingFaceStorageWriter gives it."""
    return f"shard-{rank + 1:05d}-model-00001-of-00001.safetensors"


def write_shard(
    path: str | os.PathLike[str],
    pieces: Mapping[str, tuple[tuple[int, ...], ArrayRecord]],
    worker: Any,
) -> FileHashes:
    """Writes a worker's file.

    Args:
        path: of the file.
        pieces: by name of the array, where the piece begins and its values.
        worker: what only this worker has, as JSON has it.

    Raises:
        ArgumentError: a name or an array that the format cannot hold; nothing was written.
        FileError: the file cannot be written.
    """
    offsets = {name: {"saved_offsets": list(at)} for name, (at, _) in pieces.items()}
    metadata = {SHARDING: dumps(offsets), "DCP_VERSION": "1.0", "format": "pt"}
    arrays = {name: record for name, (_, record) in pieces.items()}
    parts = safetensors.parts(arrays, {**metadata, WORKER: dumps(worker)})
    hasher = BlockHasher()
    with replacing(path, sum(map(len, parts)), direct=True) as file:
        for piece in hasher.passed(parts):
            file.write(piece)
    return hasher.result()


def write_index(
    path: str | os.PathLike[str],
    own: Mapping[str, Any],
    weight_map: Mapping[str, str],
    total_size: int,
) -> None:
    """Writes the index.

    Args:
        path: of the file.
        own: what it says under "mxnova", without the hash of that.
        weight_map: a file of each array.
        total_size: bytes of all arrays.

    Raises:
        FileError: the file cannot be written; what stood there is as it was.
    """
    hashed = {**own, "sha256": hash_of(own)}
    metadata = {"total_size": total_size}
    document = {"metadata": metadata, "weight_map": weight_map, "mxnova": hashed}
    with replacing(path) as file:
        file.write(dumps(document).encode())


def hash_of(own: Mapping[str, Any]) -> str:
    """The SHA-256 of what an index says under "mxnova", but for the hash itself."""
    return hashlib.sha256(dumps(own).encode()).hexdigest()


def dumps(value: Any) -> str:
    """JSON without spaces.

    Raises:
        ArgumentError: it holds what JSON cannot.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"checkpoint: {error}") from None
    return text
