# SPDX-License-Identifier: Apache-2.0
"""What each of several ranks takes of an epoch, batch by batch.

All ranks take a batch in each step, one behind the other: after any step the records that were
taken, whoever took them, are those at the first positions of the order. So an epoch can go on with
another number of ranks. The last step divides what is left evenly.
"""

from __future__ import annotations

from typing import NamedTuple

from ..core.base.errors import argument_error

__all__ = ["RESCALE", "UNEVEN", "Rank", "Share"]

UNEVEN = ("exact", "pad", "drop")
RESCALE = ("local", "global")


class Rank(NamedTuple):
    """Which records a process takes.

    Attributes:
        number: of this process among the ranks.
        n: of all.
        batch_size: records of a step, see `rescale`.
        uneven: what becomes of the last records, which the ranks cannot share evenly: some get
            one more (``exact``), they are left out (``drop``), or the epoch's first records come
            a second time (``pad``).
        rescale: whose `batch_size` is meant: that of each rank (``local``), or of all together
            (``global``), which they divide evenly.
    """

    number: int
    n: int
    batch_size: int
    uneven: str
    rescale: str = "local"

    @property
    def step(self) -> int:
        """Records that all ranks take in a step."""
        return self.batch_size if self.rescale == "global" else self.batch_size * self.n

    def check(self, function: str) -> Rank:
        """Returns itself.

        Raises:
            ArgumentError: there is no such rank, or a number is too small.
        """
        for name, value in (("batch_size", self.batch_size), ("num_ranks", self.n)):
            if not isinstance(value, int) or value < 1:
                raise argument_error(function, name, value, "must be a positive integer")
        if not isinstance(self.number, int) or not 0 <= self.number < self.n:
            raise argument_error(function, "rank", self.number, f"must be from 0 to {self.n - 1}")
        if self.uneven not in UNEVEN:
            raise argument_error(function, "uneven", self.uneven, f"must be one of {UNEVEN}")
        if self.rescale not in RESCALE:
            raise argument_error(function, "rescale", self.rescale, f"must be one of {RESCALE}")
        if self.step < self.n:
            reason = f"must be at least num_ranks, which is {self.n}, with rescale='global'"
            raise argument_error(function, "batch_size", self.batch_size, reason)
        return self


class Share(NamedTuple):
    """The batches that a rank takes of an epoch, from position `done` on.

    Attributes:
        n_records: of the epoch.
        done: records that were taken before.
        rank: whose.
    """

    n_records: int
    done: int
    rank: Rank

    @property
    def n_batches(self) -> int:
        """Batches of this rank, not counting empty ones."""
        start, stop = self._rest()
        return self._n_whole + (start < stop)

    @property
    def n_steps(self) -> int:
        """Batches of the rank that takes the most of them."""
        return self._replaced(self.rank.n - 1).n_batches  # which gets what `exact` has too much

    def n_records_of(self, i: int) -> int:
        """How many records all ranks together take in step `i`."""
        return self._replaced(self.rank.n - 1).batch(i)[1] - self._replaced(0).batch(i)[0]

    def _replaced(self, number: int) -> Share:
        return self._replace(rank=self.rank._replace(number=number))

    def batch(self, i: int) -> tuple[int, int]:
        """Begin and end of the positions of batch `i`."""
        if i >= self._n_whole:
            return self._rest()
        start, (number, n, *_) = self.done + i * self._step, self.rank
        return start + self._step * number // n, start + self._step * (number + 1) // n

    def done_after(self, n: int) -> int:
        """How many records of the epoch all ranks have taken after `n` batches of each."""
        if n > self._n_whole or (n == self._n_whole and not self._left):
            return self.n_records
        return self.done + n * self._step

    @property
    def _step(self) -> int:
        return self.rank.step

    @property
    def _n_whole(self) -> int:
        return (self.n_records - self.done) // self._step

    @property
    def _left(self) -> int:
        return (self.n_records - self.done) % self._step

    def _rest(self) -> tuple[int, int]:
        """What this rank takes in the last step, which not all can fill."""
        start, left, rank = self.done + self._n_whole * self._step, self._left, self.rank
        if rank.uneven == "exact":
            return start + left * rank.number // rank.n, start + left * (rank.number + 1) // rank.n
        each = left // rank.n if rank.uneven == "drop" else -(-left // rank.n)
        return start + each * rank.number, start + each * (rank.number + 1)
