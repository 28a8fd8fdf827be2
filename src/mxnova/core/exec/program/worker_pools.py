# SPDX-License-Identifier: Apache-2.0
"""Threads that compute alone, which backends share batches out among."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

from ...runtime.forks import after_fork_in_child
from ...runtime.lone_threads import compute_alone

__all__ = ["computed_alone", "mapped_alone"]

Part = TypeVar("Part")
Result = TypeVar("Result")


class _Pools:
    """A pool for each number of threads."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """A forked child has the pools, but none of their threads."""
        self._lock = threading.Lock()
        self._pools: dict[int, ThreadPoolExecutor] = {}

    def now(self) -> ThreadPoolExecutor:
        """That of as many threads as ATen has."""
        count = torch.get_num_threads()
        with self._lock:
            if count not in self._pools:
                self._pools[count] = ThreadPoolExecutor(count, "mxnova-images", compute_alone)
            return self._pools[count]


_POOLS = _Pools()
after_fork_in_child(_POOLS.forget)


def mapped_alone(function: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """Results of a function of each part, in the threads of a pool."""
    return list(_POOLS.now().map(function, parts))


def computed_alone(function: Callable[[], Result]) -> Result:
    """What a function gives in one of these threads: oneDNN lays weights out by their number."""
    return _POOLS.now().submit(torch.no_grad()(function)).result()
