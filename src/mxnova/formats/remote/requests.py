# SPDX-License-Identifier: Apache-2.0
"""The requests of a process for parts of remote files, and the memory for what they bring.

All open files share both. A process that was forked begins with none.
"""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from .pools import submitted
from .spans import Span, Spans

__all__ = ["Requests", "requests_of_process"]


class Reader(Protocol):
    """A file that is read.

    Attributes:
        spans: what is there of it.
        used_at: when it was read last, as `Requests.now` counts.
    """

    spans: Spans
    used_at: int

    def send_waiting(self) -> None:
        """Sends requests that wait for others to end."""


class Requests:
    """See the module. Whoever changes spans holds the lock.

    Attributes:
        lock: of all that readers change. fsspec's loop of events takes it when a request ends, so
            that nobody who holds it may wait for a store.
        under_way: how many requests.
    """

    def __init__(self) -> None:
        self.pid, self.lock, self.under_way = os.getpid(), threading.RLock(), 0
        self._readers: weakref.WeakSet[Reader] = weakref.WeakSet()
        self._pool: ThreadPoolExecutor | None = None
        self._n_threads = 0
        self._clock = itertools.count(1)

    def add(self, reader: Reader) -> None:
        """Has a reader take part."""
        self._readers.add(reader)

    def now(self) -> int:
        """A number that is greater than those before."""
        return next(self._clock)

    @property
    def unused(self) -> int:
        """Bytes that were asked for, and nobody has read so far."""
        return sum(reader.spans.unused for reader in self._readers)

    def run(self, act: Callable[[], bytes], n: int, is_needed: bool) -> Future[bytes]:
        """What `act` gives, of which at most `n` are called at a time.

        Raises:
            RuntimeError: the program ends, and the bytes are not needed now.
        """
        if self._pool is None or self._n_threads != n:
            self._pool, self._n_threads = ThreadPoolExecutor(n, "mxnova-remote"), n
        run = submitted if is_needed else ThreadPoolExecutor.submit
        return run(self._pool, act)

    def begin(self, span: Span) -> None:
        """Counts a request whose span has been added to its reader."""
        self.under_way += 1
        span.content.add_done_callback(self._end)

    def _end(self, _content: Future[bytes]) -> None:
        with self.lock:
            self.under_way -= 1
            try:
                for reader in list(self._readers):
                    reader.send_waiting()
            except RuntimeError:
                return  # the process ends, and takes no more requests

    def make_room(self, limit: int, newest: Span) -> None:
        """Gives up spans, but for the newest, until `limit` bytes are left.

        Those of the files go first that were read longest ago.
        """
        readers = sorted(self._readers, key=lambda reader: reader.used_at)
        excess = sum(reader.spans.kept for reader in readers) - limit
        for reader in readers:
            while excess > 0:
                span = reader.spans.oldest()
                if span is None or span is newest:
                    break
                reader.spans.forget(span)
                excess -= span.memory


_current = Requests()


def requests_of_process() -> Requests:
    """Those of this process."""
    global _current
    if _current.pid != os.getpid():
        _current = Requests()
    return _current
