# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at moments at which it must not come, and in processes that are not to hear of it.

Python hands signals to the main thread alone, as an exception anywhere in its code. What must be
done as a whole, or not at all, puts that off.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

# `signal` makes enumerations of what goes in and comes out: 6 µs instead of 0.4.
from _signal import getsignal, raise_signal  # type: ignore[import-not-found]
from _signal import signal as set_handler

__all__ = ["ignore_interrupts", "interrupts_heard", "interrupts_put_off", "interrupts_unheard"]

_SIGINT = int(signal.SIGINT)
_CAN_MASK = hasattr(signal, "pthread_sigmask")  # Windows cannot
_in_force: list[interrupts_put_off] = []  # the main thread's, the innermost last


class interrupts_put_off:  # noqa: N801 - a block: `with interrupts_put_off():`
    """Puts Ctrl-C off to the end of the block, which must be short; 2 µs.

    In other threads than the main one nothing is to be done. A handler that is not Python's is left
    alone.
    """

    __slots__ = ("_before", "_noted")

    def __enter__(self) -> None:
        self._before: Any = None
        self._noted = False
        if threading.current_thread() is threading.main_thread():
            self._before = getsignal(_SIGINT)
            if self._before is not None:
                set_handler(_SIGINT, self._note)
                _in_force.append(self)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._noted = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            _in_force.pop()
            set_handler(_SIGINT, self._before)
            if self._noted:
                raise_signal(_SIGINT)


@contextmanager
def interrupts_heard() -> Iterator[None]:
    """A block inside of one that puts Ctrl-C off, in which it comes all the same."""
    outer = _in_force[:] if threading.current_thread() is threading.main_thread() else []
    if not outer:
        yield
        return
    set_handler(_SIGINT, outer[0]._before)
    try:
        if any(each._noted for each in outer):
            for each in outer:
                each._noted = False
            raise_signal(_SIGINT)
        yield
    finally:
        set_handler(_SIGINT, outer[-1]._note)


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
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {_SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Has this process, and what it starts, ignore Ctrl-C from now on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _CAN_MASK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {_SIGINT})
