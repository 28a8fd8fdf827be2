# SPDX-License-Identifier: Apache-2.0
"""UpdateQueue: a thread that makes updates one after the other, the most urgent first."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from queue import PriorityQueue

__all__ = ["UpdateQueue"]


class UpdateQueue:
    """The thread, which starts with its first work."""

    def __init__(self) -> None:
        self._queue: PriorityQueue[tuple[float, int, Callable[[], None] | None]] = PriorityQueue()
        self._numbers = itertools.count()
        self._thread = threading.Thread(target=self._run, name="mxnova updates", daemon=True)
        self._lock = threading.Lock()

    def put(self, work: Callable[[], None], priority: int) -> None:
        """Has `work`, which must not raise, done after what has at least its priority."""
        with self._lock:
            if self._thread.ident is None:
                self._thread.start()
        self._queue.put((-priority, next(self._numbers), work))

    def close(self, patience: float) -> None:
        """Ends the thread when everything is done, or stops waiting after `patience` seconds."""
        self._queue.put((float("inf"), next(self._numbers), None))
        if self._thread.ident is not None:
            self._thread.join(patience)

    def _run(self) -> None:
        while (work := self._queue.get()[2]) is not None:
            work()
