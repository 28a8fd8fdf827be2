# SPDX-License-Identifier: Apache-2.0
"""What all workers of a job know at the same step."""

from __future__ import annotations

from .. import kvstore, ndarray
from ..kvstore.distributed.process_group import is_part_of_a_job
from ..kvstore.distributed.stores import release_times

__all__ = ["Agreement"]

_STOP, _STEP = "stop", "step"


class Agreement:
    """A store of its own, in which workers tell each other what they want.

    What was asked in one step is known in the next: nobody waits for an answer.

    Attributes:
        rank: of this worker.
        world: how many workers there are.
    """

    def __init__(self) -> None:
        self._store = kvstore.create("dist_sync") if is_part_of_a_job() else None
        self._answer: ndarray.NDArray | None = None
        self.rank = 0 if self._store is None else self._store.rank
        self.world = 1 if self._store is None else self._store.num_workers
        if self._store is not None:
            release_times(self._store.handle)
            self._store.init(_STOP, ndarray.zeros(1))

    def first(self, number: int) -> int:
        """The number that the first worker gives."""
        if self._store is None:
            return number
        agreed = ndarray.zeros(1, dtype="int64")
        self._store.init(_STEP, ndarray.array([number], dtype="int64"))
        self._store.pull(_STEP, agreed)
        return int(agreed.asscalar())

    def any(self, wants: bool) -> bool:
        """Whether one of the workers wanted something when it last came here; all call it."""
        if self._store is None:
            return wants
        before, self._answer = self._answer, ndarray.zeros(1)
        self._store.pushpull(_STOP, ndarray.array([wants]), out=self._answer)
        return before is not None and bool(before.asscalar() > 0)

    def is_broken(self) -> bool:
        """Whether a worker has died."""
        return self._store is not None and self._store.get_num_dead_node() > 0
