# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at moments at which it must not come, and in processes that are not to hear of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ignore_interrupts", "interrupts_put_off", "interrupts_unheard"]

_CAN_MASK = hasattr(signal, "pthread_sigmask")  # Windows cannot


@contextmanager
def interrupts_put_off() -> Iterator[None]:
    """Puts Ctrl-C off to the end of the block, which must be short.

    Python hands signals to the main thread alone: in others nothing is to be done. Where the
    handler is not Python's, it is left alone.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    put_off: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: put_off.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if put_off:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def interrupts_unheard() -> Iterator[None]:
    """A block that starts processes: Ctrl-C is put off to its end, and they never hear of it.

    A terminal sends it to all processes of a program. Their owner is to end them; each calls
    `ignore_interrupts` when it runs.
    """
    with interrupts_put_off():
        if not _CAN_MASK:
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Has this process, and what it starts, ignore Ctrl-C from now on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _CAN_MASK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
