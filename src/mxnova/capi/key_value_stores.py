# SPDX-License-Identifier: Apache-2.0
"""Stores of arrays by key."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from .. import kvstore
from ..core.base.errors import ArgumentError, ArgumentTypeError, UnknownNameError
from ..core.base.handles import find, free, give
from ..core.nd.array import NDArray
from ..kvstore.base import KVStoreBase
from ..kvstore.distributed.rendezvous import serve
from ..kvstore.kvstore import KVStore
from ..kvstore.local import LocalStore
from .arguments import found, numbers, pairs, text, texts
from .entry_points import call_back, extern
from .interface import NULL
from .ndarray import with_memory
from .returns import return_text, text_memory


@extern
def MXInitPSEnv(num_vars: int, keys: Any, vals: Any) -> None:
    os.environ.update(pairs(num_vars, keys, vals))


class _Attendant(KVStoreBase):
    """A store of several machines to a process that is none of its workers.

    Args:
        type: its name.
    """

    def __init__(self, type: str) -> None:
        self._type = type

    @property
    def type(self) -> str:
        return self._type

    @property
    def rank(self) -> int:
        return 0

    @property
    def num_workers(self) -> int:
        return 0


def _role() -> str:
    return os.environ.get("DMLC_ROLE", "worker")


@extern
def MXKVStoreCreate(type: Any, out: Any) -> None:
    name = text(type)
    if "dist" in name.lower() and _role() != "worker":
        out[0] = give(_Attendant(name.lower()))
        return
    try:
        store = kvstore.create(name)
    except UnknownNameError:
        if "dist" in name.lower():
            raise
        store = KVStore(LocalStore(name.lower()))  # which any other name means
    out[0] = give(store)


@extern
def MXKVStoreFree(handle: int) -> None:
    free(handle, KVStoreBase)


@extern
def MXKVStoreSetGradientCompression(handle: int, num_params: int, keys: Any, vals: Any) -> None:
    """Has pushed gradients compressed; a store that sums up on the CPU takes no notice."""
    store = find(handle, KVStore)
    if store.handle.compresses:
        store.set_gradient_compression(dict(pairs(num_params, keys, vals)))


# Values -------------------------------------------------------------------------------------------


def _arrays(count: int, handles: Any) -> list[NDArray]:
    return [with_memory(array) for array in found(count, handles, NDArray)]


Read = Callable[[int, Any], Any]  # of keys


def _by_any_key(*names: str) -> Callable[[Callable[..., None]], None]:
    """Makes a function C's twice: for keys that are integers, and, as ...Ex, that are texts."""

    def declare(function: Callable[..., None]) -> None:
        for name in names:
            for ending, read in (("", numbers), ("Ex", texts)):
                of_kind: Any = partial(function, read)
                of_kind.__name__ = f"{name}{ending}"
                extern(of_kind)

    return declare


@_by_any_key("MXKVStoreInit")
def _init(read: Read, handle: int, num: int, keys: Any, vals: Any) -> None:
    find(handle, KVStore).init(read(num, keys), _arrays(num, vals))


@_by_any_key("MXKVStorePush")
def _push(read: Read, handle: int, num: int, keys: Any, vals: Any, priority: int) -> None:
    find(handle, KVStore).push(read(num, keys), _arrays(num, vals), priority)


@_by_any_key("MXKVStorePull", "MXKVStorePullWithSparse")
def _pull(
    read: Read,
    handle: int,
    num: int,
    keys: Any,
    vals: Any,
    priority: int,
    ignore_sparse: bool = True,
) -> None:
    store, outs = find(handle, KVStore), _arrays(num, vals)
    store.pull(read(num, keys), outs, priority, ignore_sparse)


@_by_any_key("MXKVStorePullRowSparse")
def _pull_rows(
    read: Read, handle: int, num: int, keys: Any, vals: Any, row_ids: Any, priority: int
) -> None:
    store, outs, rows = find(handle, KVStore), _arrays(num, vals), _arrays(num, row_ids)
    store.row_sparse_pull(read(num, keys), outs, priority, rows)


