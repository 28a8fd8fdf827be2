# SPDX-License-Identifier: Apache-2.0
"""What is predicted: files, those in folders, those that match globs, and records."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.base.errors import FormatError, MXNetError
from ..formats import recordio
from ..formats.source import map_file
from ..predictor.picture import Picture
from .reading import Array, read_input

__all__ = ["Item", "count_items", "items_of"]

_ENDINGS = (
    ".bmp", ".jpeg", ".jpg", ".npy", ".npz", ".png", ".ppm", ".rec", ".tif", ".tiff", ".webp",
)  # fmt: skip


class Item(NamedTuple):
    """One input.

    Attributes:
        name: path of the file; of a record with ``#`` and its number behind it.
        read: reads and decodes it, in any thread.
        label: the number of its class, where a record tells it.
    """

    name: str
    read: Callable[[Picture], Array]
    label: float | None = None


def items_of(sources: Iterable[str], name: str, listed: Iterable[str] = ()) -> Iterator[Item]:
    """The items, in order, found while they are asked for.

    Args:
        sources: files, .rec files, folders (searched with all folders below), globs, and ``-``
            for what `listed` gives.
        name: of the model's input.
        listed: lines with names of files.
    """
    for path in _paths(sources, listed):
        if path.endswith(".rec"):
            yield from _records(path)
        else:
            yield _file(path, name)


def count_items(sources: Iterable[str]) -> int | None:
    """How many there are; None where only reading tells: records, and names on a stream."""
    count = 0
    for path in _paths(sources, ()):
        if path == "-" or path.endswith(".rec"):
            return None
        count += 1
    return count


def _paths(sources: Iterable[str], listed: Iterable[str]) -> Iterator[str]:
    for source in sources:
        if source == "-":
            lines = (line.rstrip("\r\n") for line in listed)
            yield from _paths((line for line in lines if line not in ("", "-")), ())
        elif os.path.isdir(source):
            yield from _inside(source)
        elif glob.has_magic(source) and not os.path.lexists(source):
            found = False
            for path in glob.iglob(source, recursive=True):
                found = True
                yield from _inside(path) if os.path.isdir(path) else (path,)
            if not found:
                yield source  # reading it fails, and says so
        else:
            yield source


def _inside(folder: str) -> Iterator[str]:
    """Files in a folder and those below; links to folders are not followed, as they may circle."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.lower().endswith(_ENDINGS) and not file.startswith("."):
                yield os.path.join(parent, file)


def _file(path: str, name: str) -> Item:
    return Item(path, lambda picture: read_input(name, Path(path), picture))


def _records(path: str) -> Iterator[Item]:
    """Images in a record file; after a damaged record goes on with the next that is found."""
    try:
        buffer = map_file(path)
    except MXNetError as error:
        yield _broken(path, error)
        return
    offset = number = 0
    while offset < len(buffer):
        name = f"{path}#{number}"
        try:
            payload, offset = recordio.read_record(buffer, offset)
        except FormatError as error:
            yield _broken(name, error)
            offset = recordio.find_record(buffer, offset + 4)
        else:
            yield _record(name, payload)
        number += 1


def _record(name: str, payload: bytes) -> Item:
    try:
        header, image = recordio.unpack(payload)
    except FormatError as error:
        return _broken(name, error)
    labels = np.ravel(header.label)
    label = float(labels[0]) if labels.size == 1 else None
    return Item(name, lambda picture: picture.decode(name, image), label)


def _broken(name: str, error: MXNetError) -> Item:
    def read(picture: Picture) -> Array:
        raise error

    return Item(name, read)
