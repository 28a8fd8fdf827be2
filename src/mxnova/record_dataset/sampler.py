# SPDX-License-Identifier: Apache-2.0
"""RecordSampler: which records make a batch, for loaders."""

from __future__ import annotations

from collections.abc import Iterator

from .broken import BrokenRecords
from .prefetch import Batch, Place, numbers_of
from .progress import Progress

__all__ = ["Numbers", "RecordSampler"]


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
        place = Place(self._shuffle, self.epoch, share, 0)
        for i, numbers in numbers_of(order, share, range(share.n_batches)):
            self._taken = i + 1
            yield Batch.at(place._replace(number=i), numbers)
        self._end()
