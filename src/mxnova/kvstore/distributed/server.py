# SPDX-License-Identifier: Apache-2.0
"""Server: the part of each worker that sums up and updates the shards that it owns.

Pushes are matched by key, as in a parameter server: when all workers have pushed a key, in whatever
order, its round is complete. Sums are added up by rank, so that they have the bits of one process.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from functools import partial
from queue import PriorityQueue
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
from .connections import Connections, Request
from .contribution import Contribution, differing
from .peer import Meta
from .plan import Reply
from .rounds import Rounds
from .sharding import Shard, existing, tensors_of

__all__ = ["Server"]

_MAX_ROUNDS = 2  # of a key: a worker may have all gradients of the first, which others still miss


class _Push:
    """What one worker has pushed at once, to be answered when all of its keys are updated."""

    def __init__(self, request: Request, contributions: Sequence[Contribution]) -> None:
        self._request = request
        self.contributions = {each.key: each for each in contributions}
        self.bucket: Any = request.message.get("bucket")  # of this worker's own
        self._results: dict[Key, Sequence[Tensor]] = {}
        self._error: str | None = None
        self._lock = threading.Lock()

    def done(
        self, key: Key, result: Sequence[Tensor] = (), error: str | None = None, priority: int = 0
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
        found = [self._results.get(key, ()) for key in self._request.message["pull"]]
        sizes = [len(result[0]) if result else 0 for result in found]
        self._request.answer({"sizes": sizes}, [*itertools.chain(*found)], priority)


_Round = dict[int, tuple[Contribution, _Push]]  # by rank


class Server:
    """The shards of a rank, and a thread that updates them, the most urgent first.

    Args:
        connections: that carry requests.

    Attributes:
        rounds: of pushes, by key.
        shards: of row_sparse values, and of asynchronous stores' dense ones.
        lock: is held while shards change.
    """

    def __init__(self, connections: Connections) -> None:
        self.shards: dict[Key, NDArray] = {}
        self.lock = threading.RLock()
        self._faults, self._rank = connections.faults, connections.rank
        self.rounds: Rounds[tuple[Contribution, _Push]] = Rounds(
            connections.size, lambda key, _: f"push of key {key!r}", _MAX_ROUNDS
        )
        self._queue: PriorityQueue[tuple[float, int, Callable[[], None] | None]] = PriorityQueue()
        self._numbers = itertools.count()
        self._thread = threading.Thread(target=self._run, name="mxnova updates", daemon=True)
        self._thread.start()
        connections.serve("rows", self._answer_rows, self._row_buffers)

    def close(self) -> None:
        """Ends the thread, which would abort Python if it was inside of PyTorch at its end."""
        self._queue.put((float("-inf"), next(self._numbers), None))
        self._thread.join(self._faults.timeout)

    def _run(self) -> None:
        while (act := self._queue.get()[2]) is not None:
            act()

    # Matching ------------------------------------------------------------------------------------

    def take_push(self, request: Request) -> None:
        """Takes what a worker pushes; completes the rounds in which it was the last.

        Raises:
            ValueError: it cannot be read, or the worker has pushed one of the keys already.
        """
        push = _Push(request, [each.opened() for each in request.message["contributions"]])
        items = {key: (each, push) for key, each in push.contributions.items()}
        agreed = []
        for round_ in self.rounds.add(request.rank, items):
            reason = differing([contribution for contribution, _ in round_.values()])
            if reason is None:
                agreed.append(round_)
            for contribution, each in round_.values() if reason is not None else ():
                each.done(contribution.key, error=reason)
        for bucket, group in itertools.groupby(agreed, lambda round_: round_[self._rank][1].bucket):
            self._later(bucket, partial(self._sum_up, bucket, list(group)))

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
            self._queue.put((-bucket.priority, next(self._numbers), run))

    # Sums ----------------------------------------------------------------------------------------

    def _sum_up(self, bucket: Bucket, rounds: Sequence[_Round]) -> None:
        updates, sums = [], []
        for round_ in rounds:
            key = round_[self._rank][0].key
            total = self._total(round_, bucket.owned[key])
            sums.append((round_, key, total))
            if bucket.replies[key] is not Reply.SUM:
                updates.append((key, bucket.owned[key], total))
        if updates:
            self._update(bucket, updates)
        for each in sums:
            self._tell(bucket, *each)

    def _total(self, round_: _Round, shard: Shard) -> Any:
        data: list[Any] = [contribution.data for contribution, _ in round_.values()]
        if isinstance(data[0], RowSparse):
            rows = torch.cat([each.indices for each in data])
            return RowSparse.of_rows(rows, torch.cat([each.data for each in data]), shard.shape)
        total, *others = data
        if others:  # in place of what this worker has not pushed itself
            own = round_[self._rank][0].data
            total = torch.add(total, others[0], out=others[0] if total is own else total)
        for term in others[1:]:
            total += term
        return total.view(shard.shape)

    def _tell(self, bucket: Bucket, round_: _Round, key: Key, total: Any) -> None:
        """Tells all workers a sum, or the new value of a shard, which this one has."""
        value, reply, levels = bucket.values[key], bucket.replies[key], bucket.plan.sum_levels
        result: list[Tensor] = []
        if reply is Reply.SUM:
            is_dense = isinstance(total, Tensor)
            result = tensors_of(levels.encode(total.view(-1)) if is_dense else total)
        elif reply is Reply.VALUE and value.stype == "default":
            result = [bucket.owned[key].of(value._raw).cpu()]
        for rank in sorted(round_, key=lambda rank: rank == self._rank):  # which may go on then
            is_there = rank == self._rank and reply is not Reply.SUM
            round_[rank][1].done(key, [] if is_there else result, priority=bucket.priority)

    # Updates -------------------------------------------------------------------------------------

    def update_by_sums(self, bucket: Bucket) -> None:
        """Updates whole values by sums that owners have told, and finishes the bucket."""

        def update() -> None:
            self._update(bucket, list(bucket.sums()))
            bucket.settle()

        self._later(bucket, update)

    def _update(self, bucket: Bucket, updates: Sequence[tuple[Key, Shard, Any]]) -> None:
        with self._faults.fatal(), self.lock:  # an updater that fails does so for all
            triples, pieces = [], []
            for key, shard, total in updates:
                array = self._array(bucket.values[key], key, shard)
                if bucket.plan.updater is None:
                    receive(array, total, "KVStore.push", owned=True)
                    continue
                if isinstance(total, Tensor):
                    total = total.to(array.context.device)
                triples.append((key, wrap_value(total, array.context), array))
                pieces.append((shard.of, bucket.values[key], array, array._raw))
            if triples:
                bucket.plan.updates.make(triples, bucket.settings)
            for part_of, value, array, piece in pieces:
                if array._raw is not piece and array.stype == "default":  # in other memory now
                    part_of(value._raw).copy_(array._raw.view(-1))

    def _array(self, value: NDArray, key: Key, shard: Shard) -> NDArray:
        """A shard of a value as an array that nobody waits for."""
        if value.stype == "row_sparse":
            return self.shard(key)
        return wrap(shard.of(value._raw).view(shard.shape), value.context, type(value))

    # Asynchronous updates, and what others ask ---------------------------------------------------

    def update_now(self, request: Request, updater: Updater) -> None:
        """Updates shards by what one worker has pushed, and answers by values."""
        contributions = [each.opened() for each in request.message["contributions"]]
        with request.refusing(self._rank), self.lock:
            updates = []
            for each in contributions:
                shard, data = self.shard(each.key), each.data
                total = data.view(shard.shape) if isinstance(data, Tensor) else data
                updates.append((each.key, wrap_value(total, cpu(0)), shard))
            if updates:
                call_updater(updater, updates)
            shards = [self.shard(key) for key in request.message["pull"]]
            values = [dense_of(each._value) for each in shards if each.stype == "default"]
            copies = [value.clone(memory_format=torch.contiguous_format) for value in values]
            request.answer({"sizes": [0] * len(shards)}, copies)

    def shard(self, key: Any) -> NDArray:
        """The shard of a key that lives here; MXNetError: there is none."""
        shard = self.shards.get(key)
        if shard is None:
            raise MXNetError(f"key {key!r} is not owned here")
        return shard

    def _stored(self, key: Any) -> RowSparse:
        """The rows that are stored of a row_sparse shard."""
        record = self.shard(key)._value
        if not isinstance(record, RowSparse):
            raise MXNetError(f"key {key!r} is not row_sparse")
        return record

    def _row_buffers(self, _rank: int, message: Meta) -> Sequence[Tensor]:
        n, n_rows = message["n"], self._stored(message["key"]).shape[0]
        if n is None:
            return ()
        if not 0 < n <= n_rows:
            raise ValueError(f"a request for {n} of {n_rows} rows")
        return [torch.empty(n, dtype=torch.int64)]

    def _answer_rows(self, request: Request) -> None:
        """Answers by the rows that are asked for by number, or else by all that are stored."""
        with self.lock:
            record: Any = self._stored(request.message["key"])
            stored = bool(len(record.indices))
            indices, data = record.indices.long(), record.data
            for rows in request.tensors:
                indices = existing(rows, record.shape[0])
                data = record.take(indices)
            data = data.clone(memory_format=torch.contiguous_format)
        request.answer({"n": len(indices), "stored": stored}, [indices, data])
