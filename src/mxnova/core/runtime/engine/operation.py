# SPDX-License-Identifier: Apache-2.0
"""Operations, their executions (tasks), and what they depend on (vars)."""

from __future__ import annotations

import enum
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...base.errors import MXNetError
from .failures import Failure, next_number

if TYPE_CHECKING:
    from _thread import LockType

__all__ = [
    "RUNNING",
    "FnProperty",
    "Operation",
    "Place",
    "Task",
    "Var",
    "held_lock",
    "origin_of_call",
]


class FnProperty(enum.IntEnum):
    """What kind of work an operation is; it decides who runs it."""

    NORMAL = 0
    COPY_FROM_GPU = 1
    COPY_TO_GPU = 2
    CPU_PRIORITIZED = 3
    ASYNC = 4
    DELETE_VAR = 5
    GPU_PRIORITIZED = 6
    NO_SKIP = 7


class Place(Protocol):
    """Where an operation runs: a Context."""

    device_type: str
    device_id: int


class Gathering(Protocol):
    """What gathers operations before they are pushed: a Bulk."""

    def flush(self) -> None:
        """Pushes what was gathered."""


class Operation:
    """A function with the vars that it reads and writes; it can be pushed many times.

    Args:
        function: called without arguments; an asynchronous one with the `Completion` to call.
        reads: vars that it reads; repetitions count once.
        writes: vars that it writes, or reads and writes.
        kind: what kind of work it is.
        name: what errors call it; default: the function's name.
        is_async: whether it is finished only when its `Completion` is called.
        no_skip: whether it runs even where what it needs has failed; only kinds that say so by
            themselves do so by default.

    Raises:
        MXNetError: a var is both in `reads` and in `writes`.
    """

    __slots__ = ("deleted", "function", "is_async", "kind", "name", "no_skip", "reads", "writes")

    def __init__(
        self,
        function: Callable[..., Any] | None,
        reads: Iterable[Var] = (),
        writes: Iterable[Var] = (),
        kind: FnProperty = FnProperty.NORMAL,
        name: str | None = None,
        is_async: bool = False,
        no_skip: bool = False,
    ) -> None:
        self.function = function
        self.reads = tuple(dict.fromkeys(reads))
        self.writes = tuple(dict.fromkeys(writes))
        self.kind = kind
        self.no_skip = no_skip or kind in (FnProperty.NO_SKIP, FnProperty.DELETE_VAR)
        self.name: str = name or str(getattr(function, "__name__", type(function).__name__))
        self.is_async = is_async
        self.deleted = False
        for var in self.writes:
            if var in self.reads:
                raise MXNetError(f"{self.name}: {var} is given both as read and as written")

    def declares(self, var: Var, write: bool) -> bool:
        """Whether it may read (or `write`) `var`."""
        return var in self.writes or (not write and var in self.reads)

    def check_alive(self) -> None:
        """Raises when it, or a var of it, is deleted."""
        if self.deleted:
            raise MXNetError(f"{self.name}: the operation is deleted and cannot be pushed")
        for var in self.reads + self.writes:
            if var.deleted:
                raise MXNetError(f"{self.name}: {var} is deleted")


class Task:
    """One execution of an operation.

    Attributes:
        number: grows with each push.
        origin: file and line of the push.
        missing: vars whose turn it has to wait for.
        inline: whether its pusher runs it, if it can run at once.
        failure: its own, or the one that kept it from running.
        latch: a held lock, released when the task is finished.
    """

    __slots__ = (
        "context",
        "failure",
        "finished",
        "inline",
        "latch",
        "missing",
        "number",
        "operation",
        "origin",
        "priority",
        "profiling",
    )

    def __init__(
        self,
        operation: Operation,
        context: Place | None = None,
        priority: int = 0,
        origin: tuple[str, int] = ("", 0),
        inline: bool = False,
    ) -> None:
        self.number = next_number()
        self.operation = operation
        self.context = context
        self.priority = priority
        self.origin = origin
        self.inline = inline
        self.profiling = False
        self.missing = 0
        self.finished = False
        self.failure: Failure | None = None
        self.latch: LockType | None = None

    def inherited_failure(self) -> Failure | None:
        """The failure of a var that it needs, unless that was raised before its push."""
        for var in self.operation.reads + self.operation.writes:
            if var.failure is not None and self.number < var.failure.raised_at:
                return var.failure
        return None

    def __repr__(self) -> str:
        file, line = self.origin
        return f"{self.operation.name} (pushed at {file}:{line})"


class Var:
    """The name of something that operations read and write; only the scheduler changes it.

    Reads of it run in parallel, writes alone and in push order.

    Attributes:
        name: what errors call it.
        version: how many writes have finished.
        uses: how many operations that read or write it are pushed and not finished.
        writes: how many of these write it.
        failure: of the operation that should have written it last; matters until it is raised.
        bulk: what gathers an operation on it that is not pushed yet.
        deleted: whether `delete_variable` had it.
        maker: the operation that made the array it belongs to; known only while access is checked.
    """

    __slots__ = (
        "__weakref__",
        "_readers",
        "_waiting",
        "_writing",
        "bulk",
        "deleted",
        "failure",
        "maker",
        "name",
        "uses",
        "version",
        "writes",
    )

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.maker: Task | None = None
        self.failure: Failure | None = None
        self.version = 0
        self.deleted = False
        self.reset()

    def reset(self) -> None:
        """Forgets all operations."""
        self.uses = self.writes = self._readers = 0
        self._writing = False
        self._waiting: deque[tuple[Task, bool]] = deque()
        self.bulk: Gathering | None = None

    def __repr__(self) -> str:
        return self.name or f"var {id(self):#x}"

    def join(self, task: Task, write: bool) -> bool:
        """Puts `task` in line; returns whether it is its turn already."""
        self.uses += 1
        self.writes += write
        if self._writing or self._waiting or (write and self._readers):
            self._waiting.append((task, write))
            return False
        if write:
            self._writing = True
        else:
            self._readers += 1
        return True

    def leave(self, write: bool) -> Sequence[Task]:
        """Takes a finished task out; returns those whose turn it is now."""
        self.uses -= 1
        if write:
            self.writes -= 1
            self.version += 1
            self._writing = False
        else:
            self._readers -= 1
        waiting = self._waiting
        if not waiting or self._readers:
            return ()
        if waiting[0][1]:
            self._writing = True
            return (waiting.popleft()[0],)
        turn = []
        while waiting and not waiting[0][1]:
            turn.append(waiting.popleft()[0])
        self._readers = len(turn)
        return turn


def held_lock() -> LockType:
    """A lock that somebody else will release."""
    lock = threading.Lock()
    lock.acquire()
    return lock


class _Running(threading.local):
    task: Task | None = None


RUNNING = _Running()


_PACKAGE = __name__.partition(".")[0]


def origin_of_call() -> tuple[str, int]:
    """File and line of the innermost call that is not this package's own."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None:
        module = frame.f_globals.get("__name__", "")
        if module.partition(".")[0] != _PACKAGE:
            break
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
