# SPDX-License-Identifier: Apache-2.0
"""Where numbers of rows and columns lie among others, and sums over equal ones.

On one core, of 30,000 numbers below a million: which are equal 0.3 ms (torch.unique 2.2), places
among as many others by a table 0.2 (a search 3.0), sums of 16 floats for each 0.2 (index_add_ 0.9);
rows of 16 floats put into 20,000 places in 0.04 (index_copy_ 0.15).
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.autograd.graph import increment_version

from ...kernels.sorting import stable_sort_integers
from ...kernels.wide_sums import widen
from ...runtime import tuning

__all__ = [
    "Groups",
    "bags",
    "differs_from_zero",
    "distinct",
    "found_among",
    "grouped",
    "nonzero",
    "put_rows",
    "rising",
    "united",
]


def nonzero(flat: Tensor) -> Tensor:
    """Where a vector is not zero."""
    stored = differs_from_zero(flat) if flat.is_floating_point() else flat
    if flat.is_cuda:
        return stored.nonzero().flatten()
    # A third of the time that ATen's nonzero takes: 15 and 45 ms for 20 million elements.
    return torch.from_numpy(np.flatnonzero(stored.numpy()))


def differs_from_zero(data: Tensor) -> Tensor:
    """``data != 0``."""
    if data.is_cuda or data.dtype not in (torch.float32, torch.float64):
        return data.ne(0)
    # NumPy asks for memory in huge pages: 16 million in 6 ms instead of 18.
    return torch.from_numpy(data.numpy() != 0)


def rising(numbers: Tensor, strictly: bool = True) -> bool:
    """Whether each is greater than the one before, or, unless `strictly`, equal to it."""
    values = numbers if numbers.is_cuda else numbers.numpy()  # a quarter of ATen's time
    follow = values[1:] > values[:-1] if strictly else values[1:] >= values[:-1]
    return bool(follow.all())


def found_among(stored: Tensor, wanted: Tensor, bound: int) -> tuple[Tensor, Tensor]:
    """(where in `stored` each of `wanted` is, else 0; which of `wanted` are not there, by place).

    Args:
        stored: numbers that rise, from 0 to `bound`.
        wanted: any numbers.
        bound: greater than all that are stored.
    """
    if not len(stored):
        return torch.zeros_like(wanted), torch.arange(len(wanted), device=wanted.device)
    if stored.is_cuda or bound > min(
        tuning.SPARSE_TABLE_MAX_RATIO * (len(stored) + len(wanted)), 1 << 31
    ):
        at = torch.searchsorted(stored, wanted).clamp_(max=len(stored) - 1)
        missing = nonzero(stored[at] != wanted)
    else:
        table = np.empty(bound, np.int32)  # what it says of others is checked below
        table[stored.numpy()] = np.arange(len(stored), dtype=np.int32)
        places = table.take(wanted.numpy(), mode="clip")
        at = torch.from_numpy(places.astype(np.int64))
        there = stored.numpy().take(places, mode="clip") == wanted.numpy()
        missing = torch.from_numpy(np.flatnonzero(~there))
    return at.index_fill_(0, missing, 0), missing


class Groups(NamedTuple):
    """Equal numbers of a vector.

    Attributes:
        numbers: each one once, rising.
        order: places in the vector, those of equal numbers beside each other and rising.
        bounds: where in `order` those of each number start, and its length.
    """

    numbers: Tensor
    order: Tensor
    bounds: Tensor

    def sums(self, data: Tensor) -> Tensor:
        """For each of `numbers` the sum of the slices of `data` at its places."""
        if self.numbers.numel() == self.order.numel():
            return data.index_select(0, self.order)
        if widen(data) is not data:
            return self.sums(widen(data)).to(data.dtype)
        if data.dtype is torch.float32 and not data.is_cuda:
            return bags(data, self.order, self.bounds)
        owner = torch.zeros_like(self.order)
        owner[self.bounds[1:-1]] = 1
        owner = torch.empty_like(owner).index_copy_(0, self.order, owner.cumsum(0))
        sums = data.new_zeros(len(self.numbers), *data.shape[1:])
        return sums.index_add_(0, owner, data)


def bags(table: Tensor, indices: Tensor, bounds: Tensor, weights: Tensor | None = None) -> Tensor:
    """Sums of (weighted) float32 slices of `table`: between each two of `bounds`."""
    if not table.numel():  # refused by ATen's kernel for AVX-512
        return table.new_zeros(bounds.numel() - 1, *table.shape[1:])
    is_matrix = table.dim() == 2
    rows = table if is_matrix else table.reshape(len(table), math.prod(table.shape[1:]))
    sums: Tensor = torch.embedding_bag(
        rows.contiguous(), indices, bounds, False, 0, False, weights, True
    )[0]
    return sums if is_matrix else sums.view(len(bounds) - 1, *table.shape[1:])


def put_rows(target: Tensor, rows: Tensor, data: Tensor) -> Tensor:
    """`target` after ``target[rows] = data``, of one type.

    Many rows are put by NumPy, in one thread; ATen's two take 1.2 to 1.9 times as long.

    Args:
        target: what is written to.
        rows: numbers from 0, each one once.
        data: a slice for each.
    """
    if data.nbytes < tuning.PUT_ROWS_MIN_BYTES or not _are_bytes(target, rows, data):
        numbers = rows if rows.dtype is torch.int64 else rows.long()
        return target.index_copy_(0, numbers, data)
    kind = _row_type(data.numel() // data.shape[0] * data.itemsize)
    np.put(_as_rows(target, kind), rows.numpy(), _as_rows(data, kind))
    increment_version(target)
    return target


def _are_bytes(target: Tensor, rows: Tensor, data: Tensor) -> bool:
    """Whether rows can be copied as bytes; of others ATen says why not."""
    are_plain = target.is_contiguous() and data.is_contiguous() and not data.requires_grad
    are_alike = data.dtype is target.dtype and data.shape[1:] == target.shape[1:]
    return are_plain and are_alike and rows.shape == data.shape[:1] and not target.is_cuda


def _as_rows(tensor: Tensor, kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The rows of a contiguous tensor as elements of as many bytes, over its memory."""
    elements = tensor.view(torch.int16) if tensor.dtype is torch.bfloat16 else tensor
    rows: np.ndarray[Any, Any] = elements.numpy().reshape(-1).view(kind)
    return rows


