# SPDX-License-Identifier: Apache-2.0
"""Putting new values into an array: by copying them, or by taking over their memory.

Memory changes hands only where nobody can tell: as soon as a view, NumPy, another framework or a
recorded graph sees the old memory, values are copied into it, so that all of them see the new ones.
"""

from __future__ import annotations

import sys

from torch import Tensor

from .base_array import BaseArray
from .chunk import new_chunk
from .wrapping import receive

__all__ = ["replace", "take"]

# References to a chunk that one array alone holds: its slot, the call's argument.
_ALONE = 2


def take(array: BaseArray, fresh: Tensor, giver: str) -> None:
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
        receive(array, fresh, giver)


def replace(array: BaseArray, fresh: Tensor, giver: str) -> None:
    """`take` for an array whose shape and type may be others each time; views keep the old values.

    So it is for results whose shape depends on values.
    """
    if fresh.shape == array._raw.shape and fresh.dtype is array._raw.dtype:
        take(array, fresh, giver)
    else:
        array._target = fresh
        array._chunk = new_chunk(array._chunk.context)
