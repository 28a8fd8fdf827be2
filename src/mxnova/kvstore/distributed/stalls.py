# SPDX-License-Identifier: Apache-2.0
"""StallCheck: workers that wait for each other, or for one that has ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from torch import Tensor

from ...core.base.errors import bounded
from .connections import Connections, Handler, Meta
from .requests import Requests

__all__ = ["StallCheck"]


class StallCheck:
    """Ends a store whose workers wait without end.

    Args:
        connections: to the other workers.
        requests: of this worker.
        incomplete: gives (what, ranks that have come to it) of each push or call that has waited
            for so many seconds for some ranks.
    """

    def __init__(
        self,
        connections: Connections,
        requests: Requests,
        incomplete: Callable[[float], Sequence[tuple[str, list[int]]]],
    ) -> None:
        self._connections, self._faults = connections, connections.faults
        self._requests, self._incomplete = requests, incomplete
        self.handlers = {
            "leave": Handler(lambda *_: self.check_left()),
            "stalled": Handler(self._take),
        }

    def check_left(self) -> None:
        """Ends the store where a push or a call waits for a worker that has ended."""
        for rank in list(self._faults.left):
            waits = any(asked == rank for asked, _, _ in self._requests.waiting())
            if waits or any(rank not in ranks for _, ranks in self._incomplete(0)):
                raise self._faults.of(rank, ConnectionError("closed"))

    def report(self) -> None:
        """Tells workers what has waited for them for longer than the timeout."""
        for what, ranks in self._incomplete(self._faults.timeout):
            for rank in set(range(self._faults.size)) - set(ranks) - self._faults.left:
                if rank == self._faults.rank:
                    self._check(what, ranks)
                else:
                    message = {"op": "stalled", "what": what, "ranks": ranks}
                    self._connections.send(rank, message)

    def _take(self, _rank: int, message: Meta, _tensors: Sequence[Tensor]) -> None:
        self._check(str(message["what"]), [int(each) for each in message["ranks"]])

    def _check(self, what: str, ranks: Sequence[int]) -> None:
        """Ends the store where this worker waits for others, as they do for it."""
        waiting = self._requests.waiting()
        if not waiting or waiting[0][2] > time.monotonic() - self._faults.timeout:
            return  # it computes
        workers = f"worker{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"
        self._faults.report(
            bounded(
                f"worker {self._faults.rank} has not come to the {what}, which {workers} made "
                f"{self._faults.timeout:g} s ago (MXNOVA_DIST_TIMEOUT); it waits in its own "
                f"{waiting[0][1]}"
            )
        )
