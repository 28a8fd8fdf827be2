# SPDX-License-Identifier: Apache-2.0
"""Zeros that take memory, and the time to fill it, only where they are written."""

from __future__ import annotations

import math
import mmap
import os

import torch
from torch import Tensor

__all__ = ["zeros"]

_UNTOUCHED = 64 << 20  # bytes: malloc, too, has every block of this size from the system


def zeros(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    """``torch.zeros``; MemoryError or RuntimeError where there is no memory for it.

    A graph of a few lines may declare weights of gigabytes: 14 s to fill 8 GB when it is bound.
    """
    n_bytes = math.prod(shape) * dtype.itemsize
    if n_bytes < _UNTOUCHED or device.type != "cpu" or os.name != "posix":
        return torch.zeros(shape, dtype=dtype, device=device)
    try:
        memory = mmap.mmap(-1, n_bytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError):
        raise MemoryError(f"no memory for {n_bytes} bytes") from None
    return torch.frombuffer(memory, dtype=torch.uint8).view(dtype).view(shape)
