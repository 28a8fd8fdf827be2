# SPDX-License-Identifier: Apache-2.0
"""The scheduler of a job that a cluster starts as MXNet's: it hosts the store to the end.

Workers show every few seconds that they are there, and at their end that they leave.
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import torch.distributed as dist

from ...core.base.errors import MXNetError
from . import rendezvous
from .world import World, find

__all__ = ["serve", "stay"]

_BEATS = 6  # of a worker's heart within `World.timeout`


def serve() -> None:
    """Hosts the rendezvous store until every worker has left.

    Raises:
        MXNetError: there is no such job, workers did not come, or one has died; the text names it.
    """
    world = find()
    if world is None or world.role != "scheduler":
        raise MXNetError("scheduler: the environment has no DMLC_ROLE=scheduler")
    store, _ = rendezvous.join(world)
    beats = {rank: (b"", time.monotonic() + world.start_timeout) for rank in _ranks(world)}
    while beats:
        for rank, (beat, deadline) in list(beats.items()):
            if store.check([f"left/{rank}"]):
                del beats[rank]
            elif (new := _beat_of(store, rank)) != beat:
                beats[rank] = new, time.monotonic() + world.timeout
            elif time.monotonic() > deadline:
                what = "has not been heard of" if beat else "has not come"
                raise MXNetError(
                    f"scheduler: worker {rank} of {world.num_workers} {what} for "
                    f"{world.timeout if beat else world.start_timeout:g} s"
                )
        time.sleep(0.2)


def _ranks(world: World) -> range:
    return range(world.num_workers)


def _beat_of(store: Any, rank: int) -> bytes:
    name = f"beat/{rank}"
    return store.get(name) if store.check([name]) else b""


def stay(world: World) -> None:
    """Shows from now on that this worker is there, and when its process ends that it leaves.

    Args:
        world: of `meet`.
    """
    own = replace(world, is_host=False)  # calls of one connection wait for each other
    store = rendezvous.connect(own)
    end, process = threading.Event(), os.getpid()

    def show(number: int) -> None:
        store.set(f"beat/{world.rank}", str(number))

    def beat() -> None:
        with suppress(dist.DistError):  # the scheduler is gone: others tell what is the matter
            for number in itertools.count(1):
                if end.wait(world.timeout / _BEATS):
                    rendezvous.leave(store, world)
                    return
                show(number)

    store.set_timeout(timedelta(seconds=world.timeout))
    with suppress(dist.DistError):
        show(0)  # here, so that whoever dies from now on is missed soon
    thread = threading.Thread(target=beat, name="mxnova beats", daemon=True)
    thread.start()

    def leave() -> None:
        if os.getpid() == process:  # not a child's end
            end.set()
            thread.join(world.timeout)

    atexit.register(leave)
