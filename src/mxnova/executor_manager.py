# SPDX-License-Identifier: Apache-2.0
"""Executors of one symbol on several devices, each with its part of every batch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from .core.base.errors import ArgumentError

__all__: list[str] = []


def _split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """The part of a batch for each device, in proportion to its work load.

    Args:
        batch_size: samples in the batch.
        work_load_list: a number for each device; what rounding leaves over is the last one's.

    Raises:
        ArgumentError: a device would get nothing.
    """
    total = sum(work_load_list)
    sizes = [round(load * batch_size / total) for load in work_load_list]
    sizes[-1] += max(0, batch_size - sum(sizes))
    bounds = [min(bound, batch_size) for bound in accumulate(sizes, initial=0)]
    slices = [slice(begin, end) for begin, end in pairwise(bounds)]
    if any(part.start >= part.stop for part in slices):
        text = f"{batch_size} samples for work loads {list(work_load_list)}: a device gets none"
        raise ArgumentError(f"_split_input_slice: {text}")
    return slices
