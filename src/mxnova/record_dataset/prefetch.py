# SPDX-License-Identifier: Apache-2.0
"""Prefetching: stores are told which records come next before they are read.

The order of an epoch is known, so that a batch tells by its place in it what follows: also in the
workers of a loader, which get batches one by one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .files import Pieces, RecordFiles
from .order import EpochOrder, Shuffle
from .shares import Share

__all__ = ["Batch", "LoaderPrefetch", "Place", "Prefetch", "numbers_of"]

_AT_ONCE = 4096  # positions that are looked up together


def numbers_of(order: EpochOrder, share: Share, chosen: range) -> Iterator[tuple[int, list[int]]]:
    """The chosen batches, with their numbers: the records of each."""
    n = max(_AT_ONCE * share.rank.n // share.rank.step, 1)
    for first in range(0, len(chosen), n):
        group = chosen[first : first + n]
        spans = [np.arange(*share.batch(i)) for i in group]
        cuts = np.cumsum([len(span) for span in spans])[:-1]
        records = order.take(np.concatenate(spans))
        for i, numbers in zip(group, np.split(records, cuts), strict=True):
            yield i, numbers.tolist()


class Prefetch:
    """Has stores read the records of batches that come, and the system whole blocks.

    Args:
        files: where the records are.
        shuffle: their order.
    """

    def __init__(self, files: RecordFiles, shuffle: Shuffle) -> None:
        self._files, self._shuffle = files, shuffle
        self._ranges: list[tuple[int, int]] = []  # that were expected last
        self._pieces: Pieces = set()
        self._are_read_whole = functools.cache(files.are_read_whole)  # it looks at all files

    def n_batches(self, share: Share, stride: int) -> int:
        """How many of the batches to come, of which every `stride`-th is read, are expected."""
        n_records, of_batch = self._files.ahead, share.rank.step // share.rank.n
        if n_records and self._shuffle.block_size is not None:  # which all ranks and workers read
            n_records += self._shuffle.block_size * self._shuffle.window
            of_batch = share.rank.step * stride
        return -(-n_records // of_batch)

    def expect(
        self, order: EpochOrder, share: Share, stride: int, i: int, numbers: list[int]
    ) -> None:
        """Has the blocks of batch `i` read in large pieces, once, or its records.

        Args:
            order: of the epoch.
            share: what this rank takes of it.
            stride: every which batch of the share is read here.
            i: number of the batch in the share.
            numbers: of its records.
        """
        if self._shuffle.block_size is None:
            is_random = self._shuffle.seed is not None
            if is_random and self._are_read_whole(share.rank.n * stride):
                self._files.expect_pieces(numbers, self._pieces)
            else:
                self._files.expect_records(numbers)
            return
        ranges = order.ranges(*share.batch(i))
        if ranges != self._ranges:
            self._ranges = ranges
            self._files.expect(ranges)


class Place(NamedTuple):
    """Where a batch stands: which order, which epoch, whose share of it, and its number there."""

    shuffle: Shuffle
    epoch: int
    share: Share
    number: int


class Batch(list[int]):
    """The numbers of a batch's records.

    Attributes:
        place: of the batch.
    """

    place: Place

    @classmethod
    def at(cls, place: Place, numbers: list[int]) -> Batch:
        """A batch of these numbers."""
        batch = cls(numbers)
        batch.place = place
        return batch


class LoaderPrefetch:
    """Has stores read what comes after the batches that this process is asked for.

    A worker of a loader is asked for every n-th batch: the last two tell n.

    Args:
        files: where the records are.
    """

    def __init__(self, files: RecordFiles) -> None:
        self._files = files
        self._last: Place | None = None
        self._told = 0  # the first batch that stores were not told of
        self._order: tuple[EpochOrder, Prefetch] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_last": None, "_order": None}

    def after(self, batch: Iterable[int]) -> None:
        """Tells stores of the batches that follow this one, if it is of a sampler."""
        if not isinstance(batch, Batch) or not self._files.ahead:
            return
        last, self._last = self._last, batch.place
        if last is None or last[:3] != batch.place[:3]:
            self._told, self._order = 0, self._ordered(batch)
        elif batch.place.number > last.number:
            self._tell(batch.place, batch.place.number - last.number)

    def _ordered(self, batch: Batch) -> tuple[EpochOrder, Prefetch] | None:
        """The order that a batch is of; None: these files have another one."""
        shuffle, epoch, share, number = batch.place
        order = EpochOrder(self._files.counts, shuffle, epoch)
        if order.take(np.arange(*share.batch(number))).tolist() != batch:
            return None
        return order, Prefetch(self._files, shuffle)

    def _tell(self, place: Place, stride: int) -> None:
        if self._order is None:
            return
        order, prefetch = self._order
        share, number = place.share, place.number
        stop = min(number + (prefetch.n_batches(share, stride) + 1) * stride, share.n_batches)
        chosen = range(number + stride, stop, stride)
        told = len(range(number + stride, self._told, stride))
        for i, numbers in numbers_of(order, share, chosen[told:]):
            prefetch.expect(order, share, stride, i, numbers)
        self._told = max(self._told, stop)
