# SPDX-License-Identifier: Apache-2.0
"""How long it takes n workers to have the sum of what each of them has.

The time is the longer one of two: the way that must be gone step by step, with everybody on cores
of his own, and the work of all who share the cores of a machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.simulator.constants import Constants

__all__ = ["EXCHANGES", "seconds"]


@dataclass(frozen=True)
class _Cost:
    """Of an exchange of one byte per worker, and of an empty one.

    Attributes:
        rounds: steps that wait for each other.
        one_way: bytes on the way, where workers send or receive.
        both_ways: bytes on the way, where workers do both.
        added: bytes on the way that are added to others.
        sent: bytes that all workers send together.
        reduced: bytes that all workers add together.
        messages: that one worker sends.
    """

    rounds: int
    one_way: float
    both_ways: float
    added: float
    sent: float
    reduced: float
    messages: float


def _ring(n: int) -> _Cost:
    """Each hands on to the next, in n parts: once round to add, once round to tell."""
    part = (n - 1) / n
    return _Cost(2 * (n - 1), 0, 2 * part, part, 2 * (n - 1), n - 1, 2 * (n - 1))


def _tree(n: int) -> _Cost:
    """In pairs to the first, then in pairs from it."""
    depth = math.ceil(math.log2(n))
    return _Cost(2 * depth, 2 * depth, 0, depth, 2 * (n - 1), n - 1, 2 * (n - 1) / n)


def _owners(n: int) -> _Cost:
    """Each sends every other one the part that this owns, and gets back what became of it."""
    part = (n - 1) / n
    return _Cost(2, 0, 2 * part, part, 2 * (n - 1), n - 1, 2 * (n - 1))


EXCHANGES: dict[str, Callable[[int], _Cost]] = {
    "ring": _ring,
    "tree": _tree,
    "owners": _owners,
}


def seconds(kind: str, n: int, n_bytes: float, constants: Constants) -> float:
    """Of one exchange of `n_bytes` among `n` workers, nothing else being done.

    Args:
        kind: ``ring``, ``tree`` or ``owners``.
        n: workers.
        n_bytes: that each worker has.
        constants: of their machines.
    """
    c = constants
    handling = n_bytes * c.handling if kind == "owners" else 0.0
    if n == 1:
        return handling
    cost = EXCHANGES[kind](n)
    way = (
        cost.rounds * c.latency
        + cost.messages * c.message
        + n_bytes * (cost.one_way * c.one_way + cost.both_ways * c.both_ways)
        + n_bytes * cost.added * c.reduction
        + handling
    )
    if c.cores is None or n <= c.cores:
        return way
    work = n_bytes * (cost.sent * c.both_ways + cost.reduced * c.reduction)
    work += n * (cost.messages * c.message + handling)
    return max(way, work / c.cores)
