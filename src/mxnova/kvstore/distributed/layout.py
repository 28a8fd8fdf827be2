# SPDX-License-Identifier: Apache-2.0
"""Who owns what: values, and slices of large ones, spread over the ranks.

The owner of a share sums up what all ranks push for it, updates it, and keeps the optimizer's
state of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import optimizer as opt
from ...core.base import env
from ..keys import Key

__all__ = [
    "Layout",
    "Share",
    "sliced",
    "works_across_keys",
    "works_by_elements",
    "works_the_same_everywhere",
]

# Optimizers that update an element, or a row, by that element or row of the gradient alone.
_BY_ELEMENTS = frozenset(
    {
        *(opt.SGD, opt.ccSGD, opt.NAG, opt.Signum, opt.DCASGD, opt.Test),
        *(opt.Adam, opt.Adamax, opt.FTML, opt.AdamW, opt.AdaBelief),
        *(opt.AdaGrad, opt.AdaDelta, opt.RMSProp, opt.Ftrl),
    }
)

# Those with numbers that all updates share: Nadam's schedule, the last rate of LARS.
_ACROSS_KEYS = frozenset({opt.Nadam, opt.LARS})

# Those that do the same wherever they are; SGLD adds random numbers, and who knows about others'.
_SAME_EVERYWHERE = _BY_ELEMENTS | _ACROSS_KEYS | {opt.LAMB, opt.LANS, opt.LBSGD}


class Share(NamedTuple):
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


class Layout:
    """The shares of each key, decided when it is first asked for.

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
        self._shares: dict[Key, list[Share]] = {}

    def shares(self, key: Key, shape: tuple[int, ...]) -> list[Share]:
        """The shares of a key, in the order of their elements."""
        found = self._shares.get(key)
        if found is None:
            found = self._shares[key] = self._decided(shape)
        return found

    def _decided(self, shape: tuple[int, ...]) -> list[Share]:
        n_elements = math.prod(shape)
        n_units = shape[0] if self._in_rows else n_elements
        if n_elements >= self._bound and n_units >= len(self._owners):
            return sliced(shape, self._owners)
        owner = min(self._loads, key=self._loads.__getitem__)
        self._loads[owner] += n_elements
        return [Share(owner, 0, n_elements, shape)]


def sliced(shape: Sequence[int], owners: Sequence[int]) -> list[Share]:
    """Shares of about the same length, of whole rows where there are enough of them."""
    size = len(owners)
    by_rows = bool(shape) and shape[0] >= size
    n_units = shape[0] if by_rows else math.prod(shape)
    row = tuple(shape[1:]) if by_rows else ()
    bounds = [n_units * i // size for i in range(size + 1)]
    width = math.prod(row)
    return [
        Share(owner, start * width, stop * width, (stop - start, *row))
        for owner, (start, stop) in zip(owners, itertools.pairwise(bounds), strict=True)
    ]


def works_by_elements(updater: Any) -> bool:
    """Whether an updater, or none, does the same to a slice as to the whole."""
    return updater is None or _class_of(updater) in _BY_ELEMENTS


def works_across_keys(updater: Any) -> bool:
    """Whether an update of a key changes the next one of another."""
    return _class_of(updater) in _ACROSS_KEYS


def works_the_same_everywhere(updater: Any) -> bool:
    """Whether an updater, or none, makes the same of the same values on every rank."""
    return updater is None or _class_of(updater) in _SAME_EVERYWHERE


def _class_of(updater: Any) -> type | None:
    return type(updater.optimizer) if isinstance(updater, opt.Updater) else None
