# SPDX-License-Identifier: Apache-2.0
"""Jobs whose processes PyTorch has brought together before, as Ray Train does.

MASTER_PORT is taken then: rank 0 of the process group opens another one, and tells it to all.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

import torch
import torch.distributed as dist

from ...core.base import env
from ...core.base.addresses import listen, own_address
from ...core.base.errors import MXNetError
from .world import World, find

__all__ = ["is_part_of_a_job", "the_world"]

_MAX_BYTES = 4096  # of an address and a port, or of an error


def is_part_of_a_job() -> bool:
    """Whether this process was told of others, or PyTorch has brought it together with some."""
    return _has_group() or find() is not None


def the_world() -> World | None:
    """The world that a launcher has made, or PyTorch; None: this process is alone.

    Ranks of a process group call it together.

    Raises:
        MXNetError: rank 0 has no port for the others.
    """
    world = find()
    is_taken = world is None or (world.source == "torchrun" and not world.is_reused)
    return _of_group() if is_taken and _has_group() else world


def _has_group() -> bool:
    return dist.is_available() and dist.is_initialized()


def _of_group() -> World:
    rank = dist.get_rank()
    place = _told_by_first(_free_place() if rank == 0 else None)
    if isinstance(place, str):
        raise MXNetError(f"rendezvous: worker 0 of PyTorch's process group: {place}")
    address, port = place
    world = World("worker", rank, dist.get_world_size(), address, port, is_host=rank == 0)
    return replace(
        world,
        timeout=env.get("MXNOVA_DIST_TIMEOUT"),
        start_timeout=env.get("MXNOVA_DIST_START_TIMEOUT"),
        interface=os.environ.get("DMLC_INTERFACE", ""),
        node_address=os.environ.get("DMLC_NODE_HOST", ""),
        source="torch.distributed",
    )


def _told_by_first(value: Any) -> Any:
    """What rank 0 gives, as JSON: PyTorch's way for objects would run what another rank sends."""
    kinds = [pair.partition(":")[0] for pair in dist.get_backend_config().split(",")]
    content = json.dumps(value).encode().ljust(_MAX_BYTES)
    told = torch.tensor(list(content), dtype=torch.uint8)
    told = told.to("cpu" if "cpu" in kinds else kinds[0])
    dist.broadcast(told, src=0)
    return json.loads(bytes(told.tolist()))


def _free_place() -> tuple[str, int] | str:
    """An address of this machine and a free port; text: what went wrong, for all to raise."""
    try:
        address = os.environ.get("MASTER_ADDR") or own_address()
        with listen(env.get("MXNOVA_DIST_LISTEN") or address, 0) as free:
            return address, free.getsockname()[1]
    except OSError as error:
        return str(error)[:200]
