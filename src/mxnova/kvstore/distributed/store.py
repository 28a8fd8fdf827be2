# SPDX-License-Identifier: Apache-2.0
"""DistributedStore: what stores of several processes have in common.

A push goes to the owner of each shard of its key. The owner, which is one of the workers, sums up
and updates, and replies with the new value. `Bucket` is the worker's side of that, `Server` the
owner's, `Connections` what messages travel over.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ... import optimizer as opt
from ...core.base.errors import ArgumentError, MXNetError
from ...core.nd.array import NDArray
from ...core.nd.wrapping import empty_sparse, wrap_sparse
from ...core.op.sparse.storage import RowSparse, cast_storage
from ...core.runtime.context import Context, cpu
from ...core.runtime.engine import RUNNING, engine
from ...optimizer.states import dumps_updater, loads_updater
from ..compression import TwoBitCompression
from ..devices import spread, total_of
from ..keys import Groups, Key
from ..local import LocalStore, Updater
from .bucket import Bucket
from .connections import Connections, Handler, Meta
from .contribution import Contribution
from .coordinator import Coordinator
from .faults import Faults
from .heartbeat import Heartbeat
from .requests import Requests, Service
from .rows import empty_rows, rows_of, slice_rows, within
from .server import Server
from .sharding import Shard, Sharding
from .stalls import StallCheck
from .states import joined, parts_of

__all__ = ["DistributedStore"]

_MOMENT = 2.0  # seconds
_MAX_PENDING = 1 << 10  # buckets, whose gradients take memory and which a program ends after


class DistributedStore(LocalStore):
    """Values by key that several workers share.

    row_sparse values are with their owners only; of dense ones each worker has a copy.

    Args:
        type: its name.
        connections: to the other workers.
        heartbeat: of the workers.

    Attributes:
        server: of the shards that live here.
    """

    def __init__(self, type: str, connections: Connections, heartbeat: Heartbeat) -> None:
        self.connections, self._heartbeat = connections, heartbeat
        self._faults: Faults = connections.faults
        self.server = Server(self._faults)
        super().__init__(type)
        self.compresses = True
        self.rank, self.num_workers = connections.rank, connections.size
        self._row_sharding = Sharding(range(connections.size), slices=True, in_rows=True)
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._pending: dict[Bucket, None] = {}
        self._pushing: dict[Key, Bucket] = {}  # what was sent and is not answered
        self._is_closed = False
        self._coordinator = Coordinator(connections)
        self._requests = Requests(connections, self._services())
        server, coordinator = self.server, self._coordinator
        self._stalls = StallCheck(connections, server, coordinator, self._waiting)
        self._faults.then(self._fail_pending)
        connections.start(self._handlers())
        heartbeat.start(self._stalls.report)

    def _handlers(self) -> dict[str, Handler]:
        return {
            **self._coordinator.handlers,
            **self._requests.handlers,
            **self._stalls.handlers,
        }

    @property
    def updater(self) -> Updater | None:
        """What updates the shards that live here."""
        return self.server.updater

    @updater.setter
    def updater(self, updater: Updater | None) -> None:
        self.server.updater = updater

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
            k: v[0].copyto(self._first_home(v))
            for k, v in groups.items()
            if v[0].stype != "row_sparse"
        }
        records: dict[Key, RowSparse] = {
            k: v[0].as_in_context(cpu(0))._value.ordered()
            for k, v in groups.items()
            if v[0].stype == "row_sparse"
        }
        sent = [array._raw.cpu().contiguous() for array in dense.values()]
        sent += [t for r in records.values() for t in (r.indices.long(), r.data.contiguous())]
        received: list[Tensor] = []

        def buffers(message: Meta) -> list[Tensor]:
            received.extend(torch.empty_like(array._raw, device="cpu") for array in dense.values())
            for (key, mine), n in zip(records.items(), message["rows"], strict=True):
                records[key] = empty_rows(mine, n)
                received.extend((records[key].indices, records[key].data))
            return received

        rows = {"rows": [len(record.indices) for record in records.values()]}
        self._coordinator.agree("init", self._described(groups), (rows, sent), buffers)
        for array, tensor in zip(dense.values(), received, strict=False):
            array._raw.copy_(tensor)
        self._init_rows(records)
        self._init_dense(dense)
        self._coordinator.agree("initialized")  # before anybody pushes

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        self._values |= values

    def _init_rows(self, records: dict[Key, RowSparse]) -> None:
        for key, record in records.items():
            for shard in self._row_shards(key, record):
                if shard.owner == self.rank:
                    mine = wrap_sparse(slice_rows(record, shard), cpu(0))
                    self.server.shards[key] = mine
            self._values[key] = empty_sparse("row_sparse", record.shape, cpu(0), record.dtype)

    def _row_shards(self, key: Key, record: Any) -> list[Shard]:
        return self._row_sharding.shards(key, tuple(record.shape))

    def _spread(self, wanted: Groups, priority: int) -> None:
        for key, outs in wanted.items():
            if outs and self._values[key].stype == "row_sparse":
                spread(wrap_sparse(self._all_rows(key), cpu(0)), outs, priority)
            else:
                spread(self._values[key], outs, priority)

    def _first_home(self, values: list[NDArray]) -> Context:
        """Where the value of a key lives for which there are such arrays."""
        return cpu(0)

    def _source(self, values: list[NDArray], home: Context) -> NDArray:
        """The sum over this worker's devices, where the value is."""
        if len(values) == 1 and values[0].context.device == home.device:
            return values[0]
        return total_of(values, home)

    # Pushing -------------------------------------------------------------------------------------

    def _submit(self, buckets: Iterable[Bucket]) -> None:
        """Has buckets sent when their gradients are there.

        Waits while very many others do, unless an operation of the engine calls.

        Raises:
            MXNetError: the store has failed or is closed, or belongs to another process.
        """
        for bucket in buckets:
            self._check_usable("push")
            with self._changed:
                if RUNNING.task is None and len(self._pending) >= _MAX_PENDING:
                    self._changed.wait_for(self._has_room)
                    self._check_usable("push")
                self._pending[bucket] = None
            bucket.push(self._send, self._finished)

    def _has_room(self) -> bool:
        is_over = self._is_closed or self._faults.text is not None
        return is_over or len(self._pending) < _MAX_PENDING

    def _check_usable(self, call: str) -> None:
        if os.getpid() != self._process:
            raise MXNetError(f"KVStore.{call}: the store is that of the parent process")
        self._faults.check()
        if self._is_closed:
            raise MXNetError("KVStore: this store is closed")

    def _send(self, bucket: Bucket) -> None:
        """Sends the contributions of a bucket to the owners of its shards."""
        raise NotImplementedError

    def _sent_to(
        self, bucket: Bucket, owner: int, contributions: Sequence[Contribution], **more: Any
    ) -> None:
        message = {"op": "push", "entries": [c.entry() for c in contributions], **more}
        tensors = [tensor for c in contributions for tensor in c.tensors()]
        self.connections.send(owner, message, tensors, bucket.priority)

    def _finished(self, bucket: Bucket) -> None:
        with self._changed:
            self._pending.pop(bucket, None)
            for key in bucket.values:
                if self._pushing.get(key) is bucket:
                    del self._pushing[key]
            self._changed.notify_all()

    def _expect_replies(self, bucket: Bucket, shards: Mapping[Key, Sequence[Shard]]) -> None:
        bucket.expect(shards, self.rank)
        self._pushing |= dict.fromkeys(bucket.values, bucket)

    def _waiting(self) -> list[Bucket]:
        """What this worker has pushed and waits for."""
        with self._changed:
            return list(self._pending)

    def _fail_pending(self) -> None:
        """Tells those who wait that something has failed."""
        with self._changed:
            self._changed.notify_all()
        for bucket in self._waiting():
            try:
                self._faults.check()
            except MXNetError as error:
                bucket.settle(error)

    def _wait_for_pending(self, patience: float | None = None) -> None:
        """Returns when all that was pushed so far is done, or the store has failed."""
        with self._changed:
            pushed = list(self._pending)
            self._changed.wait_for(
                lambda: (
                    self._faults.text is not None or not any(b in self._pending for b in pushed)
                ),
                patience,
            )

    # What is pushed ------------------------------------------------------------------------------

    def _pushes_rows(self, key: Key, source: NDArray) -> bool:
        """Whether rows travel for a key, as its value or what is pushed is stored so."""
        stored = self._values[key]
        if stored.stype == "row_sparse":
            return True
        if source.stype != "row_sparse" or stored.context.device_type == "gpu":
            return False
        return self._has_rows(key, stored)

    def _has_rows(self, key: Key, value: NDArray) -> bool:
        """Whether its shards are made of whole rows."""
        return all(shard.shape[1:] == value.shape[1:] for shard in self._shards(key, value))

    def _gradient(
        self, key: Key, total: Tensor | RowSparse, compress: TwoBitCompression | None
    ) -> Tensor | RowSparse:
        """What this worker adds to the sum of a key: a tensor of the CPU, or rows that rise."""
        stored = self._values[key]
        if stored.stype == "row_sparse":
            rows: Any = cast_storage(total, "row_sparse")
            ordered: RowSparse = rows.ordered()
            return ordered
        if isinstance(total, RowSparse):
            if stored.context.device_type != "gpu" and self._has_rows(key, stored):
                return total.ordered()
            total = total.dense()
        total = total.contiguous()
        return (total if compress is None else compress(key, 0, total)).cpu()

    # Replies -------------------------------------------------------------------------------------

    def _reply_buffers(self, rank: int, message: Meta) -> list[Tensor]:
        """Where the new values go that an owner sends."""
        buffers = []
        for key in message["keys"]:
            bucket = self._pushing[key]
            shard = bucket.shard(key, rank)
            value = bucket.values[key]
            if value.stype == "default" and message["with_values"]:
                view = shard.of(value._raw)
                buffers.append(view if view.device.type == "cpu" else view.cpu())
        return buffers

    def _take_reply(self, rank: int, message: Meta, tensors: Sequence[Tensor]) -> None:
        received = iter(tensors)
        answered: dict[Bucket, list[tuple[Key, int]]] = {}
        for key in message["keys"]:
            bucket = self._pushing[key]
            value = bucket.values[key]
            if value.stype == "default" and message["with_values"]:
                tensor = next(received)
                if value._raw.device.type != "cpu":
                    bucket.shard(key, rank).of(value._raw).copy_(tensor)
            answered.setdefault(bucket, []).append((key, rank))
        for bucket, replies in answered.items():
            bucket.done(replies)

    # Rows ----------------------------------------------------------------------------------------

    def _rows(self, key: Key, rows: Tensor) -> RowSparse:
        stored, pieces = self._requested_rows(key, rows)
        value: Any = self._values[key]._value
        if not stored:  # of nothing MXNet stores nothing
            return empty_rows(value, 0)
        return RowSparse(torch.cat(pieces), rows, value.shape)

    def _requested_rows(self, key: Key, rows: Tensor) -> tuple[bool, list[Tensor]]:
        """Whether owners store any rows, and of each, in their order, those that are wanted."""
        self._values[key].wait_to_read()  # for pushes of this worker
        value: Any = self._values[key]._value
        wanted: dict[int, Tensor] = {}
        for shard in self._row_shards(key, value):
            ids = rows[within(rows, shard, value.shape)] - rows_of(shard, value.shape)[0]
            if len(ids):
                wanted[shard.owner] = ids
        found = {r: value.data.new_empty((len(i), *value.shape[1:])) for r, i in wanted.items()}
        answers = self._requests.ask(
            {
                rank: ({"op": "rows", "key": key, "n": len(ids)}, [ids])
                for rank, ids in wanted.items()
                if rank != self.rank
            },
            lambda rank, answer: [found[rank]],
        )
        stored = any(answer["stored"] for answer in answers.values())
        if self.rank in wanted:
            with self.server.lock:
                record = self.server.stored(key)
                stored |= bool(len(record.indices))
                found[self.rank] = record.take(wanted[self.rank])
        return stored, [found[rank] for rank in wanted]

    def _all_rows(self, key: Key) -> RowSparse:
        """All rows that are stored of a row_sparse value."""
        self._values[key].wait_to_read()  # for pushes of this worker
        value: Any = self._values[key]._value
        pieces: dict[int, RowSparse] = {}
        shards = self._row_shards(key, value)

        def buffers(rank: int, answer: Meta) -> list[Tensor]:
            pieces[rank] = empty_rows(value, answer["n"])
            return [pieces[rank].indices, pieces[rank].data]

        others = [shard.owner for shard in shards if shard.owner != self.rank]
        self._requests.ask({r: ({"op": "stored", "key": key}, ()) for r in others}, buffers)
        starts = {shard.owner: rows_of(shard, value.shape)[0] for shard in shards}
        if self.rank in starts:
            with self.server.lock:
                pieces[self.rank] = self.server.stored(key)
        indices = torch.cat([pieces[rank].indices.long() + start for rank, start in starts.items()])
        return RowSparse(torch.cat([pieces[rank].data for rank in starts]), indices, value.shape)

    # States of the optimizer ---------------------------------------------------------------------

    def get_states(self, dump_optimizer: bool) -> bytes:
        """The states of the optimizer, which are with the owners, and on demand the optimizer."""
        updater = self._own_updater("save")
        self._wait_for_pending()
        received: dict[int, Tensor] = {}

        def buffers(rank: int, answer: Meta) -> list[Tensor]:
            received[rank] = torch.empty(int(answer["n"]), dtype=torch.uint8)
            return [received[rank]]

        self._requests.ask({p: ({"op": "states"}, ()) for p in self.connections.peers}, buffers)
        with self.server.lock:
            of_rank = {r: loads_updater(b.numpy().tobytes())[0] for r, b in received.items()}
            of_rank[self.rank] = updater.states
            states = {
                key: joined([of_rank[s.owner][key] for s in shards], shards, shape)
                for key, (shards, shape) in self._placed().items()
                if all(key in of_rank[shard.owner] for shard in shards)
            }
            return dumps_updater(states, updater.optimizer if dump_optimizer else None)

    def set_states(self, states: bytes) -> None:
        """Takes what `get_states` gave; all workers take the same."""
        updater = self._own_updater("load")
        digest = hashlib.sha256(states).hexdigest()
        self._wait_for_pending()
        self._coordinator.agree("load_optimizer_states", [digest])
        with self.server.lock:
            updater.set_states(states)
            updater.states = parts_of(updater.states, self._placed(), self.rank)
            updater.states_synced = dict.fromkeys(updater.states, False)
            self._states_changed()
        self._coordinator.agree("loaded_optimizer_states")

    def _states_changed(self) -> None:
        """Is told that the updater has other states and maybe another optimizer."""

    def _own_updater(self, verb: str) -> opt.Updater:
        updater = self.updater
        if not isinstance(updater, opt.Updater):
            raise MXNetError(f"KVStore.{verb}_optimizer_states: there is no optimizer here")
        return updater

    def _placed(self) -> dict[Key, tuple[list[Shard], tuple[int, ...]]]:
        """For each key its shards, as far as states are concerned, and its shape."""
        return {key: (self._shards(key, value), value.shape) for key, value in self._values.items()}

    def _shards(self, key: Key, value: NDArray) -> list[Shard]:
        if value.stype == "row_sparse":
            return self._row_sharding.shards(key, value.shape)
        return self._dense_shards(key, value)

    def _dense_shards(self, key: Key, value: NDArray) -> list[Shard]:
        raise NotImplementedError

    # What others ask -----------------------------------------------------------------------------

    def _services(self) -> dict[str, Service]:
        return {
            "rows": Service(self._room_for_rows, self._answer_rows),
            "stored": Service(lambda rank, message: [], self._answer_stored),
            "states": Service(lambda rank, message: [], self._answer_states),
        }

    def _room_for_rows(self, _rank: int, message: Meta) -> list[Tensor]:
        n, n_rows = message["n"], self.server.shard(message["key"]).shape[0]
        if not 0 < n <= n_rows:
            raise ValueError(f"a request for {n} of {n_rows} rows")
        return [torch.empty(n, dtype=torch.int64)]

    def _answer_rows(self, message: Meta, tensors: Sequence[Tensor]) -> Any:
        rows = tensors[0]
        with self.server.lock:
            record = self.server.stored(message["key"])
            if not 0 <= int(rows.min()) <= int(rows.max()) < record.shape[0]:
                raise MXNetError(f"key {message['key']!r} has {record.shape[0]} rows here")
            return {"stored": bool(len(record.indices))}, [record.take(rows).contiguous()]

    def _answer_stored(self, message: Meta, _tensors: Sequence[Tensor]) -> Any:
        with self.server.lock:
            record = self.server.stored(message["key"])
            data = record.data.clone(memory_format=torch.contiguous_format)
            return {"n": len(record.indices)}, [record.indices.long(), data]

    def _answer_states(self, _message: Meta, _tensors: Sequence[Tensor]) -> Any:
        with self.server.lock:
            states = self._own_updater("save").get_states()
        return {"n": len(states)}, [torch.frombuffer(bytearray(states), dtype=torch.uint8)]

    # Workers -------------------------------------------------------------------------------------

    def barrier(self) -> None:
        """Returns when all workers have come here, and what they have pushed before is done."""
        self._check_usable("barrier")
        self._wait_for_pending()
        self._coordinator.agree("barrier")

    def n_dead(self) -> int:
        """How many workers have died, as far as is known: one, as the first ends the store."""
        return int(self._faults.text is not None)

    def close(self) -> None:
        """Ends the part of this worker, when all others have come to their end."""
        has_failed = hasattr(sys, "last_type")  # by an exception that nobody caught
        patience = _MOMENT if has_failed else None
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._wait_for_pending(patience)
        engine().drain(_MOMENT if has_failed else self._faults.timeout)
        self.server.close(_MOMENT)
        self.connections.leave()
        self.connections.close(patience)
        self._heartbeat.close()

    # Checks --------------------------------------------------------------------------------------

    def _update_name(self) -> str:
        """What workers compare of their updaters."""
        updater: Any = self.updater
        if isinstance(updater, opt.Updater):
            return f"updater: {type(updater.optimizer).__name__}"
        return f"updater: {updater is not None}"

    def _described(self, groups: Groups) -> list[Any]:
        of_keys: list[Any] = [
            [key, list(v[0].shape), v[0].dtype.__name__, v[0].stype] if v else [key]
            for key, v in groups.items()
        ]
        return [*of_keys, self._update_name()]

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
