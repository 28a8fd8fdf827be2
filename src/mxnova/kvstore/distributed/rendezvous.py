# SPDX-License-Identifier: Apache-2.0
"""Where the processes of a job meet: a store of small texts, which one of them keeps.

The process that keeps it listens on one address: `MXNOVA_DIST_LISTEN`, or the one that the others
are told. Whoever reaches that port can write into the store, so that nothing of it is executed.
Where a cluster starts a scheduler, as for MXNet, that one keeps the store to the end.
"""

from __future__ import annotations

import atexit
import itertools
import os
import socket
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from ...core.base import env
from ...core.base.addresses import address_of_interface, address_toward, listen
from ...core.base.errors import MXNetError
from .faults import first_line
from .generation import agreed_name
from .world import World, find

__all__ = ["PrefixStore", "host", "join", "own_address", "serve", "stay"]

_TCPStore: Any = dist.TCPStore  # type: ignore[attr-defined]
PrefixStore: Any = dist.PrefixStore  # type: ignore[attr-defined]
_BEATS = 6  # of a worker's heart within `World.timeout`
_LEFT = "left"  # the last beat
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # listening on all of them -> on this machine


def join(world: World) -> tuple[Any, World]:
    """Joins the rendezvous store and waits until all workers are there.

    Returns:
        The store, whose calls wait for `world.timeout` seconds, and `world` with the rank.

    Raises:
        MXNetError: the place cannot be reached or opened, or is gone; a rank is there twice, or
            workers have not come within `world.start_timeout` seconds; the text names them.
    """
    deadline = time.monotonic() + world.start_timeout
    store = _connect(world)
    try:
        if world.is_reused:
            store = PrefixStore(agreed_name(store, world, deadline), store)
        world = replace(world, rank=_agreed_rank(store, world))
        here = f"process {os.getpid()} on {socket.gethostname()}"
        store.set(f"here/{world.role}/{world.rank}", here)
        if world.role == "worker":
            _wait_for_workers(store, world, deadline)
    except dist.DistNetworkError as error:
        raise MXNetError(
            f"rendezvous: who has kept the place at {_named(world)} is gone: {first_line(error)}"
        ) from None
    store.set_timeout(timedelta(seconds=world.timeout))
    return store, world


def own_address(world: World) -> str:
    """By which other processes of the job reach this one: by default that of the way to the master.

    Raises:
        MXNetError: there is no such way, or no such interface.
    """
    if world.node_address:
        return world.node_address
    try:
        if world.interface:
            return address_of_interface(world.interface)
        return address_toward(world.master_address)
    except (OSError, ImportError) as error:
        what = f"no way to {_named(world)}"
        if world.interface:
            what = f"DMLC_INTERFACE={world.interface!r} has no address here"
        raise MXNetError(f"rendezvous: {what}: {error}; DMLC_NODE_HOST tells one") from None


# The place ----------------------------------------------------------------------------------------


def host(listener: socket.socket, seconds: float) -> Any:
    """A store that is kept by this process for whoever comes to `listener`, which it takes.

    Args:
        listener: a socket that listens.
        seconds: that calls of the store wait.
    """
    address, port = listener.getsockname()[:2]
    # The store of libuv takes no sockets in torch 2.6, and prints so.
    takes_sockets = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 7)
    return _TCPStore(
        _ANYWHERE.get(address, address),
        port,
        is_master=True,
        timeout=timedelta(seconds=seconds),
        wait_for_workers=False,
        master_listen_fd=listener.detach(),
        use_libuv=takes_sockets,
    )


def _connect(world: World) -> Any:
    """The store, opened by the one who keeps it, as this attempt of the job sees it.

    Raises:
        MXNetError: it cannot be reached or opened.
    """
    if world.is_host:
        address, port = env.get("MXNOVA_DIST_LISTEN") or world.master_address, world.master_port
        try:
            store = host(listen(address, port), world.start_timeout)
        except OSError as error:
            raise MXNetError(
                f"rendezvous: cannot listen on {address}, port {port}: {error}; where others "
                "reach this machine by an address that it does not have, MXNOVA_DIST_LISTEN tells "
                "where to listen"
            ) from None
    else:
        _wait_for_host(world)
        place = world.master_address, world.master_port
        try:
            limit = timedelta(seconds=world.start_timeout)
            store = _TCPStore(*place, is_master=False, timeout=limit)
        except dist.DistError as error:
            raise MXNetError(
                f"rendezvous: no store at {_named(world)}: {first_line(error)}"
            ) from None
    return PrefixStore(f"mxnova/{world.attempt}", store)


