# SPDX-License-Identifier: Apache-2.0
"""Rounds: what all ranks bring, matched by name; and how what they bring differs."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from ...core.base.errors import bounded

__all__ = ["REFUSED", "Rounds", "difference"]

REFUSED = "error"  # the call of a rank that cannot make the one that others make

_Item = TypeVar("_Item")


class _Round(dict[int, _Item]):
    """Items by rank, the first of which came at `since`, in seconds of `time.monotonic`."""

    def __init__(self) -> None:
        self.since = time.monotonic()


class Rounds(Generic[_Item]):
    """Items of one name from all ranks: the first ones make a round, the second ones the next.

    Args:
        size: number of ranks.
        limit: of rounds of one name that are not complete.
    """

    def __init__(self, size: int, limit: float = float("inf")) -> None:
        self._size, self._limit = size, limit
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
                round_ = self._round_of(rank, name)
                round_[rank] = item
                if len(round_) == self._size:
                    self._open[name].remove(round_)
                    complete.append({rank: round_[rank] for rank in sorted(round_)})
        return complete

    def _round_of(self, rank: int, name: Hashable) -> _Round[_Item]:
        """The first round of a name that a rank has not come to."""
        rounds = self._open.setdefault(name, [])
        for round_ in rounds:
            if rank not in round_:
                return round_
        if len(rounds) >= self._limit:
            raise ValueError(f"a push of key {name!r} before the last one was done")
        rounds.append(_Round())
        return rounds[-1]

    def incomplete(self, seconds: float) -> list[tuple[_Item, list[int]]]:
        """Of each round that has lasted so long one item, and the ranks that have come to it."""
        before = time.monotonic() - seconds
        with self._lock:
            rounds = [round_ for each in self._open.values() for round_ in each]
            return [(next(iter(r.values())), sorted(r)) for r in rounds if r.since < before]


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
    return bounded(
        f"KVStore.{call}: workers differ: worker {odd} has {_shown(mine)}, worker {even} "
        f"{_shown(others)}"
    )


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:500]
