# SPDX-License-Identifier: Apache-2.0
"""Server: the part of each worker that sums up and updates the shards that it owns.

Pushes are matched by key, as in a parameter server: when all workers have pushed a key, in whatever
order, its round is complete. Sums are added up by rank, so that they have the bits of one process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Protocol

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.nd.array import NDArray
from ...core.nd.wrapping import receive, wrap, wrap_value
from ...core.op.sparse.storage import RowSparse
from ...core.runtime.context import cpu
from ..compression import Levels
from ..keys import Key
from ..local import Updater, call_updater
from .bucket import Bucket
from .contribution import Contribution, difference
from .faults import Faults
from .plan import Reply
from .sharding import Shard, whole
from .update_queue import UpdateQueue

__all__ = ["Replies", "Round", "Server"]

_MAX_ROUNDS = 2  # of a key: a worker may have all gradients of the first, which others still miss


class Round:
    """What workers have pushed for a shard, until all have.

    Attributes:
        contributions: by rank.
        bucket: this worker's own.
        since: when the first one came, in seconds of `time.monotonic`.
    """

    def __init__(self) -> None:
        self.contributions: dict[int, Contribution] = {}
        self.bucket: Bucket | None = None
        self.since = time.monotonic()


class Replies(Protocol):
    """What a server tells the workers."""

    def refuse(self, round_: Round, reason: str) -> None:
        """A shard cannot be updated."""

    def values(self, bucket: Bucket, shards: Sequence[tuple[Key, Shard, Tensor | None]]) -> None:
        """New values of shards; None: of rows, which nobody is sent."""

    def sums(self, bucket: Bucket, totals: Sequence[tuple[Key, Shard, Tensor]]) -> None:
        """Sums of shards."""


class Server:
    """The shards of a rank.

    Args:
        faults: what has failed.

    Attributes:
        updater: of the store; None: the sum becomes the value.
        shards: of row_sparse values, and of asynchronous stores' dense ones.
        lock: is held while shards change.
        replies: tells workers what came of their pushes.
    """

    replies: Replies

    def __init__(self, faults: Faults) -> None:
        self.updater: Updater | None = None
        self.shards: dict[Key, NDArray] = {}
        self.lock = threading.RLock()
        self._faults = faults
        self._matching = threading.Lock()
        self._rounds: dict[Key, list[Round]] = {}
        self._queue = UpdateQueue()

    def close(self, patience: float) -> None:
        """Ends when all updates are made, or stops waiting after `patience` seconds."""
        self._queue.close(patience)

    # Matching ------------------------------------------------------------------------------------

    def add(
        self, rank: int, contributions: Iterable[Contribution], bucket: Bucket | None = None
    ) -> None:
        """Takes what a worker pushes; completes the rounds in which it was the last.

        Args:
            rank: of the worker.
            contributions: one for each key.
            bucket: of this worker, where they are its own.

        Raises:
            ValueError: the worker has pushed one of the keys already.
        """
        complete = []
        with self._matching:
            for contribution in contributions:
                round_ = self._open_round(contribution.key, rank)
                round_.contributions[rank] = contribution
                round_.bucket = round_.bucket or bucket
                if len(round_.contributions) == self._faults.size:
                    complete.append(round_)
                    self._rounds[contribution.key].remove(round_)
        if complete:
            self._complete(complete)

    def _open_round(self, key: Key, rank: int) -> Round:
        """The first round of a key that a worker has not come to."""
        rounds = self._rounds.setdefault(key, [])
        for round_ in rounds:
            if rank not in round_.contributions:
                return round_
        if len(rounds) == _MAX_ROUNDS:
            raise ValueError(f"a push of key {key!r} before the last one was done")
        rounds.append(Round())
        return rounds[-1]

    def stalled(self, seconds: float) -> list[tuple[Key, list[int]]]:
        """Keys whose round has lasted for so long, and the ranks that have pushed them."""
        before = time.monotonic() - seconds
        with self._matching:
            rounds = [(key, round_) for key, each in self._rounds.items() for round_ in each]
            return [(key, sorted(r.contributions)) for key, r in rounds if r.since < before]

    def _complete(self, rounds: Sequence[Round]) -> None:
        agreed = []
        for round_ in rounds:
            reason = difference(round_.contributions)
            if reason is None:
                agreed.append(round_)
            else:
                self.replies.refuse(round_, reason)
        for bucket, group in groupby(agreed, lambda round_: round_.bucket):
            if bucket is not None:
                self._finish(bucket, list(group))

    def _finish(self, bucket: Bucket, rounds: list[Round]) -> None:
        """Sums up; with an updater in the queue's thread, which may take a while."""

        def sum_up() -> None:
            try:
                self._sum_up(bucket, rounds)
            except BaseException as error:  # noqa: BLE001 - for those who wait
                bucket.settle(error)

        if bucket.plan.updater is None:
            sum_up()
        else:
            self._queue.put(sum_up, bucket.priority)

    # Sums ----------------------------------------------------------------------------------------

    def _sum_up(self, bucket: Bucket, rounds: Sequence[Round]) -> None:
        rank = self._faults.rank
        sums: list[tuple[Key, Shard, Any]] = []
        updates: list[tuple[Key, Shard, Any]] = []
        for round_ in rounds:
            key = round_.contributions[rank].key
            shard = bucket.shard(key, rank)
            summed = (key, shard, self._total(round_, shard, bucket))
            (sums if bucket.reply_for(key) is Reply.SUM else updates).append(summed)
        if sums:
            self.replies.sums(bucket, sums)
        if updates:
            self._update(bucket, updates)

    def _total(self, round_: Round, shard: Shard, bucket: Bucket) -> Any:
        ranks = sorted(round_.contributions)
        data = [self._data(rank, round_.contributions[rank], bucket) for rank in ranks]
        if isinstance(data[0], RowSparse):
            rows = torch.cat([each.indices for each in data])
            return RowSparse.of_rows(rows, torch.cat([each.data for each in data]), shard.shape)
        own = round_.contributions[self._faults.rank].data
        return added_up(data, own).view(shard.shape)

    def _data(self, rank: int, contribution: Contribution, bucket: Bucket) -> Any:
        """The elements or rows of a contribution."""
        if not contribution.is_coded:
            return contribution.data
        n = contribution.stop - contribution.start
        compression = bucket.plan.compression
        levels = compression.levels if compression is not None else Levels(1.0, 1)
        try:
            return levels.decoded(contribution.data, n)  # type: ignore[arg-type]
        except ValueError as error:
            raise self._faults.of(rank, error) from None

    # Updates -------------------------------------------------------------------------------------

    def update_by_sum(self, bucket: Bucket, key: Key, total: Tensor) -> None:
        """Updates a whole value by a sum that owners have told."""
        shard = whole(self._faults.rank, tuple(total.shape))

        def update() -> None:
            try:
                self._update(bucket, [(key, shard, total)])
            except BaseException as error:  # noqa: BLE001 - for those who wait
                bucket.settle(error)

        if bucket.plan.updater is None:
            update()
        else:
            self._queue.put(update, bucket.priority)

    def _update(self, bucket: Bucket, updates: Sequence[tuple[Key, Shard, Any]]) -> None:
        with self._faults.fatal(), self.lock:  # an updater that fails does so for all
            shards = self._updated(bucket, updates)
        self.replies.values(bucket, shards)

    def _updated(
        self, bucket: Bucket, updates: Sequence[tuple[Key, Shard, Any]]
    ) -> list[tuple[Key, Shard, Tensor | None]]:
        arrays = [self._array(bucket.values[key], key, shard) for key, shard, _ in updates]
        if bucket.plan.updater is None:
            for array, (_, _, total) in zip(arrays, updates, strict=True):
                receive(array, total, "KVStore.push", owned=True)
        else:
            pieces = [array._raw for array in arrays]
            triples = [
                (key, wrap_value(_on(total, array), array.context), array)
                for array, (key, _, total) in zip(arrays, updates, strict=True)
            ]
            bucket.plan.update(triples, bucket.settings)
            for array, piece, (key, shard, _) in zip(arrays, pieces, updates, strict=True):
                if array._raw is not piece and array.stype == "default":
                    _replace(bucket.values[key], shard, array._raw)
        return [
            (key, shard, shard.of(value._raw) if value.stype == "default" else None)
            for key, shard, _ in updates
            for value in [bucket.values[key]]
        ]

    def _array(self, value: NDArray, key: Key, shard: Shard) -> NDArray:
        """A shard of a value as an array that nobody waits for."""
        if value.stype == "row_sparse":
            return self.shard(key)
        return wrap(shard.of(value._raw).view(shard.shape), value.context, type(value))

    # Asynchronous updates, and what others ask ---------------------------------------------------

    def update_now(self, updates: Sequence[tuple[Key, Any]]) -> None:
        """Updates shards by what one worker has pushed.

        Args:
            updates: of each key the elements in one row, or rows.
        """
        with self.lock:
            triples = []
            for key, data in updates:
                shard = self.shard(key)
                total = data if isinstance(data, RowSparse) else data.view(shard.shape)
                triples.append((key, wrap_value(total, cpu(0)), shard))
            call_updater(self.updater, triples)

    def shard(self, key: Any) -> NDArray:
        """The shard of a key that lives here; MXNetError: there is none."""
        shard = self.shards.get(key)
        if shard is None:
            raise MXNetError(f"key {key!r} is not owned here")
        return shard

    def stored(self, key: Any) -> RowSparse:
        """The rows that are stored of a row_sparse shard."""
        record = self.shard(key)._value
        if not isinstance(record, RowSparse):
            raise MXNetError(f"key {key!r} is not row_sparse")
        return record


def added_up(terms: Sequence[Tensor], own: Any) -> Tensor:
    """The sum of what ranks have pushed, in their order; in place of the first but `own`."""
    if len(terms) == 1:
        return terms[0]
    total = torch.add(terms[0], terms[1], out=terms[1] if terms[0] is own else terms[0])
    for term in terms[2:]:
        total += term
    return total


def _on(total: Any, array: NDArray) -> Any:
    """A sum where the value is."""
    return total.to(array.context.device) if isinstance(total, Tensor) else total


def _replace(value: NDArray, shard: Shard, updated: Tensor) -> None:
    """Puts a shard into a value, where an optimizer has left it in other memory."""
    if shard.shape == value.shape:
        value._raw = updated
    else:
        shard.of(value._raw).copy_(updated.view(-1))