@_by_any_key("MXKVStorePushPull")
def _push_pull(
    read: Read,
    handle: int,
    vnum: int,
    vkeys: Any,
    onum: int,
    okeys: Any,
    vals: Any,
    outs: Any,
    priority: int,
) -> None:
    store, into = find(handle, KVStore), _arrays(onum, outs)
    store.push(read(vnum, vkeys), _arrays(vnum, vals), priority)
    store.pull(read(onum, okeys), into, priority)


@_by_any_key("MXKVStoreBroadcast")
def _broadcast(
    read: Read,
    handle: int,
    vnum: int,
    vkeys: Any,
    onum: int,
    okeys: Any,
    vals: Any,
    outs: Any,
    priority: int,
) -> None:
    store, into = find(handle, KVStore), _arrays(onum, outs)
    store.init(read(vnum, vkeys), _arrays(vnum, vals))
    store.pull(read(onum, okeys), into, priority)


# Updaters -----------------------------------------------------------------------------------------


@extern
def MXKVStoreSetUpdater(handle: int, updater: Any, updater_handle: Any) -> None:
    _set_updater(find(handle, KVStore), updater, NULL, updater_handle)


@extern
def MXKVStoreSetUpdaterEx(handle: int, updater: Any, str_updater: Any, updater_handle: Any) -> None:
    _set_updater(find(handle, KVStore), updater, str_updater, updater_handle)


def _set_updater(store: KVStore, of_numbers: Any, of_texts: Any, state: Any) -> None:
    """Calls C's function with handles that are its to free."""
    if of_numbers == NULL and of_texts == NULL:
        raise ArgumentError("MXKVStoreSetUpdater: the updater is a null pointer")

    def update(key: int | str, gradient: NDArray, value: NDArray) -> None:
        by_text = isinstance(key, str)
        function = of_texts if by_text else of_numbers
        if function == NULL:
            kind = "texts" if by_text else "integers"
            raise ArgumentTypeError(f"the store has no updater for keys that are {kind}")
        named = text_memory(key) if isinstance(key, str) else key
        call_back(function, named, give(gradient), give(value), state)

    store._set_updater(update)


# What it is, and who else there is ----------------------------------------------------------------


@extern
def MXKVStoreGetType(handle: int, type: Any) -> None:
    return_text(type, find(handle, KVStoreBase).type)


@extern
def MXKVStoreGetRank(handle: int, ret: Any) -> None:
    ret[0] = find(handle, KVStoreBase).rank


@extern
def MXKVStoreGetGroupSize(handle: int, ret: Any) -> None:
    ret[0] = find(handle, KVStoreBase).num_workers


@extern
def MXKVStoreIsWorkerNode(ret: Any) -> None:
    ret[0] = _role() == "worker"


@extern
def MXKVStoreIsServerNode(ret: Any) -> None:
    ret[0] = _role() == "server"


@extern
def MXKVStoreIsSchedulerNode(ret: Any) -> None:
    ret[0] = _role() == "scheduler"


@extern
def MXKVStoreBarrier(handle: int) -> None:
    find(handle, KVStore)._barrier()


@extern
def MXKVStoreSetBarrierBeforeExit(handle: int, barrier_before_exit: int) -> None:
    find(handle, KVStore)  # one process has nobody to wait for


@extern
def MXKVStoreRunServer(handle: int, controller: Any, controller_handle: Any) -> None:
    """Stays to the end of a job of several machines; a server is asked for nothing there."""
    find(handle, KVStoreBase)
    if controller == NULL:
        raise ArgumentError("MXKVStoreRunServer: the controller is a null pointer")
    if _role() == "scheduler":
        serve()


@extern
def MXKVStoreSendCommmandToServers(handle: int, cmd_id: int, cmd_body: Any) -> None:
    find(handle, KVStore)._send_command_to_servers(cmd_id, text(cmd_body))


@extern
def MXKVStoreGetNumDeadNode(handle: int, node_id: int, number: Any, timeout_sec: int) -> None:
    number[0] = find(handle, KVStore).get_num_dead_node(node_id, timeout_sec)
