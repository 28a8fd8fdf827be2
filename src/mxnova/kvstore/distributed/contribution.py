# SPDX-License-Identifier: Apache-2.0
"""Contribution: what one worker pushes for one shard, and how it travels."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...core.base.errors import bounded
from ...core.nd.array import NDArray
from ...core.op.sparse.storage import RowSparse
from ..compression import Levels
from ..keys import Key

__all__ = ["Contribution", "difference", "received"]

_CODED, _REFUSED = "2bit", "refused"

Data = Tensor | RowSparse | None


class Contribution(NamedTuple):
    """What a worker pushes for a shard of a key.

    Attributes:
        key: of the value.
        start: the first element of the shard, in the order of the value's axes.
        stop: one beyond the last.
        signature: what all workers must have alike: how gradients are stored, what updates.
        data: the shard's elements in one row; or its rows, counted from the start of the shard; or
            None, where the worker cannot push.
        is_coded: whether `data` are the bytes of a code.
    """

    key: Key
    start: int
    stop: int
    signature: str
    data: Data
    is_coded: bool = False

    @property
    def is_refused(self) -> bool:
        """Whether the worker cannot push; `signature` tells why."""
        return self.data is None

    def entry(self) -> list[Any]:
        """What a message says of it, in plain data."""
        return [self.key, self.start, self.stop, self.signature, self._kind, self._length]

    @property
    def _kind(self) -> str:
        if self.data is None:
            return _REFUSED
        return _CODED if self.is_coded else "default" if isinstance(self.data, Tensor) else "rows"

    @property
    def _length(self) -> int:
        if self.data is None:
            return 0
        return len(self.data if isinstance(self.data, Tensor) else self.data.indices)

    def tensors(self) -> list[Tensor]:
        """What travels with the entry."""
        if self.data is None:
            return []
        if isinstance(self.data, RowSparse):
            return [self.data.indices.long(), self.data.data.contiguous()]
        return [self.data]

    def coded(self, levels: Levels) -> Contribution:
        """The same as a code of few bits."""
        if not isinstance(self.data, Tensor):
            return self
        return self._replace(data=levels.encoded(self.data), is_coded=True)

    def check_rows(self) -> None:
        """Raises ValueError where its rows are not among those of the shard."""
        if not isinstance(self.data, RowSparse) or not len(rows := self.data.indices):
            return
        if not 0 <= int(rows.min()) <= int(rows.max()) < self.data.shape[0]:
            raise ValueError("rows that do not exist")


def received(entry: Sequence[Any], values: Mapping[Key, NDArray]) -> Contribution:
    """A contribution with room for what comes with it.

    Args:
        entry: of `Contribution.entry`, from another worker.
        values: by key.

    Raises:
        LookupError, ValueError, TypeError: there is no such contribution.
    """
    key, start, stop, signature, kind, n = entry
    value = values[key]
    size = value.size
    if not (0 <= start <= stop <= size and isinstance(signature, str)):
        raise ValueError(f"a shard of key {key!r} that does not exist")
    if kind == _REFUSED:
        return Contribution(key, start, stop, signature, None)
    room = _room(kind, int(n), stop - start, value)
    return Contribution(key, start, stop, signature, room, kind == _CODED)


def _room(kind: str, n: int, n_elements: int, value: NDArray) -> Tensor | RowSparse:
    dtype = value._raw.dtype
    if kind == "default" and n == n_elements:
        return torch.empty(n, dtype=dtype)
    if kind == _CODED and 0 <= n <= Levels(1.0, 1).n_bytes(n_elements):
        return torch.empty(n, dtype=torch.uint8)
    row = value.shape[1:]
    n_rows = n_elements // max(math.prod(row), 1)
    if kind == "rows" and 0 <= n <= n_rows:
        indices = torch.empty(n, dtype=torch.int64)
        return RowSparse(torch.empty((n, *row), dtype=dtype), indices, (n_rows, *row))
    raise ValueError(f"{n} elements of {n_elements}, stored as {kind!r}")


def difference(contributions: Mapping[int, Contribution]) -> str | None:
    """Why a shard cannot be updated: what differs from rank to rank; None: it can.

    Args:
        contributions: of all ranks.
    """
    if len({(*each[:4], each.is_refused) for each in contributions.values()}) == 1:
        refused = next(iter(contributions.values())).is_refused
        if not refused:  # all have the same key, range and signature
            return None
    ranks = sorted(contributions)
    for rank in ranks:
        if contributions[rank].is_refused:
            return bounded(f"KVStore: on worker {rank}: {contributions[rank].signature}")
    texts = [_shown(contributions[rank]) for rank in ranks]
    common = max(texts, key=texts.count)
    odd = next(i for i, text in enumerate(texts) if text != common)
    even = texts.index(common)
    return bounded(
        f"KVStore.push: workers differ: worker {ranks[odd]} has {texts[odd]}, worker "
        f"{ranks[even]} {texts[even]}"
    )


def _shown(contribution: Contribution) -> str:
    key, start, stop, signature, *_ = contribution
    return json.dumps([key, signature, [start, stop]], ensure_ascii=False)[:500]
