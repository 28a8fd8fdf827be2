# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C (SIGINT, KeyboardInterrupt): deferred while it must not come, blocked in workers.

Python hands signals to the main thread alone, as an exception anywhere in its code. What must be
done as a whole, or not at all, puts that off.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from types import FrameType
from typing import Any

__all__ = [
    "allowed_interrupts",
    "blocked_interrupts",
    "deferred_interrupts",
    "deferred_past_finalizer",
    "ignore_interrupts",
    "reset_in_child",
]

# `signal` makes enumerations of what goes in and comes out: 6 µs instead of 0.4.
getsignal, raise_signal, set_handler = _signal.getsignal, _signal.raise_signal, _signal.signal

_SIGINT = int(signal.SIGINT)
_CAN_MASK = hasattr(signal, "pthread_sigmask")  # Windows cannot
_LATER_S = 0.05
_in_force: deferred_interrupts | None = None  # the main thread's block, which hears of Ctrl-C


class deferred_interrupts:  # noqa: N801 - a block: `with deferred_interrupts():`
    """Puts Ctrl-C off to the end of the block, which must be short; 1.2 µs.

    In other threads than the main one, and inside of such a block, nothing is to be done. Only a
    handler in Python is put off: one of C's, in whose program Python may be, is not Python's.
    """

    __slots__ = ("_before", "_noted", "_thread")

    def __enter__(self) -> None:
        global _in_force
        self._before: Any = None
        self._noted = False
        if _in_force is None and _is_main_thread() and callable(before := getsignal(_SIGINT)):
            self._before, self._thread = before, get_ident()
            set_handler(_SIGINT, self._note)
            _in_force = self

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._noted = True

    def __exit__(self, *_error: object) -> None:
        global _in_force
        if self._before is not None:
            _in_force = None
            set_handler(_SIGINT, self._before)
            if self._noted:
                self._send()

    def _send(self) -> None:
        raise_signal(_SIGINT)


def _interrupt_main_thread() -> None:
    """From another thread: a call in which the main thread waits ends, too."""
    if hasattr(signal, "pthread_kill"):  # Windows has none
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # type: ignore[arg-type]
    else:
        raise_signal(_SIGINT)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class deferred_past_finalizer(deferred_interrupts):  # noqa: N801
    """For what finalizers do, whose exceptions Python drops: Ctrl-C comes when they have ended."""

    __slots__ = ()

    def _send(self) -> None:
        try:
            threading.Timer(_LATER_S, _interrupt_main_thread).start()
        except RuntimeError:  # the program ends
            super()._send()


class allowed_interrupts:  # noqa: N801
    """A block inside of one that puts Ctrl-C off, in which it comes all the same."""

    __slots__ = ("_outer",)

    def __enter__(self) -> None:
        global _in_force
        self._outer = _in_force if _is_main_thread() else None
        if self._outer is None:
            return
        _in_force = None
        set_handler(_SIGINT, self._outer._before)
        if self._outer._noted:
            self._outer._noted = False
            try:
                raise_signal(_SIGINT)
            except BaseException:
                self.__exit__()
                raise

    def __exit__(self, *_error: object) -> None:
        global _in_force
        if self._outer is not None:
            set_handler(_SIGINT, self._outer._note)
            _in_force = self._outer


@contextmanager
def blocked_interrupts() -> Iterator[None]:
    """A block that starts processes: Ctrl-C is put off to its end, and they never hear of it.

    A terminal sends it to all processes of a program. Their owner is to end them; each calls
    `ignore_interrupts` when it runs.
    """
    with deferred_interrupts():
        if not _CAN_MASK:
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {_SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def reset_in_child() -> None:
    """A child that was forked off another thread than the main one is in no block of that one."""
    global _in_force
    if _in_force is not None and _in_force._thread != get_ident():
        set_handler(_SIGINT, _in_force._before)
        _in_force = None


def ignore_interrupts() -> None:
    """Has this process, and what it starts, ignore Ctrl-C from now on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _CAN_MASK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {_SIGINT})
