# SPDX-License-Identifier: Apache-2.0
"""Tracebacks of programs that mxnova runs: their own lines, not mxnova's."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from ..core.base.doors import cut, wants_all_frames

__all__ = ["hide_frames", "wants_all_frames"]


@contextlib.contextmanager
def hide_frames(runner: str) -> Iterator[None]:
    """Hide the frames of mxnova in the traceback of a program that module `runner` runs.

    The interpreter then shows the frames after those of `runner`, without mxnova's own between and
    below; ``MXNOVA_TRACEBACK=full`` leaves all.
    """
    try:
        yield
    except SystemExit:
        raise
    except BaseException:
        sys.excepthook = _advising(sys.excepthook)
        if not wants_all_frames():
            sys.excepthook = _hiding(runner, sys.excepthook)
        raise


_ADVICE = {  # what NumPy says of programs of MXNet's time -> what to do
    "only 0-dimensional arrays can be converted to Python scalars": (
        "NumPy 2.4 and newer do not take an array of shape (1,) for a number: write float(x) or "
        "x.asscalar() for float(x.asnumpy()), run with --numpy-compat, or install numpy<2.4"
    ),
    "setting an array element with a sequence. The requested array has an inhomogeneous shape": (
        "NumPy 1.24 and newer want dtype=object for lists of unequal lengths"
    ),
    "Unable to avoid copy while creating an array as requested": (
        "NumPy 2.0 and newer: write np.asarray(x) for np.array(x, copy=False), or run with "
        "--numpy-compat"
    ),
    "'numpy.ndarray' object has no attribute 'tostring'": (
        "NumPy 2.3 and newer: write x.tobytes() for x.tostring(), run with --numpy-compat, or "
        "install numpy<2.3"
    ),
}


def _advising(show: Any) -> Any:
    """Shows an error, and below it what to do where an old program meets today's NumPy."""

    def hook(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
        show(kind, error, tb)
        for text, advice in _ADVICE.items():
            if str(error).startswith(text):
                sys.stderr.write(f"mxnova run: {advice}\n")

    return hook


def _hiding(runner: str, show: Any) -> Any:
    def hook(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
        start = tb
        while tb is not None:
            if tb.tb_frame.f_globals.get("__name__") == runner:
                start = tb.tb_next
            tb = tb.tb_next
        cut(error, start)
        show(kind, error, error.__traceback__)

    return hook
