# SPDX-License-Identifier: Apache-2.0
"""Watch: each rank shows that it lives, looks whether the next one does, and hears of faults.

Ranks may compute for as long as they like: who waits for them waits without limit, as long as they
live. A connection that closes tells a death at once; this tells that of a machine, or of a network.
"""

from __future__ import annotations

import threading
import time

import torch.distributed as dist

from .faults import Faults

__all__ = ["Watch"]

_BEATS = 6  # of a rank's heart within `Faults.timeout`


class Watch:
    """A thread that watches one rank, until it is ended.

    Args:
        faults: where it tells what it finds.
        store: where ranks leave their signs of life.
    """

    def __init__(self, faults: Faults, store: dist.Store) -> None:
        self._faults, self._store = faults, store
        self._end = threading.Event()
        self._seen = (-1, b"", 0.0)  # rank, its last sign, and when that was found
        self._thread = threading.Thread(target=self._watch, name="mxnova watch", daemon=True)
        if faults.size > 1:
            self._thread.start()

    def close(self) -> None:
        """Ends the watch."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(self._faults.timeout)

    def _watch(self) -> None:
        number = 0
        while self._faults.text is None and not self._end.wait(self._faults.timeout / _BEATS):
            number += 1
            try:
                self._store.set(f"beat/{self._faults.rank}", str(number))
                self._faults.hear()
                self._look(self._next())
            except RuntimeError:
                self._faults.lose_keeper()

    def _next(self) -> int:
        """The rank after this one, of those that have not left; this one if there is none."""
        rank, size = self._faults.rank, self._faults.size
        others = ((rank + i) % size for i in range(1, size))
        return next((other for other in others if other not in self._faults.left), rank)

    def _look(self, rank: int) -> None:
        if rank == self._faults.rank:
            return
        name, now = f"beat/{rank}", time.monotonic()
        sign = self._store.get(name) if self._store.check([name]) else b""
        if (rank, sign) != self._seen[:2]:
            self._seen = (rank, sign, now)
        elif now - self._seen[2] > self._faults.timeout:
            self._faults.of(rank, TimeoutError("timed out"))
