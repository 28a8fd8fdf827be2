# SPDX-License-Identifier: Apache-2.0
"""Which worker writes which piece of the arrays that all workers have."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy.typing as npt

from ..formats.params import ArrayRecord
from ..formats.shards.tiling import Box

__all__ = ["Owned", "owned"]

_SLICED = 1 << 20  # bytes from which on an array is cut


class Owned(NamedTuple):
    """A piece of an array: its name, where it begins, and its shape."""

    name: str
    offsets: tuple[int, ...]
    shape: tuple[int, ...]

    def of(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A view of the piece."""
        box = [slice(at, at + n) for at, n in zip(self.offsets, self.shape, strict=True)]
        index: tuple[Any, ...] = (*box, ...)  # no element, where there are no axes
        piece: npt.NDArray[Any] = array[index]
        return piece


def owned(
    arrays: Mapping[str, ArrayRecord], rank: int, world: int, of_first: Collection[str]
) -> list[Owned]:
    """The pieces that a worker writes; all workers decide alike.

    Large arrays are cut into one piece for each worker, along the first axis that is long enough;
    others go to whoever has the fewest bytes.

    Args:
        arrays: all of them, in the same order on all workers.
        rank: of the worker.
        world: the number of workers.
        of_first: names of arrays that the first worker writes, as they may differ.
    """
    loads = [0] * world
    mine = []
    for name, record in arrays.items():
        whole = ((0,) * len(record.shape), record.shape)
        axis = None if name in of_first else _axis(record, world)
        if axis is not None:
            mine.append(Owned(name, *_slice(record.shape, axis, rank, world)))
            continue
        owner = 0 if name in of_first else min(range(world), key=loads.__getitem__)
        loads[owner] += record.data.nbytes
        if owner == rank:
            mine.append(Owned(name, *whole))
    return mine


def _axis(record: ArrayRecord, world: int) -> int | None:
    """The axis that an array is cut along; None: it stays whole."""
    if world == 1 or math.prod(record.shape) * record.dtype.numpy.itemsize < _SLICED:
        return None
    return next((axis for axis, n in enumerate(record.shape) if n >= world), None)


def _slice(shape: tuple[int, ...], axis: int, rank: int, world: int) -> Box:
    begin, end = (shape[axis] * i // world for i in (rank, rank + 1))
    offsets, sizes = [0] * len(shape), list(shape)
    offsets[axis], sizes[axis] = begin, end - begin
    return tuple(offsets), tuple(sizes)
