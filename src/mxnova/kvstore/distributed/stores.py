# SPDX-License-Identifier: Apache-2.0
"""The kinds of stores that many processes share, by name, and the job that they are made in."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.util import Finalize
from typing import Any

import torch.distributed as dist
from torch import Tensor

from ...core.base import env
from ...core.base.errors import MXNetError
from ...core.nd.array import NDArray
from ...core.nd.wrapping import wrap
from ...core.runtime.context import cpu
from ...optimizer import Updater
from ..compression import TwoBitCompression
from ..keys import Groups, Key
from ..local import LocalStore
from .bucket import Bucket
from .connections import Connections, Request
from .faults import Faults
from .handshake import connected
from .peer import Meta
from .plan import UpdatePlan
from .process_group import the_world
from .rendezvous import PrefixStore, join, own_address, stay
from .step_times import StepTimes
from .store import DistributedStore
from .world import World

__all__ = ["TYPES", "release_times"]


class SyncStore(DistributedStore):
    """Values by key, the same in each worker.

    Pushes of a key are matched by the key: workers may push keys in different orders, each of them
    as often as the others. Calls return at once: the engine keeps whoever touches an array that
    takes part waiting until the owners of its shards have answered.
    """

    _plan: UpdatePlan | None = None
    _compression: TwoBitCompression | None = None

    # Push and pull -------------------------------------------------------------------------------

    def _refuse(self, groups: Groups, reason: str) -> None:
        """Has the pushes of these keys fail for all workers, since this one cannot make its own."""
        values = {key: self._values[key] for key in groups if key in self._values}
        if values:
            self._submit([Bucket(self._current_plan(), values, {}, refusal=reason)])

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


class AsyncStore(DistributedStore):
    """Values by key, each shard with one owner, who updates it by every push at once.

    Nobody waits for other workers, but in `init`, `barrier` and when an optimizer is set. A pull
    asks owners for values. Until there is an optimizer values are those of `init`.
    """

    _plan: UpdatePlan | None = None

    @property
    def updater(self) -> Any:
        """What updates the shards that live here."""
        return self._updater

    @updater.setter
    def updater(self, updater: Any) -> None:
        self._updater = updater
        if updater is None:
            return
        name = type(updater.optimizer).__name__ if isinstance(updater, Updater) else "updater"
        if self._plan is None:  # later ones find shards as they are
            self._plan = UpdatePlan(
                updater, self.compression, self.num_workers, self._row_sharding, is_sync=False
            )
            self._place(self._values)
        self._coordinator.agree("set_optimizer", [name])

    def _current_plan(self) -> UpdatePlan:
        if self._plan is None:
            raise MXNetError(
                f"KVStore: a store of type {self.type!r} updates values by each push, for which it "
                "needs an optimizer; see set_optimizer"
            )
        self._plan.compression = self.compression
        return self._plan

    def _place(self, values: Mapping[Key, NDArray]) -> None:
        """Copies this worker's shards of dense values, which are updated from now on."""
        for key, value in values.items():
            if value.stype == "default":
                for shard in self._shards(key, value):
                    if shard.owner == self.rank:
                        mine = shard.of(value._tensor).cpu().clone().view(shard.shape)
                        self.server.shards[key] = wrap(mine, cpu(0))

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        super()._init_dense(values)
        if self._plan is not None:
            self._place(values)

    def _spread(self, wanted: Groups, priority: int) -> None:
        if self._plan is not None:  # dense values become those of the owners before
            dense = [k for k, outs in wanted.items() if outs and self._values[k].stype == "default"]
            for keys in self._chunks(dense):
                values = {key: self._values[key] for key in keys}
                self._submit([Bucket(self._plan, values, {}, priority=priority)])
        super()._spread(wanted, priority)

    def _push_buffers(self, rank: int, message: Meta) -> Sequence[Tensor]:
        buffers = super()._push_buffers(rank, message)
        for each in message["contributions"]:
            if each.data is None or each.stop - each.start != self.server.shard(each.key).size:
                raise ValueError(f"a push of key {each.key!r} that does not fit")
        for key in message["pull"]:
            self.server.shard(key)
        return buffers

    def _take_push(self, request: Request) -> None:
        self.server.update_now(request, self._updater)


# The job ------------------------------------------------------------------------------------------

_lock = threading.Lock()
_job: _Job | None = None


class _Job:
    """Processes that have met."""

    def __init__(self, world: World) -> None:
        self._store, self._world = join(world)
        self._n_stores = 0
        self.times = StepTimes(self._tell) if env.get("MXNOVA_STEP_TIMES") else None
        if world.source == "DMLC":
            stay(self._world)

    def _tell(self, report: str) -> None:
        """Leaves a report for the launcher; one that is gone needs none."""
        with suppress(dist.DistError):
            self._store.set(f"steps/{self._world.rank}", report)

    def connect(self) -> Connections:
        """Connections for one more store; all workers make stores in the same order."""
        self._n_stores += 1
        store = PrefixStore(f"store/{self._n_stores}", self._store)
        world = self._world
        faults = Faults(int(world.rank or 0), world.num_workers, world.timeout)
        return Connections(connected(store, faults, own_address(world)), faults)


def _the_job() -> _Job:
    """The job of this process.

    Raises:
        MXNetError: nobody started it as part of one; or not all came.
    """
    global _job
    with _lock:
        if _job is None:
            world = the_world()
            if world is None:
                raise MXNetError(
                    "create: a store for several processes needs to be told who takes part; start "
                    "the program by `mxnova launch -n 2 python train.py` or by `torchrun "
                    "--nproc-per-node 2 train.py`"
                )
            _job = _Job(world)
        return _job


def _made(kind: Callable[..., DistributedStore], name: str) -> LocalStore:
    """A store that is closed when the process ends, also one of `multiprocessing`.

    First of all that ends: threads that go on pushing would keep the engine from ever being done.
    """
    job = _the_job()
    store = kind(name, job.connect())
    if job.times is not None:  # those of the first store count
        store.times, job.times = job.times, None
    atexit.register(Finalize(None, store.close, exitpriority=1))
    return store


def release_times(store: LocalStore) -> None:
    """Has the next store of the job measure steps, if this one did."""
    if _job is not None and isinstance(store, DistributedStore) and store.times is not None:
        _job.times, store.times = store.times, None


_SYNC = ("dist", "dist_sync", "dist_device_sync", "dist_sync_device")
TYPES: dict[str, Callable[[str], LocalStore]] = {  # kind -> what makes its transport
    **dict.fromkeys(_SYNC, partial(_made, SyncStore)),
    "dist_async": partial(_made, AsyncStore),
}
