# SPDX-License-Identifier: Apache-2.0
"""Exchange: the worker's side of a push, what it sends to owners and makes of their answers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.op.sparse.storage import RowSparse, cast_storage
from ..compression import Levels, TwoBitCompression
from ..keys import Key
from .bucket import Bucket
from .connections import Connections, Meta
from .contribution import Contribution
from .plan import Reply
from .requests import Answer, Requests
from .rows import slice_rows
from .server import Server
from .sharding import Shard

__all__ = ["Exchange"]


class _Parcel:
    """What goes to one owner, and the shards whose values or sums come back."""

    def __init__(self, is_answered: bool) -> None:
        self.is_answered = is_answered
        self.contributions: list[Contribution] = []
        self.pulled: list[tuple[Key, Shard]] = []


class Exchange:
    """Pushes buckets to the owners of shards.

    Args:
        connections: to the other ranks.
        requests: that carry pushes.
        server: of the shards that live here.
    """

    def __init__(self, connections: Connections, requests: Requests, server: Server) -> None:
        self._connections, self._requests, self._server = connections, requests, server
        self._rank, self._size, self._faults = (
            connections.rank,
            connections.size,
            connections.faults,
        )

    def send(self, bucket: Bucket) -> None:
        """Sends what a bucket pushes; it is finished when all owners have answered."""
        with self._faults.fatal():  # others wait for it
            self._faults.check()
            parcels: dict[int, _Parcel] = {}
            for key in bucket.values:
                self._pack(bucket, key, parcels)
            bucket.expect(sum(parcel.is_answered for parcel in parcels.values()))
            for rank in sorted(parcels, key=lambda rank: rank == self._rank):  # here at last
                self._ask(bucket, rank, parcels[rank])

    def _pack(self, bucket: Bucket, key: Key, parcels: dict[int, _Parcel]) -> None:
        value, reply = bucket.values[key], bucket.reply_for(key)
        shards = bucket.plan.shards(key, value, reply)
        contributions = self._contributions(bucket, key, shards)
        for shard, contribution in itertools.zip_longest(shards, contributions):
            is_here = shard.owner == self._rank
            parcel = parcels.setdefault(shard.owner, _Parcel(is_here))
            if is_here:
                bucket.owned[key] = shard
            if reply is not Reply.NOTHING:
                parcel.is_answered = True
                if key in bucket.pulled:
                    parcel.pulled.append((key, shard))
            if contribution is not None:
                parcel.contributions.append(contribution)

    def _contributions(
        self, bucket: Bucket, key: Key, shards: Sequence[Shard]
    ) -> Iterator[Contribution]:
        """What this worker pushes for each shard; nothing for a key that is only pulled."""
        if bucket.refusal is not None:
            for shard in shards:
                yield Contribution(key, shard.start, shard.stop, bucket.refusal, None)
        elif key in bucket.given:
            compression = bucket.plan.compression
            gradient = _gradient(bucket, key, compression)
            stype = "row_sparse" if isinstance(gradient, RowSparse) else "default"
            signature = f"{stype}, {bucket.plan.signature}"
            coded: Contribution | None = None
            for shard in shards:
                data = self._part(gradient, shard, bucket.reply_for(key))
                made = Contribution(key, shard.start, shard.stop, signature, data)
                if shard.owner != self._rank and compression is not None:
                    if coded is None or coded[1:3] != made[1:3]:  # all may get the same
                        coded = made.coded(compression.threshold)
                    made = coded
                yield made

    def _part(self, gradient: Tensor | RowSparse, shard: Shard, reply: Reply) -> Tensor | RowSparse:
        if isinstance(gradient, Tensor):
            return shard.of(gradient)
        rows = slice_rows(gradient, shard)
        if reply is Reply.NOTHING:  # which does not tell of its receipt
            rows = rows.with_data(rows.data.clone())
        return rows

    def _ask(self, bucket: Bucket, rank: int, parcel: _Parcel) -> None:
        message: Meta = {"op": "push", "pull": [key for key, _ in parcel.pulled]}
        tensors: list[Tensor] = []
        if rank == self._rank:
            message |= {"contributions": parcel.contributions, "bucket": bucket}
        else:
            message["entries"] = [each.entry() for each in parcel.contributions]
            tensors = [tensor for each in parcel.contributions for tensor in each.tensors()]
        if not parcel.is_answered:
            self._connections.send(rank, message, tensors, bucket.priority)
            return
        buffers = partial(self._buffers, bucket, parcel)
        what = f"push of key {next(iter(bucket.values))!r}" if bucket.plan.is_sync else ""
        future = self._requests.ask(rank, message, tensors, buffers, what, bucket.priority)
        future.add_done_callback(partial(self._take, bucket, rank, parcel))

    # Answers -------------------------------------------------------------------------------------

    def _buffers(
        self, bucket: Bucket, parcel: _Parcel, _rank: int, message: Meta
    ) -> Sequence[Tensor]:
        """Where the new values go that an owner sends, or the codes of sums."""
        buffers = []
        sizes = message.get("sizes", itertools.repeat(0))
        for (key, shard), n in zip(parcel.pulled, sizes, strict=False):
            value = bucket.values[key]
            if bucket.reply_for(key) is Reply.SUM:
                if not 0 < n <= self._levels_of_sums(bucket).n_bytes(shard.stop - shard.start):
                    raise ValueError(f"{n} bytes of sums of key {key!r}")
                buffers.append(torch.empty(n, dtype=torch.uint8))
            elif value.stype == "default":
                buffers.append(shard.of(value._raw).cpu())
        return buffers

    def _take(self, bucket: Bucket, rank: int, parcel: _Parcel, answer: Future[Answer]) -> None:
        try:
            error = None
            try:
                self._store(bucket, parcel, answer.result()[1])
            except MXNetError as refusal:
                error = refusal
            except ValueError as mistake:
                error = self._faults.of(rank, mistake)
            if not bucket.answered(error):
                return
            if bucket.sums and bucket.error is None:
                self._server.update_by_sums(bucket)
            else:
                bucket.finish()
        except BaseException as error:  # noqa: BLE001 - for those who wait
            bucket.settle(error)

    def _store(self, bucket: Bucket, parcel: _Parcel, tensors: Sequence[Tensor]) -> None:
        received = iter(tensors)
        for key, shard in parcel.pulled:
            value = bucket.values[key]
            if value.stype != "default":
                continue
            tensor = next(received, None)
            if tensor is None:  # it is in place
                continue
            if bucket.reply_for(key) is Reply.SUM:
                whole = bucket.sums.get(key)
                if whole is None:
                    whole = bucket.sums[key] = torch.empty(value.shape)
                n = shard.stop - shard.start
                shard.of(whole).copy_(self._levels_of_sums(bucket).decoded(tensor, n))
            elif (mine := shard.of(value._raw)).data_ptr() != tensor.data_ptr():
                mine.copy_(tensor.view(-1))

    def _levels_of_sums(self, bucket: Bucket) -> Levels:
        compression: Any = bucket.plan.compression
        levels: Levels = compression.levels.of_sums(self._size)
        return levels


def _gradient(bucket: Bucket, key: Key, compress: TwoBitCompression | None) -> Tensor | RowSparse:
    """What this worker adds to the sum of a key: a tensor of the CPU, or rows that rise."""
    total = bucket.given[key]
    if bucket.rows:
        rows: Any = cast_storage(total, "row_sparse")
        ordered: RowSparse = rows.ordered()
        return ordered
    if isinstance(total, RowSparse):
        total = total.dense()
    total = total.contiguous()
    return (total if compress is None else compress(key, 0, total)).cpu()
