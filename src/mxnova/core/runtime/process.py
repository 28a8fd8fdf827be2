# SPDX-License-Identifier: Apache-2.0
"""The whole process: when it began, and settings for programs whose main work is mxnova's.

A library leaves those alone: they hold for everything else in the process, too.
"""

from __future__ import annotations

import functools
import time

from . import heap, spin_wait

__all__ = ["STARTED", "tune"]

STARTED = time.time()  # when the process began to compute, in seconds since 1970


@functools.cache  # once is enough
def tune() -> None:
    """Has the allocator keep large freed blocks, and OpenMP's idle threads sleep under load."""
    heap.tune()
    spin_wait.watch()
