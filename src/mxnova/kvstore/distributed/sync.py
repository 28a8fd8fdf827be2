# SPDX-License-Identifier: Apache-2.0
"""SyncStore: each key is updated once by the sum of what all workers push."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.nd.array import NDArray
from ...core.runtime.context import Context, cpu
from ...optimizer import Updater
from ..compression import TwoBitCompression
from ..keys import Groups, Key
from .bucket import Bucket
from .connections import Connections
from .plan import Reply, UpdatePlan
from .store import DistributedStore

__all__ = ["SyncStore"]


class SyncStore(DistributedStore):
    """Values by key, the same in each worker.

    Pushes of a key are matched by the key: workers may push keys in different orders, each of them
    as often as the others. Calls return at once: the engine keeps whoever touches an array that
    takes part waiting until the owners of its shards have answered.
    """

    def __init__(self, type: str, connections: Connections) -> None:
        self._plan: UpdatePlan | None = None
        self._compression: TwoBitCompression | None = None
        super().__init__(type, connections)

    # Push and pull -------------------------------------------------------------------------------

    def _buckets(self, groups: Groups, outs: Groups, priority: int) -> Iterator[Bucket]:
        self._bring_home(groups)
        return super()._buckets(groups, outs, priority)

    def _refuse(self, groups: Groups, reason: str) -> None:
        """Has the pushes of these keys fail for all workers, since this one cannot make its own."""
        values = {key: self._values[key] for key in groups if key in self._values}
        if values:
            self._submit([Bucket(self._current_plan(), values, {}, refusal=reason)])

    def _finished(self, bucket: Bucket) -> None:
        super()._finished(bucket)
        others = [
            key
            for key in bucket.values
            if bucket.replies[key] is Reply.VALUE and key not in bucket.owned
        ]
        if others and bucket.settings is not None:
            with self.server.lock:
                bucket.plan.count(others)

    # Devices -------------------------------------------------------------------------------------

    def _first_home(self, values: list[NDArray]) -> Context:
        """The GPU of a dense array on one, so that it is updated there."""
        dense = (v.context for v in values if v.stype == "default")
        return next((context for context in dense if context.device_type == "gpu"), cpu(0))

    def _bring_home(self, groups: Groups) -> None:
        """Moves values to the GPU where their gradients come from, for the first of these."""
        for key, values in groups.items():
            stored = self._values[key]
            if stored.context.device_type == "gpu" or stored.stype != "default":
                continue
            home = self._first_home(values)
            if home.device_type == "gpu":
                self._values[key] = stored.as_in_context(home)
                if isinstance(self.updater, Updater):
                    self.updater.states_synced[key] = False

    # Who updates what ----------------------------------------------------------------------------

    @property
    def compression(self) -> TwoBitCompression | None:
        """What every pushed dense array goes through; a call of all workers sets it."""
        return self._compression

    @compression.setter
    def compression(self, compression: TwoBitCompression | None) -> None:
        states = None
        if self._plan is not None and isinstance(self.updater, Updater):
            states = self.get_states(dump_optimizer=False)
        self._compression, self._plan = compression, None
        if states is not None:  # which other ranks may have from now on
            self.set_states(states)

    def _current_plan(self) -> UpdatePlan:
        """Decided anew for a new updater, which has no states yet."""
        if self._plan is None or self._plan.updater is not self.updater:
            self._plan = UpdatePlan(
                self.updater, self.compression, self.num_workers, self._row_sharding
            )
            self._plan.place(self._values)
        return self._plan

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        super()._init_dense(values)
        if self._plan is not None:
            self._plan.place(values)

    def get_states(self, dump_optimizer: bool) -> bytes:
        """The states of the optimizer, which are with the owners, and on demand the optimizer."""
        self._own_updater("save")
        self._wait_for_pending()
        with self.server.lock:
            self._current_plan().write_back()
        return super().get_states(dump_optimizer)
