# SPDX-License-Identifier: Apache-2.0
"""Operations and their executions (tasks)."""

from __future__ import annotations

import enum
import itertools
import sys
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

from ...base.errors import MXNetError
from .var import Var

if TYPE_CHECKING:
    from _thread import LockType

    from .failures import Failure

__all__ = [
    "RUNNING",
    "FnProperty",
    "Operation",
    "Place",
    "Task",
    "held_lock",
    "next_number",
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


next_number = itertools.count().__next__  # of a task, or of the moment when a failure was raised


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
