# SPDX-License-Identifier: Apache-2.0
"""Python's collector of cycles rests while a graph is built.

Nothing of a graph in the making is garbage, and each of its nodes counts toward the next search
through all that the process holds: half the time that it takes to bind 10,000 nodes.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from . import env

__all__ = ["end_in_child", "loading", "resting"]


class _Resting:
    """How many blocks are inside, and whether the collector was on before the first."""

    lock = threading.RLock()  # a finalizer that the collector calls may come back here
    n_inside = 0
    was_on = False


@contextmanager
def resting() -> Iterator[None]:
    """A block, or a decorated function, in which the collector rests; any thread, any depth."""
    is_inside = False
    try:  # Ctrl-C may come behind any call
        with _Resting.lock:
            if not _Resting.n_inside:
                _Resting.was_on = gc.isenabled()
            _Resting.n_inside += 1
            is_inside = True
        gc.disable()
        yield
    finally:
        if is_inside:
            with _Resting.lock:
                _Resting.n_inside -= 1
                if not _Resting.n_inside and _Resting.was_on:
                    gc.enable()


def end_in_child() -> None:
    """A forked child has none of the other threads that were inside a block."""
    _Resting.lock = threading.RLock()
    if _Resting.n_inside and _Resting.was_on:
        gc.enable()
    _Resting.n_inside = 0


# Who has more has worked already, and may have left something to collect.
_FEW = 100_000


@contextmanager
def loading() -> Iterator[None]:
    """A block that loads modules, with the collector at rest.

    With MXNOVA_TUNE_PROCESS, where it loads torch into a process that has done little else, none of
    what is there then is looked through ever after: half a million objects that stay, 0.1 s for
    each search.
    """
    is_new = (
        env.get("MXNOVA_TUNE_PROCESS")
        and "torch" not in sys.modules
        and len(gc.get_objects()) < _FEW
    )
    with resting():
        yield
        if is_new and "torch" in sys.modules:
            gc.freeze()
