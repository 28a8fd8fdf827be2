# SPDX-License-Identifier: Apache-2.0
"""Processes that make batches: started once, asked in turns, ended with their owner.

Each worker has a connection of its own, which nobody else writes to, so that a worker that is
killed in the midst of a message harms no other. The owner runs no threads. It may be forked at any
time and waits for a worker only in `Answer.get`. A worker reads its connection in a thread, and so
always takes what it is sent, and ends as soon as the connection does, however the owner ended.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing import connection as connections
from multiprocessing import util
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, NoReturn
from weakref import WeakSet, WeakValueDictionary

import numpy as np

from mxnova import random as mx_random
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.interrupts import (
    blocked_interrupts,
    deferred_past_finalizer,
    ignore_interrupts,
)
from mxnova.core.runtime.forks import after_fork_in_child
from mxnova.core.runtime.threads import limit_process

__all__ = ["Answer", "WorkerDied", "WorkerPool", "WorkerTimeout", "WorkerTraceback", "portable"]

_LIVENESS_S = 1.0  # how often workers are looked after while they are waited for
_GRACE_S = 2.0  # what they get to end after SIGTERM


class WorkerDied(MXNetError):  # noqa: N818 - what happened
    """A worker process ended, before it had answered."""


class WorkerTimeout(MXNetError, multiprocessing.TimeoutError):  # noqa: N818
    """A worker took longer than it may."""


class WorkerTraceback(Exception):  # noqa: N818 - the cause of an error, as the worker saw it
    """The traceback of an error in a worker."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"


class _Worker(NamedTuple):
    number: int
    process: Any
    connection: Any

    def fate(self) -> str:
        """How it ended."""
        code = self.process.exitcode
        if code is None:
            return "closed its connection"
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = "unknown"
        hint = "; is there memory enough?" if -code == getattr(signal, "SIGKILL", 9) else ""
        return f"was killed by signal {-code} ({name}{hint})"


class Answer:
    """The future result of a call in a worker."""

    def __init__(self, pool: WorkerPool, number: int):
        self._pool, self._number = pool, number
        self._state: tuple[bool, Any] | None = None

    def ready(self) -> bool:
        """Whether it is there."""
        if self._state is None:
            self._pool.collect(0)
        return self._state is not None

    def get(self, timeout: float | None = None) -> Any:
        """Wait for the result of the call and return it; can be called once.

        Raises:
            WorkerTimeout: it is not there after `timeout` seconds.
            WorkerDied: a worker ended.
            Exception: what the call raised; its cause is the traceback in the worker.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self._state is None:
            remaining = _LIVENESS_S if deadline is None else deadline - time.monotonic()
            if remaining <= 0:
                raise WorkerTimeout(f"no answer from a worker after {timeout} seconds")
            self._pool.collect(min(remaining, _LIVENESS_S))
        (is_value, value), self._state = self._state, (False, None)
        if is_value:
            return value
        raise value

    def __del__(self) -> None:
        if self._state is not None and self._state[0] and self._pool.usable:
            self._pool.discard(self._state[1])


_owners_ends: WeakSet[Any] = WeakSet()


def _close_owners_ends() -> None:
    """Let forked children hold nobody's connection open, whose worker would miss its end."""
    for connection in list(_owners_ends):
        connection.close()


after_fork_in_child(_close_owners_ends)


