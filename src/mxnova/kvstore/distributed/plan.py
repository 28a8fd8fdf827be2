# SPDX-License-Identifier: Apache-2.0
"""UpdatePlan: where pushed gradients are summed up, and who updates the value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from ...core.nd.array import NDArray
from ...optimizer import Updater
from ..compression import TwoBitCompression
from ..keys import Key
from ..local import call_updater
from .replica import OptimizerReplica, Settings, snapshot
from .sharding import Shard, Sharding, is_deterministic, is_elementwise, spans_keys, whole

__all__ = ["Reply", "UpdatePlan"]

_FEW = 2  # ranks for whom codes to every rank are fewer bits than codes to owners and sums back


class Reply(Enum):
    """What the owner of a shard answers to a push."""

    VALUE = "value"  # the shard's new value
    SUM = "sum"  # the sum, by which each rank updates the whole value
    NOTHING = "nothing"  # every rank gets all gradients, and sums them up itself


class UpdatePlan:
    """How dense values are summed up and updated, while updater and compression stay the same.

    Args:
        updater: of the store.
        compression: of the store.
        size: number of ranks.

    Attributes:
        signature: what all workers must have alike.
        reply: what owners answer. With compression, sums in a few bits where updates are the same
            on every rank; otherwise new values.
    """

    def __init__(self, updater: Any, compression: TwoBitCompression | None, size: int) -> None:
        self.updater, self.compression, self._size = updater, compression, size
        self.reply = Reply.VALUE
        if compression is not None and is_deterministic(updater):
            self.reply = Reply.NOTHING if size <= _FEW else Reply.SUM
        slices = self.reply is not Reply.VALUE or is_elementwise(updater)
        owners = [0] if spans_keys(updater) else range(size)  # whose order of keys counts
        self._sharding = Sharding(owners, slices)
        self._replica = OptimizerReplica(updater) if isinstance(updater, Updater) else None
        self.signature = f"updater: {updater is not None}"
        if self._replica is not None:
            self.signature = f"updater: {type(updater.optimizer).__name__}"
        if compression is not None:
            self.signature += f", threshold: {compression.threshold:g}"

    def place(self, values: Mapping[Key, NDArray]) -> None:
        """Decides who owns keys that are new, in their order, which is the same on all ranks."""
        for key, value in values.items():
            if value.stype == "default":
                self._sharding.shards(key, value.shape)

    def shards(self, key: Key, shape: tuple[int, ...]) -> list[Shard]:
        """Who gets which part of a gradient."""
        if self.reply is Reply.NOTHING:
            return [whole(rank, shape) for rank in range(self._size)]
        return self._sharding.shards(key, shape)

    def shards_of_states(self, key: Key, shape: tuple[int, ...], rank: int) -> list[Shard]:
        """Who has the optimizer's states of a key, as `rank` sees it."""
        if self.reply is Reply.VALUE:
            return self._sharding.shards(key, shape)
        return [whole(rank, shape)]

    # Updates -------------------------------------------------------------------------------------

    def snapshot(self, keys: Iterable[Key]) -> Settings | None:
        """Counts an update of some keys; returns the optimizer's settings at this call."""
        return None if self._replica is None else snapshot(self.updater.optimizer, keys)

    def update(
        self, updates: Sequence[tuple[Key, NDArray, NDArray]], settings: Settings | None
    ) -> None:
        """Updates values by sums.

        Args:
            updates: key, sum and value of each.
            settings: the snapshot of the call.
        """
        if self._replica is None or settings is None:
            call_updater(self.updater, updates)
            return
        self._replica.follow(settings)
        call_updater(self._replica.updater, updates)

    def count(self, keys: Sequence[Key]) -> None:
        """Counts updates of keys that others own, for rates that depend on how many there were."""
        if self._replica is not None:
            self._replica.count(keys)

    def write_back(self) -> None:
        """Copies what updates have changed to the program's optimizer."""
        if self._replica is not None:
            self._replica.write_back()

    def reload(self) -> None:
        """Takes states and optimizer from the program's updater, which has loaded them."""
        if self._replica is not None:
            self._replica = OptimizerReplica(self.updater)
