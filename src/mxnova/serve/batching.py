# SPDX-License-Identifier: Apache-2.0
"""Concurrent requests as batches, on a pool of threads.

A batch is formed when a thread is free for it: requests that come while all threads are busy share
the next run, and a request that comes alone does not wait, unless `max_delay` says so.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import overloaded

__all__ = ["Batcher", "Pool", "batch_sizes"]

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Array]
Outputs = list[Array]


class Pool:
    """Threads that run models, shared by all models of a process.

    Args:
        threads: how many.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.executor = ThreadPoolExecutor(threads, thread_name_prefix="mxnova-serve")
        self.free = asyncio.Semaphore(threads)


@dataclass(eq=False)
class _Waiting:
    """A request in the queue."""

    inputs: Inputs
    rows: int
    key: tuple[Any, ...]  # shapes of a row: what requests must agree in to share a run
    future: asyncio.Future[Outputs]
    since: float = field(default_factory=time.monotonic)


class Batcher:
    """The queue of a model.

    Args:
        run: computes the outputs of inputs, in any thread.
        pool: where.
        max_batch: rows of a run; 1 for a model whose requests cannot share one.
        max_delay: seconds that a request waits for others.
        max_queue: requests that may wait.
        ran: told of each run: number of requests, of rows, and its seconds.
    """

    def __init__(
        self,
        run: Callable[[Inputs], Outputs],
        pool: Pool,
        max_batch: int,
        max_delay: float = 0.0,
        max_queue: int = 128,
        ran: Callable[[int, int, float], None] = lambda requests, rows, seconds: None,
    ) -> None:
        self._run, self._pool, self._ran = run, pool, ran
        self._max_batch, self._max_delay, self._max_queue = max_batch, max_delay, max_queue
        self._queue: deque[_Waiting] = deque()
        self._arrived = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_draining = False
        self._seconds = 0.0  # of a request, lately

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._queue)

    async def submit(self, inputs: Inputs, rows: int) -> Outputs:
        """The outputs for `inputs`, whose first axes have `rows`.

        Raises:
            Refused: the queue is full.
            MXNetError: the model does not take them.
        """
        if len(self._queue) >= self._max_queue:
            wait = self._seconds * len(self._queue) / self._pool.threads
            raise overloaded(f"{len(self._queue)} requests wait for this model already", wait)
        key = tuple((n, a.shape[1:] if self._shares else a.shape) for n, a in inputs.items())
        future: asyncio.Future[Outputs] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(inputs, rows, key, future))
        self._arrived.set()
        if not self._is_draining:
            self._is_draining = True
            self._start(self._drain())
        return await future

    @property
    def _shares(self) -> bool:
        return self._max_batch > 1

    def _start(self, coroutine: Any) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _drain(self) -> None:
        """Forms batches until the queue is empty."""
        try:
            while self._queue:
                await self._gather()
                await self._pool.free.acquire()
                batch = self._take()
                if batch:
                    self._start(self._execute(batch))
                else:
                    self._pool.free.release()
        finally:
            self._is_draining = False

    async def _gather(self) -> None:
        """Waits until a batch is full, or its first request has waited for `max_delay`."""
        deadline = self._queue[0].since + self._max_delay
        while sum(w.rows for w in self._queue) < self._max_batch:
            seconds = deadline - time.monotonic()
            if seconds <= 0:
                return
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), seconds)
            except asyncio.TimeoutError:
                return

    def _take(self) -> list[_Waiting]:
        """The next requests that share a run: of one shape, in order, as many as fit."""
        batch: list[_Waiting] = []
        left: list[_Waiting] = []
        rows = 0
        while self._queue:
            waiting = self._queue.popleft()
            if waiting.future.done():  # its client has given up
                continue
            fits = not batch or (
                self._shares
                and waiting.key == batch[0].key
                and rows + waiting.rows <= self._max_batch
            )
            if fits:
                batch.append(waiting)
                rows += waiting.rows
            else:
                left.append(waiting)
            if rows >= self._max_batch:
                break
        self._queue.extendleft(reversed(left))
        return batch

    async def _execute(self, batch: list[_Waiting]) -> None:
        """Runs a batch, and tells each request its outputs, or what went wrong."""
        loop = asyncio.get_running_loop()
        start = time.monotonic()
        try:
            results = await loop.run_in_executor(self._pool.executor, self._compute, batch)
        finally:
            self._pool.free.release()
        seconds = time.monotonic() - start
        self._seconds = 0.8 * self._seconds + 0.2 * seconds / len(batch)
        self._ran(len(batch), sum(w.rows for w in batch), seconds)
        for waiting, result in zip(batch, results, strict=True):
            if waiting.future.done():
                continue
            if isinstance(result, BaseException):
                waiting.future.set_exception(result)
            else:
                waiting.future.set_result(result)

    def _compute(self, batch: Sequence[_Waiting]) -> list[Outputs | BaseException]:
        """Outputs or an error for each request; one that fails does not spoil the others."""
        try:
            if len(batch) == 1:
                return [self._run_rows(batch[0].inputs, batch[0].rows)]
            names = batch[0].inputs
            joined = {name: np.concatenate([w.inputs[name] for w in batch]) for name in names}
            outputs = self._run_rows(joined, sum(w.rows for w in batch))
            bounds = np.cumsum([w.rows for w in batch])[:-1]
            parts = [np.split(output, bounds) for output in outputs]
            return [list(part) for part in zip(*parts, strict=True)]
        except Exception as error:  # noqa: BLE001 - told to who asked
            if len(batch) == 1:
                return [error]
            return [result for waiting in batch for result in self._compute([waiting])]

    def _run_rows(self, inputs: Inputs, rows: int) -> Outputs:
        """Runs some rows in pieces of few different sizes, each of which is compiled once."""
        if not self._shares or rows == 1:
            return self._run(inputs)
        pieces = []
        start = 0
        for size in _pieces(rows, self._max_batch):
            piece = {name: values[start : start + size] for name, values in inputs.items()}
            pieces.append(self._run(piece))
            start += size
        if len(pieces) == 1:
            return pieces[0]
        return [np.concatenate(parts) for parts in zip(*pieces, strict=True)]


def batch_sizes(max_batch: int) -> list[int]:
    """The numbers of rows that runs have: powers of two, and `max_batch`."""
    return sorted({1 << i for i in range(max_batch.bit_length())} | {max_batch})


def _pieces(rows: int, max_batch: int) -> Iterator[int]:
    """Sizes of `batch_sizes` that make up `rows`, the largest first."""
    for size in reversed(batch_sizes(max_batch)):
        while rows >= size:
            yield size
            rows -= size
