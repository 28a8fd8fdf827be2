# SPDX-License-Identifier: Apache-2.0
"""Python's collector of cycles rests while a graph is built.

Nothing of a graph in the making is garbage, and each of its nodes counts towards the next search
through all that the process holds: half the time that it takes to bind 10,000 nodes.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import ContextDecorator, contextmanager
from typing import Any

from . import env

__all__ = ["Resting", "loading"]


class Resting(ContextDecorator):
    """A block, or a decorated function, in which the collector rests; any thread, any depth."""

    _lock = threading.Lock()
    _n_inside = 0
    _was_on = False

    def __enter__(self) -> None:
        with Resting._lock:
            if not Resting._n_inside:
                Resting._was_on = gc.isenabled()
                gc.disable()
            Resting._n_inside += 1

    def __exit__(self, *exception: Any) -> None:
        with Resting._lock:
            Resting._n_inside -= 1
            if not Resting._n_inside and Resting._was_on:
                gc.enable()

    @classmethod
    def end_in_child(cls) -> None:
        """A forked child has none of the other threads that were inside a block."""
        cls._lock = threading.Lock()
        if cls._n_inside and cls._was_on:
            gc.enable()
        cls._n_inside = 0


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
    with Resting():
        yield
        if is_new and "torch" in sys.modules:
            gc.freeze()
