# SPDX-License-Identifier: Apache-2.0
"""Putting new values into an array: by copying them, or by taking over their memory.

Memory changes hands only where nobody can tell: as soon as a view, NumPy, another framework or a
recorded graph sees the old memory, values are copied into it, so that all of them see the new ones.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable

import torch
from torch import Tensor

from ..runtime import tuning
from ..runtime.slow_path import SLOW_PATH
from .base_array import BaseArray
from .chunk import new_chunk
from .wrapping import receive

__all__ = ["adopt_memory", "reacquire_memory", "release_memory", "replace"]

# References to a chunk that one array alone holds: its slot, the call's argument.
_ALONE = 2


def adopt_memory(array: BaseArray, fresh: Tensor, giver: str) -> None:
    """Makes `fresh`, which nobody else holds, the values of a dense `array`.

    Args:
        array: of the same shape; its element type and context stay.
        fresh: the values.
        giver: who gives them, for errors.
    """
    mine = array._raw
    if (
        sys.getrefcount(array._chunk) == _ALONE
        and not array._chunk.foreign
        and array._tracked is None
        and fresh.is_contiguous()
        and fresh.dtype is mine.dtype
        and fresh.shape == mine.shape
        and fresh.device == mine.device
    ):
        array._target = fresh
    else:
        reacquire_memory(array)
        receive(array, fresh, giver)


def replace(array: BaseArray, fresh: Tensor, giver: str) -> None:
    """`adopt_memory` where shape and type may change with each call; views keep the old values.

    So it is for results whose shape depends on values.
    """
    if fresh.shape == array._raw.shape and fresh.dtype is array._raw.dtype:
        adopt_memory(array, fresh, giver)
    else:
        array._target = fresh
        array._chunk = new_chunk(array._chunk.context)


def release_memory(arrays: Iterable[BaseArray]) -> None:
    """Frees the memory of those large dense `arrays` that could adopt other memory.

    For arrays whose values nobody reads before they get new ones: what is computed next has their
    memory, still in the caches, instead of more. `adopt_memory` or `reacquire_memory` must follow
    for each.
    """
    for array in arrays:
        mine = array._raw
        if (
            array.stype == "default"
            and mine.numel() >= tuning.REUSE_MIN_SIZE
            and sys.getrefcount(array._chunk) == _ALONE
            and not (array._chunk.foreign or SLOW_PATH)
            and array._tracked is None
            and mine.is_contiguous()
        ):
            array._raw = _nothing(mine.shape, mine.dtype, mine.device)


@functools.lru_cache(maxsize=256)
def _nothing(shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Zeros, in the memory of one number, to be read only."""
    return torch.zeros((), dtype=dtype, device=device).expand(shape)


def reacquire_memory(array: BaseArray) -> None:
    """Makes an array that gave its memory up, and got none, one of zeros."""
    if array.stype == "default":
        array._raw = array._raw.contiguous()
