# SPDX-License-Identifier: Apache-2.0
"""The scheduler: which tasks may run now. It knows vars and tasks, no threads."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from .operation import Task, held_lock

if TYPE_CHECKING:
    from _thread import LockType

__all__ = ["Scheduler"]


class Scheduler:
    """Puts tasks in line at their vars.

    A task comes twice: when it is pushed and when it is finished. One lock makes all pushes one
    sequence, the same at every var, so that tasks cannot wait for each other in a circle. A
    finalizer may push in the midst of this, in the same thread: its task is left to the loop that
    it interrupted.

    Attributes:
        unfinished: tasks that were pushed and are not finished.
        n_finished: how many are.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.unfinished: set[Task] = set()
        self.n_finished = 0
        self._events: deque[Task] = deque()
        self._busy = False
        self._barriers: list[tuple[set[Task], LockType]] = []

    def advance(self, task: Task) -> list[Task]:
        """Takes a task in that is new, or finished; returns those that may run now."""
        ready: list[Task] = []
        with self.lock:
            self._events.append(task)
            while self._events and not self._busy:
                self._busy = True
                try:
                    while self._events:
                        event = self._events.popleft()
                        (self._leave if event.finished else self._join)(event, ready)
                finally:
                    self._busy = False
        return ready

    def is_interrupted(self) -> bool:
        """Whether this thread is in the midst of scheduling, which a finalizer may ask."""
        with self.lock:
            return self._busy

    def barrier(self, so_far: bool = False) -> LockType | None:
        """A held lock that is released when nothing is unfinished; None when nothing is.

        Args:
            so_far: do not mind what is pushed from now on.
        """
        with self.lock:
            if not self.unfinished:
                return None
            latch = held_lock()
            self._barriers.append((set(self.unfinished) if so_far else self.unfinished, latch))
            return latch

    def _join(self, task: Task, ready: list[Task]) -> None:
        self.unfinished.add(task)
        operation = task.operation
        task.missing = 1
        for var in operation.reads:
            task.missing += not var.join(task, write=False)
        for var in operation.writes:
            task.missing += not var.join(task, write=True)
        task.inline = task.inline and task.missing == 1
        self._grant(task, ready)

    def _grant(self, task: Task, ready: list[Task]) -> None:
        task.missing -= 1
        if task.missing:
            return
        operation = task.operation
        if not operation.no_skip:
            task.failure = task.inherited_failure()
        if task.failure is None and operation.function is not None:
            ready.append(task)
        else:
            task.finished = True
            self._events.append(task)

    def _leave(self, task: Task, ready: list[Task]) -> None:
        if task not in self.unfinished:  # begun before a fork, in the parent
            return
        operation = task.operation
        self.unfinished.remove(task)
        self.n_finished += 1
        for var in operation.reads:
            for other in var.leave(write=False):
                self._grant(other, ready)
        for var in operation.writes:
            if task.failure is not None or not operation.no_skip:
                var.failure = task.failure
            for other in var.leave(write=True):
                self._grant(other, ready)
        if task.latch is not None:
            task.latch.release()
        if self._barriers:
            self._pass_barriers(task)

    def _pass_barriers(self, task: Task) -> None:
        for barrier in self._barriers[:]:
            tasks, latch = barrier
            tasks.discard(task)
            if not tasks:
                self._barriers.remove(barrier)
                latch.release()
