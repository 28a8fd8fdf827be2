# SPDX-License-Identifier: Apache-2.0
"""Server: the part of each worker that sums up and updates the shards that it owns.

Pushes are matched by key, as in a parameter server: when all workers have pushed a key, in whatever
order, its round is complete. Sums are added up by rank, so that they have the bits of one process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.nd.array import NDArray
from ...core.nd.wrapping import receive, wrap, wrap_value
from ...core.op.sparse.storage import RowSparse, dense_of
from ...core.runtime.context import cpu
from ..keys import Key
from ..local import Updater, call_updater
from .bucket import Bucket
from .connections import Request
from .contribution import Contribution, differing
from .faults import Faults
from .plan import Reply
from .rounds import Rounds
from .sharding import Shard, whole
from .update_queue import UpdateQueue

__all__ = ["Server"]

_MAX_ROUNDS = 2  # of a key: a worker may have all gradients of the first, which others still miss


class _Push:
    """What one worker has pushed at once, to be answered when all of its keys are updated."""

    def __init__(self, request: Request, contributions: Sequence[Contribution]) -> None:
        self._request = request
        self.contributions = {each.key: each for each in contributions}
        self.bucket: Any = request.message.get("bucket")  # of this worker's own
        self._results: dict[Key, Tensor | None] = {}
        self._error: str | None = None
        self._lock = threading.Lock()

    def done(
        self, key: Key, result: Tensor | None = None, error: str | None = None, priority: int = 0
    ) -> None:
        """Takes what has become of a key, and answers after the last one."""
        with self._lock:
            self._results[key] = result
            self._error = self._error or error
            if len(self._results) < len(self.contributions):
                return
        if self._error is not None:
            self._request.refuse(self._error)
            return
        found = [self._results.get(key) for key in self._request.message["pull"]]
        sizes = [0 if tensor is None else len(tensor) for tensor in found]
        tensors = [tensor for tensor in found if tensor is not None]
        self._request.answer({"sizes": sizes}, tensors, priority)


_Round = dict[int, tuple[Contribution, _Push]]  # by rank


class Server:
    """The shards of a rank.

    Args:
        faults: what has failed.

    Attributes:
        faults: these.
        n_workers: how many push.
        updater: of the store; None: the sum becomes the value.
        shards: of row_sparse values, and of asynchronous stores' dense ones.
        lock: is held while shards change.
    """

    def __init__(self, faults: Faults) -> None:
        self.updater: Updater | None = None
        self.shards: dict[Key, NDArray] = {}
        self.lock = threading.RLock()
        self.faults, self.n_workers, self._rank = faults, faults.size, faults.rank
        self._rounds: Rounds[tuple[Contribution, _Push]] = Rounds(faults.size, _MAX_ROUNDS)
        self._queue = UpdateQueue()

    def close(self, patience: float) -> None:
        """Ends when all updates are made, or stops waiting after `patience` seconds."""
        self._queue.close(patience)

    # Matching ------------------------------------------------------------------------------------

    def take_push(self, request: Request) -> None:
        """Takes what a worker pushes; completes the rounds in which it was the last.

        Raises:
            ValueError: it cannot be read, or the worker has pushed one of the keys already.
        """
        push = _Push(request, [each.opened() for each in request.message["contributions"]])
        items = {key: (each, push) for key, each in push.contributions.items()}
        agreed = []
        for round_ in self._rounds.add(request.rank, items):
            reason = differing([contribution for contribution, _ in round_.values()])
            if reason is None:
                agreed.append(round_)
            for contribution, each in round_.values() if reason is not None else ():
                each.done(contribution.key, error=reason)
        for bucket, group in groupby(agreed, lambda round_: round_[self._rank][1].bucket):
            self._later(bucket, partial(self._sum_up, bucket, list(group)))

    def incomplete(self, seconds: float) -> list[tuple[str, list[int]]]:
        """Pushes of keys that have lasted for so long, and the ranks that have made them."""
        found = self._rounds.incomplete(seconds)
        return [(f"push of key {each.key!r}", ranks) for (each, _), ranks in found]

    def _later(self, bucket: Bucket, act: Callable[[], None]) -> None:
        """Acts at once; with an updater in the queue's thread, as that may take a while."""

        def run() -> None:
            try:
                act()
            except BaseException as error:  # noqa: BLE001 - for those who wait
                bucket.settle(error)

        if bucket.plan.updater is None:
            run()
        else:
            self._queue.put(run, bucket.priority)

    # Sums ----------------------------------------------------------------------------------------

    def _sum_up(self, bucket: Bucket, rounds: Sequence[_Round]) -> None:
        updates = []
        for round_ in rounds:
            key = round_[self._rank][0].key
            total = self._total(round_, bucket.owned[key])
            if bucket.replies[key] is Reply.SUM:
                compression: Any = bucket.plan.compression
                levels = compression.levels.of_sums(self.n_workers)
                code = levels.encoded(total.view(-1))
                self._tell(bucket, round_, code, code)
            else:
                updates.append((key, bucket.owned[key], total))
        if updates:
            self._update(bucket, updates)
        for round_ in rounds:
            if bucket.replies[round_[self._rank][0].key] is not Reply.SUM:
                self._tell_value(bucket, round_)

    def _total(self, round_: _Round, shard: Shard) -> Any:
        data: list[Any] = [contribution.data for contribution, _ in round_.values()]
        if isinstance(data[0], RowSparse):
            rows = torch.cat([each.indices for each in data])
            return RowSparse.of_rows(rows, torch.cat([each.data for each in data]), shard.shape)
        return added_up(data, round_[self._rank][0].data).view(shard.shape)

    def _tell_value(self, bucket: Bucket, round_: _Round) -> None:
        """Tells all workers the new value of a shard; this one has it."""
        key = round_[self._rank][0].key
        value, result = bucket.values[key], None
        if value.stype == "default" and bucket.replies[key] is Reply.VALUE:
            result = bucket.owned[key].of(value._raw).cpu()
        self._tell(bucket, round_, result, None)

    def _tell(self, bucket: Bucket, round_: _Round, result: Any, own_result: Any) -> None:
        for rank in sorted(round_, key=lambda rank: rank == self._rank):  # which may go on then
            contribution, push = round_[rank]
            mine = own_result if rank == self._rank else result
            push.done(contribution.key, mine, priority=bucket.priority)

    # Updates -------------------------------------------------------------------------------------

    def update_by_sums(self, bucket: Bucket) -> None:
        """Updates whole values by sums that owners have told, and finishes the bucket."""

        def update() -> None:
            updates = [
                (key, whole(self._rank, tuple(total.shape)), total)
                for key, total in bucket.sums.items()
            ]
            self._update(bucket, updates)
            bucket.finish()

        self._later(bucket, update)

    def _update(self, bucket: Bucket, updates: Sequence[tuple[Key, Shard, Any]]) -> None:
        with self.faults.fatal(), self.lock:  # an updater that fails does so for all
            arrays = [self._array(bucket.values[key], key, shard) for key, shard, _ in updates]
            if bucket.plan.updater is None:
                for array, (_, _, total) in zip(arrays, updates, strict=True):
                    receive(array, total, "KVStore.push", owned=True)
                return
            pieces = [array._raw for array in arrays]
            triples = [
                (key, wrap_value(_on(total, array), array.context), array)
                for array, (key, _, total) in zip(arrays, updates, strict=True)
            ]
            bucket.plan.update(triples, bucket.settings)
            for array, piece, (key, shard, _) in zip(arrays, pieces, updates, strict=True):
                if array._raw is not piece and array.stype == "default":
                    _replace(bucket.values[key], shard, array._raw)

    def _array(self, value: NDArray, key: Key, shard: Shard) -> NDArray:
        """A shard of a value as an array that nobody waits for."""
        if value.stype == "row_sparse":
            return self.shard(key)
        return wrap(shard.of(value._raw).view(shard.shape), value.context, type(value))

    # Asynchronous updates, and what others ask ---------------------------------------------------

    def update_now(self, request: Request) -> None:
        """Updates shards by what one worker has pushed, and answers by values."""
        contributions = [each.opened() for each in request.message["contributions"]]
        with request.refusing(self._rank), self.lock:
            updates = []
            for each in contributions:
                shard, data = self.shard(each.key), each.data
                total = data.view(shard.shape) if isinstance(data, Tensor) else data
                updates.append((each.key, wrap_value(total, cpu(0)), shard))
            if updates:
                call_updater(self.updater, updates)
            values = [dense_of(self.shard(key)._value) for key in request.message["pull"]]
            copies = [value.clone(memory_format=torch.contiguous_format) for value in values]
            request.answer({}, copies)

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
