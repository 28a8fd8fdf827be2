# SPDX-License-Identifier: Apache-2.0
"""Quantization ranges: each integer array comes with the least and greatest real number it holds.

Zero is always zero. Signed integers are symmetric: the greater magnitude of the two ends is 127
(2**31 - 1 for int32). For unsigned ones it is 255.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ..dtypes import dtype_name
from ..infer import DTypes, Shapes

__all__ = [
    "EIGHT_BITS",
    "LEVELS",
    "WIDE_LEVELS",
    "calibrated_range",
    "check_type",
    "finite",
    "magnitude",
    "per_real",
    "quantized",
    "ranges",
    "scaled",
    "step",
]

LEVELS = {torch.int8: 127.0, torch.uint8: 255.0, torch.int32: 2147483647.0}
# Half of MXNet's operators stretch the range to the far end of the last level.
WIDE_LEVELS = {torch.int8: 127.5, torch.uint8: 255.5}
EIGHT_BITS = (torch.int8, torch.uint8)
_OF_NOTHING = 2.0**16


def calibrated_range(
    low: float | None, high: float | None, device: torch.device
) -> tuple[Tensor, Tensor]:
    """A range that is known before data are, as two arrays of one number: 0 where it is not."""
    least, most = (torch.full((1,), end or 0.0, device=device) for end in (low, high))
    return least, most


def magnitude(low: Tensor, high: Tensor) -> Tensor:
    """The greater magnitude of the two ends of a range."""
    return torch.maximum(low.abs(), high.abs())


def per_real(levels: float, low: Tensor, high: Tensor) -> Tensor:
    """How many steps of an array with that range a real number 1 is."""
    most = magnitude(low, high)
    return most.new_full((), levels) / most  # ATen multiplies a number by the reciprocal


def finite(steps: Tensor) -> Tensor:
    """Steps that numbers can be multiplied with, as `per_real` gives them.

    A range of nothing but zero has no scale, and infinity would make NaN of zeros. Any will do that
    leaves steps of products fine enough for a bias.
    """
    return steps.nan_to_num(nan=math.nan, posinf=_OF_NOTHING)


def step(levels: float, low: Tensor, high: Tensor) -> Tensor:
    """Return the quantization scale: the real number that the integer 1 represents."""
    return magnitude(low, high) / levels


def scaled(integers: Tensor, factor: Tensor) -> Tensor:
    """``integers * factor``: ATen takes three times as long where types are mixed."""
    return integers.float().mul_(factor)


def quantized(data: Tensor, dtype: torch.dtype) -> Tensor:
    """The integers nearest to `data`, which is overwritten.

    Halves go to the even one, what is beyond to the end.
    """
    limits = torch.iinfo(dtype)
    whole = data.round_().clamp_(limits.min, limits.max)
    # By way of int16 a million numbers take 0.14 ms; ATen's own conversion to uint8 takes 0.61.
    return (whole.to(torch.int16) if dtype is torch.uint8 else whole).to(dtype)


def ranges(s: Shapes, *names: str) -> None:
    """States that the named arrays hold one number."""
    for name in names:
        s[name] = (1,)


def check_type(op: str, t: DTypes, name: str, *allowed: torch.dtype) -> None:
    """Raises unless the type of `name` is one of `allowed`; pauses while it is not known."""
    if t[name] not in allowed:
        wanted = " or ".join(map(dtype_name, allowed))
        raise MXNetError(f"{op}: {name} has type {dtype_name(t[name])}: it must be {wanted}")
