# SPDX-License-Identifier: Apache-2.0
"""LocalStore: the values of a KVStore that lives in one process.

A KVStore is the calls of programs, with whatever they put into lists; the object behind it, its
transport, is where values live. One that speaks to other machines has the methods of this one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..core.base.errors import ArgumentError, AssertedError, MXNetError, candidates, shown
from ..core.nd.array import NDArray
from ..core.nd.wrapping import receive, wrap, wrap_value
from ..core.op.sparse.indices import distinct
from ..core.op.sparse.storage import RowSparse
from ..core.runtime.context import Context, cpu
from .compression import TwoBitCompression
from .devices import spread, total_of
from .keys import Groups, Key

__all__ = ["TYPES", "LocalStore", "Updater", "call_updater"]

Updater = Callable[[Key, NDArray, NDArray], Any]

# fmt: off
TYPES = {  # kind of store -> whether it sums up where the values are, instead of on the CPU
    "local":               False,
    "local_update_cpu":    False,
    "local_allreduce_cpu": False,
    "device":                 True,
    "local_allreduce_device": True,
    "nccl":                   True,
}
# fmt: on

_log = logging.getLogger("mxnova")


class LocalStore:
    """Values by key, in one process.

    Args:
        type: one of `TYPES`.

    Attributes:
        rank: the number of this worker.
        num_workers: how many workers there are.
        updater: called with (key, sum of what was pushed, value), to change the value in place;
            None: the sum becomes the value.
        compression: what every pushed dense array goes through.
        compresses: whether there may be such.
    """

    rank = 0
    num_workers = 1

    def __init__(self, type: str) -> None:
        self.type = type
        self.on_devices = self.compresses = TYPES.get(type, False)
        self.updater: Updater | None = None
        self.compression: TwoBitCompression | None = None
        self._values: dict[Key, NDArray] = {}
        self._told: set[Key] = set()  # whose sparse arrays a pull has left alone
        self._load: dict[Context, int] = {}  # of devices, in elements of the values that live there

    # Values in -----------------------------------------------------------------------------------

    def init(self, groups: Groups) -> None:
        """Makes keys with a copy of their first value; all of them or none.

        Raises:
            MXNetError: a key is there already, or given twice; or keys of the other kind are.
        """
        self._check_init(groups)
        for key, values in groups.items():
            value: Any = values[0].copyto(cpu(0))
            self._values[key] = value

    def _check_init(self, groups: Groups) -> None:
        for key, values in groups.items():
            self._check_kind("init", key)
            if key in self._values or len(values) != 1:
                raise MXNetError(
                    f"KVStore.init: key {key!r}: is initialized more than once; push() changes "
                    "its value"
                )

    def push(self, groups: Groups, priority: int) -> None:
        """Sums up the values of each key, and updates the key with the sum.

        All sums are on their way before the updater gets the first one.

        Raises:
            MXNetError: a key is not there, or values do not fit it. Then nothing has changed.
        """
        self._check_push(groups)
        totals = {key: self._total(key, v, priority) for key, v in groups.items() if v}
        if self.updater is None:
            self._values |= totals
        else:
            updates = [(key, total, self._values[key]) for key, total in totals.items()]
            call_updater(self.updater, updates)

    def _check_push(self, groups: Groups) -> None:
        for key, values in groups.items():
            _check_values(key, values, self._stored("push", key))
            if self.compression is not None:
                self.compression.check(key, values)

    def _total(self, key: Key, values: list[NDArray], priority: int) -> NDArray:
        home = self._home(key, values)
        if self.compression is not None and values[0].stype == "default":
            values = self._compressed(self.compression, key, values)
        elif len(values) == 1 and self.updater is not None:
            return _seen_from(values[0], home)
        return total_of(values, home, priority)

    def _compressed(
        self, compress: TwoBitCompression, key: Key, values: list[NDArray]
    ) -> list[NDArray]:
        return [
            wrap(compress(key, place, value._tensor), value.context)
            for place, value in enumerate(values)
        ]

    def _home(self, key: Key, values: list[NDArray]) -> Context:
        """Where the value of a key lives: on the CPU until a GPU has a gradient for it."""
        stored = self._values[key]
        if self.on_devices and stored.context.device_type == "cpu":
            devices = [v.context for v in values if v.context.device_type == "gpu"]
            if devices:
                home = min(devices, key=lambda device: self._load.get(device, 0))
                self._load[home] = self._load.get(home, 0) + stored.size
                self._values[key] = stored = stored.as_in_context(home)
        return stored.context

    # Values out ----------------------------------------------------------------------------------

    def pull(self, groups: Groups, priority: int, ignore_sparse: bool) -> None:
        """Copies the value of each key to its arrays.

        Args:
            groups: the arrays.
            priority: among what is under way, the highest goes first.
            ignore_sparse: leave sparse arrays as they are.

        Raises:
            MXNetError: a key is not there, or an array has another shape. Then nothing is copied.
        """
        wanted = {}
        for key, outs in groups.items():
            value = self._stored("pull", key)
            if ignore_sparse:
                outs = self._dense_of(key, outs)
            for out in outs:
                _check_shape("pull", "out", key, out, value)
            wanted[key] = outs
        self._spread(wanted, priority)

    def _dense_of(self, key: Key, outs: list[NDArray]) -> list[NDArray]:
        """The dense arrays of `outs`; the log is told of others, once for each key."""
        dense = [out for out in outs if out.stype == "default"]
        if len(dense) < len(outs) and key not in self._told:
            self._told.add(key)
            _log.info("pull: sparse arrays of key %r are left alone; see row_sparse_pull", key)
        return dense

    def _spread(self, wanted: Groups, priority: int) -> None:
        for key, outs in wanted.items():
            spread(self._values[key], outs, priority)

    def pushpull(self, pushed: Groups, pulled: Groups, priority: int) -> None:
        """`push` and `pull`, both or none; sparse arrays of `pulled` stay as they are."""
        if pulled is not pushed:
            self._check_outs("pushpull", pulled)
        self.push(pushed, priority)
        self.pull(pulled, priority, ignore_sparse=True)

    def broadcast(self, groups: Groups, outs: Groups, priority: int) -> None:
        """`init` and `pull`, both or none."""
        for key, values in groups.items():
            for out in outs.get(key, ()) if values else ():
                _check_shape("broadcast", "out", key, out, values[0])
        self.init(groups)
        self.pull(outs, priority, ignore_sparse=True)

    def pull_rows(self, rows: dict[Key, list[tuple[NDArray, NDArray]]], priority: int) -> None:
        """Copies rows of the value of each key to row_sparse arrays.

        Args:
            rows: for each key (array, numbers of the rows that it gets).
            priority: not used: it is done at once, as the numbers must be looked at.

        Raises:
            MXNetError: a key is not there or not row_sparse, an array is not, or there is no such
                row. Then nothing is copied.
        """
        taken = []
        for key, pairs in rows.items():
            value = self._stored("row_sparse_pull", key)
            if value.stype != "row_sparse":
                raise MXNetError(
                    f"KVStore.row_sparse_pull: key {key!r}: its value is stored as "
                    f"{value.stype!r}, not as 'row_sparse'"
                )
            for out, row_ids in pairs:
                _check_shape("row_sparse_pull", "out", key, out, value)
                if out.stype != "row_sparse":
                    raise MXNetError(
                        f"KVStore.row_sparse_pull: out of key {key!r}: must be row_sparse, not "
                        f"{out.stype!r}"
                    )
                taken.append((out, self._rows(key, _known_rows(key, value, row_ids))))
        for out, record in taken:
            receive(out, record, "KVStore.row_sparse_pull", owned=True)

    def _rows(self, key: Key, rows: torch.Tensor) -> RowSparse:
        """Rows of a row_sparse value."""
        stored: Any = self._values[key]._value
        if not len(stored.indices):  # of nothing MXNet stores nothing
            rows = rows[:0]
        return RowSparse(stored.take(rows), rows, tuple(stored.shape))

    # States of the optimizer ---------------------------------------------------------------------

    def get_states(self, dump_optimizer: bool) -> bytes:
        """The states of the optimizer, and on demand the optimizer."""
        updater: Any = self.updater
        states: bytes = updater.get_states(dump_optimizer)
        return states

    def set_states(self, states: bytes) -> None:
        """Takes what `get_states` gave."""
        updater: Any = self.updater
        updater.set_states(states)

    # Workers -------------------------------------------------------------------------------------

    def barrier(self) -> None:
        """Returns when all workers have come here: at once, as there is one."""

    def send_command(self, head: int, body: str) -> None:
        """Tells the servers something, of which there are none."""

    def n_dead(self) -> int:
        """How many workers have died."""
        return 0

    # Checks --------------------------------------------------------------------------------------

    def _stored(self, call: str, key: Key) -> NDArray:
        value = self._values.get(key)
        if value is None:
            self._check_kind(call, key)
            hint = candidates(key, map(str, self._values))
            raise MXNetError(
                f"KVStore.{call}: key {shown(key)}: is not initialized: init(key, value) must come "
                f"first{hint}"
            )
        return value

    def _check_outs(self, call: str, groups: Groups) -> None:
        for key, outs in groups.items():
            value = self._stored(call, key)
            for out in outs:
                _check_shape(call, "out", key, out, value)

    def _check_kind(self, call: str, key: Key) -> None:
        known = next(iter(self._values), key)
        if isinstance(known, str) is not isinstance(key, str):
            kinds = ("str", "int") if isinstance(known, str) else ("int", "str")
            raise MXNetError(
                f"KVStore.{call}: key {shown(key)}: the keys of this store are {kinds[0]}, "
                f"not {kinds[1]}"
            )


def call_updater(update: Any, updates: Sequence[tuple[Key, NDArray, NDArray]]) -> None:
    """Calls an updater with keys, sums and values; with lists of such where it takes them."""
    if not getattr(update, "aggregate_updates", False):
        for key, total, value in updates:
            update(key, total, value)
        return
    homes: dict[Context, list[tuple[Key, NDArray, NDArray]]] = {}
    for each in updates:
        homes.setdefault(each[2].context, []).append(each)
    for group in homes.values():
        update(*map(list, zip(*group, strict=True)))


def _check_values(key: Key, values: list[NDArray], stored: NDArray) -> None:
    for value in values:
        _check_shape("push", "value", key, value, stored)
        if value.stype == "csr":
            raise ArgumentError(f"KVStore.push: value of key {key!r}: csr arrays are not summed up")
        if value._raw.dtype is not values[0]._raw.dtype:
            raise ArgumentError(
                f"KVStore.push: value of key {key!r}: element types differ: "
                f"{values[0].dtype.__name__} and {value.dtype.__name__}"
            )


def _check_shape(call: str, argument: str, key: Key, array: NDArray, stored: NDArray) -> None:
    if array._raw.shape != stored._raw.shape:
        raise AssertedError(
            f"KVStore.{call}: {argument} of key {key!r}: has shape {array.shape}, the key "
            f"{stored.shape}"
        )


def _seen_from(value: NDArray, home: Context) -> NDArray:
    """`value` as an array on `home`: itself, or over its memory where devices are the same."""
    if value.context == home:
        return value
    if value.context.device == home.device:
        seen: NDArray = wrap_value(value._value, home, type(value))
        return seen
    return value.as_in_context(home)


def _known_rows(key: Key, value: NDArray, row_ids: NDArray) -> torch.Tensor:
    """Numbers of rows, each once and rising."""
    rows = distinct(row_ids._tensor.reshape(-1).to(value.context.device, torch.int64))
    n_rows = value._raw.shape[0]
    if rows.numel() and not 0 <= int(rows[0]) <= int(rows[-1]) < n_rows:
        raise ArgumentError(
            f"KVStore.row_sparse_pull: row_ids of key {key!r}: there are rows 0 to {n_rows - 1}, "
            f"wanted were {int(rows[0])} to {int(rows[-1])}"
        )
    return rows
