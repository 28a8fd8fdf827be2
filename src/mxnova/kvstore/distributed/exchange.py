# SPDX-License-Identifier: Apache-2.0
"""Exchange: the worker's side of a push, what it sends to owners and makes of their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat, zip_longest
from typing import Any

import torch
from torch import Tensor

from ...core.op.sparse.storage import RowSparse, cast_storage
from ..compression import Levels
from ..keys import Key
from .bucket import Bucket
from .connections import Answer, Connections
from .contribution import Contribution
from .peer import Meta
from .plan import Reply
from .rows import slice_rows
from .server import Server
from .sharding import Shard

__all__ = ["Exchange"]


class Exchange:
    """Pushes buckets to the owners of shards.

    Args:
        connections: that carry pushes.
        server: of the shards that live here.
    """

    def __init__(self, connections: Connections, server: Server) -> None:
        self._connections, self._server, self._rank = connections, server, connections.rank

    def send(self, bucket: Bucket) -> None:
        """Sends what a bucket pushes; it is finished when all owners have answered."""
        faults = self._connections.faults
        with faults.fatal():  # others wait for it
            faults.check()
            requests: dict[int, _OwnerRequest] = {}
            for key in bucket.values:
                self._pack(bucket, key, requests)
            here = requests.pop(self._rank, None)
            all_requests = [*requests.values(), here] if here is not None else requests.values()
            bucket.expect(sum(request.is_answered for request in all_requests))
            for request in all_requests:
                self._post(bucket, request)

    def _pack(self, bucket: Bucket, key: Key, requests: dict[int, _OwnerRequest]) -> None:
        value, reply = bucket.values[key], bucket.replies[key]
        shards = bucket.plan.shards(key, value, reply)
        contributions = self._contributions(bucket, key, shards)
        for shard, contribution in zip_longest(shards, contributions):
            request = requests.get(shard.owner)
            if request is None:
                request = requests[shard.owner] = _OwnerRequest(bucket, shard.owner, self._server)
            if shard.owner == self._rank:
                bucket.owned[key] = shard
                request.is_answered = True
            if reply is not Reply.NOTHING:
                request.is_answered = True
                if key in bucket.pulled:
                    request.pulled.append((key, shard))
            if contribution is not None:
                request.contributions.append(contribution)

    def _contributions(
        self, bucket: Bucket, key: Key, shards: Sequence[Shard]
    ) -> Iterator[Contribution]:
        """What this worker pushes for each shard; nothing for a key that is only pulled."""
        if bucket.refusal is not None:
            for shard in shards:
                yield Contribution(key, shard.start, shard.stop, bucket.refusal, None)
        elif key in bucket.given:
            gradient, compression = _gradient(bucket, key), bucket.plan.compression
            stype = "row_sparse" if isinstance(gradient, RowSparse) else "default"
            signature = f"{stype}, {bucket.plan.signature}"
            coded: Contribution | None = None
            for shard in shards:
                data = _part(gradient, shard, bucket.replies[key])
                made = Contribution(key, shard.start, shard.stop, signature, data)
                if shard.owner != self._rank and compression is not None:
                    if coded is None or coded[1:3] != made[1:3]:  # all may get the same
                        coded = made.coded(compression.threshold)
                    made = coded
                yield made

    def _post(self, bucket: Bucket, request: _OwnerRequest) -> None:
        rank, priority = request.owner, bucket.priority
        message: Meta = {"op": "push", "pull": [key for key, _ in request.pulled]}
        tensors: list[Tensor] = []
        if rank == self._rank:
            message |= {"contributions": request.contributions, "bucket": bucket}
        else:
            message["entries"] = [each.entry() for each in request.contributions]
            tensors = [tensor for each in request.contributions for tensor in each.tensors()]
        if request.is_answered:
            what = f"push of key {next(iter(bucket.values))!r}" if bucket.plan.is_sync else ""
            self._connections.ask(rank, message, tensors, request.buffers, what, priority, request)
        else:
            self._connections.tell(rank, message, tensors, priority)


class _OwnerRequest:
    """What a bucket sends to one owner, and what takes its answer.

    Attributes:
        is_answered: whether there is one.
        contributions: what is sent.
        pulled: shards whose values, or sums, come back.
    """

    def __init__(self, bucket: Bucket, owner: int, server: Server) -> None:
        self._bucket, self.owner, self._server = bucket, owner, server
        self.is_answered = False
        self.contributions: list[Contribution] = []
        self.pulled: list[tuple[Key, Shard]] = []

    def buffers(self, _rank: int, message: Meta) -> Sequence[Tensor]:
        """Where the new values go that an owner sends, or the codes of sums."""
        buffers = []
        for (key, shard), n in zip(self.pulled, message.get("sizes", repeat(0)), strict=False):
            value = self._bucket.values[key]
            if self._bucket.replies[key] is Reply.SUM:
                if not 0 < n <= self._levels_of_sums().n_bytes(shard.stop - shard.start):
                    raise ValueError(f"{n} bytes of sums of key {key!r}")
                buffers.append(torch.empty(n, dtype=torch.uint8))
            elif value.stype == "default":
                buffers.append(shard.of(value._raw).cpu())
        return buffers

    def set_result(self, answer: Answer) -> None:
        """Takes the new values or sums, which are in place where they were received so."""
        tensors = iter(answer[1])
        try:
            for key, shard in self.pulled:
                value = self._bucket.values[key]
                tensor = next(tensors, None) if value.stype == "default" else None
                if tensor is None:
                    continue
                if self._bucket.replies[key] is Reply.SUM:
                    total = self._levels_of_sums().decoded(tensor, shard.stop - shard.start)
                    self._bucket.add_sum(key, shard, total)
                elif (mine := shard.of(value._raw)).data_ptr() != tensor.data_ptr():
                    mine.copy_(tensor.view(-1))
        except ValueError as error:
            self.set_exception(self._server.faults.of(self.owner, error))
        except BaseException as error:  # noqa: BLE001 - for those who wait
            self._bucket.settle(error)
        else:
            self.set_exception(None)

    def set_exception(self, error: BaseException | None) -> None:
        """Counts the answer, or what has come instead; with the last one the bucket is done."""
        bucket = self._bucket
        if not bucket.answered(error):
            return
        if bucket.sums and bucket.error is None:
            self._server.update_by_sums(bucket)
        else:
            bucket.finish()

    def _levels_of_sums(self) -> Levels:
        compression: Any = self._bucket.plan.compression
        levels: Levels = compression.levels.of_sums(self._server.n_workers)
        return levels


def _gradient(bucket: Bucket, key: Key) -> Tensor | RowSparse:
    """What this worker adds to the sum of a key: a tensor of the CPU, or rows that rise."""
    total = bucket.given[key]
    if key in bucket.rows:
        rows: Any = cast_storage(total, "row_sparse")
        ordered: RowSparse = rows.ordered()
        return ordered
    if isinstance(total, RowSparse):
        total = total.dense()
    total, compress = total.contiguous(), bucket.plan.compression
    return (total if compress is None else compress(key, 0, total)).cpu()


def _part(gradient: Tensor | RowSparse, shard: Shard, reply: Reply) -> Tensor | RowSparse:
    if isinstance(gradient, Tensor):
        return shard.of(gradient)
    rows = slice_rows(gradient, shard)
    if reply is Reply.NOTHING:  # which does not tell of its receipt
        rows = rows.with_data(rows.data.clone())
    return rows
