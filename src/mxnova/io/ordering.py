# SPDX-License-Identifier: Apache-2.0
"""Which samples go into which batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError, shown

__all__ = ["BatchOrder", "part_of"]


class BatchOrder:
    """Numbers of samples, batch by batch, as MXNet's iterators over files go through them.

    A last batch that is not full is filled up. Rounding takes samples from the beginning, behind
    which the next epoch starts; else the rows of the batch before stay.

    Args:
        n_samples: how many there are.
        batch_size: samples in a batch.
        round_batch: whether the last batch takes samples from the beginning.
    """

    def __init__(self, n_samples: int, batch_size: int, round_batch: bool) -> None:
        if round_batch and n_samples < batch_size and -n_samples % batch_size > n_samples:
            what = f"{n_samples} samples cannot fill up a batch of {batch_size}"
            raise ArgumentError(f"batch_size={batch_size}: {what}")
        self._n, self._size, self._round = n_samples, batch_size, round_batch
        self._rows = np.zeros(batch_size, np.int64)
        self._at = self._ahead = 0
        self.start = 0  # of this epoch

    def rewind(self) -> None:
        """Starts an epoch."""
        self.start = self._at = self._ahead
        self._ahead = 0

    def restore(self, start: Any, n_batches: int) -> None:
        """Goes on after `n_batches` of the epoch that began at sample `start`.

        Raises:
            ArgumentError: there is no such sample.
        """
        if not isinstance(start, int) or not 0 <= start <= self._n:
            raise ArgumentError(f"state: start={shown(start)}: there are {self._n} samples")
        self._ahead = start
        self.rewind()
        while n_batches and self.next() is not None:
            n_batches -= 1

    def next(self) -> tuple[np.ndarray, int] | None:
        """Return the samples of the next batch and its padding count; None at the end."""
        left = self._n - self._at
        if left <= 0:
            return None
        rows = self._rows.copy()
        n_rows = min(left, self._size)
        rows[:n_rows] = np.arange(self._at, self._at + n_rows)
        pad = self._size - n_rows
        if pad and self._round:
            rows[n_rows:] = np.arange(pad)
            self._ahead = pad
        self._at += n_rows
        self._rows = rows
        return rows, pad


def part_of(n: int, n_parts: int, index: int, iterator: str) -> tuple[int, int]:
    """Begin and end of a part of `n` things.

    Raises:
        ArgumentError: there is no such part.
    """
    if index >= n_parts:
        raise ArgumentError(f"{iterator}: part_index={index}: must be below num_parts={n_parts}")
    step = -(-n // n_parts)
    return min(step * index, n), min(step * (index + 1), n)
