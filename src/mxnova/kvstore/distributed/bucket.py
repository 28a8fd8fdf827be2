# SPDX-License-Identifier: Apache-2.0
"""Bucket: keys of one call that are pushed together, as one operation of the engine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.runtime.context import cpu
from ...core.runtime.engine import Completion, FnProperty, Operation, engine
from ..keys import Key
from .plan import UpdatePlan
from .replica import Settings
from .sharding import Shard

__all__ = ["BUCKET_BYTES", "Bucket"]

BUCKET_BYTES = 4 << 20  # of values that are pushed together


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
        given: what is pushed, by key, when it is there.
        owned: the shards of this worker, by key.
        sums: by key, where owners answer by sums.
        error: what has failed, so far.
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
        self.replies = {k: plan.reply(value, k in rows) for k, value in values.items()}
        self.pulled = values if pulled is None else pulled
        self.priority, self.refusal = priority, refusal
        self._is_refused_here = refusal is not None
        self._sources = sources
        self.given: dict[Key, Any] = {}
        self.owned: dict[Key, Shard] = {}
        self.sums: dict[Key, Tensor] = {}
        self._n_missing = 0
        self._completion: Completion | None = None
        self._lock = threading.Lock()
        self._is_over = False
        self.error: BaseException | None = None
        self._late_outs: list[tuple[Key, Tensor, Completion]] = []

    # The operation of the engine -----------------------------------------------------------------

    def push(self, begin: Callable[[Bucket], None], finished: Callable[[Bucket], None]) -> None:
        """Pushes the operation to the engine.

        Args:
            begin: is called when all arrays may be used.
            finished: is called at the end.
        """
        self._finished = finished

        def start(completion: Completion) -> None:
            self.given = {key: source._value for key, source in self._sources.items()}
            self._completion = completion
            self.refusal = self.refusal or self._failure()
            try:
                begin(self)
            except BaseException as error:  # noqa: BLE001 - for those who wait
                self.settle(error)

        writes = {var_of(value) for value in self.values.values()}
        reads = {var_of(source) for source in self._sources.values()} - writes
        name = "push to all workers"
        operation = Operation(start, reads, writes, FnProperty.ASYNC, name, True, no_skip=True)
        engine().push(operation, cpu(0), self.priority)

    def _failure(self) -> str | None:
        """Why a gradient is none: it comes of something that has failed."""
        for key, source in self._sources.items():
            failure = var_of(source).failure
            if failure is not None and failure.is_open:
                return f"the gradient of key {key!r} could not be computed: {failure.task}"
        return None

    def settle(self, error: BaseException | None = None) -> None:
        """Finishes the operation, once, and pulls that were attached to it."""
        if self._completion is None:
            return
        with self._lock:
            if self._is_over:
                return
            self.error = None if error is None else _copied(error)
            self._is_over = True
        for key, out, _ in self._late_outs:  # before others may write to the values
            self._copy_to(key, out)
        self._completion.settle(self.error)  # first: who goes on then finds the values free
        for _, _, completion in self._late_outs:
            completion.settle(self.error)
        self._finished(self)

    def _copy_to(self, key: Key, out: Tensor) -> None:
        if self.error is None:
            out.copy_(self.values[key]._raw)

    def attach(self, key: Key, out: NDArray) -> bool:
        """Has `out` get the new value of a key, too; whether there was time for that.

        That spares an operation which waits for this one, and the wake-up of a thread.
        """
        var = var_of(out)
        if var.uses or self._is_over:  # its turn may come late, after other values
            return False

        def start(completion: Completion) -> None:
            with self._lock:
                if not self._is_over:
                    self._late_outs.append((key, out._target, completion))
                    return
            self._copy_to(key, out._target)
            completion.settle(self.error)

        operation = Operation(start, (), (var,), FnProperty.ASYNC, "pull", is_async=True)
        engine().push(operation, cpu(0))
        return True

    # Answers -------------------------------------------------------------------------------------

    def expect(self, n_answers: int) -> None:
        """Waits for so many answers."""
        self._n_missing = n_answers

    def add_sum(self, key: Key, shard: Shard, total: Tensor) -> None:
        """Takes the sum of a shard."""
        with self._lock:
            whole = self.sums.get(key)
            if whole is None:
                whole = self.sums[key] = torch.empty(self.values[key].shape, dtype=total.dtype)
        shard.of(whole).copy_(total.view(-1))

    def answered(self, error: BaseException | None = None) -> bool:
        """Counts an answer; whether it is the last one."""
        with self._lock:
            self._n_missing -= 1
            self.error = self.error or error
            return not self._n_missing

    def finish(self) -> None:
        """Ends with new values, or with what owners have refused."""
        self.settle(None if self._is_refused_here else self.error)


def _copied(error: BaseException) -> MXNetError:
    """An error of one bucket, which is raised once, of one that several may share."""
    text = str(error) if isinstance(error, MXNetError) else f"{type(error).__name__}: {error}"
    own = MXNetError(text)
    own.__cause__ = error
    return own
