# SPDX-License-Identifier: Apache-2.0
"""Shape checks and pixel conversion that the image operators share."""

from __future__ import annotations

import torch
from torch import Tensor

from ...base.shapes import UnknownDim, shape_text
from ..infer import Shapes
from ..schema import Op

__all__ = ["check_channels", "color_shape", "saturated"]


def check_channels(s: Shapes, axis: int) -> None:
    """Raises unless `axis` of data has 1 or 3 items."""
    n = s.data[axis]
    if not isinstance(n, UnknownDim) and n not in (1, 3):
        where = "last" if axis == -1 else "first, as ToTensor() makes them"
        raise s.fail(
            f"data has shape {shape_text(s.data)}: it must have 1 or 3 channels, not {n}; channels "
            f"come {where}"
        )


def color_shape(_op: Op, s: Shapes) -> None:
    """One image (height, width, 1 or 3) in, one out."""
    s.rank("data", 3)
    check_channels(s, -1)
    s.output = s.data


def saturated(x: Tensor, dtype: torch.dtype) -> Tensor:
    """`x` as `dtype`: cut to its range and toward zero when it is an integer type."""
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        x = x.clamp(limits.min, limits.max)
    return x.to(dtype)
