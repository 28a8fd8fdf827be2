# SPDX-License-Identifier: Apache-2.0
"""Sums of float16 and bfloat16 numbers in float32, where ATen's kernels add in the short dtype.

A float16 sum stops growing at 2048 times its summands, a bfloat16 one at 256 times. ATen adds in
the short dtype when it scatters: in the gradients of lookups, of resampled images and of regions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

__all__ = ["accumulate_in_float32", "index", "index_select", "widen"]

_SHORT = (torch.float16, torch.bfloat16)


def widen(data: Tensor) -> Tensor:
    """Return float16 and bfloat16 numbers as float32, others unchanged."""
    return data.float() if data.dtype in _SHORT else data


def accumulate_in_float32(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return `function` so that ATen adds the gradient of a short first argument in float32."""

    @functools.wraps(function)
    def run(data: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if data.dtype in _SHORT and data.requires_grad and torch.is_grad_enabled():
            return function(data.float(), *args, **kwargs).to(data.dtype)
        return function(data, *args, **kwargs)

    return run


# data.index_select(axis, indices)
index_select = accumulate_in_float32(torch.index_select)
# data[key] for a key with index tensors
index = accumulate_in_float32(torch.Tensor.__getitem__)