def _wait_for_host(world: World) -> None:
    """Returns when somebody listens; PyTorch's own waiting prints pages."""
    place = world.master_address, world.master_port
    deadline = time.monotonic() + world.start_timeout
    while True:
        left = deadline - time.monotonic()
        try:
            return socket.create_connection(place, timeout=max(left, 0.1)).close()
        except OSError as error:
            if left < 0:
                raise MXNetError(
                    f"rendezvous: nobody answered at {_named(world)} within "
                    f"{world.start_timeout:g} s (MXNOVA_DIST_START_TIMEOUT): {error}"
                ) from None
        time.sleep(0.05)


def _named(world: World) -> str:
    return f"{world.master_address}, port {world.master_port} (as told by {world.source})"


# Those who come -----------------------------------------------------------------------------------


def _agreed_rank(store: Any, world: World) -> int:
    """The rank that was given, or else the next one that is free."""
    if world.rank is None:
        rank: int = store.add("came", 1) - 1
        if rank >= world.num_workers:
            raise MXNetError(
                f"rendezvous: this is worker number {rank + 1} at {_named(world)}, which waits for "
                f"{world.num_workers}; a worker that has died comes back only with all others"
            )
        return rank
    if store.add(f"claimed/{world.role}/{world.rank}", 1) > 1:
        other = store.get(f"here/{world.role}/{world.rank}").decode(errors="replace")
        raise MXNetError(
            f"rendezvous: there is a {world.role} of rank {world.rank} already, {other}; one that "
            "has died comes back only with all others"
        )
    return world.rank


def _wait_for_workers(store: Any, world: World, deadline: float) -> None:
    names = [f"here/worker/{rank}" for rank in range(world.num_workers)]
    try:
        store.wait(names, timedelta(seconds=max(deadline - time.monotonic(), 0.001)))
    except dist.DistStoreError:
        missing = [rank for rank, name in enumerate(names) if not store.check([name])]
        shown = ", ".join(map(str, missing[:10])) + ", …" * (len(missing) > 10)
        raise MXNetError(
            f"rendezvous: rank{'s' * (len(missing) > 1)} {shown} of {world.num_workers} workers "
            f"have not come to {_named(world)} within {world.start_timeout:g} s "
            "(MXNOVA_DIST_START_TIMEOUT)"
        ) from None


# The scheduler ------------------------------------------------------------------------------------


def serve() -> None:
    """Hosts the rendezvous store until every worker has left.

    Raises:
        MXNetError: there is no such job, workers did not come, or one has died; the text names it.
    """
    world = find()
    if world is None or world.role != "scheduler":
        raise MXNetError("scheduler: the environment has no DMLC_ROLE=scheduler")
    store, _ = join(world)
    there = {rank: ("", time.monotonic()) for rank in range(world.num_workers)}  # beat, since when
    while there:
        for rank, (last, since) in list(there.items()):
            name = f"beat/{rank}"
            beat = store.get(name).decode() if store.check([name]) else ""
            limit, what = world.start_timeout, "has not come"
            if beat:
                limit, what = world.timeout, "has not been heard of"
            if beat == _LEFT:
                del there[rank]
            elif beat != last:
                there[rank] = beat, time.monotonic()
            elif time.monotonic() - since > limit:
                of = f"worker {rank} of {world.num_workers}"
                raise MXNetError(f"scheduler: {of} {what} for {limit:g} s")
        time.sleep(0.2)


def stay(world: World) -> None:
    """Shows from now on that this worker is there, and when its process ends that it leaves.

    Args:
        world: of `join`.
    """
    store = _connect(replace(world, is_host=False))  # calls of one connection wait for each other
    store.set_timeout(timedelta(seconds=world.timeout))
    end, process = threading.Event(), os.getpid()

    def show(beat: str) -> None:
        with suppress(dist.DistError):  # the scheduler is gone: others tell what is the matter
            store.set(f"beat/{world.rank}", beat)

    def beat() -> None:
        numbers = itertools.count(1)
        while not end.wait(world.timeout / _BEATS):
            show(str(next(numbers)))
        show(_LEFT)

    show("0")  # here, so that whoever dies from now on is missed soon
    thread = threading.Thread(target=beat, name="mxnova beats", daemon=True)
    thread.start()

    def leave() -> None:
        if os.getpid() == process:  # not a child's end
            end.set()
            thread.join()

    atexit.register(leave)
