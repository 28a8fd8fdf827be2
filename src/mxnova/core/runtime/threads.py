# SPDX-License-Identifier: Apache-2.0
"""How many threads run what: the one module that reads and sets numbers of threads.

| work | runs in |
|---|---|
| operators, graphs, backward passes, updates | `thread_count` threads: ``OMP_NUM_THREADS``, ``torch.set_num_threads`` |
| those that are small: see `is_small` | the calling thread: `single_threaded` |
| items of a batch that do not depend on each other: see `pays_apart` | a pool of single-threaded threads: `map_single_threaded` |
| what prepares data beside the program | a single-threaded thread each: `use_single_thread` |
| worker processes, forked children | one thread: `limit_process` |

ATen's kernels and MKL's products share out what takes less than a microsecond, too: a softmax of
32 x 10 numbers, an update of 200. Each time threads wait for each other, 2 us where both are awake
on a quiet machine, 100 and more where another program has one's core.
"""  # noqa: E501 - a table

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import torch

from ..base import env
from . import tuning
from .forks import after_fork_in_child
from .torch_api import native_library

__all__ = [
    "is_small",
    "limit_process",
    "map_single_threaded",
    "pays_apart",
    "run_single_threaded",
    "single_threaded",
    "thread_count",
    "use_single_thread",
]

Part = TypeVar("Part")
Result = TypeVar("Result")


# Policy -------------------------------------------------------------------------------------------


def thread_count() -> int:
    """How many threads a kernel that the calling thread starts may use."""
    return torch.get_num_threads()


def limit_process(count: int) -> None:
    """Has all kernels of this process use `count` threads from now on."""
    torch.set_num_threads(count)


def is_small(work: float, n_operators: int = 1) -> bool:
    """Whether one thread computes something as fast as several, or faster.

    Args:
        work: multiplications in the time of all operators.
        n_operators: as often threads would meet.
    """
    return work <= tuning.SMALL_GRAPH_MULTIPLICATIONS * n_operators


def pays_apart(n_items: int, work: int) -> bool:
    """Whether threads had better compute items of a batch each by itself, meeting once.

    Args:
        n_items: that do not depend on each other.
        work: multiplications of layers for all of them.
    """
    count = thread_count()
    return count > 1 and n_items >= count and work >= tuning.THREAD_MIN_MULTIPLICATIONS * count


# The calling thread alone -------------------------------------------------------------------------


class _Controls(NamedTuple):
    """Functions that say how many threads parallel regions of the calling thread have.

    Attributes:
        total: tells OpenMP's number.
        limit: sets it.
        limit_mkl: sets MKL's own number, 0 for OpenMP's, and tells the one before.
    """

    total: Callable[[], int]
    limit: Callable[[int], None]
    limit_mkl: Callable[[int], int]


@functools.cache
def _controls() -> _Controls | None:
    """Those of the libraries that ATen was linked to; None where they are not to be had."""
    library = native_library(ctypes.PyDLL)  # with the interpreter's lock kept calls take 0.2 us
    try:
        total, limit = library.omp_get_max_threads, library.omp_set_num_threads
    except AttributeError:
        return None
    limit.argtypes, limit.restype = [ctypes.c_int], None
    limit_mkl = getattr(library, "MKL_Set_Num_Threads_Local", None)
    return _Controls(total, limit, limit_mkl or (lambda _number: 0))


def single_threaded(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as one whose kernels run in the calling thread; it takes 1 us more.

    Unlike ``torch.set_num_threads`` it leaves all other threads as they are. `function` itself
    where that is impossible, and with MXNOVA_SMALL_IN_ONE_THREAD=0.
    """
    controls = _controls() if env.get("MXNOVA_SMALL_IN_ONE_THREAD") else None
    if controls is None:
        return function
    total, limit, limit_mkl = controls

    def run(*arguments: Any) -> Any:
        before = total()
        if before == 1:
            return function(*arguments)
        limit(1)
        before_mkl = limit_mkl(1)
        try:
            return function(*arguments)
        finally:
            limit_mkl(before_mkl)
            limit(before)

    return run


# Threads beside the program's ---------------------------------------------------------------------


def use_single_thread() -> None:
    """Has kernels of the calling thread, which has run none yet, use no other threads.

    With helpers of its own there would be more of OpenMP's threads than cores, and then GNU's
    OpenMP lets all of the process sleep between operators for as long as they are there: an LSTM
    takes 23 ms in such a process, in others 9.4.
    """
    count = thread_count()  # a thread's first look sets its number to the process's
    controls = _controls()
    if controls is not None:
        controls.limit(1)
        controls.limit_mkl(1)
    elif count > 1:
        torch.set_num_threads(1)
        # What was set last goes for all threads to come; setting it here would take it back.
        other = threading.Thread(target=torch.set_num_threads, args=(count,))
        other.start()
        other.join()


class _Pools:
    """A pool of single-threaded threads for each number of threads."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """A forked child has the pools, but none of their threads."""
        self._lock = threading.Lock()
        self._pools: dict[int, ThreadPoolExecutor] = {}

    def current(self) -> ThreadPoolExecutor:
        """That of `thread_count` threads."""
        count = thread_count()
        with self._lock:
            if count not in self._pools:
                self._pools[count] = ThreadPoolExecutor(count, "mxnova-items", use_single_thread)
            return self._pools[count]


_POOLS = _Pools()
after_fork_in_child(_POOLS.forget)


def map_single_threaded(function: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """Results of a function of each part, computed in a pool's threads."""
    return list(_POOLS.current().map(function, parts))


def run_single_threaded(function: Callable[[], Result]) -> Result:
    """The result of a function that one of a pool's threads runs.

    For oneDNN, which lays weights out by the number of threads.
    """
    return _POOLS.current().submit(torch.no_grad()(function)).result()
