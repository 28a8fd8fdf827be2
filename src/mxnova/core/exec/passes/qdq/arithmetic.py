# SPDX-License-Identifier: Apache-2.0
"""Sums, products, activations, look-ups and rearrangements of 8-bit integers."""

from __future__ import annotations

import torch

from ....graph.node import Entry
from ....op.quantized.ranges import LEVELS, WIDE_LEVELS
from .site import Site, rule

__all__: list[str] = []


@rule("_contrib_quantized_act")
def _activation(site: Site) -> list[Entry]:
    data, low, high = site.inputs
    if site.dtype("data") is torch.uint8:  # whose bits become int8
        return [site.apply("Cast", data, dtype="int8"), low, high]
    scale = site.wide_step("data", low, high)
    positive = site.apply("relu", site.dequantized(data, scale))
    return [site.quantized(positive, scale, torch.int8), low, high]


@rule("_contrib_quantized_flatten")
def _flatten(site: Site) -> list[Entry]:
    return [site.apply("Flatten", site.inputs[0]), *site.inputs[1:]]


@rule("_contrib_quantized_embedding")
def _embedding(site: Site) -> list[Entry]:
    data, weight, low, high = site.inputs
    return [site.apply("take", weight, data, axis=0, mode="clip"), low, high]


@rule("_contrib_quantized_concat")
def _concat(site: Site) -> list[Entry]:
    count = site.op.num_args
    arrays, ends = site.inputs[:count], site.inputs[count:]
    low, high = ends[0], ends[1]
    for least, most in zip(ends[2::2], ends[3::2], strict=True):
        low = site.apply("broadcast_minimum", low, least)
        high = site.apply("broadcast_maximum", high, most)
    parts = [
        site.dequantized(array, site.step(WIDE_LEVELS[dtype], least, most))
        for array, dtype, least, most in zip(
            arrays, site.dtypes[:count], ends[::2], ends[1::2], strict=True
        )
    ]
    joined = site.apply("Concat", *parts, num_args=count, dim=site.op.dim)
    unsigned = all(dtype is torch.uint8 for dtype in site.dtypes[:count])
    dtype = torch.uint8 if unsigned else torch.int8
    return [site.quantized(joined, site.step(WIDE_LEVELS[dtype], low, high), dtype), low, high]


@rule("_contrib_quantized_elemwise_add")
def _add(site: Site) -> list[Entry]:
    lhs, rhs, *ends = site.inputs
    scales = [site.wide_step("lhs", *ends[:2]), site.wide_step("rhs", *ends[2:])]
    dtype = site.op.sum_type(*site.dtypes[:2])
    if site.op.is_calibrated:
        low, high = site.calibrated(lhs, site.dtypes[0])
        scale = site.step(WIDE_LEVELS[dtype], low, high)
        numbers = [site.dequantized(*pair) for pair in zip((lhs, rhs), scales, strict=True)]
        return [site.quantized(_total(site, numbers, scale), scale, dtype), low, high]
    high = site.apply("broadcast_add", site.magnitude(*ends[:2]), site.magnitude(*ends[2:]))
    low = site.apply("negative", high)
    scale = site.step(LEVELS[dtype], low, high)
    factors = [site.apply("broadcast_div", each, scale) for each in scales]
    numbers = [
        site.apply("broadcast_mul", site.whole(x), factor)
        for x, factor in zip((lhs, rhs), factors, strict=True)
    ]
    total = _total(site, numbers, site.one())
    return [
        site.int32(site.apply("rint", total), site.apply("broadcast_mul", total, scale)),
        low,
        high,
    ]


def _total(site: Site, numbers: list[Entry], scale: Entry) -> Entry:
    """The sum; of operands of two types, the uint8 one is first rounded to int8 of `scale`."""
    if site.dtypes[0] is not site.dtypes[1]:
        i = site.dtypes.index(torch.uint8)
        numbers[i] = site.dequantized(site.quantized(numbers[i], scale, torch.int8), scale)
    return site.apply("elemwise_add", *numbers)


@rule("_contrib_quantized_elemwise_mul")
def _multiply(site: Site) -> list[Entry]:
    op, (lhs, rhs, *ends) = site.op, site.inputs
    levels = WIDE_LEVELS if op.is_calibrated or op.enable_float_output else LEVELS
    scales = [
        site.step(levels[dtype], *pair)
        for dtype, pair in zip(site.dtypes[:2], (ends[:2], ends[2:]), strict=True)
    ]
    real = site.apply(
        "elemwise_mul", site.dequantized(lhs, scales[0]), site.dequantized(rhs, scales[1])
    )
    if op.enable_float_output:
        return [real]
    whole = site.apply("elemwise_mul", site.whole(lhs), site.whole(rhs))
    one = site.apply("broadcast_mul", *scales)
    if not op.is_calibrated:
        ends = [site.apply("_mul_scalar", one, scalar=s * LEVELS[torch.int32]) for s in (-1, 1)]
        return [site.int32(whole, real), *ends]
    low, high = site.calibrated(lhs, site.dtypes[0])
    factor = site.apply("broadcast_div", one, site.step(WIDE_LEVELS[torch.int8], low, high))
    numbers = site.apply("broadcast_mul", whole, factor)
    truncated = site.apply("Cast", numbers, dtype="int32")  # of which 8 bits are kept
    return [site.apply("Cast", truncated, dtype="int8"), low, high]
