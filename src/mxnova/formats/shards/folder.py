# SPDX-License-Identifier: Apache-2.0
"""Folders of sharded checkpoints, and the index of one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from mxnova.core.base.errors import FormatError, MissingFileError, shown

from .. import bounded_json
from ..paths import joined, many, names_in, subfolders
from ..source import file_size, is_link, path_exists, read_file
from .hashes import FileHashes
from .reading import Index, ShardFile, Shards
from .writing import WORKER, hash_of

__all__ = [
    "INDEX",
    "Numbered",
    "is_checkpoint_folder",
    "numbered",
    "numbered_of",
    "read",
    "read_index",
]

INDEX = "model.safetensors.index.json"
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.safetensors")
_NUMBERED = re.compile(r"step-(\d{8,18})(?:\.(\d{1,9}))?", re.ASCII)
_MAX_INDEX = 100_000_000  # bytes
_MAX_DEPTH = 100
_MIN_BLOCK, _MAX_BLOCK = 1 << 16, 1 << 30  # small blocks: 450,000 hashes of nothing took 1.7 s
_FIELDS = {"version", "step", "world", "block", "files", "content", "sha256"}


class Numbered(NamedTuple):
    """A folder of one checkpoint; later ones compare as greater."""

    step: int
    attempt: int
    path: str

    @classmethod
    def of(cls, folder: str, step: int, attempt: int) -> Numbered:
        """The folder of an attempt to save a step; the first one is 1."""
        name = f"step-{step:08d}" + (f".{attempt}" if attempt > 1 else "")
        return cls(step, attempt, joined(folder, name))

    @property
    def is_complete(self) -> bool:
        """Whether its index was written."""
        return path_exists(joined(self.path, INDEX))


def numbered(folder: str | os.PathLike[str]) -> list[Numbered]:
    """The folders of checkpoints in `folder`, complete or not, the latest last; links are none."""
    folder = os.fspath(folder)
    found = (numbered_of(folder, name) for name in subfolders(folder))
    return sorted(one for one in found if one is not None)


def numbered_of(folder: str, name: str) -> Numbered | None:
    """The folder of a checkpoint that has this name in `folder`; None: it is no such name."""
    fit = _NUMBERED.fullmatch(name)
    return Numbered(int(fit[1]), int(fit[2] or 1), joined(folder, name)) if fit else None


def is_checkpoint_folder(folder: str | os.PathLike[str]) -> bool:
    """Whether files of a checkpoint lie in `folder`; whether they are good remains to be seen."""
    names = names_in(folder)
    return INDEX in names or any(map(_FILE.fullmatch, names))


# Reading ------------------------------------------------------------------------------------------


def read(folder: str | os.PathLike[str], *, check_hashes: bool = True) -> Shards:
    """Opens a checkpoint of mxnova, or of torch or Hugging Face in safetensors files.

    The headers of its files are read and checked, and that each array is there as a whole.

    Args:
        folder: of the checkpoint.
        check_hashes: compare what is read with the hashes in the index.

    Raises:
        FormatError: it is not complete, or breaks the format.
        FileError: a file cannot be read.
    """
    folder = os.fspath(folder)
    path = joined(folder, INDEX)
    if path_exists(path) or is_link(path):
        index, names = read_index(path)
    else:
        index, names = None, _names_in(folder)
    hashes = index.files if index is not None and check_hashes else {}
    block = index.block if index is not None else 1

    def opened(name: str) -> ShardFile:
        return ShardFile(joined(folder, name), hashes.get(name), block)

    files = many(folder, opened, sorted(names))
    if index is None and any(WORKER in file.layout.metadata for file in files):
        raise FormatError(f"{folder}: the checkpoint was not completed: it has no {INDEX}")
    return Shards(folder, index, files)


def _names_in(folder: str) -> list[str]:
    names = [name for name in names_in(folder) if _FILE.fullmatch(name)]
    if not names:
        raise MissingFileError(2, "there is no checkpoint", folder)
    return names


def read_index(path: str) -> tuple[Index | None, list[str]]:
    """What an index says of mxnova's own, and the names of its files.

    Raises:
        FormatError: it breaks the format.
        FileError: it cannot be read.
    """
    try:
        if is_link(path):
            raise FormatError("is a symbolic link, which no checkpoint has")
        size = file_size(path)
        if size > _MAX_INDEX:
            raise FormatError(f"{size} bytes, at most {_MAX_INDEX:,} are read")
        text = read_file(path)
        document = bounded_json.loads(text, max_depth=_MAX_DEPTH, unique=True, finite=True)
        if not isinstance(document, dict):
            raise FormatError("must be an object")
        if "mxnova" not in document:
            return None, _names_of(document.get("weight_map"))
        index = _index(document["mxnova"])
        return index, list(index.files)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def _names_of(weights: Any) -> list[str]:
    if not isinstance(weights, dict) or not weights:
        raise FormatError("weight_map: must be an object of file names")
    names = {name if isinstance(name, str) else "" for name in weights.values()}
    _check_files(names)
    return list(names)


def _index(value: Any) -> Index:
    if not isinstance(value, dict) or set(value) != _FIELDS:
        raise FormatError(f"mxnova: must have the fields {', '.join(sorted(_FIELDS))}, no others")
    if value["version"] != 1:
        raise FormatError(f"mxnova: version {shown(value['version'])}, 1 is read")
    if value["sha256"] != hash_of({n: v for n, v in value.items() if n != "sha256"}):
        raise FormatError("mxnova: it has another hash than it says")
    step = _number(value, "step", 0, 10**18)
    world = _number(value, "world", 1, 1 << 20)
    block = _number(value, "block", _MIN_BLOCK, _MAX_BLOCK)
    files = value["files"]
    if not isinstance(files, dict) or not files:
        raise FormatError("mxnova: files: must be an object")
    _check_files(files)
    hashes = {name: _hashes(name, said, block) for name, said in files.items()}
    return Index(step, world, block, hashes, value["content"])


def _number(value: dict[str, Any], name: str, least: int, most: int) -> int:
    number = value[name]
    if type(number) is not int or not least <= number < most:
        raise FormatError(f"mxnova: {name}={shown(number)}: must be an integer from {least} on")
    return number


def _hashes(name: str, said: Any, block: int) -> FileHashes:
    try:
        return FileHashes.of(said, block)
    except FormatError as error:
        raise FormatError(f"mxnova: files: {shown(name)}: {error}") from None


def _check_files(names: Iterable[str]) -> None:
    """Refuses names that are no plain names of safetensors files, such as paths elsewhere."""
    for name in names:
        if not _FILE.fullmatch(name):
            raise FormatError(f"{shown(name)} is no name of a file of a checkpoint")
