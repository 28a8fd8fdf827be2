# SPDX-License-Identifier: Apache-2.0
"""SyncStore: each key is updated once by the sum of what all workers push."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.op.sparse.storage import RowSparse
from ...core.runtime.context import Context, cpu
from ...core.runtime.engine import Failure
from ...optimizer import Updater
from ..compression import Levels, TwoBitCompression
from ..keys import Groups, Key
from .bucket import BUCKET_BYTES, Bucket
from .connections import Connections, Handler, Meta
from .contribution import Contribution, received
from .heartbeat import Heartbeat
from .plan import Reply, UpdatePlan
from .rows import slice_rows
from .server import Round
from .sharding import Shard
from .store import DistributedStore

__all__ = ["SyncStore"]


class SyncStore(DistributedStore):
    """Values by key, the same in each worker.

    Pushes of a key are matched by the key: workers may push keys in different orders, each of them
    as often as the others. Calls return at once: the engine keeps whoever touches an array that
    takes part waiting until the owners of its shards have replied.
    """

    def __init__(self, type: str, connections: Connections, heartbeat: Heartbeat) -> None:
        self._plan: UpdatePlan | None = None
        self._compression: TwoBitCompression | None = None
        self._last: dict[Key, Bucket] = {}  # that a key was pushed with
        super().__init__(type, connections, heartbeat)
        self.server.replies = self

    def _handlers(self) -> dict[str, Handler]:
        return {
            **super()._handlers(),
            "push": Handler(self._push_buffers, self._take_push),
            "reply": Handler(self._reply_buffers, self._take_reply),
            "sums": Handler(self._sum_buffers, self._take_sums),
            "refused": Handler(lambda rank, message: [], self._take_refusal),
        }

    # Push: from the call to the owners -----------------------------------------------------------

    def push(self, groups: Groups, priority: int) -> None:
        """Has the values of each key summed up over all workers, and the key updated by the sum.

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
        self._bring_home(given)
        buckets = list(self._buckets(given, outs, priority))
        for bucket in buckets:
            if not bucket.rows:
                self._last |= dict.fromkeys(bucket.values, bucket)
        failures = self._failures(given)
        self._submit(buckets)
        for failure in failures:  # of pushes before; this one counts
            failure.raise_once()
        rest = {key: arrays for key, arrays in outs.items() if key not in given}
        if rest:
            self.pull(rest, priority, ignore_sparse=True)

    def _refuse(self, groups: Groups, reason: str) -> None:
        """Has the pushes of these keys fail for all workers, since this one cannot make its own."""
        values = {key: self._values[key] for key in groups if key in self._values}
        if values:
            self._submit([Bucket(self._current_plan(), None, values, {}, refusal=reason)])

    def _failures(self, keys: Iterable[Key]) -> list[Failure]:
        """What has gone wrong with some keys."""
        found = (var_of(self._values[key]).failure for key in keys)
        return [failure for failure in found if failure is not None]

    def _buckets(self, groups: Groups, outs: Groups, priority: int) -> Iterator[Bucket]:
        """Keys of one element type and about `BUCKET_BYTES` each."""
        plan = self._current_plan()
        settings = plan.snapshot(groups)
        sources = {k: self._source(v, self._values[k].context) for k, v in groups.items()}
        for keys, rows in self._chunks(sources):
            wanted = [(k, out) for k in keys for out in outs.get(k, ()) if out.stype == "default"]
            values = {key: self._values[key] for key in keys}
            if rows:  # of sparse values nothing is handed out
                wanted = [(key, out) for key, out in wanted if values[key].stype == "default"]
            pushed = {k: sources[k] for k in keys}
            yield Bucket(plan, settings, values, pushed, wanted, rows, priority)

    def _chunks(self, sources: Mapping[Key, NDArray]) -> Iterator[tuple[list[Key], bool]]:
        open_ones: dict[tuple[bool, torch.dtype], list[Key]] = {}
        sizes: dict[tuple[bool, torch.dtype], int] = {}
        for key, source in sources.items():
            value = self._values[key]
            rows = self._pushes_rows(key, source)
            kind = (rows, value._raw.dtype)
            open_ones.setdefault(kind, []).append(key)
            sizes[kind] = sizes.get(kind, 0) + (0 if rows else value._raw.nbytes)
            if sizes[kind] >= BUCKET_BYTES:
                yield open_ones.pop(kind), rows
                del sizes[kind]
        for (rows, _), keys in open_ones.items():
            yield keys, rows

    def _send(self, bucket: Bucket) -> None:
        with self._faults.fatal():  # others wait for it
            self._send_contributions(bucket)

    def _send_contributions(self, bucket: Bucket) -> None:
        self._faults.check()
        shards = {key: self._shards_for(bucket, key) for key in bucket.values}
        self._expect_replies(bucket, shards)
        owned: dict[int, list[Contribution]] = {}
        for key, each in shards.items():
            for contribution, owner in self._contributions(bucket, key, each):
                owned.setdefault(owner, []).append(contribution)
        mine = owned.pop(self.rank, None)
        for owner, contributions in owned.items():
            self._sent_to(bucket, owner, contributions)
        if mine is not None:
            self.server.add(self.rank, mine, bucket)
        self._stalls.check_left()

    def _shards_for(self, bucket: Bucket, key: Key) -> list[Shard]:
        """Where the gradient of a key goes."""
        value = bucket.values[key]
        if value.stype == "row_sparse":
            return self._row_sharding.shards(key, value.shape)
        return bucket.plan.shards(key, value, bucket.reply_for(key))

    def _contributions(
        self, bucket: Bucket, key: Key, shards: Sequence[Shard]
    ) -> Iterator[tuple[Contribution, int]]:
        """What this worker pushes for each shard, and the owner."""
        if bucket.refusal is not None:
            for shard in shards:
                yield Contribution(key, shard.start, shard.stop, bucket.refusal, None), shard.owner
            return
        compression = bucket.plan.compression
        gradient = self._gradient(key, bucket.given[key], compression)
        stype = "row_sparse" if isinstance(gradient, RowSparse) else "default"
        signature = f"{stype}, {bucket.plan.signature}"
        levels = compression.levels if compression is not None else None
        code: Contribution | None = None
        for shard in shards:
            if isinstance(gradient, RowSparse):
                rows = slice_rows(gradient, shard)
                if bucket.reply_for(key) is Reply.NOTHING:  # which does not tell of its receipt
                    rows = rows.with_data(rows.data.clone())
                data: Tensor | RowSparse = rows
            else:
                data = shard.of(gradient)
            made = Contribution(key, shard.start, shard.stop, signature, data)
            if shard.owner != self.rank and levels is not None:
                is_same = code is not None and (code.start, code.stop) == (shard.start, shard.stop)
                made = code = code if is_same else made.coded(levels)  # type: ignore[assignment]
            yield made, shard.owner

    # Owner: replies ------------------------------------------------------------------------------

    def _push_buffers(self, rank: int, message: Meta) -> list[Tensor]:
        found = [received(entry, self._values) for entry in message["entries"]]
        message["contributions"] = found
        return [tensor for each in found for tensor in each.tensors()]

    def _take_push(self, rank: int, message: Meta, _tensors: Sequence[Tensor]) -> None:
        for contribution in message["contributions"]:
            contribution.check_rows()
        self.server.add(rank, message["contributions"])
        self._stalls.check_left()

    def refuse(self, round_: Round, reason: str) -> None:
        """Tells all workers that a shard cannot be updated; see `server.Replies`."""
        own = round_.contributions[self.rank]
        bucket = round_.bucket
        if bucket is None or bucket.reply_for(own.key) is not Reply.NOTHING:
            for peer in self.connections.peers:
                self.connections.send(peer, {"op": "refused", "key": own.key, "reason": reason})
        if bucket is not None:
            self._fail(bucket, own.key, self.rank, reason)

    def values(self, bucket: Bucket, shards: Sequence[tuple[Key, Shard, Tensor | None]]) -> None:
        """Tells all workers new values; see `server.Replies`."""
        told = [each for each in shards if bucket.reply_for(each[0]) is Reply.VALUE]
        if told and self.connections.peers:
            message = {"op": "reply", "keys": [key for key, _, _ in told], "with_values": True}
            tensors = [tensor.cpu() for _, _, tensor in told if tensor is not None]
            for peer in self.connections.peers:
                self.connections.send(peer, message, tensors, bucket.priority)
        bucket.done([(key, self.rank) for key, _, _ in shards])

    def sums(self, bucket: Bucket, totals: Sequence[tuple[Key, Shard, Tensor]]) -> None:
        """Tells all workers sums of compressed gradients; see `server.Replies`."""
        levels = self._levels_of_sums(bucket)
        codes = [levels.encoded(total.view(-1)) for _, _, total in totals]
        entries = [[key, len(code)] for (key, _, _), code in zip(totals, codes, strict=True)]
        for peer in self.connections.peers:
            self.connections.send(peer, {"op": "sums", "entries": entries}, codes, bucket.priority)
        for (key, shard, _), code in zip(totals, codes, strict=True):
            self._add_sum(bucket, key, shard, code)

    def _levels_of_sums(self, bucket: Bucket) -> Levels:
        compression = bucket.plan.compression
        if compression is None:
            raise ValueError("it sent sums of gradients that are not compressed")
        return compression.levels.of_sums(self.num_workers)

    # Worker: what owners reply -------------------------------------------------------------------

    def _sum_buffers(self, rank: int, message: Meta) -> list[Tensor]:
        buffers = []
        for key, n in message["entries"]:
            bucket = self._pushing[key]
            shard = bucket.shard(key, rank)
            if not 0 < n <= self._levels_of_sums(bucket).n_bytes(shard.stop - shard.start):
                raise ValueError(f"{n} bytes of sums of key {key!r}")
            buffers.append(torch.empty(n, dtype=torch.uint8))
        return buffers

    def _take_sums(self, rank: int, message: Meta, tensors: Sequence[Tensor]) -> None:
        for (key, _), code in zip(message["entries"], tensors, strict=True):
            bucket = self._pushing[key]
            self._add_sum(bucket, key, bucket.shard(key, rank), code)

    def _add_sum(self, bucket: Bucket, key: Key, shard: Shard, code: Tensor) -> None:
        total = self._levels_of_sums(bucket).decoded(code, shard.stop - shard.start)
        whole_sum = bucket.add_sum(key, shard, total)
        if whole_sum is not None:
            self.server.update_by_sum(bucket, key, whole_sum)

    def _take_refusal(self, rank: int, message: Meta, _tensors: Sequence[Tensor]) -> None:
        bucket = self._pushing.get(message["key"])
        if bucket is not None:
            self._fail(bucket, message["key"], rank, str(message["reason"]))

    def _fail(self, bucket: Bucket, key: Key, owner: int, reason: str) -> None:
        bucket.done([(key, owner)], MXNetError(reason))

    def _finished(self, bucket: Bucket) -> None:
        super()._finished(bucket)
        if bucket.settings is None:
            return
        rank = self.rank
        others = [
            key
            for key, shards in bucket.shards.items()
            if bucket.reply_for(key) is Reply.VALUE and all(s.owner != rank for s in shards)
        ]
        if others:
            with self.server.lock:
                bucket.plan.count(others)

    # Pull ----------------------------------------------------------------------------------------

    def barrier(self) -> None:
        """Returns when all workers have come here, and what they have pushed before is done.

        Raises:
            MXNetError: a push before has failed and nobody was told, or a worker is gone.
        """
        super().barrier()
        for failure in self._failures(self._values):
            failure.raise_once()

    def _spread(self, wanted: Groups, priority: int) -> None:
        left = {key: self._unattached(key, outs) for key, outs in wanted.items()}
        super()._spread({key: outs for key, outs in left.items() if outs}, priority)

    def _unattached(self, key: Key, outs: list[NDArray]) -> list[NDArray]:
        """Which arrays do not get the value of a key together with what is under way for it."""
        bucket = self._last.get(key)
        if bucket is None:
            return outs
        return [out for out in outs if out.stype != "default" or not bucket.attach(key, out)]

    # Devices -------------------------------------------------------------------------------------

    def _first_home(self, values: list[NDArray]) -> Context:
        """The GPU of a dense array on one, so that it is updated there."""
        dense = (v.context for v in values if v.stype == "default")
        return next((context for context in dense if context.device_type == "gpu"), cpu(0))

    def _bring_home(self, groups: Groups) -> None:
        """Moves values to the GPU where their gradients come from, for the first of these."""
        for key, values in groups.items():
            stored = self._values[key]
            if stored.context.device_type == "gpu" or stored.stype != "default":
                continue
            home = self._first_home(values)
            if home.device_type == "gpu":
                self._values[key] = stored.as_in_context(home)
                if isinstance(self.updater, Updater):
                    self.updater.states_synced[key] = False

    # Who updates what ----------------------------------------------------------------------------

    @property
    def compression(self) -> TwoBitCompression | None:
        """What every pushed dense array goes through; a call of all workers sets it."""
        return self._compression

    @compression.setter
    def compression(self, compression: TwoBitCompression | None) -> None:
        states = None
        if self._plan is not None and isinstance(self.updater, Updater):
            states = self.get_states(dump_optimizer=False)
        self._compression, self._plan = compression, None
        if states is not None:  # which other ranks may have from now on
            self.set_states(states)

    def _current_plan(self) -> UpdatePlan:
        """Decided anew for a new updater, which has no states yet."""
        if self._plan is None or self._plan.updater is not self.updater:
            self._plan = UpdatePlan(self.updater, self.compression, self.num_workers)
            self._plan.place(self._values)
        return self._plan

    def _dense_shards(self, key: Key, value: NDArray) -> list[Shard]:
        return self._current_plan().shards_of_states(key, value, self.rank)

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        super()._init_dense(values)
        if self._plan is not None:
            self._plan.place(values)

    # States of the optimizer ---------------------------------------------------------------------

    def get_states(self, dump_optimizer: bool) -> bytes:
        """The states of the optimizer, which are with the owners, and on demand the optimizer."""
        self._own_updater("save")
        self._wait_for_pending()
        with self.server.lock:
            self._current_plan().write_back()
        return super().get_states(dump_optimizer)

    def _states_changed(self) -> None:
        self._current_plan().reload()
