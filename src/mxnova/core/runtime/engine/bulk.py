# SPDX-License-Identifier: Apache-2.0
"""Bulks: operations that one thread pushes, gathered and scheduled as one."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ...base.interrupts import deferred_interrupts
from .operation import FnProperty, Operation, Task, Var

__all__ = ["Bulk", "OpenBulk"]


class Bulk:
    """Tasks that will be pushed as one; whoever needs one of their vars has it pushed first.

    Args:
        size: how many tasks it gathers before it is pushed.
        push: takes the bulk and the one task.
        work: runs a gathered task.
    """

    def __init__(
        self, size: int, push: Callable[[Bulk, Task], None], work: Callable[[Task], None]
    ) -> None:
        self._size = size
        self._push = push
        self._work = work
        self._lock = threading.RLock()
        self._tasks: list[Task] = []
        self._closed = False

    def add(self, task: Task) -> bool:
        """Gathers `task`; refuses when it has been pushed, or where `task` runs elsewhere."""
        with self._lock:
            if self._closed or (self._tasks and task.context != self._tasks[0].context):
                return False
            self._tasks.append(task)
            for var in task.operation.reads + task.operation.writes:
                var.bulk = self
            if len(self._tasks) >= self._size:
                self.flush()
            return True

    def flush(self) -> None:
        """Pushes what was gathered."""
        with deferred_interrupts(), self._lock:
            self._closed = True
            tasks, self._tasks = self._tasks, []
            if not tasks:
                return
            writes = dict.fromkeys(var for t in tasks for var in t.operation.writes)
            reads = dict.fromkeys(var for t in tasks for var in t.operation.reads)
            for var in writes:
                reads.pop(var, None)
            self._push(self, self._as_one(tasks, tuple(reads), tuple(writes)))
            for var in (*reads, *writes):
                if var.bulk is self:
                    var.bulk = None

    def _as_one(self, tasks: list[Task], reads: tuple[Var, ...], writes: tuple[Var, ...]) -> Task:
        def run_all() -> None:
            for task in tasks:
                self._work(task)

        # Each task is skipped or fails for itself.
        operation = Operation(run_all, reads, writes, FnProperty.NO_SKIP, "bulk")
        return Task(operation, tasks[0].context, origin=tasks[0].origin)


class OpenBulk(threading.local):
    """The bulk that this thread gathers, and how many operations it may hold; 0: no gathering."""

    size = 0
    bulk: Bulk | None = None
