# SPDX-License-Identifier: Apache-2.0
"""StallCheck: workers that wait for each other, or for one that has ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from torch import Tensor

from ...core.base.errors import bounded
from .bucket import Bucket
from .connections import Connections, Handler, Meta
from .coordinator import Coordinator
from .server import Server

__all__ = ["StallCheck"]


class StallCheck:
    """Ends a store whose workers wait without end.

    Args:
        connections: to the other workers.
        server: whose rounds may lack some.
        coordinator: whose calls may lack some.
        pending: gives what this worker has pushed and waits for.
    """

    def __init__(
        self,
        connections: Connections,
        server: Server,
        coordinator: Coordinator,
        pending: Callable[[], Sequence[Bucket]],
    ) -> None:
        self._connections, self._faults = connections, connections.faults
        self._server, self._coordinator, self._pending = server, coordinator, pending
        self.handlers = {
            "leave": Handler(lambda rank, message: [], lambda *_: self.check_left()),
            "stalled": Handler(lambda rank, message: [], self._take),
        }

    def check_left(self) -> None:
        """Ends the store where a push or a call waits for a worker that has ended."""
        for rank in list(self._faults.left):
            waits = any(bucket.waits_for(rank) for bucket in self._pending())
            made = [ranks for _, ranks in self._incomplete(0)]
            if waits or any(rank not in ranks for ranks in made):
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

    def _incomplete(self, seconds: float) -> list[tuple[str, list[int]]]:
        """Pushes and calls that have lasted so long, and the ranks that have made them."""
        pushes = [(f"push of key {k!r}", ranks) for k, ranks in self._server.stalled(seconds)]
        return [*pushes, *self._coordinator.stalled(seconds)]

    def _take(self, rank: int, message: Meta, _tensors: Sequence[Tensor]) -> None:
        self._check(str(message["what"]), [int(each) for each in message["ranks"]])

    def _check(self, what: str, ranks: Sequence[int]) -> None:
        """Ends the store where this worker waits for others, as they do for it."""
        mine = self._oldest()
        if mine is None or mine[1] > time.monotonic() - self._faults.timeout:
            return  # it computes
        workers = f"worker{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"
        self._faults.report(
            bounded(
                f"worker {self._faults.rank} has not come to the {what}, which {workers} made "
                f"{self._faults.timeout:g} s ago (MXNOVA_DIST_TIMEOUT); it waits in its own "
                f"{mine[0]}"
            )
        )

    def _oldest(self) -> tuple[str, float] | None:
        """What this worker has waited for the longest, and since when."""
        waits = [(bucket, bucket.since) for bucket in self._pending()]
        pushes = [(f"push of key {next(iter(b.values))!r}", t) for b, t in waits if t is not None]
        call = self._coordinator.oldest()
        return min([*pushes, *([call] if call else [])], key=lambda each: each[1], default=None)
