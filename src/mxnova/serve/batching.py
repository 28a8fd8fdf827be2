# SPDX-License-Identifier: Apache-2.0
"""Concurrent requests as batches, on a pool of threads.

A batch is formed when a thread is free for it: requests that come while all threads are busy share
the next run, and a request that comes alone does not wait, unless `max_delay` says so.
"""

from __future__ import annotations

import asyncio
import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from .errors import overloaded

__all__ = ["Batcher", "Pool", "batch_sizes"]

Array = np.ndarray[Any, Any]
Inputs = Mapping[str, Array]
Outputs = list[Array]
_Key = tuple[Any, ...]
_TURN_SECONDS = 0.05  # A request of many rows runs so long before other requests.
_MOST_SIZES = 8  # whose times are known: no more than a predictor keeps compiled


class Pool:
    """Threads that run models, shared by all models of a process.

    Args:
        threads: how many.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.executor = ThreadPoolExecutor(threads, thread_name_prefix="mxnova-serve")
        self._free = threads
        self._asking: deque[Callable[[], None]] = deque()
        self._has_begun = False  # in this turn of the loop or the one before

    def ask(self, begin: Callable[[], None]) -> None:
        """Has `begin` called in a later turn of the loop, when a thread is free for it.

        They are called in the order of asking, at most one in two turns: what it did in the loop
        itself is answered in the turn after.
        """
        self._asking.append(begin)
        self._go_on()

    def release(self) -> None:
        """Gives a thread back."""
        self._free += 1
        self._go_on()

    def _go_on(self) -> None:
        if self._asking and self._free and not self._has_begun:
            self._free -= 1
            self._has_begun = True
            asyncio.get_running_loop().call_soon(self._begin)

    def _begin(self) -> None:
        try:
            self._asking.popleft()()
        finally:
            asyncio.get_running_loop().call_soon(self._end_pause)

    def _end_pause(self) -> None:
        self._has_begun = False
        self._go_on()


@dataclass(eq=False)
class _Waiting:
    """A request in the queue."""

    inputs: Inputs
    rows: int
    key: _Key  # shapes of a row: what requests must agree in to share a run
    future: asyncio.Future[Outputs]
    since: float = field(default_factory=time.monotonic)
    hold: Callable[[int], None] = lambda n_bytes: None
    outputs: Outputs = field(default_factory=list)  # Outputs of the turns that have run.
    n_done: int = 0  # The number of rows in them.


class _Unfinished(Exception):  # noqa: N818 - a result beside errors
    """The result of a request that has more rows to run."""


class _Times:
    """Seconds of runs by shapes of a row and number of rows, of those that were used last."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[_Key, int], float] = {}  # the last one used is the last
        self._lock = threading.Lock()

    def expected(self, key: _Key, sizes: Iterable[int]) -> float:
        """Seconds of runs of these sizes; infinity if one has not run lately."""
        return sum(self._seconds.get((key, size), math.inf) for size in sizes)

    def note(self, key: _Key, size: int, seconds: float) -> None:
        """Notes a run, as at most twice what is known: other programs make single runs long."""
        with self._lock:
            least = self._seconds.pop((key, size), math.inf)
            self._seconds[key, size] = min(seconds, 2 * least)
            if len(self._seconds) > _MOST_SIZES:
                del self._seconds[next(iter(self._seconds))]


