# SPDX-License-Identifier: Apache-2.0
"""States of an optimizer: from those of the owners of shares to those of values, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...core.nd.array import NDArray
from ...core.nd.wrapping import wrap
from ...core.op.sparse.storage import dense_of
from ...core.runtime.context import cpu
from .layout import Share

__all__ = ["joined", "part_of", "parts_of"]


def joined(states: Sequence[Any], shares: Sequence[Share], shape: tuple[int, ...]) -> Any:
    """The state of a value, of those of its shares.

    Args:
        states: of the shares, in their order: arrays, nested tuples and lists of such, others.
        shares: of the value.
        shape: of the value.
    """
    first = states[0]
    if len(states) == 1:
        return first
    if isinstance(first, (tuple, list)):
        columns = zip(*states, strict=True)
        return type(first)([joined(column, shares, shape) for column in columns])
    if not isinstance(first, NDArray):
        return first
    pieces = [dense_of(state._value).cpu() for state in states]
    if all(p.shape == share.shape for p, share in zip(pieces, shares, strict=True)):
        return wrap(torch.cat([p.reshape(-1) for p in pieces]).view(shape), cpu(0))
    return first  # one for all elements, such as a count


def part_of(state: Any, share: Share, shape: tuple[int, ...]) -> Any:
    """The state of a share, of that of its value."""
    if isinstance(state, (tuple, list)):
        return type(state)([part_of(each, share, shape) for each in state])
    if share.stop - share.start == math.prod(shape) or not isinstance(state, NDArray):
        return state
    if state.shape != shape:
        return state
    flat = dense_of(state._value).reshape(-1)[share.start : share.stop]
    return wrap(flat.clone().view(share.shape), cpu(0))


def parts_of(
    states: Mapping[Any, Any],
    placed: Mapping[Any, tuple[Sequence[Share], tuple[int, ...]]],
    rank: int,
) -> dict[Any, Any]:
    """Of the states of values those of the shares that a rank owns.

    Args:
        states: by key.
        placed: shares and shapes of values by key; states of other keys stay as they are.
        rank: the owner.
    """
    mine = {}
    for key, state in states.items():
        shares, shape = placed.get(key, ((), ()))
        if not shares:
            mine[key] = state
        for share in shares:
            if share.owner == rank:
                mine[key] = part_of(state, share, shape)
    return mine
