# SPDX-License-Identifier: Apache-2.0
"""The job that this process is part of: it enters the meeting place once, for all its stores."""

from __future__ import annotations

import threading

import torch.distributed as dist

from ...core.base.errors import MXNetError
from .faults import Faults
from .links import Links
from .meeting import meet, own_address
from .rendezvous import World, find
from .scheduler import stay
from .watch import Watch

__all__ = ["Job", "job"]

_lock = threading.Lock()
_job: Job | None = None


class Job:
    """Processes that have met.

    Attributes:
        world: who takes part.
        rank: of this worker.
    """

    def __init__(self, world: World) -> None:
        self._store, self.world = meet(world)
        self.rank = int(self.world.rank or 0)
        self._n_stores = 0
        if self.world.source == "DMLC":
            stay(self.world)

    def links(self) -> tuple[Links, Links, Watch]:
        """Connections for one more store, and for its requests; who watches over the workers.

        All workers make them in the same order.
        """
        world = self.world
        self._n_stores += 1
        store = dist.PrefixStore(f"links/{self._n_stores}", self._store)
        keeper = "the scheduler" if world.source == "DMLC" else "worker 0"
        faults = Faults(store, self.rank, world.num_workers, world.timeout, keeper)
        address = own_address(world)
        first, second = (dist.PrefixStore(name, store) for name in ("calls", "requests"))
        links = Links(first, faults, address), Links(second, faults, address)
        return *links, Watch(faults, store)


def job() -> Job:
    """The job of this process.

    Raises:
        MXNetError: nobody started it as part of one; or not all came.
    """
    global _job
    with _lock:
        if _job is None:
            world = find()
            if world is None:
                raise MXNetError(
                    "create: a store for several processes needs to be told who takes part; start "
                    "the program by `mxnova launch -n 2 python train.py` or by `torchrun "
                    "--nproc-per-node 2 train.py`"
                )
            _job = Job(world)
        return _job
