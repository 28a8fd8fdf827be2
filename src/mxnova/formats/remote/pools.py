# SPDX-License-Identifier: Apache-2.0
"""Pools of threads that are asked for work until the program has ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeAlias, TypeVar

__all__ = ["Run", "submitted"]

P = ParamSpec("P")
R = TypeVar("R")
Run: TypeAlias = Callable[[Callable[[], bytes]], Future[bytes]]  # calls a function in a thread


def submitted(
    pool: ThreadPoolExecutor, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> Future[R]:
    """What a pool makes of a call, or the thread that asks for it where the pool can start none.

    Python 3.12 starts none once the program has come to its end, while checkpoints are written.
    """
    try:
        return pool.submit(function, *args, **kwargs)
    except RuntimeError:
        return _Deferred(partial(function, *args, **kwargs))


class _Deferred(Future[R]):
    """A call that is made once, in the first thread that asks for its result."""

    def __init__(self, call: Callable[[], R]) -> None:
        super().__init__()
        self._call, self._turn = call, threading.Lock()

    def result(self, timeout: float | None = None) -> R:
        with self._turn:
            if not self.done():
                try:
                    self.set_result(self._call())
                except Exception as error:  # noqa: BLE001 - raised below
                    self.set_exception(error)
        return super().result(timeout)
