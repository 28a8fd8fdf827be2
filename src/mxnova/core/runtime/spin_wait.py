# SPDX-License-Identifier: Apache-2.0
"""Lets OpenMP's idle threads sleep at once while other programs want their cores.

GNU's OpenMP, which comes with torch, has a thread look for work 300,000 times (4 to 9 ms) before
it sleeps, on the assumption that nobody else wants its core. Where somebody does, a thread waits
so in vain for one that is not running. Where a process has more of OpenMP's threads than cores it
looks 1,000 times only. So while threads of this process wait for cores, a team without work stands
by, which is there to be counted. SqueezeNet with two threads on two cores of a Xeon, medians and
what nine of ten runs keep to: quiet 5.5 and 6.2 ms, as without it; beside one busy program 9.5 and
9.8 instead of 14 and 121, beside two 9.5 and 11 instead of 29 and 400.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from ..base.machine_load import waited
from .threads import thread_count
from .torch_api import native_library

__all__ = ["watch"]

_SET_BY_USERS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
_SCHEDSTAT = Path("/proc/self/schedstat")
_INTERVAL_S = 0.1
_MOST_LOOKING = 0.01  # of the time
# Of a core: with a machine to itself a process waits up to 0.1, beside a busy program 0.7 and more,
# 0.4 while the team stands by.
_CROWDED, _CALM = 0.3, 0.15
_LOOKS_CROWDED, _LOOKS_CALM = 2, 4  # in succession: single ones mean little


def watch() -> None:
    """Starts to look after them, unless the user's environment says how long they wait."""
    if _SCHEDSTAT.exists() and not any(name in os.environ for name in _SET_BY_USERS):
        threading.Thread(target=_look_after, name="mxnova-spin-wait", daemon=True).start()


def _look_after() -> None:
    team: _Team | None = None
    n_crowded = n_calm = 0
    for share in _shares_waited():
        n_crowded = n_crowded + 1 if share > _CROWDED else 0
        n_calm = n_calm + 1 if share < _CALM else 0
        if team is None and n_crowded >= _LOOKS_CROWDED and thread_count() > 1:
            team = _Team()
        elif team is not None and n_calm >= _LOOKS_CALM:
            team.end()
            team = None


def _shares_waited() -> Iterator[float]:
    """How many threads of this process have waited for a core on average, again and again."""
    pause = _INTERVAL_S
    start, before = time.perf_counter(), waited()
    while True:
        time.sleep(pause)
        now = time.perf_counter()
        total = waited()
        pause = max(_INTERVAL_S, (time.perf_counter() - now) / _MOST_LOOKING)
        yield (total - before) / (now - start)
        start, before = now, total


class _Team:
    """As many of OpenMP's threads as the process may use cores, asleep."""

    def __init__(self) -> None:
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._stand_by, daemon=True)
        self._thread.start()

    def _stand_by(self) -> None:
        library = native_library()
        begin = getattr(library, "GOMP_parallel", None)
        if begin is not None:  # else it is somebody else's OpenMP
            n_threads = len(os.sched_getaffinity(0))
            begin(library.omp_get_thread_num, None, ctypes.c_uint(n_threads), ctypes.c_uint(0))
        self._has_ended.wait()

    def end(self) -> None:
        """OpenMP's threads end with the one that they were made for."""
        self._has_ended.set()
        self._thread.join()
