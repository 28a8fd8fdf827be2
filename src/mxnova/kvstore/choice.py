# SPDX-License-Identifier: Apache-2.0
"""Which store trains a model, and whether the store updates the parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..core.base import env
from ..core.base.errors import ArgumentError, ArgumentTypeError, shown
from .base import create
from .interface import KVStoreBase
from .kvstore import KVStore

__all__ = ["dense_store", "reason_to_update", "sparse_store"]

# Elements of a parameter that is better updated on every device than in a "local" store.
_LARGE = 16 << 20


def dense_store(
    kvstore: Any, n_devices: int, shapes: Iterable[tuple[int, ...]]
) -> tuple[KVStoreBase | None, bool]:
    """The store for dense parameters, None where none is needed, and whether it is to update them.

    Args:
        kvstore: a store, the name of one, or None.
        n_devices: how many devices have copies of the parameters.
        shapes: of the parameters.
    """
    if kvstore is None:
        return None, False
    updates = env.get("MXNET_UPDATE_ON_KVSTORE")
    if isinstance(kvstore, KVStoreBase):
        store = kvstore
    elif not isinstance(kvstore, str):
        raise ArgumentTypeError(f"kvstore={shown(kvstore)}: must be a KVStore, its name or None")
    elif n_devices == 1 and "dist" not in kvstore:
        return None, False
    else:
        store = create(kvstore)
        if kvstore == "local":
            updates &= max(map(math.prod, shapes), default=0) <= _LARGE
    return store, bool(updates and store.is_capable(KVStoreBase.OPTIMIZER))


def sparse_store(kvstore: Any) -> KVStoreBase:
    """The store for sparse parameters, which only a store can update.

    Args:
        kvstore: a store, or the name of one.
    """
    store = create(kvstore) if isinstance(kvstore, str) else kvstore
    if not isinstance(store, KVStoreBase) or not store.is_capable(KVStoreBase.OPTIMIZER):
        raise ArgumentTypeError(
            f"kvstore={shown(kvstore)}: parameters that are stored sparse need a store that "
            "updates them, such as 'device'"
        )
    return store


def reason_to_update(
    store: KVStoreBase, has_sparse_weights: bool, has_sparse_gradients: bool
) -> str | None:
    """Why nobody but the store can update the parameters; None where others can.

    Processes have no way to get the rows of a sum of sparse gradients.

    Args:
        store: the store.
        has_sparse_weights: whether parameters are stored sparse.
        has_sparse_gradients: whether gradients are.

    Raises:
        ArgumentError: the store does not take sparse gradients.
    """
    if has_sparse_weights:
        return "a store updates sparse parameters"
    if has_sparse_gradients and not isinstance(store, KVStore):
        raise ArgumentError(f"kvstore={shown(store)}: it takes no sparse gradients")
    if has_sparse_gradients and "dist" in store.type:
        return f"a {store.type} store does not sum up sparse gradients, but updates by them"
    return f"a {store.type} store sums up nothing" if "async" in store.type else None
