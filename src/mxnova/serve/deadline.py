# SPDX-License-Identifier: Apache-2.0
"""A bound on the time that a task waits, which takes no turn of the event loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["deadline"]


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """A block of the running task; what it waits for when its time is over is cancelled.

    `asyncio.wait_for` waits in another task, or through another future: what is there at once is
    had some turns of the loop later, and a run of a model may take place in each.

    Raises:
        TimeoutError: the time is over.
    """
    task = asyncio.current_task()
    has_expired = False

    def expire() -> None:
        nonlocal has_expired
        has_expired = True
        if task is not None:
            task.cancel()

    timer = asyncio.get_running_loop().call_later(seconds, expire)
    try:
        yield
    except asyncio.CancelledError:
        if has_expired:
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()
