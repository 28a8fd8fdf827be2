# SPDX-License-Identifier: Apache-2.0
"""Bounded numbers with MXNet's gradient: 1 at a bound, where ATen's clamp has 0 from 2.15 on."""

from __future__ import annotations

import functools
import math

import torch
from torch import Tensor

__all__ = ["gradient_inside", "within"]


def within(data: Tensor, low: float, high: float) -> Tensor:
    """`data` within [low, high], as a part of a forward that ATen differentiates."""
    return torch.where(data < low, low, torch.where(data > high, high, data))


def gradient_inside(d_output: Tensor, data: Tensor, low: float, high: float) -> Tensor:
    """`d_output` where `data` is not outside of [low, high], 0 elsewhere."""
    inside = data.nan_to_num(nan=min(max(0.0, low), high))  # ATen's vectors and its rest differ
    below, above = _next(low, -math.inf, data.dtype), _next(high, math.inf, data.dtype)
    # In a third of the time of a mask; 0 where a bound is reached.
    d_data: Tensor = torch.ops.aten.hardtanh_backward(d_output, inside, below, above)
    return d_data


@functools.lru_cache(1024)
def _next(number: float, towards: float, dtype: torch.dtype) -> float:
    """The number of a type after `number`."""
    at, end = (torch.tensor(n, dtype=dtype) for n in (number, towards))
    return float(torch.nextafter(at, end))
