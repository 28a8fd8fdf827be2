# SPDX-License-Identifier: Apache-2.0
"""Element types: MXNet's names <-> ATen's dtypes."""

from __future__ import annotations

import math

import torch

from ..base.dtypes import DTYPES, DType, dtype_of

__all__ = ["dtype_name", "mx_dtype", "saturated", "torch_dtype"]

_TORCH: dict[str, torch.dtype] = {d.name: getattr(torch, d.name) for d in DTYPES}
_MX = {_TORCH[d.name]: d for d in DTYPES}


def torch_dtype(dtype: object) -> torch.dtype:
    """ATen's dtype for a name, a NumPy dtype, a scalar type or a torch dtype.

    Raises:
        ArgumentTypeError: MXNet has no such element type.
    """
    if isinstance(dtype, torch.dtype):
        return dtype
    return _TORCH[dtype if isinstance(dtype, str) and dtype in _TORCH else dtype_of(dtype).name]


def mx_dtype(dtype: torch.dtype) -> DType:
    """MXNet's element type for one of ATen's."""
    return _MX[dtype]


def dtype_name(dtype: torch.dtype | None) -> str:
    """``float32`` for torch.float32; ``unknown`` for None."""
    return "unknown" if dtype is None else str(dtype).removeprefix("torch.")


def saturated(number: float, dtype: torch.dtype) -> float:
    """`number`, or infinity where it is beyond the real numbers of `dtype`, which ATen refuses."""
    if abs(number) <= _LARGEST_HALF or not dtype.is_floating_point:
        return number
    return math.copysign(math.inf, number) if abs(number) > torch.finfo(dtype).max else number


_LARGEST_HALF = 65504.0  # every type of real numbers has it
