# SPDX-License-Identifier: Apache-2.0
"""``mxnova inspect`` of folders: checkpoints that many workers wrote. NumPy only."""

from __future__ import annotations

import os
from typing import Any

from ..formats import shards
from ..formats.params import ArrayRecord
from ..formats.shards.folder import is_checkpoint_folder
from .array_rows import row_of_array
from .inspected_path import InspectedPath
from .report import Report

__all__ = ["describe_checkpoint", "is_checkpoint"]


def is_checkpoint(path: InspectedPath) -> bool:
    """Whether `path` is a folder of checkpoints, or of one."""
    return path.is_dir() and (bool(shards.numbered(path)) or is_checkpoint_folder(path))


def describe_checkpoint(path: InspectedPath, *, stats: bool) -> Report:
    """Describe the last complete checkpoint in a folder, or the one that it holds.

    Args:
        path: the folder.
        stats: of arrays, minimum, maximum and mean too; all is read for it.

    Raises:
        FormatError: it breaks the format, or no checkpoint was completed.
        FileError: a file cannot be read.
    """
    found = shards.numbered(path)
    done = [n for n in found if n.is_complete]
    files = shards.read(done[-1].path if done else found[-1].path if found else path)
    index = files.index
    facts: dict[str, Any] = {}
    if done:
        facts["checkpoints"] = [{"step": n.step, "folder": os.path.basename(n.path)} for n in done]
    if index is not None:
        facts |= {"step": index.step, "workers": index.world}
    facts["files"] = [
        {"file": os.path.basename(f.path), "bytes": f.size, "arrays": len(f.layout.places)}
        for f in files.files
    ]
    facts["arrays"] = [_row(files, name, stats) for name in files.arrays]
    facts["value_bytes"] = sum(array.nbytes for array in files.arrays.values())
    return Report(str(path), f"{len(files.arrays):,} arrays in {len(files.files)} files", facts)


def _row(files: shards.Shards, name: str, stats: bool) -> dict[str, Any]:
    array = files.arrays[name]
    if stats:
        record = ArrayRecord("default", array.shape, array.dtype, files.read(name))
        row = row_of_array(name, record, stats=True)
    else:
        row = {"name": name, "shape": array.shape, "dtype": array.dtype.name}
    return {**row, "pieces": len(array.pieces)}
