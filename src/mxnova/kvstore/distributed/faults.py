# SPDX-License-Identifier: Apache-2.0
"""Who has failed: the first that any rank notices is told to all, and ends the store."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...core.base.errors import MXNetError, bounded

__all__ = ["Faults", "first_line"]

_log = logging.getLogger(__name__)

_GRACE = 1.0  # seconds that a rank which has hung up has to tell why
_KEY = "fault"


class Faults:
    """What is known of failures.

    Args:
        store: in which ranks tell each other.
        rank: of this process.
        size: how many ranks there are.
        timeout: seconds after which a rank that gives no sign of life is taken for dead.
        host: who hosts `store`.

    Attributes:
        text: what has failed; None as long as nothing has.
        left: ranks that have ended as they should.
    """

    def __init__(self, store: Any, rank: int, size: int, timeout: float, host: str) -> None:
        self.rank, self.size, self.timeout = rank, size, timeout
        self.text: str | None = None
        self.left: set[int] = set()
        self._store, self._host = store, host
        self._lock = threading.RLock()
        self._hang_ups: list[Callable[[], None]] = []

    def then(self, hang_up: Callable[[], None]) -> None:
        """Has `hang_up` called when something has failed, so that nobody waits for this rank."""
        self._hang_ups.append(hang_up)

    def check(self) -> None:
        """Raises MXNetError when something has failed."""
        if self.text is not None:
            raise self._error()

    def of(self, peer: int, error: Exception) -> MXNetError:
        """The error that says who has failed, where an exchange with `peer` has."""
        with self._lock:
            if self.text is None:
                _log.debug("exchange with %d failed: %s", peer, error)
                self._end(self._told(peer, error))
        return self._error()

    def report(self, text: str) -> None:
        """Ends the store for all ranks, because of what this one has found out about itself."""
        with self._lock:
            if self.text is None:
                self._end(self._tell(self.rank, text) or text)

    @contextmanager
    def fatal(self) -> Iterator[None]:
        """A block that must not fail on one rank alone: what it raises ends the store for all."""
        try:
            yield
        except BaseException as error:
            if self.text is None:
                self.report(f"worker {self.rank} has failed: {type(error).__name__}: {error}")
            raise

    def hear(self) -> None:
        """Looks whether another rank has told of a fault."""
        if self._store.check([_KEY]):
            with self._lock:
                text = _read(self._store.get(_KEY), self.rank)
                if self.text is None and text is not None:
                    self._end(text)

    def lose_host(self) -> None:
        """Ends the store because nobody hosts the rendezvous store any more."""
        with self._lock:
            if self.text is None:
                self._end(f"{self._host} {_GONE}")

    def _end(self, text: str) -> None:
        self.text = text
        for hang_up in self._hang_ups:
            hang_up()

    def _error(self) -> MXNetError:
        return MXNetError(f"KVStore, worker {self.rank} of {self.size}: {self.text}")

    def _told(self, peer: int, error: Exception) -> str:
        """What the first rank has told, which is this one if none has."""
        noticed = time.monotonic()
        try:
            while self._reason(peer, error) is _GONE and time.monotonic() < noticed + _GRACE:
                if self._store.check([_KEY]):  # it may have ended, or hung up on another
                    break
                time.sleep(0.02)
            text = f"worker {peer} {self._reason(peer, error)}"
            told = self._tell(peer, text)
        except RuntimeError:
            told = None
        if told is not None:
            return told
        # A host that has noticed the same fault waits _GRACE, too, before it ends.
        if time.monotonic() - noticed >= _GRACE / 2:
            return f"worker {peer} {self._reason(peer, error)}"
        return f"{self._host} {_GONE}"

    def _tell(self, peer: int, text: str) -> str | None:
        """Tells a fault, unless there was one before; returns the one that counts."""
        try:
            told = self._store.compare_set(_KEY, "", json.dumps({"rank": peer, "text": text}))
        except RuntimeError:  # nobody keeps the store any more
            return None
        return _read(told, self.rank) or text

    def _reason(self, peer: int, error: Exception) -> str:
        text = first_line(error)
        if isinstance(error, ValueError):  # by this package, of what the peer has sent
            return f"cannot be understood: {text}"
        if peer in self.left:
            return "has ended"
        if "timed out" in text.lower() or "timeout" in text.lower():
            return f"has given no sign of life for {self.timeout:g} s (MXNOVA_DIST_TIMEOUT)"
        if any(word in text.lower() for word in ("closed", "reset", "pipe")):
            return _GONE
        return f"cannot be reached: {text}"


_GONE = "is gone: its connection was closed"


def _read(told: bytes, rank: int) -> str | None:
    """The text of a fault that somebody told; None where it is of no use to this rank."""
    try:
        record = json.loads(told)
        who, text = record["rank"], record["text"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(who, int) or not isinstance(text, str):
        return None
    if who == rank:
        text = f"the others go on without this worker: {text}"
    return bounded(text[:500])


def first_line(error: Exception) -> str:
    """The first line of what an error says."""
    return str(error).partition("\n")[0]
