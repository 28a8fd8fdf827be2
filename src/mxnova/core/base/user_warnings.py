# SPDX-License-Identifier: Apache-2.0
"""Warnings that point to the line of the program, however deep inside mxnova they are given."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from .printable import printable

__all__ = ["is_inner", "warn_user"]


def is_inner(frame: FrameType) -> bool:
    """Whether a frame is mxnova's; generated code has the name of the module that made it."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "mxnova"


def _is_contextlib(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__") == "contextlib"


def warn_user(text: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn about the innermost line that is not mxnova's, as `warnings.warn` does.

    Lines of contextlib, which runs context managers for mxnova, do not count. Control characters in
    a text are escaped: warnings contain names from files, and Python prints them to the terminal.
    """
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and (is_inner(frame) or _is_contextlib(frame)):
        frame = frame.f_back
        level += 1
    text = printable(text, keep="\n\t") if isinstance(text, str) else text
    warnings.warn(text, category, stacklevel=level)
