# SPDX-License-Identifier: Apache-2.0
"""KVStore: a store of arrays by key, summed up over devices."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

from ..core.base.doors import facade
from ..core.base.errors import ArgumentError, AssertedError, MXNetError, argument_error, shown
from ..core.nd.array import NDArray
from ..formats.atomic import replacing
from ..formats.source import named, read_file
from ..optimizer import Optimizer, get_updater
from .compression import compression_of
from .interface import KVStoreBase
from .keys import Key, grouped
from .local import LocalStore

__all__ = ["KVStore"]


class KVStore(KVStoreBase):
    """A store of arrays by key.

    Keys are ints or strs, all of one kind. Methods take one key with an array, or with a list of
    arrays (of several devices), or a list of keys with a list of such. `create` makes one.

    Args:
        handle: its transport: where values live; see `LocalStore`.

    Example:
        >>> store = mx.kv.create("local")
        >>> store.type, store.rank, store.num_workers
        ('local', 0, 1)
    """

    def __init__(self, handle: LocalStore) -> None:
        self.handle = handle
        self._updater: Callable[..., Any] | None = None

    # Values --------------------------------------------------------------------------------------

    def init(self, key: Any, value: Any) -> None:
        """Makes keys, each with a copy of a value.

        Raises:
            MXNetError: a key is there already.
        """
        self.handle.init(grouped("init", key, value))

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sums up the values of each key; the updater, or the sum itself, makes its new value.

        Args:
            key: key, or list of keys.
            value: an array or a list of arrays for each key.
            priority: what has the highest goes first, where several wait.

        Raises:
            MXNetError: a key is not initialized, or shapes or types do not fit.
        """
        self.handle.push(grouped("push", key, value), index(priority))

    def pull(
        self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True
    ) -> None:
        """Copies the value of each key to arrays.

        Args:
            key: key, or list of keys.
            out: an array or a list of arrays for each key.
            priority: what has the highest goes first, where several wait.
            ignore_sparse: leave sparse arrays in `out` as they are.

        Raises:
            MXNetError: a key is not initialized, or shapes differ.
        """
        self.handle.pull(grouped("pull", key, out, "out"), index(priority), ignore_sparse)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """`push` and `pull`.

        Args:
            key: key, or list of keys.
            value: what is pushed.
            out: where the values go; default: to what is pushed.
            priority: what has the highest goes first, where several wait.
        """
        pushed = grouped("pushpull", key, value)
        pulled = pushed if out is None else grouped("pushpull", key, out, "out")
        self.handle.pushpull(pushed, pulled, index(priority))

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """`init` and `pull`."""
        outs = grouped("broadcast", key, out, "out")
        self.handle.broadcast(grouped("broadcast", key, value), outs, index(priority))

    def row_sparse_pull(
        self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None
    ) -> None:
        """Copies some rows of the row_sparse value of each key.

        Args:
            key: key, or list of keys.
            out: a row_sparse array or a list of such for each key; other rows become zero.
            priority: what has the highest goes first, where several wait.
            row_ids: numbers of the rows, in any shape, repeated or not: one array for all of
                `out`, or one for each of them.

        Raises:
            MXNetError: a key is not initialized, an array or a value is not row_sparse, or there
                is no such row.
        """
        outs = grouped("row_sparse_pull", key, out, "out")
        if isinstance(row_ids, (list, tuple)) and len(row_ids) == 1:
            row_ids = row_ids[0]
        if isinstance(row_ids, NDArray):
            rows = {k: [(o, row_ids) for o in arrays] for k, arrays in outs.items()}
        else:
            ids = grouped("row_sparse_pull", key, row_ids, "row_ids")
            rows = {k: _paired(k, arrays, ids[k]) for k, arrays in outs.items()}
        self.handle.pull_rows(rows, index(priority))

    # Updates -------------------------------------------------------------------------------------

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Has gradients passed on in 2 bits an element, what is lost being added to the next ones.

        Args:
            compression_params: ``{"type": "2bit", "threshold": 0.5}``.

        Raises:
            MXNetError: there is no such compression, or this kind of store has none.
        """
        if not self.handle.compresses:
            raise MXNetError(
                f"KVStore.set_gradient_compression: a store of type {self.type!r} does not "
                "compress; those of type 'device' and 'dist_sync' do"
            )
        self.handle.compression = compression_of(compression_params).continued(
            self.handle.compression
        )

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Has values updated by an optimizer with what is pushed."""
        if not isinstance(optimizer, Optimizer):
            call = "KVStore.set_optimizer"
            raise argument_error(
                call,
                "optimizer",
                optimizer,
                "must be an Optimizer, as mx.optimizer.create makes them",
            )
        self._set_updater(get_updater(optimizer))

    def _set_updater(self, updater: Callable[[Key, NDArray, NDArray], Any]) -> None:
        """Has values updated by calls of ``updater(key, sum, value)``, which change the value."""
        self._updater = self.handle.updater = updater

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Writes the states of the optimizer, and on demand the optimizer, to a file."""
        states = self.optimizer_states(dump_optimizer)
        with replacing(fname) as file:
            file.write(states)

    def load_optimizer_states(self, fname: str) -> None:
        """Reads the states of the optimizer from a file."""
        self._check_states("load")
        with named(fname):
            self.handle.set_states(read_file(fname))

    def optimizer_states(self, dump_optimizer: bool = False) -> bytes:
        """What `save_optimizer_states` writes."""
        self._check_states("save")
        return self.handle.get_states(dump_optimizer)

    def set_optimizer_states(self, states: bytes) -> None:
        """Takes what `load_optimizer_states` would read."""
        self._check_states("load")
        self.handle.set_states(states)  # its updater takes the optimizer, if there is one

    def _check_states(self, verb: str) -> None:
        if self._updater is None:
            raise AssertedError(
                f"KVStore.{verb}_optimizer_states: this store has no optimizer; see set_optimizer"
            )

    # What it is ----------------------------------------------------------------------------------

    def is_capable(self, capability: str) -> bool:
        """Whether it can do what `capability` names: ``optimizer``, to update values."""
        if capability.lower() == self.OPTIMIZER:
            return True
        raise ArgumentError(f"is_capable: capability={shown(capability)}: must be 'optimizer'")

    @property
    def type(self) -> str:
        """The name it was created by, in lower case."""
        return self.handle.type

    @property
    def rank(self) -> int:
        """The number of this worker, from 0."""
        return self.handle.rank

    @property
    def num_workers(self) -> int:
        """How many workers there are."""
        return self.handle.num_workers

    def _barrier(self) -> None:
        """Returns when all workers have called it."""
        self.handle.barrier()

    def get_num_dead_node(self, node_id: int = 0, timeout: int = 60) -> int:
        """How many workers have died.

        Args:
            node_id: not used: of all groups of nodes only workers are watched.
            timeout: not used: a worker is dead when its connections are closed, or when it has
                not answered for MXNOVA_DIST_TIMEOUT seconds.
        """
        return self.handle.n_dead()

    def _send_command_to_servers(self, head: int, body: str) -> None:
        """Tells all servers something."""
        self.handle.send_command(head, body)


def _paired(key: Key, outs: list[NDArray], row_ids: list[NDArray]) -> list[tuple[NDArray, NDArray]]:
    if len(outs) != len(row_ids):
        raise AssertedError(
            f"KVStore.row_sparse_pull: row_ids of key {key!r}: {len(row_ids)} of them for "
            f"{len(outs)} arrays; must be one, or one for each"
        )
    return list(zip(outs, row_ids, strict=True))


facade(__name__)
