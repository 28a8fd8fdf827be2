# SPDX-License-Identifier: Apache-2.0
"""ONNX's quantized integers."""

from __future__ import annotations

import numpy as np

from .elementwise import binary, cast, rounded
from .reshaping import reshaped
from .site import RefusalError, Site, translator
from .values import Value

__all__: list[str] = []


@translator("DequantizeLinear")
def _dequantize(site: Site) -> Value:
    scale, zero = _facts(site)
    x = cast(site, site.x, scale.dtype)
    x = x if zero is None else binary(site, "Sub", x, cast(site, zero, scale.dtype))
    return binary(site, "Mul", x, scale)


@translator("QuantizeLinear")
def _quantize(site: Site) -> Value:
    site.ignore("saturate", "precision")
    scale, zero = _facts(site)
    dtype = np.dtype("uint8") if zero is None else zero.dtype
    x = rounded(site, binary(site, "Div", cast(site, site.x, scale.dtype), scale))
    x = x if zero is None else binary(site, "Add", x, cast(site, zero, scale.dtype))
    bounds = np.iinfo(dtype)
    return cast(site, site.op("clip", x, a_min=bounds.min, a_max=bounds.max), dtype)


def _facts(site: Site) -> tuple[Value, Value | None]:
    """Scale and zero point, along an axis where they are vectors."""
    site.only("block_size", 0)
    site.only("output_dtype", 0)
    axis = site.attribute("axis", 1)
    zero = site.optional(2)
    return _along(site, site.input(1), axis), None if zero is None else _along(site, zero, axis)


def _along(site: Site, value: Value, axis: int) -> Value:
    if value.rank == 0 or value.shape == (1,):
        return value
    if value.rank != 1:
        raise RefusalError(f"scales of the shape {value.shape}")
    axis = site.axis(axis)
    return reshaped(site, value, [-1, *[1] * (site.x.rank - axis - 1)])
