# SPDX-License-Identifier: Apache-2.0
"""Portion: keys of a call that are exchanged together, as an operation of the engine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.runtime.context import cpu
from ...core.runtime.engine import Completion, FnProperty, Operation, engine
from ..compression import TwoBitCompression
from ..keys import Key
from .agreement import ROOM
from .deputy import Settings
from .plan import Plan

__all__ = ["Contribution", "Portion"]

Contribution = Callable[[Key, Any, "TwoBitCompression | None"], Any]


class Portion:
    """What a program gives and wants for some keys, and the end of the operation that waits for it.

    Args:
        plan: how it is exchanged.
        settings: what the optimizer was at the call.
        values: of the store, by key.
        sources: what this rank pushes, by key.
        wanted: (key, dense array that gets its new value).
        rows: whether gradients are rows.

    Attributes:
        kind: those of one kind may travel together; the same on all ranks.
        n_bytes: of its values.
        places: where its gradients stand in what travels with the question; None: nowhere.
    """

    def __init__(
        self,
        plan: Plan,
        settings: Settings | None,
        values: Mapping[Key, NDArray],
        sources: Mapping[Key, NDArray],
        wanted: Sequence[tuple[Key, NDArray]],
        rows: bool,
    ) -> None:
        self.plan, self.settings, self.values, self.rows = plan, settings, values, rows
        self._sources, self._wanted = sources, wanted
        first = next(iter(values.values()))
        self.kind = (rows, first._raw.dtype, first.context.device_type, plan)
        self.n_bytes = 0 if rows else sum(value._raw.nbytes for value in values.values())
        self.places: list[int] | None = None
        self._given: dict[Key, Any] = {}
        self._gradients: dict[Key, Any] | None = None
        self._outs: list[tuple[Key, Tensor]] = []
        self._completion: Completion | None = None
        self._lock = threading.Lock()
        self._is_over = False
        self._error: BaseException | None = None
        self._also: list[tuple[Key, Tensor, Completion]] = []

    # The operation -------------------------------------------------------------------------------

    def push(self, ready: Callable[[str | None], None], priority: int) -> None:
        """Pushes it to the engine.

        Args:
            ready: called when all arrays may be used, with the reason if one of them cannot.
            priority: among what waits.
        """

        def start(completion: Completion) -> None:
            self._given = {key: source._value for key, source in self._sources.items()}
            self._outs = [(key, out._target) for key, out in self._wanted]
            self._completion = completion
            ready(self._mistake())

        writes = {var_of(a) for a in self.values.values()} | {var_of(a) for _, a in self._wanted}
        reads = {var_of(source) for source in self._sources.values()} - writes
        name = "push to all workers"
        operation = Operation(start, reads, writes, FnProperty.ASYNC, name, True, no_skip=True)
        engine().push(operation, cpu(0), priority)

    def _mistake(self) -> str | None:
        """Why a gradient is none: it comes of something that has failed."""
        for key, source in self._sources.items():
            failure = var_of(source).failure
            if failure is not None and failure.is_open:
                return f"the gradient of key {key!r} could not be computed: {failure.task}"
        return None

    def settle(self, error: BaseException | None = None) -> None:
        """Finishes the operation, once, and those that came with it."""
        if self._completion is None:
            return
        with self._lock:
            if self._is_over:
                return
            self._error = None if error is None else _own(error)
            self._is_over = True
        for key, out, _ in self._also:  # before others may write to the values
            self._hand_to(key, out)
        self._completion.settle(self._error)  # first: who goes on then finds the values free
        for _, _, completion in self._also:
            completion.settle(self._error)

    def _hand_to(self, key: Key, out: Tensor) -> None:
        if self._error is None:
            out.copy_(self.values[key]._raw)

    def also(self, key: Key, out: NDArray) -> bool:
        """Has `out` get the new value of a key, too; whether there was time for that.

        That spares an operation which waits for this one: a thread, and what it takes to wake it.
        """
        var = var_of(out)
        if var.uses or self._is_over:  # its turn may come late, after other values
            return False

        def start(completion: Completion) -> None:
            with self._lock:
                if not self._is_over:
                    self._also.append((key, out._target, completion))
                    return
            self._hand_to(key, out._target)
            completion.settle(self._error)

        operation = Operation(start, (), (var,), FnProperty.ASYNC, "pull", is_async=True)
        engine().push(operation, cpu(0))
        return True

    # The exchange --------------------------------------------------------------------------------

    @property
    def may_go_along(self) -> bool:
        """Whether its gradients can travel with the question."""
        if self.rows or self.n_bytes > ROOM or self.plan.compression is not None:
            return False
        return all(value._raw.device.type == "cpu" for value in self.values.values())

    def gradients(self, contribution: Contribution) -> dict[Key, Any]:
        """What this rank contributes: tensors, contiguous, or records of rows.

        Args:
            contribution: makes it of what was pushed; once.
        """
        if self._gradients is None:
            compression = self.plan.compression
            self._gradients = {k: contribution(k, v, compression) for k, v in self._given.items()}
        return self._gradients

    def hand_out(self) -> None:
        """Puts the new values where the program wants them."""
        for key, out in self._outs:
            out.copy_(self.values[key]._raw)
        self.settle()


def _own(error: BaseException) -> MXNetError:
    """What went wrong, as a failure of one portion, which is told once."""
    text = str(error) if isinstance(error, MXNetError) else f"{type(error).__name__}: {error}"
    own = MXNetError(text)
    own.__cause__ = error
    return own
