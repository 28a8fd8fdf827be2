# SPDX-License-Identifier: Apache-2.0
"""Rows of row_sparse values, by shard."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ...core.op.sparse.storage import RowSparse
from .sharding import Shard

__all__ = ["empty_rows", "rows_of", "slice_rows", "within"]


def rows_of(shard: Shard, shape: Sequence[int]) -> tuple[int, int]:
    """The first row of a shard, and the one beyond its last."""
    width = max(math.prod(shape[1:]), 1)
    return shard.start // width, shard.stop // width


def within(indices: Tensor, shard: Shard, shape: Sequence[int]) -> slice:
    """Where the rows of a shard stand among `indices`, which rise."""
    bounds = torch.tensor(rows_of(shard, shape), dtype=indices.dtype)
    start, stop = torch.searchsorted(indices, bounds).tolist()
    return slice(start, stop)


def slice_rows(record: RowSparse, shard: Shard) -> RowSparse:
    """The rows of a shard, counted from its start.

    Args:
        record: of the whole value; its rows rise.
        shard: made of whole rows.
    """
    where = within(record.indices, shard, record.shape)
    first, last = rows_of(shard, record.shape)
    indices = record.indices[where].long() - first
    shape = (last - first, *record.shape[1:])
    return RowSparse(record.data[where].contiguous(), indices, shape)


def empty_rows(record: RowSparse, n: int) -> RowSparse:
    """Room for `n` rows of a value like `record`.

    Raises:
        ValueError: it has not so many.
    """
    if not 0 <= n <= record.shape[0]:
        raise ValueError(f"{n} of {record.shape[0]} rows")
    data = record.data.new_empty((n, *record.shape[1:]), device="cpu")
    return RowSparse(data, torch.empty(n, dtype=torch.int64), tuple(record.shape))
