# SPDX-License-Identifier: Apache-2.0
"""The kinds of stores that many processes share, by name."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from multiprocessing.util import Finalize

from ..local import LocalStore
from .asynchronous import AsyncStore
from .job import job
from .store import DistributedStore
from .sync import SyncStore

__all__ = ["TYPES"]


def _synchronous(name: str) -> LocalStore:
    return _ending(SyncStore(name, *job().connect()))


def _asynchronous(name: str) -> LocalStore:
    return _ending(AsyncStore(name, *job().connect()))


def _ending(store: DistributedStore) -> DistributedStore:
    """A store that is closed when the process ends, also one of `multiprocessing`.

    First of all that ends: threads that go on pushing would keep the engine from ever being done.
    """
    atexit.register(Finalize(None, store.close, exitpriority=1))
    return store


# fmt: off
TYPES: dict[str, Callable[[str], LocalStore]] = {  # kind -> what makes its transport
    "dist":             _synchronous,
    "dist_sync":        _synchronous,
    "dist_device_sync": _synchronous,
    "dist_sync_device": _synchronous,
    "dist_async":       _asynchronous,
}
# fmt: on
