# SPDX-License-Identifier: Apache-2.0
"""What is kept of operations that failed, until somebody is told."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable

from ...base import errors
from ...base.errors import MXNetError

__all__ = ["Failure", "Failures", "next_number"]

next_number = itertools.count().__next__  # of a task, or of the moment when a failure was raised


class Failure:
    """An exception that an operation left, raised once to whoever waits first.

    All vars that the operation should have written share it, and those that other operations
    should have computed from them.

    Attributes:
        raised_at: among the numbers of tasks; those pushed later do not care any more.
        is_of_call: whether a call left it that has returned, and not an operation.
        error: the exception.
    """

    __slots__ = ("_unraised", "error", "is_of_call", "raised_at", "task")

    def __init__(self, task: object, error: BaseException, is_of_call: bool = False) -> None:
        self.is_of_call = is_of_call
        self.error = error
        self.task = repr(task)
        self.raised_at: float = float("inf")
        self._unraised = [error]

    @property
    def is_open(self) -> bool:
        """Whether it has not been raised yet."""
        return bool(self._unraised)

    def take(self) -> MXNetError | None:
        """The exception to raise, once; afterwards None."""
        try:
            error = self._unraised.pop()  # of several threads only one gets it
        except IndexError:
            return None
        self.raised_at = next_number()
        text = str(error) if isinstance(error, MXNetError) else f"{type(error).__name__}: {error}"
        if not text.startswith(self.task):
            text = f"{self.task}: {text}"
        raised = _kind_of(error)(text)
        raised.__cause__ = error
        return raised

    def raise_once(self) -> None:
        """Raises it unless that has happened."""
        error = self.take()
        if error is not None:
            raise error


def _kind_of(error: BaseException) -> type[MXNetError]:
    """The class of our exception tree that `error` belongs to."""
    ours = (c for c in type(error).__mro__ if c.__module__ == errors.__name__)
    kind: type[MXNetError] = next(ours, MXNetError)
    return kind


class Failures:
    """Those of an engine that were not raised yet; any thread may add one."""

    def __init__(self) -> None:
        self._of_operations: list[Failure] = []
        self._of_calls: list[Failure] = []
        self._passed_over: list[Failure] = []  # of calls: whoever waits for all is not told
        self._lock = threading.RLock()

    def __len__(self) -> int:
        """How many are kept, among them the last of each kind that was raised."""
        return len(self._of_operations) + len(self._of_calls) + len(self._passed_over)

    def are_open(self) -> bool:
        """Whether there are any."""
        kept = (*self._of_operations, *self._of_calls, *self._passed_over)
        return any(failure.is_open for failure in kept)

    def of_operation(self, task: object, error: BaseException) -> Failure:
        """Keeps what `task` raised; those that have finished with one error are one failure."""
        with self._lock:
            kept = self._of_operations = _open(self._of_operations)
            for failure in kept:
                if failure.error is error:
                    return failure
            failure = Failure(task, error)
            kept.append(failure)
            return failure

    def of_call(self, task: object, error: BaseException) -> Failure:
        """Keeps what a call that has returned left, as if it were of an operation."""
        failure = Failure(task, error, is_of_call=True)
        with self._lock:
            self._of_calls = [*_open(self._of_calls), failure]
            self._passed_over = _open(self._passed_over)
        return failure

    def pass_over_calls(self) -> None:
        """Has `take` leave out what calls have left so far."""
        with self._lock:
            self._passed_over += self._of_calls
            self._of_calls = []

    def take(self) -> list[MXNetError]:
        """What was not raised yet, which it is not going to be any more."""
        with self._lock:
            kept = [*self._of_operations, *self._of_calls]
            self._of_operations, self._of_calls, self._passed_over = [], [], []
        return [error for failure in kept if (error := failure.take()) is not None]


def _open(failures: Iterable[Failure]) -> list[Failure]:
    """Those that were not raised: others must not pile up where nobody waits for all."""
    return [failure for failure in failures if failure.is_open]
