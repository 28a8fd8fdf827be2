# SPDX-License-Identifier: Apache-2.0
"""Pools of threads that are asked for work until the program has ended."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeAlias, TypeVar

__all__ = ["Run", "submitted"]

P = ParamSpec("P")
R = TypeVar("R")
Run: TypeAlias = Callable[[Callable[[], bytes]], Future[bytes]]  # calls a function in a thread


def submitted(
    pool: ThreadPoolExecutor, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> Future[R]:
    """What a pool makes of a call, or this thread where the pool can start none.

    Python 3.12 starts none once the program has come to its end, while checkpoints are written.
    """
    try:
        return pool.submit(function, *args, **kwargs)
    except RuntimeError:
        made: Future[R] = Future()
        try:
            made.set_result(function(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised where the result is asked for
            made.set_exception(error)
        return made
