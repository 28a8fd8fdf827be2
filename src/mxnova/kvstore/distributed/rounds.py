# SPDX-License-Identifier: Apache-2.0
"""Rounds: what all ranks bring, matched by name; how what they bring differs; calls of all."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ...core.base.errors import MXNetError, bounded
from .connections import Answer, Buffers, Connections, Request, no_buffers

__all__ = ["REFUSED", "Coordinator", "Rounds", "difference"]

REFUSED = "error"  # the call of a rank that cannot make the one that others make

_Item = TypeVar("_Item")


class Rounds(Generic[_Item]):
    """Items of one name from all ranks: the first ones make a round, the second ones the next.

    Args:
        size: number of ranks.
        named: what a round is about, of its name and an item.
        limit: of rounds of one name that are not complete.
    """

    def __init__(self, size: int, named: Callable[[Any, _Item], str], limit: int = 1 << 30) -> None:
        self._size, self._named, self._limit = size, named, limit
        self._lock = threading.Lock()
        self._open: dict[Hashable, list[_Round[_Item]]] = {}

    def add(self, rank: int, items: Mapping[Any, _Item]) -> list[dict[int, _Item]]:
        """Takes items of a rank, by name; returns the rounds that are complete with them.

        Raises:
            ValueError: the rank is too many rounds ahead of others.
        """
        complete: list[dict[int, _Item]] = []
        with self._lock:
            for name, item in items.items():
                rounds = self._open.setdefault(name, [])
                round_ = next((each for each in rounds if rank not in each.items), None)
                if round_ is None:
                    if len(rounds) >= self._limit:
                        raise ValueError(f"a push of key {name!r} before the last one was done")
                    round_ = _Round(time.monotonic(), {})
                    rounds.append(round_)
                round_.items[rank] = item
                if len(round_.items) == self._size:
                    rounds.remove(round_)
                    complete.append(dict(sorted(round_.items.items())))
        return complete

    def incomplete(self, seconds: float) -> list[tuple[str, list[int]]]:
        """Of each round that has lasted so long what it is about, and the ranks that came to it."""
        before = time.monotonic() - seconds
        with self._lock:
            return [
                (self._named(name, next(iter(round_.items.values()))), sorted(round_.items))
                for name, rounds in self._open.items()
                for round_ in rounds
                if round_.since < before
            ]


@dataclass(eq=False)
class _Round(Generic[_Item]):
    """Items by rank, the first of which came at `since`, in seconds of `time.monotonic`."""

    since: float
    items: dict[int, _Item]


def difference(calls: Sequence[tuple[str, Sequence[Any]]]) -> str | None:
    """How the first rank that differs from others does; None: all call the same.

    Args:
        calls: of each rank what it calls, and of what, in plain data. `REFUSED` is called by one
            that cannot make the call, with the reason.
    """
    for rank, (call, description) in enumerate(calls):
        if call == REFUSED:
            return bounded(f"KVStore: on worker {rank}: {description[0]}")
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
    shown = [json.dumps(each, ensure_ascii=False)[:500] for each in (mine, others)]
    return bounded(
        f"KVStore.{call}: workers differ: worker {odd} has {shown[0]}, worker {even} {shown[1]}"
    )


class Coordinator:
    """Agreement on calls that all ranks make in the same order, such as barriers.

    Each rank asks rank 0, which compares their calls, and answers when all have made theirs.

    Args:
        connections: that carry the calls.

    Attributes:
        rounds: of calls, at rank 0.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.rounds: Rounds[Request] = Rounds(connections.size, lambda _, r: str(r.message["name"]))
        connections.serve("call", self._take_call)

    def agree(
        self,
        name: str,
        description: Sequence[Any] = (),
        payload: Answer = ({}, ()),
        buffers: Buffers = no_buffers,
    ) -> Answer:
        """Returns when all ranks have made this call.

        Args:
            name: what is called.
            description: of plain data: of what; the same on all ranks.
            payload: what rank 0 tells the others: plain data, and tensors.
            buffers: takes (0, these data), gives the tensors that the others receive into.

        Returns:
            The payload of rank 0.

        Raises:
            MXNetError: ranks differ, or one cannot make the call or is gone.
        """
        message = {"op": "call", "name": name, "description": description}
        if self._connections.rank == 0:
            message["payload"] = payload
        return self._connections.ask(0, message, buffers=buffers, what=name).result()

    def refuse(self, error: MXNetError) -> None:
        """Tells all ranks that this one cannot make the call that they are about to make."""
        self._connections.ask(0, {"op": "call", "name": REFUSED, "description": [str(error)]})

    def _take_call(self, request: Request) -> None:
        name, description = request.message.get("name"), request.message.get("description")
        is_call = isinstance(name, str) and isinstance(description, (list, tuple))
        if self._connections.rank or not is_call:
            raise ValueError("it sent a call that is none")
        for calls in self.rounds.add(request.rank, {"call": request}):
            requests = list(calls.values())
            error = difference([(r.message["name"], r.message["description"]) for r in requests])
            for each in reversed(requests):  # this rank, which may go on then, last
                if error is None:
                    each.answer(*requests[0].message["payload"])
                else:
                    each.refuse(error)
