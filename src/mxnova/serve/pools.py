# SPDX-License-Identifier: Apache-2.0
"""Threads for decoding and loading, with bounds on the calls that wait and on their time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from .errors import Refused, overloaded

__all__ = ["ABANDON", "BoundedPool", "wait_for_result"]

T = TypeVar("T")
ABANDON = "mxnova.abandon"  # The key of a callback for disconnects.


async def wait_for_result(
    future: asyncio.Future[T], scope: MutableMapping[str, Any], seconds: float, failure: str
) -> T:
    """Wait for work that was begun for a request.

    Args:
        future: Of the work; cancelled after some time, or when the client goes away.
        scope: Of the request.
        seconds: How long to wait.
        failure: What to say after that time, such as "the model did not answer".

    Raises:
        Refused: The time is over, or the client has gone away.
    """
    timer = asyncio.get_running_loop().call_later(seconds, future.cancel)
    scope[ABANDON] = future.cancel
    try:
        return await future
    except asyncio.CancelledError:
        if not future.cancelled():
            raise
        if ABANDON not in scope:
            raise Refused(499, "the client went away") from None
        raise Refused(504, f"{failure} in {seconds:g} seconds") from None
    finally:
        timer.cancel()
        scope.pop(ABANDON, None)


class BoundedPool:
    """A thread pool whose queue has a bound.

    Args:
        kind: What the threads do, for their names and for errors.
        threads: How many.
        most_calls: How many calls may run or wait.
    """

    def __init__(self, kind: str, threads: int, most_calls: int) -> None:
        self._kind, self._most_calls, self._n_calls = kind, most_calls, 0
        self.executor = ThreadPoolExecutor(threads, thread_name_prefix=f"mxnova-serve-{kind}")

    async def run(
        self,
        function: Callable[[], T],
        scope: MutableMapping[str, Any],
        seconds: float,
        failure: str,
    ) -> T:
        """Call a function in a thread, and return its result; see `wait_for_result`.

        Raises:
            Refused: Too many calls wait already, the time is over, or the client has gone away.
        """
        if self._n_calls >= self._most_calls:
            raise overloaded(f"{self._n_calls} requests wait for {self._kind} already")
        self._n_calls += 1
        try:
            future = asyncio.get_running_loop().run_in_executor(self.executor, function)
            return await wait_for_result(future, scope, seconds, failure)
        finally:
            self._n_calls -= 1
