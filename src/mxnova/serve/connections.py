# SPDX-License-Identifier: Apache-2.0
"""Connections in equal parts for processes that accept them from one socket.

The system gives a connection to the process that asks first, and often all of them to one. Here, a
process that has more than another leaves new ones to that one. It may be busy: then one is taken
after some moments, two after some more, then four. When none is left, the other may be stopped: it
is left out of account until it takes or ends a connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import mmap
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import uvloop

__all__ = ["Loop", "Shares"]

_MOMENT = 0.001  # seconds until a process looks again whether others have accepted
_MOST_LOOKS = 10  # in vain: the others are busy, or stopped
_MOST_PROCESSES = 1024
_FILE_BYTES = 4 * _MOST_PROCESSES
_MOST_AT_ONCE = 1024  # connections that a process takes without doing anything else
_RETRY = 1.0  # seconds until a process that lacks files or memory accepts again

_log = logging.getLogger("mxnova")


class Shares:
    """How many connections each process has, in a file that they share.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def open(self) -> int:
        """Return a descriptor of the file, which is made with all its bytes if it is not there.

        SIGBUS ends a process that writes to a mapped file whose blocks do not fit on the disk.

        Raises:
            OSError: There is no space for it.
        """
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        if os.fstat(file).st_size < _FILE_BYTES:
            os.pwrite(file, bytes(_FILE_BYTES), 0)
        return file

    def join(self) -> None:
        """Take a row of the file, which is locked as long as this process lives."""
        self._file = self.open()  # Closing the descriptor releases the lock.
        self._rows = np.frombuffer(mmap.mmap(self._file, _FILE_BYTES), np.int32)
        self._row = next(filter(self._lock, range(_MOST_PROCESSES)))
        self._rows[self._row] = 1  # one more than the connections, as 0 accepts none
        self._absent = np.zeros_like(self._rows)

    def _lock(self, row: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, row)
        except OSError:
            return False
        return True

    def leave(self) -> None:
        """Says that this process accepts no more. The row stays its own."""
        self._rows[self._row] = 0

    def count(self, more: int) -> None:
        """Says that this process has so many connections more, unless it has left."""
        if self._rows[self._row]:
            self._rows[self._row] += more

    def are_exceeded(self) -> bool:
        """Whether another process that is not left out of account has fewer connections."""
        self._absent[self._absent != self._rows] = 0
        fewer = self._rows < self._rows[self._row]
        return bool((fewer & (self._rows > 0) & (self._absent == 0)).any())

    def leave_out(self) -> None:
        """Leaves processes that have fewer connections out of account until that changes."""
        fewer = self._rows < self._rows[self._row]
        self._absent[fewer] = self._rows[fewer]

    def forget_dead(self) -> None:
        """Frees the rows of processes that were killed."""
        for row in np.flatnonzero(self._rows).tolist():
            if row != self._row and self._lock(row):
                self._rows[row] = 0
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, row)


class _Acceptor:
    """Accepts connections from a socket, and leaves some to other processes.

    It has what uvicorn calls of `asyncio.Server`.
    """

    def __init__(self, loop: Loop, listener: socket.socket, make: Callable[[], Any]) -> None:
        self._loop, self._listener, self._make = loop, listener, make
        self._is_open = True
        self._timer: asyncio.TimerHandle | None = None
        self._looks = 0  # in a row that found connections for others
        self._more = 1  # connections that are taken of what others leave, doubled each time
        self._starting: set[asyncio.Task[None]] = set()
        listener.setblocking(False)
        self._watch()

    def _on_readable(self) -> None:
        try:
            if not self._loop.shares.are_exceeded():
                self._more, self._looks = 1, 0
                self._accept()
            elif self._looks < _MOST_LOOKS:
                self._looks += 1
                self._pause(_MOMENT)
            else:
                self._take_more()
        except OSError as error:  # files, memory
            _log.warning("no connection can be accepted; next try in %g s: %s", _RETRY, error)
            self._pause(_RETRY)

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener)
        self._timer = self._loop.call_later(seconds, self._watch)

    def _watch(self) -> None:
        self._loop.add_reader(self._listener, self._on_readable)

    def _take_more(self) -> None:
        """Accepts some of what others leave."""
        self._loop.shares.forget_dead()
        more, self._more = self._more, min(2 * self._more, _MOST_AT_ONCE)
        self._looks = 0
        taken = 0
        while taken < more and self._accept():
            taken += 1
        if 0 < taken < more:  # all that were left
            self._loop.shares.leave_out()

    def _accept(self) -> bool:
        """Accepts a connection, if there is one."""
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return False
        self._loop.shares.count(1)
        task = self._loop.create_task(self._start(connection))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        return True

    async def _start(self, connection: socket.socket) -> None:
        try:
            _, protocol = await self._loop.connect_accepted_socket(self._make, connection)
        except OSError:  # the client has gone
            self._drop(connection)
        except Exception:  # noqa: BLE001 - of any protocol
            _log.exception("a connection cannot be served")
            self._drop(connection)
        else:
            if not self._is_open:
                protocol.shutdown()  # as uvicorn tells those that had begun

    def _drop(self, connection: socket.socket) -> None:
        connection.close()
        self._loop.shares.count(-1)

    def close(self) -> None:
        """Accepts what is there, and no more."""
        if not self._is_open:
            return
        self._is_open = False
        self._loop.remove_reader(self._listener)
        if self._timer is not None:
            self._timer.cancel()
        with contextlib.suppress(OSError):
            while self._accept():
                pass
        self._loop.shares.leave()

    async def wait_closed(self) -> None:
        """Returns when all connections have begun."""
        while self._starting:
            await asyncio.wait(self._starting)


class Loop(uvloop.Loop):
    """uvloop's, whose servers share out connections.

    Args:
        shares: of the processes.
    """

    def __init__(self, shares: Shares) -> None:
        super().__init__()
        self.shares = shares

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Callable[[], Any], *, sock: socket.socket, **_: Any
    ) -> _Acceptor:
        """A server of a socket that listens."""
        self.shares.join()
        return _Acceptor(self, sock, protocol_factory)
