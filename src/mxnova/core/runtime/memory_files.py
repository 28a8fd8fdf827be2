# SPDX-License-Identifier: Apache-2.0
"""Memory that several processes see on Linux, freed with its last user however that one ends.

A block is a memfd: a file in memory without a name, which the kernel frees when no process maps or
holds it, also after SIGKILL. Another process opens it as `/proc/<pid>/fd/<id>` of a process that
holds it, so (pid, id) names a block as it does in MXNet, without servers and sockets.

A block that was sent must live until it is received. Each sending has a byte of the block's header
of its own, its ticket, where the receiver says so; the sender keeps the block until then. A process
that ends before leaves a copy under a name, which the receiver, or else any later sender after a
while, removes.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import secrets
import threading
import time
from multiprocessing import util
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import torch
from torch import Tensor

from ..base.errors import MXNetError

__all__ = ["Address", "Block", "block_of", "n_blocks"]

_HEADER = mmap.PAGESIZE
_COOKIE = 16  # bytes of the header that tell a block from whatever else has its number now
_UNUSED, _SENT, _RECEIVED = 0, 1, 2  # what a ticket says
_ALIGNMENT = 16
_FOLDER, _PREFIX = "/dev/shm", "mxnova-"
_ABANDONED_S = 600.0


class Address(NamedTuple):
    """Where one receiver finds a block, once."""

    pid: int
    id: int
    cookie: bytes
    ticket: int

    @property
    def left_at(self) -> str:
        """The path that a sender which ended before the block was received left a copy at."""
        return f"{_FOLDER}/{_PREFIX}{self.cookie.hex()}-{self.ticket}"


class Block:
    """One block of shared memory; `memory` are its bytes."""

    __slots__ = ("__weakref__", "_cookie", "_file", "_map", "memory")

    def __init__(self, file: int, size: int | None = None) -> None:
        self._file = file
        if size is not None:
            os.ftruncate(file, _HEADER + size)
        self._map = mmap.mmap(file, os.fstat(file).st_size)
        if size is not None:
            self._map[:_COOKIE] = secrets.token_bytes(_COOKIE)
        self._cookie = self._map[:_COOKIE]
        self.memory = torch.from_numpy(np.frombuffer(self._map, np.uint8, offset=_HEADER))
        _blocks[self.memory.data_ptr()] = self

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # raised in __init__
            os.close(self._file)

    @classmethod
    def new(cls, size: int) -> Block:
        """A block of `size` bytes, zeros.

        Raises:
            MXNetError: the system refuses.
        """
        _release_received()
        try:
            return cls(os.memfd_create("mxnova"), max(_up(size, _ALIGNMENT), _ALIGNMENT))
        except OSError as error:
            raise MXNetError(f"cpu_shared: no memory for {size} bytes: {error}") from None

    @property
    def id(self) -> int:
        """Its number in this process."""
        return self._file

    def send(self) -> Address:
        """An address for one other process, which may open it once."""
        _release_received()
        with _sending:
            address = Address(os.getpid(), self._file, self._cookie, self._new_ticket())
            _sent.append((self, address))
        return address

    def _new_ticket(self) -> int:
        fcntl.lockf(self._file, fcntl.LOCK_EX)  # other processes may send it too
        try:
            ticket = self._map.find(bytes([_UNUSED]), _COOKIE, _HEADER)
            if ticket < 0:
                n_sent = _HEADER - _COOKIE
                raise MXNetError(f"cpu_shared: a block was sent {n_sent} times, never received")
            self._map[ticket] = _SENT
            return ticket
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)

    @classmethod
    def receive(cls, address: Address) -> Block:
        """The block at `address`; what either process writes, both see.

        Raises:
            MXNetError: it is gone.
        """
        _release_received()
        for path in (f"/proc/{address.pid}/fd/{address.id}", address.left_at):
            with contextlib.suppress(FileNotFoundError, PermissionError, ProcessLookupError):
                file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
                if os.pread(file, _COOKIE, 0) == address.cookie:
                    block = cls(file)
                    block._taken(address)
                    return block
                os.close(file)
        raise MXNetError(
            f"cpu_shared: the memory that process {address.pid} sent is gone: "
            "it was received before, or that process was killed"
        )

    def _taken(self, address: Address) -> None:
        self._map[address.ticket] = _RECEIVED
        with contextlib.suppress(FileNotFoundError):
            os.unlink(address.left_at)

    def _leave(self, address: Address) -> None:
        """Copies it to where the receiver looks when this process has ended."""
        try:
            with open(address.left_at, "xb", opener=_private) as file:
                file.write(self._map)
        except OSError:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(address.left_at)
            raise
        if self._map[address.ticket] == _RECEIVED:  # meanwhile
            self._taken(address)


def _up(size: int, step: int) -> int:
    return -(-size // step) * step


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


_blocks: WeakValueDictionary[int, Block] = WeakValueDictionary()
_sent: list[tuple[Block, Address]] = []
_sending = threading.RLock()


def n_blocks() -> int:
    """How many blocks this process has."""
    return len(_blocks)


def block_of(tensor: Tensor) -> Block | None:
    """The block that a tensor is a view of, if any."""
    return _blocks.get(tensor.untyped_storage().data_ptr())


def _release_received() -> None:
    """Gives up what its receivers have opened since."""
    with _sending:
        for block, address in [(b, a) for b, a in _sent if b._map[a.ticket] == _RECEIVED]:
            block._map[address.ticket] = _UNUSED
            _sent.remove((block, address))


def _leave_unreceived() -> None:
    """At the end of a process: others may still want what it sent."""
    _release_received()
    if _sent:
        _remove_abandoned()
    for block, address in _sent:
        block._leave(address)


def _remove_abandoned() -> None:
    oldest = time.time() - _ABANDONED_S
    for entry in os.scandir(_FOLDER):
        if entry.name.startswith(_PREFIX):
            with contextlib.suppress(OSError):
                if entry.stat().st_mtime < oldest:
                    os.unlink(entry.path)


def _forget_sent() -> None:
    """After a fork: the parent keeps what it sent."""
    global _sending
    _sending = threading.RLock()
    _sent.clear()


def _at_exit(_: object = None) -> None:
    # multiprocessing's children end without atexit. Queues pickle in a thread that is joined at
    # priority -5; what it sends is known only then.
    util.Finalize(None, _leave_unreceived, exitpriority=-100)


_at_exit()
util.register_after_fork(_at_exit, _at_exit)  # children start without finalizers
os.register_at_fork(after_in_child=_forget_sent)
