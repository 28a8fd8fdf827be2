# SPDX-License-Identifier: Apache-2.0
"""RecordBatches: elements in their order, without a loader or in the workers of one."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..core.base.errors import ArgumentError, argument_error
from .order import EpochOrder, Shuffle
from .prefetch import Prefetch, numbers_of
from .progress import Progress
from .reader import RecordReader
from .shares import Rank, Share

__all__ = ["RecordBatches"]

_AHEAD = 2  # batches that threads read in advance, for each of them


class RecordBatches(Progress):
    """An iterable over the elements of a data set: `RecordDataset.batches` makes it.

    Args:
        reader: of the data set.
        shuffle: the order of its records.
        rank: which of them are taken here.
        in_lists: whether it gives lists of elements, not elements.
        threads: that read in advance.
        collate: makes a batch of elements, in the thread that reads them.
    """

    _reader: RecordReader

    def __init__(
        self,
        reader: RecordReader,
        shuffle: Shuffle,
        rank: Rank,
        in_lists: bool,
        threads: int,
        collate: Callable[[Iterator[Any]], Any],
    ) -> None:
        super().__init__(reader, shuffle, rank)
        if not isinstance(threads, int) or threads < 0:
            raise argument_error("RecordBatches", "threads", threads, "must be an integer >= 0")
        self._in_lists, self._threads, self._collate = in_lists, threads, collate
        self._skipped = 0  # own batches of this worker that were taken before
        _register_with_torch()

    def __iter__(self) -> Iterator[Any]:
        for elements in self._batches():
            if self._in_lists:
                yield elements
            else:
                yield from elements

    def __getitem__(self, index: int) -> Any:
        text = "must be imported before `batches` is called, to know it for an IterableDataset"
        raise ArgumentError(f"RecordBatches: has no elements by index; torch.utils.data {text}")

    def _batches(self) -> Iterator[Any]:
        index, n_workers = _worker()
        order, share = self._begin()
        skipped, self._skipped = self._skipped, 0
        chosen = range(index + skipped * n_workers, share.n_batches, n_workers)
        read = self._read_by_threads if self._threads else self._read
        for i, elements in read(order, share, chosen):
            self._taken = i + 1
            yield elements
        self._end()

    def _made_of(self, numbers: list[int]) -> Any:
        return self._collate(self._reader.whole(numbers))

    def _expected(
        self, order: EpochOrder, share: Share, chosen: range
    ) -> Iterator[tuple[int, list[int]]]:
        """The chosen batches with the numbers of their records, of which stores are told before."""
        waiting: deque[tuple[int, list[int]]] = deque()
        prefetch = Prefetch(self._reader.files, self._shuffle)
        n_ahead = prefetch.n_batches(share, chosen.step)
        for i, numbers in numbers_of(order, share, chosen):
            prefetch.expect(order, share, chosen.step, i, numbers)
            waiting.append((i, numbers))
            if len(waiting) > n_ahead:
                yield waiting.popleft()
        yield from waiting

    def _read(self, order: EpochOrder, share: Share, chosen: range) -> Iterator[tuple[int, Any]]:
        for i, numbers in self._expected(order, share, chosen):
            yield i, self._made_of(numbers)

    def _read_by_threads(
        self, order: EpochOrder, share: Share, chosen: range
    ) -> Iterator[tuple[int, Any]]:
        n = self._threads
        waiting: deque[tuple[int, Any]] = deque()
        with ThreadPoolExecutor(n, "RecordBatches") as pool:
            for i, numbers in self._expected(order, share, chosen):
                waiting.append((i, pool.submit(self._made_of, numbers)))
                if len(waiting) > _AHEAD * n:
                    first, asked = waiting.popleft()
                    yield first, asked.result()
            while waiting:
                first, asked = waiting.popleft()
                yield first, asked.result()

    def state_dict(self, batches: int | None = None) -> dict[str, Any]:
        """Where it stands; in a worker of a loader, where this worker does.

        Args:
            batches: how many a loader with workers has given out, see `RecordSampler.state_dict`.
        """
        index, n_workers = _worker()
        if n_workers == 1:
            return super().state_dict(batches)
        epoch, share, taken = self._place(batches)
        mine = self._skipped or len(range(index, taken, n_workers))
        return {**self._state(epoch, share.done), "worker": [index, n_workers, mine]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Has the next iteration go on from a state, see `RecordSampler.load_state_dict`."""
        worker = state.get("worker") if isinstance(state, Mapping) else None
        is_own = worker is not None and tuple(worker[:2]) == _worker()
        super().load_state_dict({**state, "worker": [0, 1, 0]} if is_own else state)
        self._skipped = worker[2] if is_own and worker is not None else 0


def _worker() -> tuple[int, int]:
    """The index of this worker of a loader of torch's, and how many there are."""
    torch_data = sys.modules.get("torch.utils.data")
    info = torch_data.get_worker_info() if torch_data else None
    return (info.id, info.num_workers) if info else (0, 1)


def _register_with_torch() -> None:
    """Has torch's loader know the class, where torch is there."""
    torch_data = sys.modules.get("torch.utils.data")
    if torch_data is not None and not issubclass(RecordBatches, torch_data.IterableDataset):
        torch_data.IterableDataset.register(RecordBatches)
