# SPDX-License-Identifier: Apache-2.0
"""The order of the records of an epoch: a function of the seed and the epoch alone.

Records are shuffled block by block, so that reads stay large: the blocks of `block_size` neighbors
in a file come in random order, and the records of `window` blocks are mixed. Numbers come from
NumPy's bit generators, whose streams are the same in all releases; its distributions may change.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.base.errors import argument_error

__all__ = ["EpochOrder", "Shuffle"]


class Shuffle(NamedTuple):
    """How records are shuffled.

    Attributes:
        seed: not negative; None: the records keep their order.
        block_size: records that lie side by side in a file and are read together; None: all
            records are shuffled among all.
        window: blocks whose records are mixed.
    """

    seed: int | None
    block_size: int | None
    window: int

    def check(self, function: str) -> Shuffle:
        """Returns itself.

        Raises:
            ArgumentError: a number is too small.
        """
        for name, least in (("seed", 0), ("block_size", 1), ("window", 1)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < least):
                raise argument_error(function, name, value, f"must be an integer >= {least}")
        return self


class EpochOrder:
    """Which record comes at which position of an epoch.

    Args:
        counts: of the records of each file, in the order of the files.
        shuffle: how.
        epoch: its number.

    Attributes:
        n_records: in all files.
    """

    def __init__(self, counts: Sequence[int], shuffle: Shuffle, epoch: int) -> None:
        self.n_records = sum(counts)
        self._is_shuffled, self._seed, self._epoch = (
            shuffle.seed is not None,
            shuffle.seed or 0,
            epoch,
        )
        self._mixed: dict[int, np.ndarray] = {}
        self._positions: dict[int, int] = {}
        if not self._is_shuffled:
            return
        self._firsts = _first_records(counts, shuffle.block_size or max(self.n_records, 1))
        sizes = np.diff(self._firsts, append=self.n_records)
        n_mixed = shuffle.window if shuffle.block_size else max(len(sizes), 1)
        self._blocks = _permutation(len(sizes), self._seed, epoch)
        self._window = n_mixed
        ends = np.cumsum(sizes[self._blocks])
        self._cuts = np.concatenate([[0], ends[n_mixed - 1 : -1 : n_mixed], ends[-1:]])

    def take(self, positions: np.ndarray) -> np.ndarray:
        """The records at `positions`; past the end come those of the beginning."""
        positions = positions % max(self.n_records, 1)
        if not self._is_shuffled:
            return positions
        windows = np.searchsorted(self._cuts, positions, side="right") - 1
        found = np.empty(len(positions), np.int64)
        for window in np.unique(windows).tolist():
            chosen = windows == window
            found[chosen] = self._records_of(window)[positions[chosen] - self._cuts[window]]
        return found

    def position(self, record: int) -> int:
        """Where `record` comes."""
        if not self._is_shuffled:
            return record
        if record not in self._positions:
            block = np.searchsorted(self._firsts, record, side="right") - 1
            window = int(np.flatnonzero(self._blocks == block)[0]) // self._window
            place = np.flatnonzero(self._records_of(window) == record)[0]
            self._positions[record] = int(self._cuts[window] + place)
        return self._positions[record]

    def ranges(self, start: int, stop: int) -> list[tuple[int, int]]:
        """First and end of the ranges of records that are read for positions `start` to `stop`."""
        stop = min(stop, self.n_records)
        if start >= stop:
            return []
        if not self._is_shuffled:
            return [(start, stop)]
        first, last = np.searchsorted(self._cuts, (start, stop - 1), side="right") - 1
        blocks = self._blocks[first * self._window : (last + 1) * self._window]
        ends = np.append(self._firsts, self.n_records)
        return [(int(ends[block]), int(ends[block + 1])) for block in blocks]

    def _records_of(self, window: int) -> np.ndarray:
        """The records of a window, mixed. The last few are kept."""
        if window not in self._mixed:
            while len(self._mixed) > 2:
                self._mixed.pop(next(iter(self._mixed)))
            ends = np.append(self._firsts, self.n_records)
            blocks = self._blocks[window * self._window : (window + 1) * self._window]
            records = np.concatenate([np.arange(ends[b], ends[b + 1]) for b in blocks])
            mixed = _permutation(len(records), self._seed, self._epoch, window)
            self._mixed[window] = records[mixed]
        return self._mixed[window]


def _first_records(counts: Sequence[int], block_size: int) -> np.ndarray:
    """The first record of each block: no block has records of two files."""
    starts = np.cumsum([0, *counts]).tolist()
    return np.concatenate(
        [np.arange(a, b, block_size) for a, b in itertools.pairwise(starts)]
        or [np.zeros(0, np.int64)]
    ).astype(np.int64)


def _permutation(n: int, *key: int) -> np.ndarray:
    bits = np.random.Philox(np.random.SeedSequence(key))
    return np.argsort(bits.random_raw(n), kind="stable")
