# SPDX-License-Identifier: Apache-2.0
"""Worker: a thread that does one thing after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

__all__ = ["Worker"]


class Worker:
    """A thread, started with its first work.

    Args:
        name: of the thread.
    """

    def __init__(self, name: str) -> None:
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def do(self, work: Callable[[], None]) -> None:
        """Has `work`, which must not raise, done after what came before."""
        if self._thread.ident is None:
            self._thread.start()
        self._queue.put(work)

    def join(self, patience: float | None) -> None:
        """Returns when everything is done, or after `patience` seconds; nothing more may come."""
        self._queue.put(None)
        if self._thread.ident is not None:
            self._thread.join(patience)

    def _work(self) -> None:
        while (work := self._queue.get()) is not None:
            work()
