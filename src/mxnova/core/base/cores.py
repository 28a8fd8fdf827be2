# SPDX-License-Identifier: Apache-2.0
"""Cores of the processor."""

from __future__ import annotations

import os

__all__ = ["share_of_cores", "usable_cores"]


def usable_cores() -> int:
    """How many cores this process may use: ``taskset`` and containers leave it fewer, on Linux."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_of_cores(parts: int) -> int:
    """How many of them each of some equal parts has, such as processes; at least one."""
    return max(1, usable_cores() // parts)
