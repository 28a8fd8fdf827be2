# SPDX-License-Identifier: Apache-2.0
"""Bounded numbers with MXNet's gradient: 1 at a bound, where ATen's clamp has 0 from 2.15 on."""

from __future__ import annotations

import functools
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from ..runtime.torch_api import is_traced
from .activation import has_nan

__all__ = ["clipped", "within"]


def within(data: Tensor, low: float, high: float) -> Tensor:
    """`data` within [low, high], as a part of a forward that ATen differentiates."""
    return torch.where(data < low, low, torch.where(data > high, high, data))


def clipped(data: Tensor, low: float, high: float) -> Tensor:
    """Return `within`, where low <= high, in fewer passes."""
    if not data.requires_grad:
        return torch.clamp(data, low, high)
    if is_traced():  # which makes it one pass
        return within(data, low, high)
    # Its gradient is 0 where a bound is reached: here one step beyond those of the result.
    below, above = _next(low, -math.inf, data.dtype), _next(high, math.inf, data.dtype)
    result = F.hardtanh(data, below, above)
    result.detach().clamp_(low, high)
    # The slope at NaN is 1, by ATen's vectors 0.
    return within(data, low, high) if has_nan(result) else result


@functools.lru_cache(1024)
def _next(number: float, toward: float, dtype: torch.dtype) -> float:
    """The number of a type after `number`."""
    at, end = (torch.tensor(n, dtype=dtype) for n in (number, toward))
    return float(torch.nextafter(at, end))
