# SPDX-License-Identifier: Apache-2.0
"""What integers stand for: an array comes with the least and the greatest real number it can hold.

Signed integers are symmetric: the greater magnitude of both is 127 (or 2**31 - 1), 0 is 0.
Unsigned ones start at 0: the same magnitude is 255.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ..dtypes import dtype_name
from ..infer import DTypes, Shapes

__all__ = ["LEVELS", "magnitude", "only_types", "single_ranges", "step"]

LEVELS = {torch.int8: 127.0, torch.uint8: 255.0, torch.int32: 2147483647.0}


def magnitude(low: Tensor, high: Tensor) -> Tensor:
    """The greater magnitude of two ends of a range."""
    return torch.maximum(low.abs(), high.abs())


def step(dtype: torch.dtype, low: Tensor, high: Tensor) -> Tensor:
    """The real number that 1 stands for in an array of type `dtype` with that range."""
    return magnitude(low, high) / LEVELS[dtype]
