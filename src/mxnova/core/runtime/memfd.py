# SPDX-License-Identifier: Apache-2.0
"""Memory that several processes see on Linux, freed with its last user however that one ends.

A block is a memfd: a file in memory without a name, which the kernel frees when no process maps or
holds it, also after SIGKILL. Another process opens it as `/proc/<pid>/fd/<id>` of a process that
holds it, so (pid, id) names a block as it does in MXNet, without servers and sockets.

A block that was sent must live until it is received. Each sending has a byte of the block's header
of its own, its ticket, where the receiver says so; the sender keeps the block until then. A process
that ends before leaves a copy under a name, which the receiver, or else any later sender after a
while, removes.

Fresh pages cost fifty times what writing to them does, so a block that this process made is used
again once nobody sees it. Here, no view of its memory is left, and no child was forked while there
was one. Elsewhere, each receiver has a lock on the file it opened. The kernel holds it for as long
as any process has that file open or mapped, forks of the receiver included.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import secrets
import threading
import time
import weakref
from multiprocessing import util
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import torch
from torch import Tensor

from ..base.errors import MXNetError

__all__ = ["Address", "Block", "block_ids", "block_of", "n_blocks", "release_resting"]

_HEADER = mmap.PAGESIZE
_COOKIE = 16  # bytes of the header that tell a block from whatever else has its number now
_UNUSED, _SENT, _RECEIVED = 0, 1, 2  # what a ticket says
_ALIGNMENT = 16
_FOLDER, _PREFIX = "/dev/shm", "mxnova-"
_ABANDONED_S = 600.0
_RESTING, _RESTING_CALLS = 32, 64  # how many blocks rest, and while how many others are taken


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


class _Region:
    """A file in memory and where it is mapped: what blocks lie in, one after the other.

    Attributes:
        n_forks: how often this process had forked when the present block was made; None: another
            process made it.
        rested_at: how many blocks had been made when it was used last.
    """

    __slots__ = ("file", "map", "n_forks", "rested_at")

    def __init__(self, file: int) -> None:
        self.file = file
        self.map = mmap.mmap(file, os.fstat(file).st_size)
        self.n_forks: int | None = None
        self.rested_at = 0

    def __del__(self) -> None:
        os.close(self.file)

    @classmethod
    def new(cls, size: int) -> _Region:
        file = os.memfd_create("mxnova")
        try:
            os.ftruncate(file, _HEADER + size)
        except OSError:
            os.close(file)
            raise
        return cls(file)

    def fits(self, size: int) -> bool:
        """Whether it has that many bytes and at most twice as many."""
        return size <= len(self.map) - _HEADER <= 2 * size

    def begin(self) -> bool:
        """Makes it a new block's, unless another process still sees the one before."""
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self.map[:_HEADER] = secrets.token_bytes(_COOKIE).ljust(_HEADER, b"\0")
        self.n_forks = _n_forks
        fcntl.flock(self.file, fcntl.LOCK_UN)
        return True

    def rest(self) -> None:
        """What becomes of it when no view is left."""
        if self.n_forks != _n_forks:
            return
        self.rested_at = _n_made
        self.begin()  # nobody finds the old block from here on, if nobody has it
        _resting.append(self)
        if len(_resting) > _RESTING:
            _resting.pop(0)


class Block:
    """One block of shared memory; `memory` are its bytes."""

    __slots__ = ("__weakref__", "_cookie", "_file", "_map", "memory")

    def __init__(self, region: _Region) -> None:
        self._file, self._map = region.file, region.map
        self._cookie = self._map[:_COOKIE]
        bytes_ = np.frombuffer(self._map, np.uint8, offset=_HEADER)
        weakref.finalize(bytes_, region.rest).atexit = False  # keeps the region until then
        self.memory = torch.from_numpy(bytes_)
        _blocks[self.memory.data_ptr()] = self

    @classmethod
    def new(cls, size: int) -> Block:
        """A block of at least `size` bytes, whatever they are.

        Raises:
            MXNetError: the system refuses.
        """
        global _n_made
        _n_made += 1
        _release_received()
        size = max(_up(size, _ALIGNMENT), _ALIGNMENT)
        region = _rested(size)
        if region is None:
            try:
                region = _Region.new(size)
            except OSError as error:
                raise MXNetError(f"cpu_shared: no memory for {size} bytes: {error}") from None
            region.begin()
        return cls(region)

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
                if _is_locked(file) and os.pread(file, _COOKIE, 0) == address.cookie:
                    block = cls(_Region(file))
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


def _is_locked(file: int) -> bool:
    """Holds a block that was received, unless its sender is about to use it anew."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _rested(size: int) -> _Region | None:
    """A region that was used before, fits, and is nobody's any more."""
    with _sending:
        while _resting and _n_made - _resting[0].rested_at > _RESTING_CALLS:
            _resting.pop(0)
        for region in _resting[::-1]:
            if region.fits(size) and region.begin():
                _resting.remove(region)
                return region
    return None


def _up(size: int, step: int) -> int:
    return -(-size // step) * step


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


_blocks: WeakValueDictionary[int, Block] = WeakValueDictionary()
_sent: list[tuple[Block, Address]] = []
_sending = threading.RLock()
_resting: list[_Region] = []
_n_made = _n_forks = 0


def block_ids() -> set[int]:
    """Numbers of the blocks in use here."""
    return {block.id for block in list(_blocks.values())}


def n_blocks() -> int:
    """How many blocks this process has."""
    return len(_blocks)


def release_resting() -> None:
    """Gives the memory of blocks that nobody uses any more back to the system."""
    _resting.clear()


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


def _count_fork() -> None:
    """Before a fork: from here on, two processes have the views there are."""
    global _n_forks
    _n_forks += 1


def _forget_sent() -> None:
    """After a fork: the parent keeps what it sent, and what rests."""
    global _sending
    _sending = threading.RLock()
    _sent.clear()
    _resting.clear()


def _at_exit(_: object = None) -> None:
    # multiprocessing's children end without atexit. Queues pickle in a thread that is joined at
    # priority -5; what it sends is known only then.
    util.Finalize(None, _leave_unreceived, exitpriority=-100)


_at_exit()
util.register_after_fork(_at_exit, _at_exit)  # children start without finalizers
os.register_at_fork(before=_count_fork, after_in_child=_forget_sent)
