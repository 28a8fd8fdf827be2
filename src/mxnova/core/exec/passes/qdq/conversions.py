# SPDX-License-Identifier: Apache-2.0
"""From real numbers to integers and back."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from ....graph.node import Entry
from ....op.dtypes import torch_dtype
from ....op.quantized.quantize import integer_type
from ....op.quantized.ranges import EIGHT_BITS, LEVELS, WIDE_LEVELS
from .site import Site, rule

__all__: list[str] = []


def _integers(
    site: Site,
    data: Entry,
    levels: Mapping[torch.dtype, float],
    dtype: torch.dtype,
    low: Entry,
    high: Entry,
    ratio: Tensor | None = None,
) -> list[Entry]:
    scale = site.step(levels[dtype], low, high)
    if ratio is not None:
        scale = site.apply("broadcast_div", scale, site.constant("ratio", ratio))
    found = site.quantized(data, scale, dtype)
    if dtype is torch.uint8:
        return [found, low, high]
    most = site.magnitude(low, high)
    return [found, site.apply("negative", most), most]


@rule("_contrib_quantize")
def _quantize(site: Site) -> list[Entry]:
    data, low, high = site.inputs
    return _integers(site, data, LEVELS, torch_dtype(site.op.out_type), low, high)


def _result_type(site: Site) -> torch.dtype:
    op = site.op
    return integer_type(op.out_type, op.min_calib_range, op.max_calib_range)


@rule("_contrib_quantize_v2")
def _quantize_v2(site: Site) -> list[Entry]:
    (data,), (given,), dtype = site.inputs, site.dtypes, _result_type(site)
    low, high = site.calibrated(data, given)
    if given not in EIGHT_BITS:
        return _integers(site, data, WIDE_LEVELS, dtype, low, high)
    if given is not dtype:
        data = site.apply("Cast", data, dtype="uint8" if dtype is torch.uint8 else "int8")
    return [data, low, high]


@rule("_contrib_dequantize")
def _dequantize(site: Site) -> list[Entry]:
    data, low, high = site.inputs
    return [site.dequantized(data, site.wide_step("data", low, high))]


@rule("_contrib_requantize")
def _requantize(site: Site) -> list[Entry]:
    data, low, high = site.inputs
    dtype, known = _result_type(site), site.graph.reals.get(data)
    numbers, ratio = known or (
        site.dequantized(data, site.step(LEVELS[torch.int32], low, high)),
        None,
    )
    if ratio is not None and None in (site.op.min_calib_range, site.op.max_calib_range):
        numbers = site.apply("broadcast_mul", numbers, site.constant("ratio", ratio))
        ratio = None
    low, high = site.calibrated(numbers, torch.float32)
    found, low, high = _integers(site, numbers, LEVELS, dtype, low, high, ratio)
    if dtype is torch.uint8:
        low, high = site.constant("min", torch.zeros(1)), site.magnitude(low, high)
    return [found, low, high]


@rule("_contrib_quantize_asym")
def _quantize_asym(site: Site) -> list[Entry]:
    """The zero point need not be an integer, so the affine map is applied to floats."""
    (data,) = site.inputs
    low, high = site.calibrated(data, torch.float32)
    most = LEVELS[torch.uint8]
    scale = site.apply("_rdiv_scalar", site.apply("broadcast_sub", high, low), scalar=most)
    reach = site.apply("broadcast_mul", high, scale)
    shift = site.apply("_rminus_scalar", reach, scalar=most)
    numbers = site.apply("broadcast_add", site.apply("broadcast_mul", data, scale), shift)
    return [site.quantized(numbers, site.one(), torch.uint8), scale, shift]
