# SPDX-License-Identifier: Apache-2.0
"""Heartbeat: each rank shows all others that it lives, and misses those that do not.

Ranks may compute for as long as they like: who waits for them waits without limit, as long as they
live. A connection that closes tells a death at once; this tells that of a machine, or of a network.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from ...core.base.errors import MXNetError
from .connections import Connections

__all__ = ["BEATS", "Heartbeat"]

BEATS = 6  # within the timeout


class Heartbeat:
    """A thread that beats for this rank until it is closed or the store has failed.

    Args:
        connections: that carry beats.
        check: is called with each beat.
    """

    def __init__(self, connections: Connections, check: Callable[[], None]) -> None:
        self._connections, self._faults, self._check = connections, connections.faults, check
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mxnova heartbeat", daemon=True)
        if connections.peers:
            self._thread.start()

    def close(self) -> None:
        """Ends the thread."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(self._faults.timeout)

    def _run(self) -> None:
        timeout = self._faults.timeout
        before = time.monotonic()
        while self._faults.text is None and not self._end.wait(timeout / BEATS):
            now = time.monotonic()
            with suppress(MXNetError):  # which others are told
                # Who was stopped itself has read nothing either.
                self._connections.beat(forgive=now - before > timeout / 2)
                self._check()
            before = now
