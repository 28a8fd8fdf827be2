# SPDX-License-Identifier: Apache-2.0
"""Memory that several processes see, where there are no files in memory: macOS and Windows.

A block is one of `multiprocessing.shared_memory`, whose name follows from the block's cookie. On
Windows it lives as long as a process has it open. On POSIX its creator removes the name when it
gives the block up, and multiprocessing's resource tracker those of processes that were killed; what
was opened before stays. So unlike `memfd`, a received block can be sent on only while its
creator holds it (POSIX), and what was not received when its sender ends is gone (Windows).

A block that was sent is kept until it is received, which its header tells: see `memfd`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from multiprocessing import util
from multiprocessing.shared_memory import SharedMemory
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import torch
from torch import Tensor

from ..base.errors import MXNetError
from .forks import after_fork_in_child

__all__ = ["Address", "Block", "block_ids", "block_of", "n_blocks", "release_resting"]

_HEADER = 4096
_COOKIE = 13  # bytes; macOS allows names of 31 characters
_UNUSED, _SENT, _RECEIVED, _LEFT = 0, 1, 2, 3  # what a ticket says
_ALIGNMENT = 16


class Address(NamedTuple):
    """Where one receiver finds a block, once."""

    pid: int
    id: int
    cookie: bytes
    ticket: int


class Block:
    """One block of shared memory; `memory` are its bytes."""

    __slots__ = ("__weakref__", "_creator", "_shared", "cookie", "memory", "tickets")

    def __init__(self, cookie: bytes, size: int | None = None) -> None:
        n_bytes = 0 if size is None else _HEADER + size
        self._creator = -1 if size is None else os.getpid()
        self._shared = SharedMemory(_name(cookie), create=size is not None, size=n_bytes)
        self.cookie = cookie
        buffer: Any = self._shared.buf
        bytes_ = np.frombuffer(buffer, np.uint8)
        self.tickets, self.memory = bytes_[:_HEADER], torch.from_numpy(bytes_[_HEADER:])
        _blocks[self.memory.data_ptr()] = self

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # raised in __init__
            if self._creator == os.getpid():
                self._remove_name()
            del self.tickets, self.memory
            _in_use.append(self._shared)
            _close_unused()

    def _remove_name(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._shared.unlink()

    @classmethod
    def new(cls, size: int) -> Block:
        """A block of `size` bytes, zeros.

        Raises:
            MXNetError: the system refuses.
        """
        _release_received()
        rounded = max(-(-size // _ALIGNMENT) * _ALIGNMENT, _ALIGNMENT)
        try:
            return cls(secrets.token_bytes(_COOKIE), rounded)
        except (OSError, ValueError, OverflowError) as error:
            raise MXNetError(f"cpu_shared: no memory for {size} bytes: {error}") from None

    @property
    def id(self) -> int:
        """Its number."""
        return int.from_bytes(self.cookie[:4], "little")

    def send(self) -> Address:
        """An address for one other process, which may open it once."""
        _release_received()
        with _sending:
            address = Address(os.getpid(), self.id, self.cookie, self._new_ticket())
            _sent.append((self, address))
        return address

    def _new_ticket(self) -> int:
        # There is no lock between processes that all systems have. Two that send the same block at
        # the same moment hardly ever choose the same of thousands of bytes.
        unused = np.flatnonzero(self.tickets == _UNUSED).tolist()
        if not unused:
            raise MXNetError(f"cpu_shared: a block was sent {_HEADER} times, never received")
        ticket: int = secrets.choice(unused)
        self.tickets[ticket] = _SENT
        return ticket

    @classmethod
    def receive(cls, address: Address) -> Block:
        """The block at `address`; what either process writes, both see.

        Raises:
            MXNetError: it is gone.
        """
        _release_received()
        try:
            block = cls(address.cookie)
        except OSError:
            raise _gone(address) from None
        state = block.tickets[address.ticket]
        if state not in (_SENT, _LEFT):
            raise _gone(address)
        block.tickets[address.ticket] = _RECEIVED
        if state == _LEFT:
            block._remove_name()
        return block


def _name(cookie: bytes) -> str:
    return f"mxn{cookie.hex()}"


def _gone(address: Address) -> MXNetError:
    return MXNetError(
        f"cpu_shared: the memory that process {address.pid} sent is gone: "
        "it was received before, or that process has given it up or ended"
    )


_blocks: WeakValueDictionary[int, Block] = WeakValueDictionary()
_sent: list[tuple[Block, Address]] = []
_sending = threading.RLock()
_in_use: list[SharedMemory] = []  # given up by their blocks, but not yet by all views


def _close_unused() -> None:
    for each in _in_use[:]:
        with contextlib.suppress(BufferError):
            each.close()
            _in_use.remove(each)


def block_ids() -> set[int]:
    """Numbers of the blocks in use here."""
    return {block.id for block in list(_blocks.values())}


def n_blocks() -> int:
    """How many blocks this process has."""
    return len(_blocks)


def release_resting() -> None:
    """Does nothing: the memory of blocks that nobody uses any more is the system's again."""


def block_of(tensor: Tensor) -> Block | None:
    """The block that a tensor is a view of, if any."""
    return _blocks.get(tensor.untyped_storage().data_ptr())


def _release_received() -> None:
    """Gives up what its receivers have opened since."""
    _close_unused()
    with _sending:
        for block, address in [(b, a) for b, a in _sent if b.tickets[a.ticket] == _RECEIVED]:
            block.tickets[address.ticket] = _UNUSED
            _sent.remove((block, address))


def _at_end() -> None:
    """At the end of a process: names go, but for those that others may still want."""
    _release_received()
    for block, address in _sent:
        block.tickets[address.ticket] = _LEFT
    wanted = {block.cookie for block, _ in _sent}
    for block in list(_blocks.values()):
        if block._creator == os.getpid() and block.cookie not in wanted:
            block._remove_name()
        block._creator = -1


def _forget_sent() -> None:
    """After a fork: the parent keeps what it sent."""
    global _sending
    _sending = threading.RLock()
    _sent.clear()


def _register_end(_: object = None) -> None:
    # See memfd: multiprocessing's children end without atexit.
    util.Finalize(None, _at_end, exitpriority=-100)


_register_end()
util.register_after_fork(_register_end, _register_end)
after_fork_in_child(_forget_sent)
