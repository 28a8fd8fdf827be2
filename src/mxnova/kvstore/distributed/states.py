# SPDX-License-Identifier: Apache-2.0
"""States of an optimizer: from those of the owners of shards to those of values, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...core.nd.array import NDArray
from ...core.nd.wrapping import wrap
from ...core.op.sparse.storage import dense_of
from ...core.runtime.context import cpu
from .sharding import Shard

__all__ = ["joined", "part_of", "parts_of"]


def joined(states: Sequence[Any], shards: Sequence[Shard], shape: tuple[int, ...]) -> Any:
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
        return type(first)([joined(column, shards, shape) for column in columns])
    if not isinstance(first, NDArray):
        return first
    pieces = [dense_of(state._value).cpu() for state in states]
    if all(p.shape == shard.shape for p, shard in zip(pieces, shards, strict=True)):
        return wrap(torch.cat([p.reshape(-1) for p in pieces]).view(shape), cpu(0))
    return first  # one for all elements, such as a count


def part_of(state: Any, shard: Shard, shape: tuple[int, ...]) -> Any:
    """The state of a shard, of that of its value."""
    if isinstance(state, (tuple, list)):
        return type(state)([part_of(each, shard, shape) for each in state])
    if shard.stop - shard.start == math.prod(shape) or not isinstance(state, NDArray):
        return state
    if state.shape != shape:
        return state
    flat = dense_of(state._value).reshape(-1)[shard.start : shard.stop]
    return wrap(flat.clone().view(shard.shape), cpu(0))


def parts_of(
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
    mine = {}
    for key, state in states.items():
        shards, shape = placed.get(key, ((), ()))
        if not shards:
            mine[key] = state
        for shard in shards:
            if shard.owner == rank:
                mine[key] = part_of(state, shard, shape)
    return mine
