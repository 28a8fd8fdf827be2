# SPDX-License-Identifier: Apache-2.0
"""What an asynchronous operation calls when it is done."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from ...base.errors import MXNetError
from .operation import RUNNING, Task

__all__ = ["Completion"]


class Completion:
    """Finishes an asynchronous operation: ``on_complete()``, or ``on_complete(error)``.

    A thread that goes on with the operation does so inside ``with on_complete:``. There it may use
    the operation's arrays; leaving the block finishes the operation, with the exception if there
    is one.

    Args:
        task: what it finishes.
        finish: is told so, once.
    """

    __slots__ = ("_before", "_finish", "_task", "_unused")

    def __init__(self, task: Task, finish: Callable[[Task, BaseException | None], None]) -> None:
        self._task = task
        self._finish = finish
        self._unused = [True]
        self._before: Task | None = None

    def __call__(self, error: BaseException | None = None) -> None:
        """Finishes the operation; once."""
        if not self.settle(error):
            raise MXNetError(f"{self._task}: the operation is finished already")

    def settle(self, error: BaseException | None = None) -> bool:
        """Finishes the operation unless that has happened; returns whether it did."""
        try:
            self._unused.pop()
        except IndexError:
            return False
        self._finish(self._task, error)
        return True

    def __enter__(self) -> Completion:
        self._before, RUNNING.task = RUNNING.task, self._task
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        RUNNING.task = self._before
        self(error)
        return True

    def __del__(self) -> None:
        if self._unused:
            self.settle(MXNetError("nobody is left to say that the operation is finished"))
