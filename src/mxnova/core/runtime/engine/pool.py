# SPDX-License-Identifier: Apache-2.0
"""Who runs tasks: a pool of threads, or the thread that made them ready."""

from __future__ import annotations

import heapq
import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from .operation import Task

__all__ = ["CallerPool", "Pool"]

_LAST = float("inf")  # rank of what ends a thread


class Pool:
    """Threads that run tasks, of high priority first; each is started when there is work for it.

    `heapq` works in C and compares numbers only: its calls are atomic, and a finalizer cannot come
    in between.

    Args:
        name: of the threads.
        size: how many there may be.
        work: runs a task; must not raise.
    """

    def __init__(self, name: str, size: int, work: Callable[[Task], None]) -> None:
        self._name = name
        self._work = work
        self._heap: list[tuple[float, float, Task | None]] = []
        self._tokens: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._vacant = list(range(size))

    def submit(self, task: Task) -> None:
        """Runs `task` as soon as a thread is free."""
        if self._vacant:  # a thread is on the list before its task can end: `stop` counts them
            self._start_thread()
        self._put(-task.priority, task.number, task)
        if self._vacant and not self._threads:  # none could be started
            self.run_waiting()

    def _put(self, rank: float, number: float, task: Task | None) -> None:
        heapq.heappush(self._heap, (rank, number, task))
        self._tokens.put(None)

    def _start_thread(self) -> None:
        with suppress(IndexError):  # another thread took the last one
            number = self._vacant.pop(0)
            thread = threading.Thread(
                target=self._loop, name=f"mxnova {self._name} {number}", daemon=True
            )
            try:
                thread.start()
            except RuntimeError:  # no more threads, or the interpreter is shutting down
                self._vacant.append(number)
            else:
                self._threads.append(thread)

    def _loop(self) -> None:
        while self._run_next():
            pass

    def _run_next(self) -> bool:
        self._tokens.get()
        task = heapq.heappop(self._heap)[2]
        if task is not None:
            self._work(task)
        return task is not None

    def run_waiting(self) -> None:
        """Runs here what no thread has begun."""
        while not self._tokens.empty():
            self._run_next()

    def stop(self, timeout: float | None = None) -> None:
        """Ends the threads once they have run what waits; gives up on each after `timeout`."""
        threads, self._threads = self._threads, []
        for i in range(len(threads)):
            self._put(_LAST, i, None)
        for thread in threads:
            thread.join(timeout)


class CallerPool(threading.local):
    """Runs tasks in the thread that submits them, one after the other."""

    def __init__(self, work: Callable[[Task], None]) -> None:
        self._work = work
        self._waiting: deque[Task] = deque()
        self._working = False

    def submit(self, task: Task) -> None:
        """Runs `task`, or leaves it to the running call of this thread."""
        self._waiting.append(task)
        if self._working:
            return
        self._working = True
        try:
            while self._waiting:
                self._work(self._waiting.popleft())
        finally:
            self._working = False
