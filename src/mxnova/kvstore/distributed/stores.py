# SPDX-License-Identifier: Apache-2.0
"""The kinds of stores that many processes share, by name."""

from __future__ import annotations

from collections.abc import Callable

from ..local import LocalStore
from .job import job
from .sync import SyncStore

__all__ = ["TYPES"]


def _synchronous(name: str) -> LocalStore:
    return SyncStore(name, job().links())


# fmt: off
TYPES: dict[str, Callable[[str], LocalStore]] = {  # kind -> what makes its transport
    "dist":             _synchronous,
    "dist_sync":        _synchronous,
    "dist_device_sync": _synchronous,
    "dist_sync_device": _synchronous,
}
# fmt: on
