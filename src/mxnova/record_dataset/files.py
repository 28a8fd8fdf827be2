# SPDX-License-Identifier: Apache-2.0
"""Records by number, out of one or several RecordIO files."""

from __future__ import annotations

import bisect
import errno
import itertools
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    FormatError,
    MissingFileError,
    UnknownNameError,
    shown,
)
from ..formats import recordio
from ..formats.remote.urls import is_remote
from ..formats.source import Buffer, Path, check_length, open_buffer, path_exists, read_file

__all__ = ["Pieces", "RecordFile", "RecordFiles", "files_of"]


Pieces: TypeAlias = set[tuple[str, int]]  # of files: path and number


class RecordFile:
    """A RecordIO file, of which the places of records are known. It is opened when it is read.

    Args:
        path: of the file.
        offsets: of its records, in their order.
        known: of all records that the file is known to have; default: the same.
    """

    def __init__(self, path: str, offsets: np.ndarray, known: np.ndarray | None = None) -> None:
        self.path, self.offsets = path, offsets
        self._known = offsets if known is None else known
        self._buffer: Buffer | None = None

    @classmethod
    def opened(cls, path: str, index: Path | None, keys: Iterable[Any] | None) -> RecordFile:
        """The file at `path`, with the places that its index tells or, without one, a scan.

        Raises:
            FileError: a file cannot be read, or there is no index where it, or keys, are given.
            FormatError: the index breaks its format, or leads out of the file.
            UnknownNameError: there is no record of a key.
        """
        beside = os.path.splitext(path)[0] + ".idx"
        buffer = open_buffer(path)
        if index is not None or path_exists(beside):
            source = os.fspath(beside if index is None else index)
            entries = _parsed(source)
        elif keys is not None:
            raise MissingFileError(errno.ENOENT, "there is no index, which knows the keys", beside)
        else:
            source, entries = path, list(enumerate(_scanned(buffer)))
        known = _offsets(entries)
        offsets = known if keys is None else _offsets(_chosen(entries, keys, source))
        if len(offsets) and offsets.max() >= len(buffer):
            text = f"offset {offsets.max()}, {path} has {len(buffer)} bytes"
            raise FormatError(f"{source}: {text}")
        file = cls(path, offsets, known)
        file._buffer = buffer
        return file

    def __len__(self) -> int:
        return len(self.offsets)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_buffer": None}

    @property
    def buffer(self) -> Buffer:
        """The content, which this process opens when it first needs it."""
        if self._buffer is None:
            self._buffer = open_buffer(self.path)
        return self._buffer

    def read(self, number: int) -> bytes:
        """The record of this number.

        Raises:
            FormatError: it is broken.
            FileError: the file cannot be read.
        """
        offset, buffer = int(self.offsets[number]), self.buffer
        check_length(buffer, self.path)
        if not isinstance(buffer, memoryview):
            buffer.ask(*self.place(number, number + 1))
        try:
            return recordio.read_record(buffer, offset)[0]
        except FormatError as error:
            raise FormatError(f"{self.path}: {error}") from None

    def expect(self, first: int, end: int) -> None:
        """Has the system or the store read records of these numbers in one go, where it can."""
        buffer = self.buffer
        if isinstance(buffer, memoryview):
            _expect_mapped(buffer, *self.place(first, end))
        elif self._is_whole:
            buffer.expect(*self.place(first, end))
        else:
            for number in range(first, end):
                buffer.expect(*self.place(number, number + 1))

    def expect_piece(self, number: int, pieces: Pieces) -> None:
        """Has a store send the pieces of the file that have this record, once; later the record."""
        buffer = self.buffer
        if not isinstance(buffer, memoryview):
            start, end = self.place(number, number + 1)
            for piece in range(start // buffer.piece, -(-end // buffer.piece)):
                if (self.path, piece) not in pieces:
                    pieces.add((self.path, piece))
                    buffer.expect(piece * buffer.piece, (piece + 1) * buffer.piece)
            buffer.expect(start, end)

    def place(self, first: int, end: int) -> tuple[int, int]:
        """From where to where in the file records of these numbers are, in bytes."""
        if self._is_whole:
            following = self.offsets[end] if end < len(self) else len(self.buffer)
            return int(self.offsets[first]), int(following)
        offsets, begins = self.offsets[first:end], self._sorted
        later = int(begins.searchsorted(offsets.max(), side="right"))
        return int(offsets.min()), int(begins[later]) if later < len(begins) else len(self.buffer)

    @property
    def ahead(self) -> int:
        """Records that are best expected before they are read; none where the system reads."""
        buffer = self.buffer if is_remote(self.path) and len(self) else memoryview(b"")
        if isinstance(buffer, memoryview):
            return 0
        return -(-buffer.ahead * len(self._known) // len(buffer))

    @property
    def n_known(self) -> int:
        """How many records the file has, also those that are left out."""
        return len(self._known)

    @property
    def extent(self) -> int:
        """Bytes before the last record."""
        return int(self._sorted[-1]) if len(self._known) else 0

    @property
    def _is_whole(self) -> bool:
        """Whether neighbors by their numbers lie side by side."""
        if not hasattr(self, "_whole"):
            self._whole = np.array_equal(self.offsets, self._sorted)
        return self._whole

    @property
    def _sorted(self) -> np.ndarray:
        if not hasattr(self, "_in_order"):
            self._in_order = np.sort(self._known)
        return self._in_order


def _expect_mapped(buffer: memoryview, start: int, end: int) -> None:
    mapped = buffer.obj
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_WILLNEED"):
        start -= start % mmap.PAGESIZE
        mapped.madvise(mmap.MADV_WILLNEED, start, end - start)


def _offsets(entries: Sequence[tuple[int, int]]) -> np.ndarray:
    return np.fromiter((offset for _, offset in entries), np.int64, len(entries))


def _parsed(index: str) -> list[tuple[int, int]]:
    try:
        return recordio.parse_index(read_file(index))
    except FormatError as error:
        raise FormatError(f"{index}: {error}") from None


def _scanned(buffer: Buffer) -> Iterable[int]:
    """The offsets of all records. Where one is broken, the search for the next one begins."""
    offset = 0
    while offset < len(buffer):
        yield offset
        try:
            offset = recordio.offset_after(buffer, offset)
        except FormatError:
            offset = recordio.find_record(buffer, offset + 4)


def _chosen(
    entries: Sequence[tuple[int, int]], keys: Iterable[Any], source: str
) -> list[tuple[int, int]]:
    known = dict(entries)
    chosen = []
    for key in keys:
        if key not in known:
            raise UnknownNameError(f"{source}: no record has the key {shown(key)}")
        chosen.append((key, known[key]))
    return chosen


class RecordFiles:
    """The records of files one after the other, by number.

    Args:
        files: the files.
    """

    def __init__(self, files: Sequence[RecordFile]) -> None:
        self.files = files
        self.counts = [len(file) for file in files]
        self._starts = np.cumsum([0, *self.counts]).tolist()
        self._remote = next((f for f in files if len(f) and is_remote(f.path)), None)

    def __len__(self) -> int:
        return int(self._starts[-1])

    def _located(self, number: int) -> tuple[RecordFile, int]:
        i = bisect.bisect_right(self._starts, number) - 1
        return self.files[i], number - self._starts[i]

    def read(self, number: int) -> bytes:
        """The record `number`, which must be below the length; errors are `RecordFile.read`'s."""
        file, inside = self._located(number)
        return file.read(inside)

    def named(self, number: int) -> str:
        """The file and the offset of a record, for messages."""
        file, inside = self._located(number)
        return f"{file.path}: record at offset {file.offsets[inside]}"

    @property
    def ahead(self) -> int:
        """Records that are best expected before they are read."""
        return 0 if self._remote is None else self._remote.ahead

    def expect(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Has the system read ranges of records, each within a file, in large pieces."""
        for first, end in ranges:
            file, inside = self._located(first)
            file.expect(inside, inside + end - first)

    def expect_records(self, numbers: Iterable[int]) -> None:
        """Has stores read records; those that lie side by side together."""
        if self._remote is not None:
            self.expect(self._runs(sorted(numbers)))

    def expect_pieces(self, numbers: Iterable[int], pieces: Pieces) -> None:
        """Has stores send the pieces of files that have these records, but for those in `pieces`.

        Args:
            numbers: of the records.
            pieces: that were expected before; new ones are added.
        """
        for number in numbers:
            file, inside = self._located(number)
            file.expect_piece(inside, pieces)

    def are_read_whole(self, n_readers: int) -> bool:
        """Whether stores had better send all of the files, in large pieces, for random orders.

        It is so where each of the processes that take turns at the records needs at least half of
        the bytes, and they stay in memory until their turn.

        Args:
            n_readers: how many processes take turns.
        """
        if self._remote is None or isinstance(buffer := self._remote.buffer, memoryview):
            return False
        files = [file for file in self.files if is_remote(file.path)]
        needed, known = sum(map(len, files)), sum(file.n_known for file in files)
        is_half = 2 * needed >= known * n_readers
        return is_half and sum(file.extent for file in files) <= buffer.kept

    def _runs(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Ranges of neighbors within a file."""
        cuts = [
            i
            for i, (a, b) in enumerate(itertools.pairwise(numbers), 1)
            if b != a + 1 or self._located(a)[0] is not self._located(b)[0]
        ]
        for begin, end in itertools.pairwise([0, *cuts, len(numbers)]):
            if begin < end:
                yield numbers[begin], numbers[end - 1] + 1


def files_of(
    paths: Path | Sequence[Path], index: Path | None, keys: Iterable[Any] | None
) -> RecordFiles:
    """The files at `paths`; `index` and `keys` are for a single one.

    Raises:
        ArgumentTypeError: `paths` is no path, and no sequence of paths.
        ArgumentError: it is empty, or has several where an index or keys are given.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    if not isinstance(given, (list, tuple)) or not all(
        isinstance(path, (str, os.PathLike)) for path in given
    ):
        text = f"RecordDataset: paths={shown(paths)}: must be a path or a list of paths"
        raise ArgumentTypeError(text)
    if not given:
        raise ArgumentError("RecordDataset: paths=[]: must not be empty")
    if len(given) > 1 and (index is not None or keys is not None):
        raise ArgumentError(f"RecordDataset: index and keys are for one file, not {len(given)}")
    return RecordFiles([RecordFile.opened(os.fspath(path), index, keys) for path in given])