class WorkerPool:
    """Worker processes.

    Args:
        n_workers: how many.
        initializer: what each calls first.
        initargs: its arguments; inherited where processes are forked, pickled elsewhere.
        discard: called with answers that nobody has waited for.
    """

    def __init__(
        self,
        n_workers: int,
        initializer: Callable[..., None],
        initargs: Sequence[Any],
        discard: Callable[[Any], object],
    ):
        self.discard = discard
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._answers: WeakValueDictionary[int, Answer] = WeakValueDictionary()
        self._n_calls = 0
        self._error: WorkerDied | None = None
        self._workers: list[_Worker] = []
        self._end = util.Finalize(self, _end, args=(self._workers, os.getpid()), exitpriority=15)
        context, seed = _start_context(), _seed()
        for number in range(n_workers):
            ours, theirs = context.Pipe()
            _owners_ends.add(ours)
            arguments = (theirs, (seed + number) % 2**32, initializer, tuple(initargs))
            process = context.Process(target=_work, args=arguments, name=f"DataLoader-{number}")
            self._workers.append(_Worker(number, process, ours))
            with blocked_interrupts():
                process.start()
            theirs.close()

    @property
    def usable(self) -> bool:
        """Whether this process can ask it."""
        return bool(self._workers) and self._owner == os.getpid()

    def apply_async(self, func: Callable[..., Any], args: Sequence[Any] = ()) -> Answer:
        """Has the next worker call `func`. The order of calls alone says which worker that is."""
        with self._lock:
            self._check()
            answer = Answer(self, self._n_calls)
            worker = self._workers[self._n_calls % len(self._workers)]
            message = pickle.dumps((self._n_calls, bytes(ForkingPickler.dumps((func, args)))))
            self._answers[self._n_calls] = answer
            self._n_calls += 1
            self._exchange(worker, worker.connection.send_bytes, message)
        return answer

    def collect(self, timeout: float) -> None:
        """Collect answers of workers; waits for the first one up to `timeout` seconds."""
        with self._lock:
            self._check()
            by_connection = {worker.connection: worker for worker in self._workers}
            ready: list[Any] = connections.wait(by_connection, timeout)
            for connection in ready:
                worker = by_connection[connection]
                self._take(self._exchange(worker, connection.recv_bytes))
            if not ready:
                for worker in self._workers:
                    if not worker.process.is_alive():
                        self._fail(worker)

    def check_workers(self) -> None:
        """Raises WorkerDied where one of them has ended."""
        self._check()
        for worker in self._workers:
            worker.process.join(_LIVENESS_S)
            if not worker.process.is_alive():
                self._fail(worker)

    def _take(self, message: bytes) -> None:
        number, is_value, value = pickle.loads(message)
        answer = self._answers.pop(number, None)
        if answer is None:
            if is_value:
                self.discard(value)
            return
        answer._state = is_value, value if is_value else _raised(*value)

    def _exchange(self, worker: _Worker, function: Callable[..., Any], *args: Any) -> Any:
        """Sends or receives a message whole, or ends the pool."""
        try:
            return function(*args)
        except (EOFError, OSError):
            self._fail(worker)
        except BaseException:  # Ctrl-C: half a message is on its way
            self.terminate()
            raise

    def _fail(self, worker: _Worker) -> NoReturn:
        worker.process.join(_GRACE_S)
        pid, fate = worker.process.pid, worker.fate()
        self.terminate()
        self._error = WorkerDied(f"DataLoader: worker {worker.number} (process {pid}) {fate}")
        raise self._error

    def _check(self) -> None:
        if self._owner != os.getpid():
            raise MXNetError(
                f"DataLoader: its workers belong to process {self._owner}, this is {os.getpid()}"
            )
        if not self._workers:
            raise WorkerDied(str(self._error or "DataLoader: its workers were ended"))

    def terminate(self) -> None:
        """Terminate the workers, even if they are busy; repeated calls have no effect."""
        _end(self._workers, self._owner)

    close = terminate


def _end(workers: list[_Worker], owner: int) -> None:
    if owner != os.getpid():
        return
    with deferred_past_finalizer():
        ended = [workers.pop() for _ in range(len(workers))]
        for worker in ended:
            worker.connection.close()
            if worker.process.pid is not None:
                worker.process.terminate()
        for worker in ended:
            if worker.process.pid is not None:
                worker.process.join(_GRACE_S)
                if worker.process.is_alive():
                    worker.process.kill()
                    worker.process.join()


def _start_context() -> Any:
    """What the program chose; else forks where there are, which inherit data sets as they are."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen is None and "fork" in multiprocessing.get_all_start_methods():
        chosen = "fork" if sys.platform != "darwin" else None
    return multiprocessing.get_context(chosen)


def _seed() -> int:
    """A number that follows from the state of NumPy's generator, which stays as it is."""
    copy = np.random.RandomState()
    copy.set_state(np.random.get_state())
    return int(copy.randint(2**32, dtype=np.uint64))


def _raised(error: Exception, text: str) -> Exception:
    if isinstance(error, StopIteration):  # would end the loop over the batches
        error = MXNetError(f"DataLoader: a worker raised StopIteration({error.value!r})")
    error.__cause__ = WorkerTraceback(text)
    return error


# In the worker ------------------------------------------------------------------------------------


def _work(
    connection: Any, seed: int, initializer: Callable[..., None], initargs: tuple[Any, ...]
) -> None:
    _settle(seed)
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(connection, calls), daemon=True).start()
    initializer(*initargs)
    while True:
        message = _answered(calls.get())
        try:
            connection.send_bytes(message)
        except OSError:  # the owner is gone
            os._exit(0)


def _settle(seed: int) -> None:
    """Signals are the owner's to handle, workers are the parallelism, random numbers differ."""
    ignore_interrupts()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    limit_process(1)
    os.environ["OPENCV_FOR_THREADS_NUM"] = "1"
    if "cv2" in sys.modules:
        sys.modules["cv2"].setNumThreads(1)
    random.seed(seed)
    np.random.seed(seed)
    mx_random.seed(seed % 2**31)


def _read(connection: Any, calls: queue.SimpleQueue[bytes]) -> None:
    while True:
        try:
            calls.put(connection.recv_bytes())
        except (EOFError, OSError):
            # Not sys.exit: what was sent and not received would be left for others in a file.
            os._exit(0)


def _answered(message: bytes) -> Any:
    number, call = pickle.loads(message)
    try:
        function, args = pickle.loads(call)
        return ForkingPickler.dumps((number, True, function(*args)))
    except Exception as error:  # noqa: BLE001 - the owner raises it
        return pickle.dumps((number, False, (portable(error), traceback.format_exc())))


def portable(error: Exception) -> Exception:
    """`error`, or where it does not survive pickling an MXNetError that says the same."""
    try:
        copy = pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever its class raises
        copy = None
    return error if type(copy) is type(error) else MXNetError(f"{type(error).__name__}: {error}")
