# SPDX-License-Identifier: Apache-2.0
"""How busy other processes keep the machine, which spoils measurements."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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


def others_running(seconds: float = 1.0) -> float:
    """How many threads of other programs compete for the cores, each as much as one of these.

    It keeps all cores busy for so long: one thread for each gets less of them the more others run.
    """
    cores = os.cpu_count() or 1
    begin, work = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(_hash_until, [begin + seconds] * cores))
    used = (time.process_time() - work) / (time.perf_counter() - begin)
    return max(0.0, cores * (cores / used - 1))


def _hash_until(end: float) -> None:
    block = bytes(1 << 20)  # which is hashed without the lock of the interpreter
    while time.perf_counter() < end:
        hashlib.sha256(block)


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
