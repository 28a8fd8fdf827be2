# SPDX-License-Identifier: Apache-2.0
"""What is done around forks, on systems that fork."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from ..base.gc_pause import end_in_child
from ..base.interrupts import reset_in_child

__all__ = ["after_fork_in_child"]


def after_fork_in_child(function: Callable[[], object]) -> None:
    """Has every forked child call `function` before anything else; nothing without forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)


# A child has OpenCV's pool, but none of its threads: it would wait for ever when the pool ends, as
# it does when the number of threads is set to 1. So the pool ends before each fork.
_n_threads: list[int] = []


def _end_opencv_threads() -> None:
    opencv: Any = sys.modules.get("cv2")
    if hasattr(opencv, "setNumThreads"):  # not while it is being imported
        _n_threads.append(opencv.getNumThreads())
        opencv.setNumThreads(1)


def _allow_opencv_threads() -> None:
    if _n_threads:
        sys.modules["cv2"].setNumThreads(_n_threads.pop())


after_fork_in_child(end_in_child)
after_fork_in_child(reset_in_child)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_end_opencv_threads,
        after_in_parent=_allow_opencv_threads,
        after_in_child=_allow_opencv_threads,
    )
