# SPDX-License-Identifier: Apache-2.0
"""The job that this process is part of: it joins the rendezvous store once, for all its stores."""

from __future__ import annotations

import threading
from typing import Any

import torch.distributed as dist

from ...core.base.errors import MXNetError
from .connections import Connections
from .faults import Faults
from .handshake import connected
from .rendezvous import join, own_address
from .scheduler import stay
from .world import World, find

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
        self._store, self.world = join(world)
        self.rank = int(self.world.rank or 0)
        self._n_stores = 0
        if self.world.source == "DMLC":
            stay(self.world)

    def connect(self) -> Connections:
        """Connections for one more store; all workers make stores in the same order."""
        self._n_stores += 1
        store: Any = dist.PrefixStore(  # type: ignore[attr-defined]
            f"store/{self._n_stores}", self._store
        )
        faults = Faults(self.rank, self.world.num_workers, self.world.timeout)
        return Connections(connected(store, faults, own_address(self.world)), faults)


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