class Batcher:
    """The queue of a model.

    Args:
        run: computes the outputs of inputs, in any thread.
        pool: where.
        max_batch: rows of a run; 1 for a model whose requests cannot share one.
        max_delay: seconds that a request waits for others.
        max_queue: requests that may wait.
        ran: told of each run: number of requests, of rows, and its seconds.
        in_loop: whether short runs are made in the thread of the event loop: where other processes
            have the other cores, a second thread only takes turns with it.
    """

    def __init__(
        self,
        run: Callable[[Inputs], Outputs],
        pool: Pool,
        max_batch: int,
        max_delay: float = 0.0,
        max_queue: int = 128,
        ran: Callable[[int, int, float], None] = lambda requests, rows, seconds: None,
        in_loop: bool = False,
    ) -> None:
        self._run, self._pool, self._ran, self._in_loop = run, pool, ran, in_loop
        self._max_batch, self._max_delay, self._max_queue = max_batch, max_delay, max_queue
        self._batch_sizes = batch_sizes(max_batch)
        self._queue: deque[_Waiting] = deque()
        self._timer: asyncio.TimerHandle | None = None  # until `max_delay` is over
        self._has_asked = False  # for a thread
        self._seconds = 0.0  # of a request, lately
        self._times = _Times()

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._queue)

    def submit(
        self, inputs: Inputs, rows: int, hold: Callable[[int], None] = lambda n_bytes: None
    ) -> asyncio.Future[Outputs]:
        """Return the outputs for `inputs`, or why the model has none, when it has run.

        Args:
            inputs: By name.
            rows: The size of their first axes.
            hold: Called in any thread with the number of bytes of the outputs of many rows while
                they are computed, negative at the end. Its error becomes that of the request.

        Raises:
            Refused: the queue is full.
        """
        if len(self._queue) >= self._max_queue:
            wait = self._seconds * len(self._queue) / self._pool.threads
            raise overloaded(f"{len(self._queue)} requests wait for this model already", wait)
        key = tuple((n, a.shape[1:] if self._shares else a.shape) for n, a in inputs.items())
        future: asyncio.Future[Outputs] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(inputs, rows, key, future, hold=hold))
        self._plan()
        return future

    @property
    def _shares(self) -> bool:
        return self._max_batch > 1

    def _plan(self) -> None:
        """Asks for a thread when a batch is full, or its first request has waited `max_delay`."""
        if self._has_asked:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop, seconds = asyncio.get_running_loop(), 0.0
        if self._max_delay and sum(w.rows for w in self._queue) < self._max_batch:
            seconds = self._queue[0].since + self._max_delay - time.monotonic()
        if seconds > 0:
            self._timer = loop.call_later(seconds, self._plan)
        else:  # requests that arrive in the same turn of the loop share the run, too
            self._has_asked = True
            self._pool.ask(self._begin)

    def _begin(self) -> None:
        """Runs a batch in the thread that is free."""
        self._has_asked = False
        batch = self._take()
        if not batch:
            self._pool.release()
            return
        start = time.monotonic()
        if self._is_short(batch):
            try:
                self._finish(batch, start, self._compute(batch))
            finally:
                self._pool.release()
        else:
            self._hand_over(batch, start)
        if self._queue:
            self._plan()

    def _is_short(self, batch: Sequence[_Waiting]) -> bool:
        """Whether a run is known to hold the event loop no longer than any thread may.

        What has not run lately is compiled first, and takes any time.
        """
        rows = sum([w.rows - w.n_done for w in batch])
        if not self._in_loop or rows > _MOST_SIZES * self._max_batch:
            return False
        sizes = self._sizes(rows)
        return self._times.expected(batch[0].key, sizes) < sys.getswitchinterval()

    def _hand_over(self, batch: Sequence[_Waiting], start: float) -> None:
        loop = asyncio.get_running_loop()
        try:
            run = self._pool.executor.submit(self._compute, batch)
        except RuntimeError as error:  # no thread: the server ends them, or cannot have one
            self._take_back(batch, start, [error] * len(batch))
        else:
            run.add_done_callback(
                lambda done: loop.call_soon_threadsafe(self._take_back, batch, start, done.result())
            )

    def _take_back(
        self, batch: Sequence[_Waiting], start: float, results: Sequence[Outputs | Exception]
    ) -> None:
        self._pool.release()  # the next run goes on beside the answers
        self._finish(batch, start, results)
        if self._queue:
            self._plan()

    def _take(self) -> list[_Waiting]:
        """The next requests that share a run: of one shape, in order, as many as fit.

        Those that would need a run of another size after it are left for the next batch: others
        may come meanwhile that share it.
        """
        batch: list[_Waiting] = []
        left: list[_Waiting] = []
        rows = n_whole = 0  # how many requests make up a run of a single size
        while self._queue:
            waiting = self._queue.popleft()
            if waiting.future.done():  # its client has given up
                continue
            fits = not batch or (
                self._shares
                and waiting.key == batch[0].key
                and rows + waiting.rows <= self._max_batch
                and not waiting.n_done
            )
            if fits:
                batch.append(waiting)
                rows += waiting.rows - waiting.n_done
                if rows in self._batch_sizes:
                    n_whole = len(batch)
            else:
                left.append(waiting)
            if rows >= self._max_batch or batch[0].n_done:
                break
        if n_whole:
            left[:0] = batch[n_whole:]
            del batch[n_whole:]
        self._queue.extendleft(reversed(left))
        return batch

    def _finish(
        self, batch: Sequence[_Waiting], start: float, results: Sequence[Outputs | Exception]
    ) -> None:
        """Give each request of a batch its outputs or its error; queue unfinished ones again."""
        if isinstance(results[0], _Unfinished):
            self._queue.append(batch[0])  # Requests that arrived meanwhile run first.
            return
        for waiting, result in zip(batch, results, strict=True):
            if waiting.future.done():
                continue
            if isinstance(result, Exception):
                waiting.future.set_exception(result)
            else:
                waiting.future.set_result(result)
        seconds = time.monotonic() - start
        self._seconds = 0.8 * self._seconds + 0.2 * seconds / len(batch)
        self._ran(len(batch), sum([w.rows for w in batch]), seconds)

    def _compute(self, batch: Sequence[_Waiting]) -> list[Outputs | Exception]:
        """Outputs or an error for each request; one that fails does not spoil the others."""
        try:
            key = batch[0].key
            if len(batch) == 1:
                return [self._run_turn(batch[0])]
            names = batch[0].inputs
            joined = {name: np.concatenate([w.inputs[name] for w in batch]) for name in names}
            outputs = self._run_rows(joined, key, sum(w.rows for w in batch))
            ends = list(accumulate(w.rows for w in batch))
            return [
                [o[end - w.rows : end] for o in outputs] for w, end in zip(batch, ends, strict=True)
            ]
        except BaseException as error:  # noqa: BLE001 - told to who asked
            if len(batch) == 1:
                return [_tellable(error)]
            return [result for waiting in batch for result in self._compute([waiting])]

    def _run_turn(self, waiting: _Waiting) -> Outputs | _Unfinished:
        """Run the rows of a request, or some of them where they take long.

        The remaining rows wait for another turn, so that a large request does not block a thread.
        """
        if waiting.rows <= self._max_batch or not self._shares:
            return self._run_rows(waiting.inputs, waiting.key, waiting.rows)
        end = time.monotonic() + _TURN_SECONDS
        for size in self._sizes(waiting.rows - waiting.n_done):
            rows = slice(waiting.n_done, waiting.n_done + size)
            piece = {name: values[rows] for name, values in waiting.inputs.items()}
            made = self._timed(piece, waiting.key, size)
            if not waiting.outputs:
                waiting.hold(sum(part.nbytes for part in made) // size * waiting.rows)
                shapes = [(waiting.rows, *part.shape[1:]) for part in made]
                waiting.outputs = [
                    np.empty(s, part.dtype) for s, part in zip(shapes, made, strict=True)
                ]
            for values, part in zip(waiting.outputs, made, strict=True):
                values[rows] = part
            waiting.n_done += size
            if waiting.n_done < waiting.rows and (time.monotonic() > end or waiting.future.done()):
                return _Unfinished()
        waiting.hold(-sum(values.nbytes for values in waiting.outputs))
        return waiting.outputs

    def _sizes(self, rows: int) -> Iterable[int]:
        """The rows of each piece that some rows are run in: few numbers, each compiled once."""
        return _pieces(rows, self._batch_sizes) if self._shares else (rows,)

    def _run_rows(self, inputs: Inputs, key: _Key, rows: int) -> Outputs:
        """Runs some rows in pieces."""
        if not self._shares or rows == 1:
            return self._timed(inputs, key, rows)
        pieces = []
        start = 0
        for size in self._sizes(rows):
            piece = {name: values[start : start + size] for name, values in inputs.items()}
            pieces.append(self._timed(piece, key, size))
            start += size
        if len(pieces) == 1:
            return pieces[0]
        return [np.concatenate(parts) for parts in zip(*pieces, strict=True)]

    def _timed(self, inputs: Inputs, key: _Key, size: int) -> Outputs:
        """Runs a piece, and notes how long it took if it did not fail."""
        start = time.monotonic()
        outputs = self._run(inputs)
        self._times.note(key, size, time.monotonic() - start)
        return outputs


def _tellable(error: BaseException) -> Exception:
    """The error; another one for those that would end the server, or that futures refuse."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    return RuntimeError(f"{type(error).__name__}: {error}")


def batch_sizes(max_batch: int) -> list[int]:
    """The numbers of rows that runs have: powers of two, and `max_batch`."""
    return sorted({1 << i for i in range(max_batch.bit_length())} | {max_batch})


def _pieces(rows: int, sizes: Sequence[int]) -> Iterator[int]:
    """Those of the ascending `sizes` that make up `rows`, the largest first."""
    for size in reversed(sizes):
        while rows >= size:
            yield size
            rows -= size
