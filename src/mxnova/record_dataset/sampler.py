# SPDX-License-Identifier: Apache-2.0
"""RecordSampler: which records make a batch, for loaders."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .broken import BrokenRecords
from .order import EpochOrder
from .progress import Progress
from .shares import Share

__all__ = ["Numbers", "RecordSampler"]

_AT_ONCE = 4096  # positions that are looked up together


class Numbers:
    """What a sampler knows of a data set that is no record file: how many samples it has."""

    def __init__(self, n: int) -> None:
        self.counts = [n]
        self.broken = BrokenRecords(0)

    @property
    def files(self) -> Numbers:
        """Itself: the samples are those of one file."""
        return self

    def __len__(self) -> int:
        return self.counts[0]


class RecordSampler(Progress):
    """Lists of the numbers of records, a batch each: `RecordDataset.sampler` makes it.

    Iterating over it is an epoch; the next time, the next epoch follows. Loaders ask for batches
    in advance: `state_dict` takes how many they gave out. A StatefulDataLoader of torchdata
    stores the right ones by itself.
    """

    def __iter__(self) -> Iterator[list[int]]:
        order, share = self._begin()
        for i, numbers in numbers_of(order, share, range(share.n_batches)):
            self._taken = i + 1
            yield numbers
        self._end()


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
