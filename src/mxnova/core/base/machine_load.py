# SPDX-License-Identifier: Apache-2.0
"""Whether other programs keep the machine busy."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_busy", "waited"]

_TASKS = "/proc/self/task"
_LOAD = Path("/proc/loadavg")


def is_busy() -> bool:
    """Whether others want the processor so much that what is measured now says little of later.

    They did so in the last minute, and more threads than there are cores run or wait to run now:
    for a minute after a busy one the load alone tells of what is over.
    """
    if not hasattr(os, "getloadavg"):
        return False
    cores = os.cpu_count() or 1
    return os.getloadavg()[0] > 1.5 * cores and _runnable(default=cores + 1) > cores


def _runnable(default: int) -> int:
    """Number of runnable threads on the machine, or a default if it is unknown."""
    try:
        text = _LOAD.read_text(encoding="ascii")  # such as "0.20 0.18 0.12 1/80 11206"
    except OSError:
        return default
    return int(text.split()[3].split("/")[0])


def waited() -> float:
    """Seconds that the threads of this process have waited for a core; 0 if unknown."""
    total = 0
    for thread in _threads():
        try:
            with open(f"{_TASKS}/{thread}/schedstat", "rb", buffering=0) as file:
                total += int(file.read().split()[1])
        except OSError:  # a thread that has ended meanwhile
            continue
    return total / 1e9


def _threads() -> list[str]:
    try:
        return os.listdir(_TASKS)
    except OSError:
        return []
