# SPDX-License-Identifier: Apache-2.0
"""Numbers that are known before an operator runs, as tensors beside its arrays."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch import Tensor

from ..runtime.torch_api import is_traced

__all__ = ["constant", "divided", "divisor"]

_MULTIPLIED = (torch.float32, torch.float64)  # by 1 / number in their own type, on a GPU


def constant(values: tuple[Any, ...], dtype: torch.dtype, device: torch.device | None) -> Tensor:
    """The numbers of a tuple, or of tuples, as a tensor that nobody writes to.

    It is kept: a GPU has to finish all its work before it takes numbers from the CPU. Numbers that
    compare equal, such as 0.0 and -0.0, share one. One number alone is better filled in:
    ``torch.full``.
    """
    make = _made if is_traced() else _kept  # what a tracer makes has no values
    return make(values, dtype, device)


def _made(values: tuple[Any, ...], dtype: torch.dtype, device: torch.device | None) -> Tensor:
    return torch.tensor(values, dtype=dtype, device=device)


_kept = functools.lru_cache(maxsize=256)(_made)


def divided(data: Tensor, number: float) -> Tensor:
    """``data / number``, rounded once; see `divisor`."""
    return torch.div(data, divisor(data, number))


def divisor(data: Tensor, number: float) -> Tensor | float:
    """What to divide `data` by so that quotients by `number` are rounded once, on a GPU, too.

    CUDA's kernel for numbers multiplies by 1 / number. Unless that is a power of two, it is rounded
    itself: 49 / 49 would be less than 1. Halves are multiplied in float32, and rounded afterwards.
    """
    if data.is_cuda and data.dtype in _MULTIPLIED and abs(math.frexp(number)[0]) != 0.5:
        return torch.full((), number, dtype=data.dtype, device=data.device)
    return number
