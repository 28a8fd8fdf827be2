# SPDX-License-Identifier: Apache-2.0
"""Where the processes of a job meet: a store of small texts, which one of them keeps.

The process that keeps it listens on one address: `MXNOVA_DIST_LISTEN`, or the one that the others
are told. Whoever reaches that port can write into the store, so that nothing of it is executed.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from ...core.base import env
from ...core.base.errors import MXNetError
from .faults import first_line
from .world import Role, World

__all__ = ["connect", "host", "join", "leave", "listen", "own_address"]

_TCPStore: Any = dist.TCPStore  # type: ignore[attr-defined]
_PrefixStore: Any = dist.PrefixStore  # type: ignore[attr-defined]
_SIOCGIFADDR = 0x8915  # of Linux: the address of an interface
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
    store = connect(world)
    try:
        world = replace(world, rank=_agreed_rank(store, world))
        store.set(f"here/{world.role}/{world.rank}", _description())
        if world.role == "worker":
            _wait_for_workers(store, world, deadline)
    except dist.DistNetworkError as error:
        raise MXNetError(
            f"rendezvous: who has kept the place at {_named(world)} is gone: {first_line(error)}"
        ) from None
    store.set_timeout(timedelta(seconds=world.timeout))
    return store, world


def leave(store: Any, world: World) -> None:
    """Tells the host of the store that this worker needs it no more."""
    store.set(f"left/{world.rank}", "")


def own_address(world: World) -> str:
    """By which other processes of the job reach this one: by default that of the way to the master.

    Raises:
        MXNetError: there is no such way, or no such interface.
    """
    if world.node_address:
        return world.node_address
    if world.interface:
        return _address_of(world.interface)
    try:
        family, _, _, _, place = _resolved(world.master_address, world.master_port)
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect(place)  # sends nothing
            return str(way.getsockname()[0])
    except OSError as error:
        raise MXNetError(f"rendezvous: no way to {_named(world)}: {error}") from None


def _address_of(interface: str) -> str:
    """The IPv4 address of a network interface, as Linux tells it."""
    try:
        import fcntl

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            request = struct.pack("256s", os.fsencode(interface)[:15])
            answer = fcntl.ioctl(any_socket, _SIOCGIFADDR, request)
    except (ImportError, OSError) as error:
        raise MXNetError(
            f"rendezvous: DMLC_INTERFACE={interface!r} has no address here: {error}; "
            "DMLC_NODE_HOST tells one"
        ) from None
    return socket.inet_ntoa(answer[20:24])


# The place ----------------------------------------------------------------------------------------


def listen(address: str, port: int = 0) -> socket.socket:
    """A socket on which a store can be kept.

    Args:
        address: of this machine; others are not served.
        port: 0: one that is free.

    Raises:
        MXNetError: it is not an address of this machine, or the port is taken.
    """
    try:
        family, _, _, _, place = _resolved(address, port)
        return socket.create_server(place[:2], family=family, backlog=4096)
    except OSError as error:
        raise MXNetError(
            f"rendezvous: cannot listen on {address}, port {port}: {error}; where others reach "
            "this machine by an address that it does not have, MXNOVA_DIST_LISTEN tells where to "
            "listen"
        ) from None


def host(listener: socket.socket, seconds: float) -> Any:
    """A store that is kept by this process for whoever comes to `listener`, which it takes.

    Args:
        listener: of `listen`.
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


def connect(world: World) -> Any:
    """The store, opened by the one who keeps it, as this attempt of the job sees it.

    Raises:
        MXNetError: it cannot be reached or opened.
    """
    if world.is_host:
        address = env.get("MXNOVA_DIST_LISTEN") or world.master_address
        store = host(listen(address, world.master_port), world.start_timeout)
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
    return _PrefixStore(f"mxnova/{world.attempt}", store)


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


def _resolved(address: str, port: int) -> tuple[int, int, int, str, tuple[str, int]]:
    found: list[tuple[int, int, int, str, tuple[str, int]]] = socket.getaddrinfo(  # type: ignore[assignment]
        address, port, type=socket.SOCK_STREAM
    )
    return found[0]


def _named(world: World) -> str:
    return f"{world.master_address}, port {world.master_port} (as told by {world.source})"


# Those who come -----------------------------------------------------------------------------------


def _agreed_rank(store: Any, world: World) -> int:
    """The rank that was given, or else the next one that is free."""
    role: Role = world.role
    count = {"worker": world.num_workers, "server": world.num_servers, "scheduler": 1}[role]
    if world.rank is None:
        rank: int = store.add(f"came/{role}", 1) - 1
        if rank >= count:
            raise MXNetError(
                f"rendezvous: this is {role} number {rank + 1} at {_named(world)}, which waits for "
                f"{count}; a {role} that has died comes back only with all others"
            )
        return rank
    if store.add(f"claimed/{role}/{world.rank}", 1) > 1:
        other = store.get(f"here/{role}/{world.rank}").decode(errors="replace")
        raise MXNetError(
            f"rendezvous: there is a {role} of rank {world.rank} already, {other}; one that has "
            "died comes back only with all others"
        )
    return world.rank


def _description() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _wait_for_workers(store: Any, world: World, deadline: float) -> None:
    names = [f"here/worker/{rank}" for rank in range(world.num_workers)]
    for name in names:
        left = max(deadline - time.monotonic(), 0.001)
        try:
            store.wait([name], timedelta(seconds=left))
        except dist.DistStoreError:
            missing = [rank for rank, name in enumerate(names) if not store.check([name])]
            raise MXNetError(
                f"rendezvous: {_ranks(missing)} of {world.num_workers} workers have not come to "
                f"{_named(world)} within {world.start_timeout:g} s (MXNOVA_DIST_START_TIMEOUT)"
            ) from None


def _ranks(ranks: list[int]) -> str:
    shown = ", ".join(map(str, ranks[:10])) + (", …" if len(ranks) > 10 else "")
    return f"rank {shown}" if len(ranks) == 1 else f"ranks {shown}"
