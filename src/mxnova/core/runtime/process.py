# SPDX-License-Identifier: Apache-2.0
"""Settings of the whole process, for programs whose main work is mxnova's.

A library leaves them alone: they hold for everything else in the process, too.
"""

from __future__ import annotations

import functools

from . import heap, spin_wait

__all__ = ["tune"]


@functools.cache  # once is enough
def tune() -> None:
    """Has the allocator keep large freed blocks, and OpenMP's idle threads sleep under load."""
    heap.tune()
    spin_wait.watch()
