# SPDX-License-Identifier: Apache-2.0
"""Contribution: what one worker pushes for one shard, and how it travels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...core.nd.array import NDArray
from ...core.op.sparse.storage import RowSparse
from ..compression import Levels
from ..keys import Key
from .rounds import REFUSED, difference
from .sharding import empty_rows, existing, tensors_of

__all__ = ["Contribution", "differing", "received"]

_CODED = "2bit"


class Contribution(NamedTuple):
    """What a worker pushes for a shard of a key.

    Attributes:
        key: of the value.
        start: the first element of the shard, in the order of the value's axes.
        stop: one beyond the last.
        signature: what all workers must have alike: how gradients are stored, what updates.
        data: the shard's elements in one row; or its rows, counted from the start of the shard; or
            None, where the worker cannot push, as `signature` tells.
        threshold: of the code that `data` are the bytes of; 0: they are none.
    """

    key: Key
    start: int
    stop: int
    signature: str
    data: Tensor | RowSparse | None
    threshold: float = 0.0

    def entry(self) -> list[Any]:
        """What a message says of it, in plain data."""
        kind = _CODED if self.threshold else "default"
        if not isinstance(self.data, Tensor):
            kind = REFUSED if self.data is None else "rows"
        n = sum(map(len, self.tensors()[:1]))
        return [self.key, self.start, self.stop, self.signature, kind, n, self.threshold]

    def tensors(self) -> list[Tensor]:
        """What travels with the entry."""
        return [] if self.data is None else tensors_of(self.data)

    def coded(self, threshold: float) -> Contribution:
        """The same as a code of few bits, where it is dense."""
        if not isinstance(self.data, Tensor):
            return self
        code = Levels(threshold, 1).encode(self.data)
        return self._replace(data=code, threshold=threshold)

    def opened(self) -> Contribution:
        """The same, after its bytes have come: with the elements of a code.

        Raises:
            ValueError: it is no code, or there are no such rows.
        """
        if isinstance(self.data, RowSparse):
            existing(self.data.indices, self.data.shape[0])
        elif self.data is not None and self.threshold:
            elements = Levels(self.threshold, 1).decode(self.data, self.stop - self.start)
            return self._replace(data=elements, threshold=0.0)
        return self


def received(entry: Sequence[Any], values: Mapping[Key, NDArray]) -> Contribution:
    """A contribution with room for what comes with it.

    Args:
        entry: of `Contribution.entry`, from another worker.
        values: by key.

    Raises:
        LookupError, ValueError, TypeError: there is no such contribution.
    """
    key, start, stop, signature, kind, n, threshold = entry
    value = values[key]
    if not (0 <= start <= stop <= value.size and isinstance(signature, str)):
        raise ValueError(f"a shard of key {key!r} that does not exist")
    room = None if kind == REFUSED else _room(kind, int(n), stop - start, value)
    threshold = float(threshold) if kind == _CODED else 0.0
    if kind == _CODED and not 0 < threshold < math.inf:
        raise ValueError(f"codes of threshold {threshold}")
    return Contribution(key, start, stop, signature, room, threshold)


def _room(kind: str, n: int, n_elements: int, value: NDArray) -> Tensor | RowSparse:
    dtype = value._raw.dtype
    if kind == "default" and n == n_elements:
        return torch.empty(n, dtype=dtype)
    if kind == _CODED and n == Levels(1.0, 1).n_bytes(n_elements):
        return torch.empty(n, dtype=torch.uint8)
    if kind == "rows":
        row = value.shape[1:]
        return empty_rows((n_elements // max(math.prod(row), 1), *row), dtype, n)
    raise ValueError(f"{n} elements of {n_elements}, stored as {kind!r}")


def differing(contributions: Sequence[Contribution]) -> str | None:
    """Why a shard cannot be updated: what differs from rank to rank; None: it can.

    Args:
        contributions: of all ranks.
    """
    first = contributions[0]
    if all(each[:4] == first[:4] and each.data is not None for each in contributions):
        return None
    return difference(
        [
            (REFUSED, [signature]) if data is None else ("push", [[key, signature, [start, stop]]])
            for key, start, stop, signature, data, _ in contributions
        ]
    )
