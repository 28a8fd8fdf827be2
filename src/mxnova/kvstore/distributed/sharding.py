# SPDX-License-Identifier: Apache-2.0
"""Sharding: which rank owns which values, or slices of large ones; how rows and states are cut so.

The owner of a shard sums up what all ranks push for it, updates it, and keeps the optimizer's
state of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...core.base import env
from ...core.nd.array import NDArray
from ...core.nd.wrapping import wrap
from ...core.op.sparse.storage import RowSparse, dense_of
from ...core.runtime.context import cpu
from ..keys import Key

__all__ = [
    "Shard",
    "Sharding",
    "empty_rows",
    "existing",
    "joined_rows",
    "joined_states",
    "slice_rows",
    "sliced",
    "states_of",
    "tensors_of",
    "whole",
    "within",
]


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

    @property
    def rows(self) -> range:
        """Numbers of its rows, where it is made of whole ones."""
        first = self.start // max(math.prod(self.shape[1:]), 1)
        return range(first, first + self.shape[0])


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
            n_elements = math.prod(shape)
            n_units = shape[0] if self._in_rows else n_elements
            if n_elements >= self._bound and n_units >= len(self._owners):
                found = sliced(shape, self._owners)
            else:
                owner = min(self._loads, key=self._loads.__getitem__)
                self._loads[owner] += n_elements
                found = [whole(owner, shape)]
            self._shards[key] = found
        return found


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


# Rows ---------------------------------------------------------------------------------------------


def within(indices: Tensor, shard: Shard) -> slice:
    """Where the rows of a shard stand among `indices`, which rise."""
    bounds = torch.tensor([shard.rows.start, shard.rows.stop], dtype=indices.dtype)
    start, stop = torch.searchsorted(indices, bounds).tolist()
    return slice(start, stop)


def slice_rows(record: RowSparse, shard: Shard) -> RowSparse:
    """The rows of a shard, counted from its start, of those of the value, which rise."""
    where = within(record.indices, shard)
    indices = record.indices[where].long() - shard.rows.start
    return RowSparse(record.data[where].contiguous(), indices, shard.shape)


def tensors_of(data: Tensor | RowSparse) -> list[Tensor]:
    """What travels of elements, or of rows."""
    if isinstance(data, RowSparse):
        return [data.indices.long(), data.data.contiguous()]
    return [data]


def existing(indices: Tensor, n_rows: int) -> Tensor:
    """`indices`; ValueError: there are no such rows."""
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < n_rows:
        raise ValueError("it sent rows that do not exist")
    return indices


def joined_rows(
    shape: Sequence[int], dtype: torch.dtype, pieces: Iterable[tuple[Shard, RowSparse]]
) -> RowSparse:
    """The rows of a value, of those of its shards, which are counted from their starts."""
    none = empty_rows(shape, dtype, 0)
    indices, data = [none.indices], [none.data]
    for shard, rows in pieces:
        indices.append(rows.indices + shard.rows.start)
        data.append(rows.data)
    return RowSparse(torch.cat(data), torch.cat(indices), tuple(shape))


def empty_rows(shape: Sequence[int], dtype: torch.dtype, n: int) -> RowSparse:
    """Room for `n` rows of a value.

    Raises:
        ValueError: it has not so many.
    """
    if not 0 <= n <= shape[0]:
        raise ValueError(f"{n} of {shape[0]} rows")
    data = torch.empty((n, *shape[1:]), dtype=dtype)
    return RowSparse(data, torch.empty(n, dtype=torch.int64), tuple(shape))


# States of an optimizer ---------------------------------------------------------------------------


def joined_states(states: Sequence[Any], shards: Sequence[Shard], shape: tuple[int, ...]) -> Any:
    """The state of a value, of those of its shards.

    Args:
        states: of the shards, in their order: arrays, nested tuples and lists of such, others.
        shards: of the value.
        shape: of the value.
    """
    first = states[0]
    if len(states) == 1:
        return first
    if isinstance(first, (tuple, list)):
        columns = zip(*states, strict=True)
        return type(first)([joined_states(column, shards, shape) for column in columns])
    if not isinstance(first, NDArray):
        return first
    pieces = [dense_of(state._value).cpu() for state in states]
    if all(p.shape == shard.shape for p, shard in zip(pieces, shards, strict=True)):
        return wrap(torch.cat([p.reshape(-1) for p in pieces]).view(shape), cpu(0))
    return first  # one for all elements, such as a count


def states_of(
    states: Mapping[Any, Any],
    placed: Mapping[Any, tuple[Sequence[Shard], tuple[int, ...]]],
    rank: int,
) -> dict[Any, Any]:
    """Of the states of values those of the shards that a rank owns.

    Args:
        states: by key.
        placed: shards and shapes of values by key; states of other keys stay as they are.
        rank: the owner.
    """
    others = {key: state for key, state in states.items() if key not in placed}
    return others | {
        key: _state_of(states[key], shard, shape)
        for key, (shards, shape) in placed.items()
        for shard in shards
        if key in states and shard.owner == rank
    }


def _state_of(state: Any, shard: Shard, shape: tuple[int, ...]) -> Any:
    """The state of a shard, of that of its value."""
    if isinstance(state, (tuple, list)):
        return type(state)([_state_of(each, shard, shape) for each in state])
    if not isinstance(state, NDArray) or state.shape != shape:
        return state
    flat = dense_of(state._value).reshape(-1)[shard.start : shard.stop]
    return wrap(flat.clone().view(shard.shape), cpu(0))
