# SPDX-License-Identifier: Apache-2.0
"""DistributedStore: what stores of several processes have in common.

A push goes to the owner of each shard of its key. The owner, which is one of the workers, sums up
and updates, and answers with the new value. `Bucket` is the worker's side of a push, `Server` the
owner's, `Connections` what carries it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from ... import optimizer as opt
from ...core.base.errors import ArgumentError, MXNetError
from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.nd.wrapping import empty_sparse, wrap_sparse
from ...core.op.sparse.storage import RowSparse
from ...core.runtime.context import Context, cpu
from ...core.runtime.engine import RUNNING, Failure, engine
from ...optimizer.states import dumps_updater, loads_updater, set_progress
from ..devices import spread, total_of
from ..keys import Groups, Key
from ..local import LocalStore
from .bucket import BUCKET_BYTES, Bucket
from .connections import Connections, Request
from .contribution import received
from .faults import Faults
from .peer import Meta
from .plan import COUNTS, UpdatePlan
from .rounds import Coordinator
from .server import Server
from .sharding import (
    Shard,
    Sharding,
    empty_rows,
    joined_rows,
    joined_states,
    slice_rows,
    states_of,
    tensors_of,
    within,
)
from .step_times import StepTimes

__all__ = ["DistributedStore"]

_MOMENT = 2.0  # seconds
_MAX_PENDING = 1 << 10  # buckets, whose gradients take memory and which a program ends after


class DistributedStore(LocalStore):
    """Values by key that several workers share.

    row_sparse values are with their owners only; of dense ones each worker has a copy.

    Args:
        type: its name.
        connections: to the other workers.

    Attributes:
        server: of the shards that live here.
        times: of steps, where somebody wants to know.
    """

    times: StepTimes | None = None

    def __init__(self, type: str, connections: Connections) -> None:
        self.connections = connections
        self._faults: Faults = connections.faults
        self.server = Server(connections)
        super().__init__(type)
        self.compresses = True
        self.rank, self.num_workers = connections.rank, connections.size
        self._row_sharding = Sharding(range(connections.size), slices=True, in_rows=True)
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._pending: dict[Bucket, None] = {}
        self._is_closed = False
        self._coordinator = Coordinator(connections)
        connections.serve("push", self._take_push, self._push_buffers)
        connections.serve("states", self._answer_states)
        self._faults.then(self._finished)
        connections.start(self.server.rounds.incomplete, self._coordinator.rounds.incomplete)

    # Values --------------------------------------------------------------------------------------

    def init(self, groups: Groups) -> None:
        """Makes keys with the first worker's values; all of them or none.

        Raises:
            MXNetError: a key is there already, or given twice, or keys of the other kind are; or
                workers give other keys, shapes or types.
        """
        self._check_usable("init")
        try:
            self._check_init(groups)
        except MXNetError as error:
            self._coordinator.refuse(error)
            raise
        dense: dict[Key, Any] = {
            k: v[0].copyto(_home_of(v)) for k, v in groups.items() if v[0].stype != "row_sparse"
        }
        records: dict[Key, RowSparse] = {
            k: v[0].as_in_context(cpu(0))._value.ordered()
            for k, v in groups.items()
            if v[0].stype == "row_sparse"
        }
        sent = [array._raw.cpu().contiguous() for array in dense.values()]
        sent += [tensor for record in records.values() for tensor in tensors_of(record)]

        def buffers(_rank: int, message: Meta) -> Sequence[Tensor]:
            rooms = [torch.empty_like(array._raw, device="cpu") for array in dense.values()]
            for mine, n in zip(records.values(), message["rows"], strict=True):
                room = empty_rows(mine.shape, mine.data.dtype, n)
                rooms += [room.indices, room.data]
            return rooms

        rows = {"rows": [len(record.indices) for record in records.values()]}
        agreed = self._coordinator.agree("init", self._described(groups), (rows, sent), buffers)
        tensors = iter(agreed[1])
        for array in dense.values():
            array._raw.copy_(next(tensors))
        for key, record in records.items():
            indices = next(tensors)
            self._init_rows(key, RowSparse(next(tensors), indices, record.shape))
        self._init_dense(dense)
        self._coordinator.agree("initialized")  # before anybody pushes

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        self._values |= values

    def _init_rows(self, key: Key, record: RowSparse) -> None:
        for shard in self._row_sharding.shards(key, tuple(record.shape)):
            if shard.owner == self.rank:
                self.server.shards[key] = wrap_sparse(slice_rows(record, shard), cpu(0))
        self._values[key] = empty_sparse("row_sparse", record.shape, cpu(0), record.dtype)

    def _bring_home(self, key: Key, values: list[NDArray]) -> None:
        """Moves a dense value to the GPU where its first gradients come from."""
        stored, home = self._values[key], _home_of(values)
        if stored.stype == "default" and stored.context.device_type != "gpu" == home.device_type:
            self._values[key] = stored.as_in_context(home)
            if isinstance(self.updater, opt.Updater):
                self.updater.states_synced[key] = False

    # Pushing -------------------------------------------------------------------------------------

    def push(self, groups: Groups, priority: int) -> None:
        """Has keys updated by the values of this worker, or of all workers.

        Raises:
            MXNetError: a key is not there, or values do not fit it; or a push before has failed,
                which is then told here unless somebody was told. Or a worker is gone: then the
                store is of no use any more. That workers differ is raised where values are waited
                for; nothing has changed then.
        """
        self._push("push", groups, {}, priority)

    def pushpull(self, pushed: Groups, pulled: Groups, priority: int) -> None:
        """`push` and `pull`, both or none; sparse arrays of `pulled` stay as they are."""
        self._push("pushpull", pushed, pulled, priority)

    def _push(self, call: str, groups: Groups, outs: Groups, priority: int) -> None:
        self._check_usable(call)
        try:
            self._check_outs(call, outs)
            self._check_push(groups)
        except MXNetError as error:
            self._refuse(groups, str(error))
            raise
        given = {key: values for key, values in groups.items() if values}
        buckets = list(self._buckets(given, outs, priority))
        failures = self._failures(given)
        self._submit(buckets)
        for failure in failures:  # of pushes before; this one counts
            failure.raise_once()
        for key, arrays in outs.items():
            dense = [out for out in arrays if out.stype == "default"]
            if dense and key in given and self._values[key].stype == "default":  # which is told
                spread(self._values[key], dense, priority)
        self.pull({k: v for k, v in outs.items() if k not in given}, priority, ignore_sparse=True)

    def _refuse(self, groups: Groups, reason: str) -> None:
        """Is told that this worker cannot push these keys."""

    def _failures(self, keys: Iterable[Key]) -> list[Failure]:
        """What has gone wrong with some keys."""
        found = (var_of(self._values[key]).failure for key in keys)
        return [failure for failure in found if failure is not None]

    def _current_plan(self) -> UpdatePlan:
        raise NotImplementedError

    def _buckets(self, groups: Groups, outs: Groups, priority: int) -> Iterator[Bucket]:
        """Keys of about `BUCKET_BYTES` each."""
        plan = self._current_plan()
        settings = plan.updates.snapshot(groups) if plan.is_sync else None
        for key, arrays in groups.items():
            self._bring_home(key, arrays)
        sources = {k: self._source(v, self._values[k].context) for k, v in groups.items()}
        for keys in self._chunks(sources):
            values = {key: self._values[key] for key in keys}
            pushed = {k: sources[k] for k in keys}
            pulled = [k for k in keys if plan.is_sync or k in outs]
            rows = {k for k in keys if self._pushes_rows(k, sources[k])}
            yield Bucket(plan, values, pushed, pulled, settings, rows, priority)

    def _source(self, values: list[NDArray], home: Context) -> NDArray:
        """The sum over this worker's devices, where the value is."""
        if len(values) == 1 and values[0].context.device == home.device:
            return values[0]
        return total_of(values, home)

    def _chunks(self, keys: Iterable[Key]) -> Iterator[list[Key]]:
        chunk: list[Key] = []
        n_bytes = 0
        for key in keys:
            value = self._values[key]
            chunk.append(key)
            n_bytes += value._raw.nbytes if value.stype == "default" else 0
            if n_bytes >= BUCKET_BYTES:
                yield chunk
                chunk, n_bytes = [], 0
        if chunk:
            yield chunk

    def _pushes_rows(self, key: Key, source: NDArray) -> bool:
        """Whether rows travel for a key, as its value or what is pushed is stored so."""
        stored = self._values[key]
        if stored.stype == "row_sparse":
            return True
        if source.stype != "row_sparse" or stored.context.device_type == "gpu":
            return False  # or else its shards must be made of whole rows
        return all(shard.shape[1:] == stored.shape[1:] for shard in self._shards(key, stored))

    def _submit(self, buckets: Iterable[Bucket]) -> None:
        """Has buckets sent when their gradients are there.

        Waits while very many others do, unless an operation of the engine calls.

        Raises:
            MXNetError: the store has failed or is closed, or belongs to another process.
        """
        for bucket in buckets:
            with self._changed:
                if RUNNING.task is None:
                    self._changed.wait_for(self._has_room)
                self._check_usable("push")
                self._pending[bucket] = None
            bucket.push(self.connections, self.server.update_by_sums, self._finished, self.times)

    def _has_room(self) -> bool:
        is_over = self._is_closed or self._faults.text is not None
        return is_over or len(self._pending) < _MAX_PENDING

    def _finished(self, *buckets: Bucket) -> None:
        """Is told that buckets are finished, or that something has failed."""
        with self._changed:
            for bucket in buckets:
                self._pending.pop(bucket, None)
            self._changed.notify_all()

    def _wait_for_pending(self, patience: float | None = None) -> None:
        """Returns when all that was pushed so far is done, or the store has failed."""
        with self._changed:
            pushed = self._pending.copy()
            self._changed.wait_for(
                lambda: self._faults.text is not None or not (pushed.keys() & self._pending.keys()),
                patience,
            )

    # What others push ----------------------------------------------------------------------------

    def _push_buffers(self, _rank: int, message: Meta) -> Sequence[Tensor]:
        found = [received(entry, self._values) for entry in message["entries"]]
        for key in message["pull"]:
            self._stored("pull", key)
        message["contributions"] = found
        return [tensor for each in found for tensor in each.tensors()]

    def _take_push(self, request: Request) -> None:
        self.server.take_push(request)
        self.connections.check_left()

    # Rows ----------------------------------------------------------------------------------------

    def _rows(self, key: Key, wanted: Tensor | None = None) -> RowSparse:
        """Rows of a row_sparse value, from their owners.

        Args:
            key: of the value.
            wanted: numbers of rows, which rise; default: all that are stored.
        """
        value = self._values[key]
        value.wait_to_read()  # for pushes of this worker
        shape, dtype = value.shape, value._raw.dtype

        def buffers(_rank: int, answer: Meta) -> Sequence[Tensor]:
            room = empty_rows(shape, dtype, answer["n"])
            return room.indices, room.data

        asked = []
        for shard in self._row_sharding.shards(key, shape):
            message, tensors = {"op": "rows", "key": key, "n": None}, []
            if wanted is not None:
                tensors = [wanted[within(wanted, shard)] - shard.rows.start]
                message["n"] = len(tensors[0])
            if message["n"] != 0:
                asked.append((shard, self.connections.ask(shard.owner, message, tensors, buffers)))
        answers = [(shard, *future.result()) for shard, future in asked]
        pieces = [(s, RowSparse(data, rows, s.shape)) for s, _, (rows, data) in answers]
        is_stored = any(
            answer["stored"] for _, answer, _ in answers
        )  # or else none are, as MXNet's
        return joined_rows(shape, dtype, pieces if is_stored else [])

    def _spread(self, wanted: Groups, priority: int) -> None:
        for key, outs in wanted.items():
            value = self._values[key]
            if outs and value.stype == "row_sparse":
                value = wrap_sparse(self._rows(key), cpu(0))
            spread(value, outs, priority)

    # States of the optimizer ---------------------------------------------------------------------

    def get_states(self, dump_optimizer: bool) -> bytes:
        """The states of the optimizer, which are with the owners, and on demand the optimizer."""
        updater = self._own_updater("save")
        self._wait_for_pending()
        with self.server.lock:
            self._current_plan().updates.write_back()

        def buffers(_rank: int, answer: Meta) -> Sequence[Tensor]:
            return [torch.empty(int(answer["n"]), dtype=torch.uint8)]

        ranks = range(self.num_workers)
        futures = [self.connections.ask(rank, {"op": "states"}, buffers=buffers) for rank in ranks]
        loaded = [loads_updater(f.result()[1][0].numpy().tobytes()) for f in futures]
        of_rank = [states for states, _, _ in loaded]
        shared = loaded[0][2]
        if shared is not None and self._current_plan().spans_keys:  # Rank 0 makes all updates.
            counts = {name: vars(updater.optimizer)[name] for name in COUNTS}
            set_progress(updater.optimizer, {**shared, **counts})
        states = {
            key: joined_states([of_rank[shard.owner][key] for shard in shards], shards, shape)
            for key, (shards, shape) in self._placed().items()
            if all(key in of_rank[shard.owner] for shard in shards)
        }
        return dumps_updater(states, updater.optimizer, dump_optimizer)

    def set_states(self, states: bytes) -> None:
        """Takes what `get_states` gave; all workers take the same."""
        updater = self._own_updater("load")
        self._wait_for_pending()
        self._coordinator.agree("load_optimizer_states", [hashlib.sha256(states).hexdigest()])
        with self.server.lock:
            updater.set_states(states)
            updater.states = states_of(updater.states, self._placed(), self.rank)
            updater.states_synced = dict.fromkeys(updater.states, False)
            self._current_plan().updates.reload()
        self._coordinator.agree("loaded_optimizer_states")

    def _answer_states(self, request: Request) -> None:
        with request.refusing(self.rank):
            with self.server.lock:
                self._current_plan().updates.write_back()
                states = self._own_updater("save").get_states()
            tensor = torch.frombuffer(bytearray(states), dtype=torch.uint8)
            request.answer({"n": len(states)}, [tensor])

    def _own_updater(self, verb: str) -> opt.Updater:
        updater = self.updater
        if not isinstance(updater, opt.Updater):
            raise MXNetError(f"KVStore.{verb}_optimizer_states: there is no optimizer here")
        return updater

    def _placed(self) -> dict[Key, tuple[list[Shard], tuple[int, ...]]]:
        """For each key its shards, as far as states are concerned, and its shape."""
        return {key: (self._shards(key, value), value.shape) for key, value in self._values.items()}

    def _shards(self, key: Key, value: NDArray) -> list[Shard]:
        return self._current_plan().shards_of_states(key, value, self.rank)

    # Workers -------------------------------------------------------------------------------------

    def barrier(self) -> None:
        """Returns when all workers have come here, and what they have pushed before is done.

        Raises:
            MXNetError: a push before has failed and nobody was told, or a worker is gone.
        """
        self._check_usable("barrier")
        self._wait_for_pending()
        self._coordinator.agree("barrier")
        for failure in self._failures(self._values):
            failure.raise_once()

    def n_dead(self) -> int:
        """How many workers have died, as far as is known: one, as the first ends the store."""
        return int(self._faults.text is not None)

    def close(self) -> None:
        """Ends the part of this worker, when all others have come to their end."""
        patience = _MOMENT if hasattr(sys, "last_type") else None  # which nobody caught
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._wait_for_pending(patience)
        engine().drain(patience or self._faults.timeout)
        if self.times is not None:
            self.times.report()
        self.server.close()
        self.connections.close(patience)

    # Checks --------------------------------------------------------------------------------------

    def _check_usable(self, call: str) -> None:
        if os.getpid() != self._process:
            raise MXNetError(f"KVStore.{call}: the store is that of the parent process")
        self._faults.check()
        if self._is_closed:
            raise MXNetError("KVStore: this store is closed")

    def _described(self, groups: Groups) -> list[Any]:
        """What workers compare of the keys they make, and of their updaters."""
        of_keys: list[Any] = [
            [key, list(v[0].shape), v[0].dtype.__name__, v[0].stype] if v else [key]
            for key, v in groups.items()
        ]
        updater: Any = self.updater
        name = type(updater.optimizer).__name__ if isinstance(updater, opt.Updater) else None
        return [*of_keys, f"updater: {name or updater is not None}"]

    def _check_push(self, groups: Groups) -> None:
        super()._check_push(groups)
        for key, values in groups.items():
            stored = self._values[key]
            for value in values[:1]:
                if value._raw.dtype is not stored._raw.dtype:
                    raise ArgumentError(
                        f"KVStore.push: value of key {key!r}: is {value.dtype.__name__}, the key "
                        f"{stored.dtype.__name__}"
                    )


def _home_of(values: list[NDArray]) -> Context:
    """Where the value of a key lives for which there are such arrays: the GPU of a dense one."""
    dense = (v.context for v in values if v.stype == "default")
    return next((context for context in dense if context.device_type == "gpu"), cpu(0))
