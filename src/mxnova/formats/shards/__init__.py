# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of many workers: a folder of safetensors files, each with pieces of arrays.

    shard-00001-model-00001-of-00001.safetensors   what the worker of rank 0 wrote
    shard-00002-model-00001-of-00001.safetensors   what the worker of rank 1 wrote, ...
    model.safetensors.index.json                   written last: without it there is no checkpoint

A file has at most one piece of an array, under the array's name. Its metadata say where pieces
begin, as those of torch.distributed.checkpoint do, whose HuggingFaceStorageReader reads the folder:

    DCP_SHARDING_INFO   {name: {"saved_offsets": [first index along each axis]}}
    DCP_VERSION         "1.0"
    mxnova.worker       what only this worker has, as `plain` writes it

The index names, beside what Hugging Face's do ("metadata" and "weight_map"), under "mxnova":

    version   1
    step      the number of the checkpoint
    world     how many workers wrote it
    block     bytes that one hash is of, at least 65,536
    files     {file name: {"size": bytes, "sha256": [of each block]}}
    content   what else `checkpoint` notes
    sha256    of all of these, as JSON without spaces

Folders without "mxnova" in an index, or without an index, are read where torch wrote them.
"""

from __future__ import annotations

from .folder import INDEX, numbered, numbered_of, read, read_index
from .hashes import BLOCK, FileHashes
from .reading import Index, Shards
from .writing import shard_name, write_index, write_shard

__all__ = [
    "BLOCK",
    "INDEX",
    "FileHashes",
    "Index",
    "Shards",
    "numbered",
    "numbered_of",
    "read",
    "read_index",
    "shard_name",
    "write_index",
    "write_shard",
]
