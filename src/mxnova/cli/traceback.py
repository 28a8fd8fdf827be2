# SPDX-License-Identifier: Apache-2.0
"""Tracebacks of programs that mxnova runs: their own lines, not mxnova's."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from ..core.base import env

__all__ = ["hide_frames"]

_HIDDEN = {"mxnova"}
_BELOW = {"mxnova", "importlib", "numpy", "torch"}  # hidden where mxnova has called them


@contextlib.contextmanager
def hide_frames(runner: str) -> Iterator[None]:
    """What leaves the block is shown as from a program that the module named `runner` does not run.

    The interpreter then shows the frames after those of `runner`, without mxnova's own between and
    below; ``MXNOVA_FULL_TRACEBACK=1`` leaves all.
    """
    full = env.get("MXNOVA_FULL_TRACEBACK")
    try:
        yield
    except SystemExit:
        raise
    except BaseException:
        if not full:
            sys.excepthook = _hiding(runner, sys.excepthook)
        raise


def _hiding(runner: str, show: Any) -> Any:
    def hook(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
        start = tb
        while tb is not None:
            tb, is_runner = tb.tb_next, _module_of(tb) == runner
            start = tb if is_runner else start
        error.__traceback__ = _visible(start, _BELOW)
        _clean(error, {id(error)})
        show(kind, error, error.__traceback__)

    return hook


def _module_of(tb: TracebackType) -> str:
    return str(tb.tb_frame.f_globals.get("__name__", ""))


def _clean(error: BaseException, seen: set[int]) -> None:
    """Also what `error` came from."""
    for origin in (error.__cause__, error.__context__):
        if origin is not None and id(origin) not in seen:
            seen.add(id(origin))
            origin.__traceback__ = _visible(origin.__traceback__, _HIDDEN)
            _clean(origin, seen)


def _visible(tb: TracebackType | None, hidden: set[str]) -> TracebackType | None:
    """`tb` without frames of mxnova and of the libraries that it called."""
    kept = []
    while tb is not None:
        package = _module_of(tb).partition(".")[0]
        if package in hidden:
            hidden = _BELOW
        else:
            hidden = _HIDDEN
            kept.append(tb)
        tb = tb.tb_next
    below = None
    for one in reversed(kept):
        below = TracebackType(below, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return below
