# SPDX-License-Identifier: Apache-2.0
"""Small work in the calling thread alone.

ATen's kernels and MKL's products share out what takes less than a microsecond, too: a softmax of
32 x 10 numbers, an update of 200. Each time threads wait for each other, 2 us where both are awake
on a quiet machine, 100 and more where another program has one's core.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ..base import env
from .torch_library import torch_library

__all__ = ["in_one_thread"]


class _Controls(NamedTuple):
    """What says how many threads regions of the calling thread have.

    Attributes:
        most: tells OpenMP's number.
        limit: sets it.
        limit_mkl: sets MKL's own number, 0 for OpenMP's, and tells the one before.
    """

    most: Callable[[], int]
    limit: Callable[[int], None]
    limit_mkl: Callable[[int], int]


@functools.cache
def _controls() -> _Controls | None:
    """Those of the libraries that ATen was linked to; None where they are not to be had."""
    if not env.get("MXNOVA_SMALL_IN_ONE_THREAD"):
        return None
    library = torch_library(ctypes.PyDLL)  # with the lock kept calls take 0.2 us
    try:
        most, limit = library.omp_get_max_threads, library.omp_set_num_threads
    except AttributeError:
        return None
    limit.argtypes, limit.restype = [ctypes.c_int], None
    limit_mkl = getattr(library, "MKL_Set_Num_Threads_Local", None)
    return _Controls(most, limit, limit_mkl or (lambda _number: 0))


def in_one_thread(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as one whose kernels run in the calling thread; it takes 1 us more.

    Unlike ``torch.set_num_threads`` it leaves all other threads as they are.
    """
    controls = _controls()
    if controls is None:
        return function
    most, limit, limit_mkl = controls

    def run(*arguments: Any) -> Any:
        before = most()
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
