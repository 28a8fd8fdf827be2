# SPDX-License-Identifier: Apache-2.0
"""Warnings that point to the line of the program, however deep inside mxnova they are given."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

__all__ = ["is_inner", "warn_user"]


def is_inner(frame: FrameType) -> bool:
    """Whether a frame is mxnova's; generated code has the name of the module that made it."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "mxnova"


def _is_contextlib(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__") == "contextlib"


def warn_user(text: str | Warning, category: type[Warning] = UserWarning) -> None:
    """As `warnings.warn`, from the innermost line that is not mxnova's.

    Lines of contextlib, which runs context managers for mxnova, do not count.
    """
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and (is_inner(frame) or _is_contextlib(frame)):
        frame = frame.f_back
        level += 1
    warnings.warn(text, category, stacklevel=level)
