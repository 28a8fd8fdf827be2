# SPDX-License-Identifier: Apache-2.0
"""Sharding: which rank owns which values, or slices of large ones.

The owner of a shard sums up what all ranks push for it, updates it, and keeps the optimizer's
state of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from torch import Tensor

from ... import optimizer as opt
from ...core.base import env
from ..keys import Key

__all__ = [
    "Shard",
    "Sharding",
    "is_deterministic",
    "is_elementwise",
    "sliced",
    "spans_keys",
    "whole",
]

# Optimizers that update an element, or a row, by that element or row of the gradient alone.
_ELEMENTWISE = frozenset(
    {
        *(opt.SGD, opt.ccSGD, opt.NAG, opt.Signum, opt.DCASGD, opt.Test),
        *(opt.Adam, opt.Adamax, opt.FTML, opt.AdamW, opt.AdaBelief),
        *(opt.AdaGrad, opt.AdaDelta, opt.RMSProp, opt.Ftrl),
    }
)

# Optimizers with state that all keys share: Nadam's schedule, the last rate of LARS.
_SPANNING_KEYS = frozenset({opt.Nadam, opt.LARS})

# Optimizers whose updates are the same on every rank, in whatever order keys come. SGLD draws
# random numbers; those of users may do anything.
_DETERMINISTIC = _ELEMENTWISE | {opt.LAMB, opt.LANS, opt.LBSGD}


class Shard(NamedTuple):
    """A slice of a value that one rank owns.

    Attributes:
        owner: the rank.
        start: first element, in the order of the value's axes.
        stop: one beyond the last.
        shape: as its owner sees it: of whole rows where the slice is made of such.
    """

    owner: int
    start: int
    stop: int
    shape: tuple[int, ...]

    def of(self, tensor: Tensor) -> Tensor:
        """Its elements of a contiguous tensor of the value's shape, in one row."""
        return tensor.view(-1)[self.start : self.stop]


class Sharding:
    """The shards of each key, decided when it is first asked for.

    All ranks ask in the same order, and so decide alike: a small value goes to the rank that has
    the fewest bytes, one of at least `MXNET_KVSTORE_BIGARRAY_BOUND` elements to all of them.

    Args:
        owners: the ranks that own.
        slices: whether values may be sliced.
        in_rows: whether only between rows.
    """

    def __init__(self, owners: Sequence[int], slices: bool, in_rows: bool = False) -> None:
        self._owners, self._in_rows = owners, in_rows
        self._bound = env.get("MXNET_KVSTORE_BIGARRAY_BOUND") if slices else math.inf
        self._loads = dict.fromkeys(owners, 0)
        self._shards: dict[Key, list[Shard]] = {}

    def shards(self, key: Key, shape: tuple[int, ...]) -> list[Shard]:
        """The shards of a key, in the order of their elements."""
        found = self._shards.get(key)
        if found is None:
            found = self._shards[key] = self._decided(shape)
        return found

    def _decided(self, shape: tuple[int, ...]) -> list[Shard]:
        n_elements = math.prod(shape)
        n_units = shape[0] if self._in_rows else n_elements
        if n_elements >= self._bound and n_units >= len(self._owners):
            return sliced(shape, self._owners)
        owner = min(self._loads, key=self._loads.__getitem__)
        self._loads[owner] += n_elements
        return [Shard(owner, 0, n_elements, shape)]


def sliced(shape: Sequence[int], owners: Sequence[int]) -> list[Shard]:
    """Shards of about the same length, of whole rows where there are enough of them."""
    size = len(owners)
    by_rows = bool(shape) and shape[0] >= size
    n_units = shape[0] if by_rows else math.prod(shape)
    row = tuple(shape[1:]) if by_rows else ()
    bounds = [n_units * i // size for i in range(size + 1)]
    width = math.prod(row)
    return [
        Shard(owner, start * width, stop * width, (stop - start, *row))
        for owner, (start, stop) in zip(owners, itertools.pairwise(bounds), strict=True)
    ]


def whole(rank: int, shape: tuple[int, ...]) -> Shard:
    """All of a value, as a shard of `rank`."""
    return Shard(rank, 0, math.prod(shape), shape)


def is_elementwise(updater: Any) -> bool:
    """Whether an updater, or none, updates a slice as it would as part of the whole."""
    return updater is None or _class_of(updater) in _ELEMENTWISE


def spans_keys(updater: Any) -> bool:
    """Whether an update of a key changes later ones of other keys."""
    return _class_of(updater) in _SPANNING_KEYS


def is_deterministic(updater: Any) -> bool:
    """Whether an updater, or none, gives the same bits on every rank."""
    return updater is None or _class_of(updater) in _DETERMINISTIC


def _class_of(updater: Any) -> type | None:
    return type(updater.optimizer) if isinstance(updater, opt.Updater) else None
