# SPDX-License-Identifier: Apache-2.0
"""Batches made in advance by threads, in an order that the engine holds.

For each batch two operations are pushed. The first plans it: reads records and draws random
numbers, one batch after the other. The second decodes it: many images, and batches, at a time.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol

from ...core.base.cores import usable_cores
from ...core.base.errors import from_foreign
from ...core.base.interrupts import deferred_interrupts
from ...core.runtime.engine import Completion, FnProperty, engine
from ...core.runtime.threads import use_single_thread
from ..batch import DataBatch

__all__ = ["Plan", "Prefetcher"]


_MOST_UNPLANNED = 32  # batches: what is planned, one after the other, may be the last one
_MOST_THREADS = 64


class Plan(Protocol):
    """A batch that is known and not decoded."""

    @property
    def jobs(self) -> Sequence[Callable[[], None]]:
        """The jobs that decode the batch: thread-safe, and independent of each other's order."""

    def finish(self) -> DataBatch:
        """The batch, when all jobs are done."""


class _Pending:
    """A batch that is being made."""

    def __init__(self) -> None:
        self.var = engine().new_variable("batch")
        self.plan: Plan | None = None
        self.is_planned = False
        self.error: BaseException | None = None
        self.n_left = 0
        self.lock = threading.Lock()

    def fail(self, error: BaseException) -> None:
        self.error = self.error or error


def _as_ours(error: BaseException, name: str) -> BaseException:
    return from_foreign(error, name) if isinstance(error, MemoryError) else error


class Prefetcher:
    """Prepares batches in the background.

    Args:
        name: of the operations.
        plan: gives the next plan, None after the last.
        depth: how many batches are made in advance.
        n_threads: threads that decode.
    """

    def __init__(
        self, name: str, plan: Callable[[], Plan | None], depth: int, n_threads: int
    ) -> None:
        self._name, self._next_plan, self._depth = name, plan, depth
        self._n_threads = min(n_threads, max(_MOST_THREADS, usable_cores()))
        self._turn = engine().new_variable(name)
        self._pending: deque[_Pending] = deque()
        self._pool: ThreadPoolExecutor | None = None
        self._pid = 0
        self._at_end = self._all_planned = False

    def read(self) -> DataBatch | None:
        """Return the next batch; raises the error that occurred while it was prepared."""
        while self._wants_more():
            self._push()
        if not self._pending:
            return None
        batch = self._pending[0]
        engine().wait_for_var(batch.var)
        self._pending.popleft()
        if batch.error is not None:
            raise _as_ours(batch.error, self._name)
        if batch.plan is None:
            self._at_end = True
            self.drain()
            return None
        return batch.plan.finish()

    def _wants_more(self) -> bool:
        """Whether there may be another batch, and those that are not planned yet are few."""
        if self._at_end or self._all_planned or len(self._pending) > self._depth:
            return False
        few = len(self._pending) < _MOST_UNPLANNED
        return few or self._pending[-_MOST_UNPLANNED].is_planned

    def restart(self) -> None:
        """Wait for pending batches, discard them, and start again."""
        self.drain()
        self._at_end = self._all_planned = False

    def drain(self) -> None:
        """Wait for pending batches and discard them."""
        while self._pending:
            engine().wait_for_var(self._pending[0].var)
            self._pending.popleft()

    def close(self) -> None:
        """Release the thread pool, whose threads then end.

        It takes no lock: the collector may call it inside `submit`, which holds the pool's.
        """
        self._pool = None

    # Operations -----------------------------------------------------------------------------------

    def _push(self) -> None:
        batch = _Pending()
        operations = (self._plan, (self._turn, batch.var)), (self._decode, (batch.var,))
        self._pool = self._threads()
        with deferred_interrupts():
            self._pending.append(batch)
            for act, writes in operations:
                engine().push_async(
                    partial(act, batch), writes=writes, kind=FnProperty.ASYNC, name=self._name
                )

    def _threads(self) -> ThreadPoolExecutor:
        """The threads of this process: a fork leaves them behind."""
        if self._pool is None or self._pid != os.getpid():
            self._pid = os.getpid()
            return ThreadPoolExecutor(self._n_threads, self._name, use_single_thread)
        return self._pool

    def _plan(self, batch: _Pending, done: Completion) -> None:
        def plan() -> None:
            try:
                batch.plan = self._next_plan()
                self._all_planned = self._all_planned or batch.plan is None
            except BaseException as error:  # noqa: BLE001 - for who asks for the batch
                batch.fail(error)
            batch.is_planned = True
            done()

        self._submit(batch, plan, done)

    def _decode(self, batch: _Pending, done: Completion) -> None:
        jobs = () if batch.plan is None else batch.plan.jobs
        if not jobs:
            done()
            return
        n_shares = min(4 * self._n_threads, len(jobs))
        shares = [jobs[i::n_shares] for i in range(n_shares)]
        batch.n_left = len(shares)
        for share in shares:
            self._submit(batch, partial(self._work, batch, share, done), done)

    def _work(self, batch: _Pending, jobs: Sequence[Callable[[], None]], done: Completion) -> None:
        try:
            for job in jobs:
                job()
        except BaseException as error:  # noqa: BLE001 - for who asks for the batch
            batch.fail(error)
        with batch.lock:
            batch.n_left -= 1
            is_last = batch.n_left == 0
        if is_last:
            done()

    def _submit(self, batch: _Pending, work: Callable[[], Any], done: Completion) -> None:
        pool = self._pool
        try:
            if pool is None:
                raise RuntimeError("the iterator was closed")
            pool.submit(work)
        except RuntimeError as error:  # that, or the interpreter ends
            batch.fail(error)
            done()
