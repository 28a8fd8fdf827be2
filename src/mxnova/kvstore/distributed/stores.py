# SPDX-License-Identifier: Apache-2.0
"""The kinds of stores that many processes share, by name, and the job that they are made in."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing.util import Finalize
from typing import Any

import torch.distributed as dist

from ...core.base.errors import MXNetError
from ..local import LocalStore
from .asynchronous import AsyncStore
from .connections import Connections
from .faults import Faults
from .handshake import connected
from .rendezvous import join, own_address
from .scheduler import stay
from .store import DistributedStore
from .sync import SyncStore
from .world import World, find

__all__ = ["TYPES"]

_lock = threading.Lock()
_job: _Job | None = None


class _Job:
    """Processes that have met."""

    def __init__(self, world: World) -> None:
        self._store, self._world = join(world)
        self._n_stores = 0
        if world.source == "DMLC":
            stay(self._world)

    def connect(self) -> Connections:
        """Connections for one more store; all workers make stores in the same order."""
        self._n_stores += 1
        store: Any = dist.PrefixStore(  # type: ignore[attr-defined]
            f"store/{self._n_stores}", self._store
        )
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
            world = find()
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
    store = kind(name, _the_job().connect())
    atexit.register(Finalize(None, store.close, exitpriority=1))
    return store


TYPES: dict[str, Callable[[str], LocalStore]] = {  # kind -> what makes its transport
    **dict.fromkeys(
        ("dist", "dist_sync", "dist_device_sync", "dist_sync_device"), partial(_made, SyncStore)
    ),
    "dist_async": partial(_made, AsyncStore),
}
