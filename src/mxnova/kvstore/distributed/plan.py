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
_SMALL = 1 << 10  # bytes of a value whose gradient goes to every rank: one message instead of two


class Reply(Enum):
    """What the owner of a shard answers to a push."""

    VALUE = "value"  # the shard's new value
    SUM = "sum"  # the sum, by which each rank updates the whole value
    NOTHING = "nothing"  # every rank gets all gradients, and sums them up itself


class UpdatePlan:
    """How values are summed up and updated, while updater and compression stay the same.

    Args:
        updater: of the store.
        compression: of dense gradients.
        size: number of ranks.
        row_sharding: of row_sparse values.
        is_sync: whether values are updated by sums; otherwise owners update them by each push, with
            the program's own optimizer.

    Attributes:
        signature: what all workers must have alike.
    """

    def __init__(
        self,
        updater: Any,
        compression: TwoBitCompression | None,
        size: int,
        row_sharding: Sharding,
        is_sync: bool = True,
    ) -> None:
        self.updater, self.compression, self.is_sync = updater, compression, is_sync
        self._size, self._row_sharding = size, row_sharding
        self._is_deterministic = is_sync and is_deterministic(updater)
        compresses = compression is not None and self._is_deterministic
        slices = compresses or is_elementwise(updater)
        owners = [0] if spans_keys(updater) else range(size)  # whose order of keys counts
        self._sharding = Sharding(owners, slices)
        self._replicas: dict[Key, list[Shard]] = {}
        self._replica: OptimizerReplica | None = None
        self.signature = f"updater: {updater is not None}"
        if isinstance(updater, Updater):
            self.signature = f"updater: {type(updater.optimizer).__name__}"
            self._replica = OptimizerReplica(updater) if is_sync else None
        if compression is not None:
            self.signature += f", threshold: {compression.threshold:g}"

    def place(self, values: Mapping[Key, NDArray]) -> None:
        """Decides who owns keys that are new, in their order, which is the same on all ranks."""
        for key, value in values.items():
            if value.stype == "default":
                self._sharding.shards(key, value.shape)

    def reply(self, value: NDArray, of_rows: bool = False) -> Reply:
        """What the owners of a value answer to a push, which may be one `of_rows`.

        Ranks share the updates, unless these are the same on every rank and it is less to send
        gradients, or their sums in a few bits, than values.
        """
        if not self._is_deterministic or value.stype == "row_sparse":
            return Reply.VALUE
        if self.compression is not None:
            return Reply.NOTHING if self._size <= _FEW or of_rows else Reply.SUM
        return Reply.NOTHING if value._raw.nbytes <= _SMALL else Reply.VALUE

    def shards(self, key: Key, value: NDArray, reply: Reply) -> list[Shard]:
        """Who gets which part of a gradient."""
        if value.stype == "row_sparse":
            return self._row_sharding.shards(key, value.shape)
        if reply is not Reply.NOTHING:
            return self._sharding.shards(key, value.shape)
        found = self._replicas.get(key)
        if found is None:
            replicas = [whole(rank, value.shape) for rank in range(self._size)]
            found = self._replicas[key] = replicas
        return found

    def shards_of_states(self, key: Key, value: NDArray, rank: int) -> list[Shard]:
        """Who has the optimizer's states of a key, as `rank` sees it."""
        if self.reply(value) is Reply.VALUE:
            return self.shards(key, value, Reply.VALUE)
        return [whole(rank, value.shape)]

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
