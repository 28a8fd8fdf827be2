# SPDX-License-Identifier: Apache-2.0
"""Who has failed: the first failure that this rank notices or is told of ends the store."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...core.base.errors import MXNetError, bounded

__all__ = ["Faults", "first_line"]

_log = logging.getLogger("mxnova")


class Faults:
    """What is known of failures.

    Args:
        rank: of this process.
        size: how many ranks there are.
        timeout: seconds after which a rank that gives no sign of life is taken for dead.

    Attributes:
        text: what has failed; None as long as nothing has.
        message: that tells other ranks the same.
        left: ranks that have ended as they should.
    """

    def __init__(self, rank: int, size: int, timeout: float) -> None:
        self.rank, self.size, self.timeout = rank, size, timeout
        self.text: str | None = None
        self.message: dict[str, Any] = {}
        self.left: set[int] = set()
        self._lock = threading.Lock()
        self._actions: list[Callable[[], None]] = []

    def then(self, action: Callable[[], None]) -> None:
        """Has `action` called when something has failed, so that nobody waits in vain."""
        self._actions.append(action)

    def check(self) -> None:
        """Raises MXNetError when something has failed."""
        if self.text is not None:
            raise self.error()

    def error(self) -> MXNetError:
        """What has failed, as an exception of its own for each who is told."""
        return MXNetError(f"KVStore, worker {self.rank} of {self.size}: {self.text}")

    def of(self, peer: int, error: Exception) -> MXNetError:
        """Ends the store, as an exchange with `peer` has failed; returns the error that counts."""
        _log.debug("exchange with %d failed: %s", peer, error)
        self._end(peer, f"worker {peer} {self._reason(peer, error)}")
        return self.error()

    def report(self, text: str) -> None:
        """Ends the store for all ranks, because of what this one has found out about itself."""
        self._end(self.rank, text)

    def hear(self, message: dict[str, Any]) -> None:
        """Ends the store because of what another rank has told.

        Raises:
            ValueError: it is no such message.
        """
        rank, text = message.get("rank"), message.get("text")
        if not isinstance(rank, int) or not isinstance(text, str):
            raise ValueError("a fault that is none")
        if rank == self.rank:
            text = f"the others go on without this worker: {text}"
        self._end(rank, text)

    @contextmanager
    def fatal(self) -> Iterator[None]:
        """A block that must not fail on one rank alone: what it raises ends the store for all."""
        try:
            yield
        except BaseException as error:
            self.report(f"worker {self.rank} has failed: {type(error).__name__}: {error}")
            raise

    def _end(self, rank: int, text: str) -> None:
        with self._lock:
            if self.text is not None:
                return
            self.message = {"op": "fault", "rank": rank, "text": text[:500]}
            self.text = bounded(text[:500])
        for action in self._actions:
            action()

    def _reason(self, peer: int, error: Exception) -> str:
        text = first_line(error)
        if not isinstance(error, OSError):  # by this package, of what the peer has sent
            return f"cannot be understood: {text}"
        if peer in self.left:
            return "has ended"
        if isinstance(error, TimeoutError):
            return f"has given no sign of life for {self.timeout:g} s (MXNOVA_DIST_TIMEOUT)"
        if isinstance(error, ConnectionError):
            return "is gone: its connection was closed"
        return f"cannot be reached: {text}"


def first_line(error: Exception) -> str:
    """The first line of what an error says."""
    return str(error).partition("\n")[0]
