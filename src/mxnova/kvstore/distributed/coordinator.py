# SPDX-License-Identifier: Apache-2.0
"""Coordinator: calls that all ranks make in the same order, such as barriers.

Rank 0 compares what each rank says of its next such call, and answers all of them.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from torch import Tensor

from ...core.base.errors import MXNetError, bounded
from .connections import Connections, Handler, Meta

__all__ = ["Coordinator", "difference"]

_REFUSED = "error"


class _Call(NamedTuple):
    """A call of one rank, at rank 0."""

    name: str
    description: Any
    since: float


class _Waiting(NamedTuple):
    """A call of this rank that waits for the others."""

    name: str
    since: float
    done: Future[None]
    buffers: Callable[[Meta], list[Tensor]]


class Coordinator:
    """Agreement of all ranks on calls.

    Args:
        connections: to the other ranks.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._lock = threading.Lock()
        self._order = threading.Lock()  # of this rank's calls
        self._waiting: deque[_Waiting | None] = deque()  # None: for a call that was refused
        self._calls: list[deque[_Call]] = [deque() for _ in range(connections.size)]  # at rank 0
        self._payloads: deque[tuple[Meta, Sequence[Tensor]]] = deque()  # of rank 0
        self.handlers = {
            "call": Handler(lambda rank, message: [], self._take_call),
            "agreed": Handler(self._buffers, self._take_answer),
        }
        connections.faults.then(self._give_up)

    def agree(
        self,
        name: str,
        description: Any = (),
        payload: tuple[Meta, Sequence[Tensor]] = ({}, ()),
        buffers: Callable[[Meta], list[Tensor]] = lambda message: [],
    ) -> None:
        """Returns when all ranks have made this call.

        Args:
            name: what is called.
            description: of plain data: of what; the same on all ranks.
            payload: what rank 0 tells the others: plain data, and tensors.
            buffers: takes these data, gives the tensors that the others receive into.

        Raises:
            MXNetError: ranks differ, or one cannot make the call or is gone.
        """
        done: Future[None] = Future()
        self._submit(name, description, _Waiting(name, time.monotonic(), done, buffers), payload)
        done.result()

    def refuse(self, error: MXNetError) -> None:
        """Tells all ranks that this one cannot make the call that they are about to make."""
        self._submit(_REFUSED, str(error), None, ({}, ()))

    def _submit(
        self,
        name: str,
        description: Any,
        waiting: _Waiting | None,
        payload: tuple[Meta, Sequence[Tensor]],
    ) -> None:
        connections = self._connections
        with self._order:
            connections.faults.check()
            with self._lock:
                self._waiting.append(waiting)
                if connections.rank == 0:
                    self._payloads.append(payload)
            if connections.rank:
                connections.send(0, {"op": "call", "name": name, "description": description})
            else:
                self._add(0, name, json.loads(json.dumps(description)))
        if connections.faults.text is not None:  # since the check
            self._give_up()

    def oldest(self) -> tuple[str, float] | None:
        """The call of this rank that waits for others, and since when."""
        with self._lock:
            first = next((each for each in self._waiting if each is not None), None)
        return None if first is None else (first.name, first.since)

    def stalled(self, seconds: float) -> list[tuple[str, list[int]]]:
        """The call, at rank 0, that has waited so long for some ranks; and those that made it."""
        with self._lock:
            first = {rank: calls[0] for rank, calls in enumerate(self._calls) if calls}
        late = [call for call in first.values() if call.since < time.monotonic() - seconds]
        return [(late[0].name, sorted(first))] if late else []

    # Rank 0 --------------------------------------------------------------------------------------

    def _take_call(self, rank: int, message: Meta, _tensors: Sequence[Tensor]) -> None:
        if self._connections.rank or not isinstance(message.get("name"), str):
            raise ValueError("it sent a call that is none")
        self._add(rank, message["name"], message.get("description"))

    def _add(self, rank: int, name: str, description: Any) -> None:
        with self._lock:
            self._calls[rank].append(_Call(name, description, time.monotonic()))
            if not all(self._calls):
                return
            calls = [calls.popleft() for calls in self._calls]
            data, tensors = self._payloads.popleft()
        error = difference([(call.name, call.description) for call in calls])
        for peer in self._connections.peers:
            answer = {**data, "op": "agreed", "error": error}
            self._connections.send(peer, answer, () if error else tensors)
        self._settle(error)

    # All ranks -----------------------------------------------------------------------------------

    def _buffers(self, rank: int, message: Meta) -> list[Tensor]:
        if rank:
            raise ValueError("an answer that is rank 0's to give")
        with self._lock:
            waiting = self._waiting[0]
        if message["error"] is not None or waiting is None:
            return []
        return waiting.buffers(message)

    def _take_answer(self, _rank: int, message: Meta, _tensors: Sequence[Tensor]) -> None:
        self._settle(message["error"])

    def _settle(self, error: str | None) -> None:
        with self._lock:
            waiting = self._waiting.popleft()
        if waiting is None:
            return
        if error is None:
            waiting.done.set_result(None)
        else:
            waiting.done.set_exception(MXNetError(error))

    def _give_up(self) -> None:
        """Tells those who wait that something has failed."""
        with self._lock:
            waiting = [each for each in self._waiting if each is not None]
            self._waiting.clear()
        for each in waiting:
            try:
                self._connections.faults.check()
            except MXNetError as error:
                each.done.set_exception(error)


def difference(calls: Sequence[tuple[str, Any]]) -> str | None:
    """How the first rank that differs from others does; None: all call the same.

    Args:
        calls: of each rank (what it calls, list of descriptions); ``error`` is called by one that
            cannot make the call, with the reason.
    """
    for rank, (call, description) in enumerate(calls):
        if call == _REFUSED:
            return bounded(f"KVStore: on worker {rank}: {description}")
    texts = [json.dumps(call) for call in calls]
    if len(set(texts)) == 1:
        return None
    common = max(texts, key=texts.count)
    odd = next(rank for rank, text in enumerate(texts) if text != common)
    even = texts.index(common)
    (call, mine), (other_call, others) = calls[odd], calls[even]
    if call != other_call:
        mine, others = [call, *mine[:1]], [other_call, *others[:1]]
    elif len(mine) == len(others):
        mine, others = next((a, b) for a, b in zip(mine, others, strict=True) if a != b)
    return bounded(
        f"KVStore.{call}: workers differ: worker {odd} has {_shown(mine)}, worker {even} "
        f"{_shown(others)}"
    )


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:500]
