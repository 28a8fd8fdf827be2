# SPDX-License-Identifier: Apache-2.0
"""Bucket: keys of one call that are pushed together, as one operation of the engine.

When the gradients are there, the owner of each shard is asked to take its part, by one request to
each owner. With the last answer the values of the store are new, and the operation is finished.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.op.sparse.storage import RowSparse, cast_storage
from ...core.runtime.context import cpu
from ...core.runtime.engine import Completion, FnProperty, Operation, engine
from ...core.runtime.profiler import OPERATOR, PROFILER, clock
from ..keys import Key
from .connections import Answer, Connections
from .contribution import Contribution
from .peer import Meta
from .plan import Reply, Settings, UpdatePlan
from .sharding import Shard, empty_rows, existing, joined_rows, slice_rows, whole
from .step_times import StepTimes

__all__ = ["BUCKET_BYTES", "Bucket"]

BUCKET_BYTES = 4 << 20  # of values that are pushed together
_NAME = "push to all workers"


class Bucket:
    """What a worker pushes and pulls for some keys, until the owners of all shards have answered.

    Args:
        plan: how values are updated.
        values: of the store, by key.
        sources: what is pushed, by key; other keys are only pulled.
        pulled: keys whose values come back; default: all.
        settings: of the optimizer, at the call.
        rows: keys whose gradients travel as rows.
        priority: among what waits to be sent or updated, the highest goes first.
        refusal: why this worker cannot push these keys: then all workers fail alike.

    Attributes:
        replies: what the owners of each key answer.
        owned: the shards of this worker, by key.
    """

    def __init__(
        self,
        plan: UpdatePlan,
        values: Mapping[Key, NDArray],
        sources: Mapping[Key, NDArray],
        pulled: Collection[Key] | None = None,
        settings: Settings | None = None,
        rows: Collection[Key] = (),
        priority: int = 0,
        refusal: str | None = None,
    ) -> None:
        self.plan, self.settings, self.values, self.rows = plan, settings, values, rows
        self.replies = {key: plan.reply(value) for key, value in values.items()}
        self.priority, self.owned = priority, dict[Key, Shard]()
        self._pulled = values if pulled is None else pulled
        self._refusal, self._is_refused_here = refusal, refusal is not None
        self._sources = sources
        self._sums: dict[Key, list[tuple[Shard, Any]]] = {}
        self._n_missing = 0  # answers
        self._error: BaseException | None = None
        self._lock = threading.Lock()

    def push(
        self,
        connections: Connections,
        update_by_sums: Callable[[Bucket], None],
        finished: Callable[[Bucket], None],
        times: StepTimes | None = None,
    ) -> None:
        """Sends it when its gradients are there; whoever touches its arrays waits for the end.

        Args:
            connections: to the owners.
            update_by_sums: is told that all sums are there, where owners answer by such.
            finished: is told of the end.
            times: are told of the begin and the end.
        """
        self._connections, self._rank = connections, connections.rank
        self._update_by_sums, self._finished, self._times = update_by_sums, finished, times

        def start(completion: Completion) -> None:
            self._completion, self._began = completion, clock()
            if times is not None:
                times.push(next(iter(self.values)))
            self._refusal = self._refusal or self._failure()
            try:
                self._send()
            except BaseException as error:  # noqa: BLE001 - for those who wait
                self.settle(error)

        writes = {var_of(value) for value in self.values.values()}
        reads = {var_of(source) for source in self._sources.values()} - writes
        operation = Operation(start, reads, writes, FnProperty.ASYNC, _NAME, True, no_skip=True)
        engine().push(operation, cpu(0), self.priority)

    def _failure(self) -> str | None:
        """Why a gradient is none: it comes of something that has failed."""
        for key, source in self._sources.items():
            failure = var_of(source).failure
            if failure is not None and failure.is_open:
                return f"the gradient of key {key!r} could not be computed: {failure.task}"
        return None

    def settle(self, error: BaseException | None = None) -> None:
        """Finishes the operation, once."""
        if self._times is not None:
            self._times.answer()
        if PROFILER.imperative:
            PROFILER.add_async(_NAME, self._began, OPERATOR)
        if self._completion.settle(None if error is None else _copied(error)):
            self._finished(self)

    # What is sent --------------------------------------------------------------------------------

    def _send(self) -> None:
        faults = self._connections.faults
        with faults.fatal():  # others wait for it
            faults.check()
            parts: dict[int, _Part] = {}
            for key in self.values:
                self._pack(key, parts)
            self._n_missing = sum(part.is_answered for part in parts.values())
            for part in sorted(parts.values(), key=lambda part: part.owner == self._rank):
                self._post(part)

    def _pack(self, key: Key, parts: dict[int, _Part]) -> None:
        shards = self.plan.shards(key, self.values[key])
        for shard, contribution in zip_longest(shards, self._contributions(key, shards)):
            part = parts.setdefault(shard.owner, _Part(shard.owner))
            if shard.owner == self._rank:
                self.owned[key] = shard
                part.is_answered = True
            if self.replies[key] is not Reply.NOTHING:
                part.is_answered = True
                if key in self._pulled:
                    part.pulled.append((key, shard))
            if contribution is not None:
                part.contributions.append(contribution)

    def _contributions(self, key: Key, shards: Sequence[Shard]) -> Iterator[Contribution]:
        """What this worker pushes for each shard; nothing for a key that is only pulled."""
        if self._refusal is not None:
            for shard in shards:
                yield Contribution(key, shard.start, shard.stop, self._refusal, None)
        elif key in self._sources:
            gradient, compression = self._gradient(key), self.plan.compression
            stype = "row_sparse" if isinstance(gradient, RowSparse) else "default"
            signature = f"{stype}, {self.plan.signature}"
            coded: Contribution | None = None
            for shard in shards:
                data = shard.of(gradient) if stype == "default" else slice_rows(gradient, shard)
                made = Contribution(key, shard.start, shard.stop, signature, data)
                if shard.owner != self._rank and compression is not None:
                    if coded is None or coded[1:3] != made[1:3]:  # all may get the same
                        coded = made.coded(compression.threshold)
                    made = coded
                yield made

    def _gradient(self, key: Key) -> Any:
        """What this worker adds to the sum of a key: a tensor of the CPU, or rows that rise."""
        total: Any = self._sources[key]._value
        if key in self.rows:
            rows: Any = cast_storage(total, "row_sparse")
            is_told = self.replies[key] is not Reply.NOTHING  # that all have been received
            return rows.ordered() if is_told else rows.with_data(rows.data.clone()).ordered()
        if isinstance(total, RowSparse):
            total = total.dense()
        total, compress = total.contiguous(), self.plan.compression
        return (total if compress is None else compress(key, 0, total)).cpu()

    def _post(self, part: _Part) -> None:
        message: Meta = {"op": "push", "pull": [key for key, _ in part.pulled]}
        tensors: list[Tensor] = []
        if part.owner == self._rank:
            message |= {"contributions": part.contributions, "bucket": self}
        else:
            message["entries"] = [each.entry() for each in part.contributions]
            tensors = [tensor for each in part.contributions for tensor in each.tensors()]
        if not part.is_answered:
            self._connections.tell(part.owner, message, tensors, self.priority)
            return
        what = f"push of key {next(iter(self.values))!r}" if self.plan.is_sync else ""
        self._connections.ask(
            part.owner, message, tensors, partial(self._room, part), what, self.priority
        ).add_done_callback(partial(self._take, part))

    # What comes back -----------------------------------------------------------------------------

    def _room(self, part: _Part, _rank: int, message: Meta) -> Sequence[Tensor]:
        """Where the new values go that an owner sends, or the codes or rows of sums."""
        room: list[Tensor] = []
        for (key, shard), n in zip(part.pulled, message["sizes"], strict=True):
            value = self.values[key]
            if value.stype != "default":
                continue
            if self.replies[key] is Reply.VALUE:
                room.append(shard.of(value._raw).cpu())
            elif key in self.rows:
                rows = empty_rows(shard.shape, value._raw.dtype, n)
                room += [rows.indices, rows.data]
            elif n == self.plan.sum_levels.n_bytes(shard.stop - shard.start):
                room.append(torch.empty(n, dtype=torch.uint8))
            else:
                raise ValueError(f"{n} bytes of sums of key {key!r}")
        return room

    def _take(self, part: _Part, future: Future[Answer]) -> None:
        """Takes an answer, or what has come instead; with the last one the bucket is done."""
        error = future.exception()
        if error is None:
            try:
                self._place(part.pulled, future.result()[1])
            except Exception as caught:  # noqa: BLE001 - for those who wait
                is_nonsense = isinstance(caught, ValueError)
                error = self._connections.faults.of(part.owner, caught) if is_nonsense else caught
        with self._lock:
            self._error = self._error or error
            self._n_missing -= 1
            if self._n_missing:
                return
        if self._sums and self._error is None:
            self._update_by_sums(self)
        else:
            self.settle(None if self._is_refused_here else self._error)

    def _place(self, pulled: Sequence[tuple[Key, Shard]], tensors: Sequence[Tensor]) -> None:
        """Takes new values, which are in place where they were received so, or sums."""
        answered = iter(tensors)
        for key, shard in pulled:
            value = self.values[key]
            tensor = next(answered, None) if value.stype == "default" else None
            if tensor is None:  # the owner, which may be this rank, has it
                continue
            if self.replies[key] is Reply.VALUE:
                if (mine := shard.of(value._raw)).data_ptr() != tensor.data_ptr():
                    mine.copy_(tensor.view(-1))
                continue
            if key in self.rows:
                rows = existing(tensor, shard.shape[0])
                total: Any = RowSparse(next(answered), rows, shard.shape)
            else:
                total = self.plan.sum_levels.decode(tensor, shard.stop - shard.start)
            self._sums.setdefault(key, []).append((shard, total))

    def sums(self) -> Iterator[tuple[Key, Shard, Any]]:
        """Keys, whole values, and their sums, of those that owners have answered."""
        for key, pieces in self._sums.items():
            value = self.values[key]
            pieces.sort(key=lambda piece: piece[0].start)
            if key in self.rows:
                total: Any = joined_rows(value.shape, value._raw.dtype, pieces)
            else:
                total = torch.cat([total for _, total in pieces]).view(value.shape)
            yield key, whole(self._rank, value.shape), total


@dataclass
class _Part:
    """What a bucket sends to one owner, and the shards whose values, or sums, come back."""

    owner: int
    is_answered: bool = False
    contributions: list[Contribution] = field(default_factory=list)
    pulled: list[tuple[Key, Shard]] = field(default_factory=list)


def _copied(error: BaseException) -> MXNetError:
    """An error of one bucket, which is raised once, of one that several may share."""
    text = str(error) if isinstance(error, MXNetError) else f"{type(error).__name__}: {error}"
    own = MXNetError(text)
    own.__cause__ = error
    return own
