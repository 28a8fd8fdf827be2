# SPDX-License-Identifier: Apache-2.0
"""The border between C and Python: functions that C calls, and what went wrong in them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ..core.base.errors import MXNetError
from ..core.base.printable import printable
from .interface import NULL, enter, ffi, leave

__all__ = [
    "FUNCTIONS",
    "REFUSED",
    "call_back",
    "extern",
    "failed",
    "last_error",
    "refuse",
    "set_error",
    "status",
]

# Name in C -> what is called. Statuses are theirs to return; what they raise is C's -1.
FUNCTIONS: dict[str, Callable[..., Any]] = {}

REFUSED: dict[str, str] = {}  # name in C -> why it always fails

_thread = threading.local()


def extern(function: Callable[..., None], name: str = "") -> Callable[..., None]:
    """Makes `function` C's of the same name, or of `name`: it returns 0, or -1 where it raises."""

    def call(*arguments: Any) -> int:
        function(*arguments)
        return 0

    FUNCTIONS[name or function.__name__] = call
    return function


def status(function: Callable[..., Any]) -> Callable[..., Any]:
    """`extern` for a function that returns C's result itself: fast ones, and those without -1."""
    FUNCTIONS[function.__name__] = function
    return function


def refuse(name: str, reason: str) -> None:
    """Makes a function of C that always fails."""
    REFUSED[name] = reason

    def call(*_arguments: Any) -> int:
        raise MXNetError(f"{name}: {reason}")

    FUNCTIONS[name] = call


def call_back(function: Any, *arguments: Any) -> Any:
    """What a function of C gives, which may call the library, also while the process ends."""
    enter()
    try:
        return function(*arguments)
    finally:
        leave()


def failed(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Keeps what a function raised as the thread's last error: a kind, and the text."""
    if isinstance(error, MXNetError):
        set_error(f"{error.kind}: {error}")
    else:
        set_error(f"{MXNetError.kind}: {kind.__name__}: {error}")


def set_error(text: str) -> None:
    """Makes `text` the thread's last error."""
    encoded = printable(text, keep="\n").encode(errors="replace").replace(b"\0", b"?")
    _thread.error = ffi.new("char[]", encoded)


def last_error() -> Any:
    """What went wrong last in this thread, as C's text."""
    error = getattr(_thread, "error", None)
    return _EMPTY if error is None else error


_EMPTY = ffi.new("char[]", b"")


@status
def MXGetLastError() -> Any:
    return last_error()


@status
def NNGetLastError() -> Any:
    return last_error()


@status
def NNAPISetLastError(msg: Any) -> None:
    set_error("" if msg == NULL else ffi.string(msg).decode(errors="replace"))
