# SPDX-License-Identifier: Apache-2.0
"""Which records of a file come when."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeVar

import numpy as np

from ...core.base.errors import ArgumentError, FileError, FormatError, MXNetError, shown
from ...core.base.std_random import StdRandom
from ...formats import recordio
from ...formats.source import open_buffer, read_file
from ...formats.text_tables import parse_image_list
from ..ordering import part_of

if TYPE_CHECKING:
    from ...formats.remote.ranges import RemoteFile

__all__ = ["MAGIC", "Record", "RecordStream", "labels_of_list"]

T = TypeVar("T")

MAGIC = 111  # MXNet adds it to seeds
_CHUNK = 8 << 20  # bytes; records change places within them


class Record(NamedTuple):
    """A record that has been read."""

    offset: int
    id: int
    labels: np.ndarray
    image: bytes


class RecordStream(Generic[T]):
    """The records of a part of a file, epoch after epoch.

    Without an index the file is read from begin to end, and records are shuffled within chunks;
    with one they are shuffled among all.

    Args:
        iterator: what errors call it.
        prepare: what becomes of a record. Within a chunk this comes before the shuffling, as in
            MXNet: it may draw random numbers.
        magic: added to the seed.
        params: path_imgrec, path_imgidx, num_parts, part_index, shuffle, seed, shuffle_chunk_size
            (in MiB; chunks of this size come in random order, too) and shuffle_chunk_seed.
    """

    def __init__(
        self,
        iterator: str,
        params: SimpleNamespace,
        prepare: Callable[[Record], T],
        magic: int = MAGIC,
    ) -> None:
        self._prepare = prepare
        self.path = params.path_imgrec
        self._view = open_buffer(self.path)
        self._draw = StdRandom(magic + params.seed) if params.shuffle else None
        self._told: Callable[[list[int]], Iterable[int]] = lambda offsets: offsets
        part = params.num_parts, params.part_index, iterator
        size = params.shuffle_chunk_size << 20
        self._of_chunks = StdRandom(MAGIC + params.shuffle_chunk_seed) if size else None
        self._has_index = bool(params.path_imgidx)
        if self._has_index:
            index = sorted(offset for _, offset in _index(params.path_imgidx))
            begin, end = part_of(len(index), *part)
            if not isinstance(self._view, memoryview):
                self._told = partial(_told, self._view, index)
            self._chunks: Callable[[], Iterator[list[int]]] = lambda: iter([index[begin:end]])
        else:
            cuts = part_of(len(self._view), *part)
            begin, end = (recordio.find_record(self._view, cut) if cut else 0 for cut in cuts)
            self._chunks = lambda: self._chunks_of(begin, end, size or _CHUNK)
        self._waiting = self._epoch()

    def restart(self) -> None:
        """Starts an epoch."""
        self._waiting = self._epoch()

    @property
    def state(self) -> list[str | None]:
        """The states of the generators of its order, which can be set before an epoch starts."""
        draws = self._draw, self._of_chunks
        return [None if draw is None else draw.state for draw in draws]

    @state.setter
    def state(self, states: Any) -> None:
        draws = self._draw, self._of_chunks
        if not isinstance(states, list) or [bool(s) for s in states] != [bool(d) for d in draws]:
            raise ArgumentError(f"{self.path}: a state of another order: {shown(states)}")
        for draw, state in zip(draws, states, strict=True):
            if draw is not None:
                draw.state = state

    def read(self) -> T | None:
        """Return the result of `prepare` for the next record; None at the end of the epoch.

        Raises:
            FormatError: it is broken; the text has its offset.
        """
        try:
            prepared = next(self._waiting, None)
        except FormatError as error:
            self._waiting = iter(())
            raise FormatError(f"{self.path}: {error}") from None
        return None if prepared is None else prepared()

    def _at(self, offset: int) -> T:
        try:
            header, image = recordio.unpack(recordio.read_record(self._view, offset)[0])
            labels = np.atleast_1d(np.asarray(header.label, np.float32))
            return self._prepare(Record(offset, header.id, labels, image))
        except FileError:
            raise
        except MXNetError as error:
            raise FormatError(f"{self.path}: record at offset {offset}: {error}") from None

    def _epoch(self) -> Iterator[Callable[[], T]]:
        for chunk in self._ordered_chunks():
            if self._draw and self._has_index:
                self._draw.shuffle(chunk)
            prepared = (partial(self._at, offset) for offset in self._told(chunk))
            if self._draw and not self._has_index:
                settled = [_settled(prepare) for prepare in prepared]
                self._draw.shuffle(settled)
                yield from settled
            else:
                yield from prepared

    def _ordered_chunks(self) -> Iterator[list[int]]:
        if self._of_chunks is None:
            return self._chunks()
        chunks = list(self._chunks())
        self._of_chunks.shuffle(chunks)
        return iter(chunks)

    def _chunks_of(self, begin: int, end: int, size: int) -> Iterator[list[int]]:
        offset = begin
        while offset < end:
            start = offset
            chunk: list[int] = []
            while offset < end:
                try:
                    following = recordio.offset_after(self._view, offset)
                except FormatError:
                    yield chunk  # what comes before a broken record
                    raise
                if chunk and following > start + size:
                    break
                chunk.append(offset)
                offset = following
            yield chunk


def _told(view: RemoteFile, index: list[int], chosen: list[int]) -> Iterator[int]:
    """The chosen offsets of an index, of which the store is told some time before they come."""
    ends = dict(zip(index, [*index[1:], len(view)], strict=True))
    n_ahead = -(-view.ahead * len(index) // max(len(view), 1))
    waiting: deque[int] = deque()
    for offset in chosen:
        view.expect(offset, ends[offset])
        waiting.append(offset)
        if len(waiting) > n_ahead:
            yield waiting.popleft()
    yield from waiting


def _settled(act: Callable[[], T]) -> Callable[[], T]:
    """Gives what `act` gives now, or raises what it raises."""
    try:
        found = act()
    except MXNetError as error:
        return partial(_raise, error)
    return lambda: found


def _raise(error: MXNetError) -> NoReturn:
    raise error


def _index(path: str) -> list[tuple[str, int]]:
    try:
        return recordio.parse_index(read_file(path), str)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def labels_of_list(path: str, label_width: int) -> dict[int, np.ndarray]:
    """Labels by the number of the record, of a list of images; a width of -1 takes all.

    Raises:
        FormatError: the list breaks its format, or has another number of labels.
    """
    try:
        entries = parse_image_list(read_file(path))
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    if not entries:
        raise ArgumentError(f"{path}: there are no images in the list")
    for entry in entries:
        if label_width not in (-1, len(entry.labels)):
            text = f"{len(entry.labels)} labels, where label_width={label_width}"
            raise FormatError(f"{path}: index {entry.index}: {text}")
    return {entry.index: np.array(entry.labels, np.float32) for entry in entries}
