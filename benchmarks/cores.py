# SPDX-License-Identifier: Apache-2.0
"""Which cores a measured process has, so that what asks it neither takes them nor waits for one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator

__all__ = ["cores_of", "on_cores", "real_time"]


def cores_of(text: str) -> frozenset[int]:
    """Numbers of cores as `taskset` writes them: ``0,2-5``; none for an empty text.

    Raises:
        ValueError: the text is no such list, or this process may not use one of them.
    """
    found: set[int] = set()
    for part in text.split(",") if text else ():
        first, dash, last = part.partition("-")
        named = range(int(first), int(last if dash else first) + 1)
        if not named:
            raise ValueError(f"no range of cores: {part}")
        found.update(named)
    if found and not hasattr(os, "sched_setaffinity"):
        raise ValueError("only Linux lets a process choose its cores")
    if found and (missing := found - os.sched_getaffinity(0)):
        raise ValueError(f"cores that this process may not use: {sorted(missing)}")
    return frozenset(found)


@contextlib.contextmanager
def on_cores(cores: Collection[int]) -> Iterator[None]:
    """Has this thread, and what it starts in the block, run on some cores; on any if none is named.

    Processes that it starts keep them.
    """
    if not cores:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def real_time() -> Iterator[bool]:
    """Has this thread, and what it starts in the block, run before all others that want its core.

    Yields:
        Whether it does: the system must permit it.
    """
    try:
        before = os.sched_getscheduler(0), os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except (AttributeError, PermissionError):
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(0, *before)
