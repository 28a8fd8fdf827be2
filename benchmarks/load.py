# SPDX-License-Identifier: Apache-2.0
"""How busy other processes keep the machine, which spoils measurements."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["others_running", "watch_others"]

_STAT = Path("/proc/stat")
_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


def watch_others() -> Callable[[], float | None]:
    """A function that tells how many cores other processes have used on average since now.

    Its answer holds once this process's children have ended; None where Linux is not.
    """
    start, busy, own = time.perf_counter(), _busy_seconds(), _own_seconds()

    def others() -> float | None:
        now = _busy_seconds()
        if busy is None or now is None:
            return None
        used = (now - busy) - (_own_seconds() - own)
        return max(0.0, used / (time.perf_counter() - start))

    return others


def others_running(seconds: float = 2.0) -> float:
    """How many threads of other programs want a core, on average; 0 where Linux is not.

    It waits for so long, and holds where this process has no other running threads or children.
    """
    end, found = time.perf_counter() + seconds, []
    while _STAT.exists() and time.perf_counter() < end:
        lines = _STAT.read_text(encoding="ascii").splitlines()
        running = next(int(line.split()[1]) for line in lines if line.startswith("procs_running"))
        found.append(running - 1)  # itself
        time.sleep(0.02)
    return sum(found) / max(len(found), 1)


def _busy_seconds() -> float | None:
    """Processor time that the machine has spent, not idle, since it started."""
    if not _STAT.exists():
        return None
    _, *ticks = _STAT.read_text(encoding="ascii").splitlines()[0].split()
    spent = dict(zip(_FIELDS, map(int, ticks), strict=False))
    idle = spent.get("idle", 0) + spent.get("iowait", 0)
    return (sum(spent.values()) - idle) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
