# SPDX-License-Identifier: Apache-2.0
"""Heartbeat: each rank shows all others that it lives, and in what it waits.

Ranks may compute for as long as they like: who waits for them waits without limit, as long as they
live. A connection that closes tells a death at once. This tells that of a machine or of a network,
and that workers wait for each other, or for one that has ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from ...core.base.errors import MXNetError
from .connections import Connections, Request
from .peer import FIRST

__all__ = ["BEATS", "Heartbeat"]

BEATS = 6  # within the timeout


class Heartbeat:
    """A thread that beats for this rank until it is closed or the store has failed.

    Args:
        connections: that carry beats.
        incomplete: gives (what, ranks that have come to it) of each push or call that has waited
            for so many seconds for some ranks.
    """

    def __init__(
        self,
        connections: Connections,
        incomplete: Callable[[float], Sequence[tuple[str, list[int]]]],
    ) -> None:
        self._connections, self._faults = connections, connections.faults
        self._incomplete = incomplete
        self._waits: dict[int, tuple[str, float]] = {}  # of each rank in what, for how many seconds
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mxnova heartbeat", daemon=True)
        connections.serve("beat", self._hear)
        connections.serve("leave", lambda _: self.check_left())

    def start(self) -> None:
        """Beats from now on."""
        if self._connections.peers:
            self._thread.start()

    def close(self) -> None:
        """Ends the thread."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(self._faults.timeout)

    def check_left(self) -> None:
        """Ends the store where a push or a call waits for a worker that has ended."""
        for rank in list(self._faults.left):
            waits = any(asked == rank for asked, _, _ in self._connections.waiting())
            if waits or any(rank not in ranks for _, ranks in self._incomplete(0)):
                raise self._faults.of(rank, ConnectionError("closed"))

    def _run(self) -> None:
        timeout = self._faults.timeout
        before = time.monotonic()
        while self._faults.text is None and not self._end.wait(timeout / BEATS):
            now = time.monotonic()
            with suppress(MXNetError):  # which others are told
                self._beat()
                # Who was stopped itself has heard nobody.
                self._connections.check_heard(forgive=now - before > timeout / 2)
                self._check_stalls()
            before = now

    def _beat(self) -> None:
        what, seconds = "", 0.0
        waiting = self._connections.waiting()
        if waiting:
            what, seconds = waiting[0][1], time.monotonic() - waiting[0][2]
        self._waits[self._faults.rank] = what, seconds
        for rank in self._connections.peers:
            message = {"op": "beat", "what": what, "seconds": seconds}
            self._connections.tell(rank, message, priority=FIRST)

    def _hear(self, request: Request) -> None:
        message = request.message
        self._waits[request.rank] = str(message["what"]), float(message["seconds"])

    def _check_stalls(self) -> None:
        """Ends the store where others wait for a worker that itself waits for others."""
        timeout = self._faults.timeout
        for what, ranks in self._incomplete(timeout):
            for rank in set(range(self._faults.size)) - set(ranks) - self._faults.left:
                own, seconds = self._waits.get(rank, ("", 0.0))
                if seconds > timeout:  # or else it computes
                    workers = f"worker{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"
                    self._faults.report(
                        f"worker {rank} has not come to the {what}, which {workers} made "
                        f"{timeout:g} s ago (MXNOVA_DIST_TIMEOUT); it waits in its own {own}"
                    )
