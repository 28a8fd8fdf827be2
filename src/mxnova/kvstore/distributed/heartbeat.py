# SPDX-License-Identifier: Apache-2.0
"""Heartbeat: each rank shows that it lives, checks the next one, and hears of faults.

Ranks may compute for as long as they like: who waits for them waits without limit, as long as they
live. A connection that closes tells a death at once; this tells that of a machine, or of a network.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...core.base.errors import MXNetError
from .faults import Faults

__all__ = ["BEATS", "Heartbeat"]

BEATS = 6  # within the timeout


class Heartbeat:
    """A thread that beats for this rank and watches the next one.

    Args:
        faults: is told what it finds.
        store: of beats.
    """

    def __init__(self, faults: Faults, store: Any) -> None:
        self._faults, self._store = faults, store
        self._end = threading.Event()
        self._seen = (-1, b"", 0.0)  # rank, its last beat, and when that was found
        self._check: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="mxnova heartbeat", daemon=True)

    def start(self, check: Callable[[], None]) -> None:
        """Beats from now on, and calls `check` each time."""
        self._check = check
        if self._faults.size > 1:
            self._thread.start()

    def close(self) -> None:
        """Ends the thread."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(self._faults.timeout)

    def _run(self) -> None:
        number = 0
        while self._faults.text is None and not self._end.wait(self._faults.timeout / BEATS):
            number += 1
            try:
                self._store.set(f"beat/{self._faults.rank}", str(number))
                self._faults.hear()
                self._watch(self._next())
            except RuntimeError:
                self._faults.lose_host()
            with suppress(MXNetError):  # which others are told
                self._check()

    def _next(self) -> int:
        """The rank after this one, of those that have not left; this one if there is none."""
        rank, size = self._faults.rank, self._faults.size
        others = ((rank + i) % size for i in range(1, size))
        return next((other for other in others if other not in self._faults.left), rank)

    def _watch(self, rank: int) -> None:
        if rank == self._faults.rank:
            return
        name, now = f"beat/{rank}", time.monotonic()
        beat = self._store.get(name) if self._store.check([name]) else b""
        if (rank, beat) != self._seen[:2]:
            self._seen = (rank, beat, now)
        elif now - self._seen[2] > self._faults.timeout:
            self._faults.of(rank, TimeoutError("timed out"))
