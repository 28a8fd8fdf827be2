# SPDX-License-Identifier: Apache-2.0
"""QuantizeLinear and DequantizeLinear, which are what QDQ makes of operators on integers."""

from __future__ import annotations

from typing import Any

import torch

from .site import Site, converter


def _scale(site: Site) -> Any:
    """One for all, without axes; or one for each position along an axis."""
    if site.op.attr("axis") is not None:
        return site.inputs[1]
    value = site.values[1]
    if value is None:
        return site.ops.reshape(site.inputs[1], ())
    return site.ops.constant(value.detach().reshape(()))


@converter("_QuantizeLinear", takes_integers=True)
def _quantize(site: Site) -> Any:
    return site.ops.quantized(site.x, _scale(site), site.out_dtypes[0])


@converter("_DequantizeLinear", takes_integers=True)
def _dequantize(site: Site) -> Any:
    axis, dtype = site.op.attr("axis"), site.dtypes[0]
    zero = torch.zeros(() if axis is None else site.shapes[1], dtype=dtype)
    stays = site.values[0] is not None
    return site.ops.dequantized(
        site.x, _scale(site), None if dtype is torch.int32 else zero, axis, stays
    )
