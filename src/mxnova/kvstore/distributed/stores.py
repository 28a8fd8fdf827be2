# SPDX-License-Identifier: Apache-2.0
"""The kinds of stores that many processes share, by name."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import partial
from multiprocessing.util import Finalize

from ..local import LocalStore
from .asynchronous import AsyncStore
from .job import job
from .store import DistributedStore
from .sync import SyncStore

__all__ = ["TYPES"]


def _made(kind: Callable[..., DistributedStore], name: str) -> LocalStore:
    """A store that is closed when the process ends, also one of `multiprocessing`.

    First of all that ends: threads that go on pushing would keep the engine from ever being done.
    """
    store = kind(name, job().connect())
    atexit.register(Finalize(None, store.close, exitpriority=1))
    return store


TYPES: dict[str, Callable[[str], LocalStore]] = {  # kind -> what makes its transport
    **dict.fromkeys(
        ("dist", "dist_sync", "dist_device_sync", "dist_sync_device"), partial(_made, SyncStore)
    ),
    "dist_async": partial(_made, AsyncStore),
}