@functools.cache
def _row_type(n_bytes: int) -> np.dtype[Any]:
    return np.dtype((np.void, n_bytes))


def grouped(numbers: Tensor, bound: int) -> Groups:
    """The groups of a vector of numbers, none of which is beyond ±`bound`."""
    ordered, order = stable_sort_integers(numbers.long(), bound)
    if ordered.is_cuda:
        changes = ordered.new_ones(len(ordered) + 1, dtype=torch.bool)
        torch.ne(ordered[1:], ordered[:-1], out=changes[1:-1])
        bounds = nonzero(changes)
        return Groups(ordered.index_select(0, bounds[:-1]), order, bounds)
    values = ordered.numpy()  # of short vectors in half of ATen's time
    is_new = np.empty(len(values) + 1, np.bool_)
    is_new[0] = is_new[-1] = True
    np.not_equal(values[1:], values[:-1], out=is_new[1:-1])
    starts = is_new.nonzero()[0]
    return Groups(torch.from_numpy(values[starts[:-1]]), order, torch.from_numpy(starts))


def distinct(numbers: Tensor) -> Tensor:
    """Each of the numbers once, rising."""
    if numbers.is_cuda:
        found: Tensor = torch.unique(numbers)
        return found
    ordered = torch.from_numpy(np.sort(numbers.numpy()))
    return ordered.index_select(0, nonzero(_is_new(ordered)))


def united(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(numbers in either, each once, rising; where among them `first` is; where `second` is)."""
    if not (_can_merge(first) and _can_merge(second)):
        both, owner = torch.unique(torch.cat([first, second]), return_inverse=True)
        return both, owner[: len(first)], owner[len(first) :]
    keys = np.concatenate([first.numpy() << 1, (second.numpy() << 1) | 1])
    keys.sort(kind="stable")  # NumPy sees the runs, and merges them
    is_second, ordered = torch.from_numpy(keys & 1).bool(), torch.from_numpy(keys >> 1)
    is_new = _is_new(ordered)
    owner = is_new.cumsum(0) - 1
    both = ordered.index_select(0, nonzero(is_new))
    at, second_at = (owner.index_select(0, nonzero(w)) for w in (~is_second, is_second))
    return both, at, second_at


def _can_merge(numbers: Tensor) -> bool:
    """Whether they are in order, and leave a bit free."""
    if numbers.is_cuda or not rising(numbers, strictly=False):
        return False
    return not len(numbers) or int(numbers[-1]) >> 62 == 0


def _is_new(ordered: Tensor) -> Tensor:
    """Where sorted numbers differ from the one before."""
    is_new = torch.ones_like(ordered, dtype=torch.bool)
    torch.ne(ordered[1:], ordered[:-1], out=is_new[1:])
    return is_new
