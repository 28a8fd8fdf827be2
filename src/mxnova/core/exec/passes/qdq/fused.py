# SPDX-License-Identifier: Apache-2.0
"""Layers that MXNet fuses for oneDNN, on integers: their chains, on real numbers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ....graph.node import Entry
from ....op.quantized.fused import Weights
from ....op.quantized.ranges import LEVELS, WIDE_LEVELS, step
from .site import Site, UnsupportedError, rule

__all__: list[str] = []


@rule("_sg_mkldnn_conv", "_sg_mkldnn_fully_connected")
def _layer(site: Site) -> list[Entry]:
    op, read = site.op, dict(zip(site.op.chain.names, site.inputs, strict=False))
    arrays, ranges = op.by_name(_given(site))
    weights = op.weights(arrays, ranges)
    result = op.result(arrays, ranges, weights)
    scales = {
        name: step(WIDE_LEVELS[arrays[name].dtype], *ranges[name]) for name in op.integer_inputs()
    }
    numbers = {
        name: site.dequantized(read[name], site.constant(f"{name}_scale", scale))
        for name, scale in scales.items()
    }
    found = _product(site, numbers[op.integer_inputs()[0]], weights, scales[op.integer_inputs()[0]])
    for node in op.chain.rest:
        if node is op.chain.sum:
            found = site.apply(node.op, found, numbers[op.integer_inputs()[1]])
        else:
            found = site.apply(node.op, found)
    if op.enable_float_output:
        return [found]
    ends = [site.constant(n, v) for n, v in zip(("min", "max"), result.range, strict=True)]
    dtype = op.result_type()
    if dtype is torch.int32:
        unit = site.constant("unit", result.unit)
        whole = site.apply("rint", site.apply("broadcast_mul", found, unit))
        return [site.int32(whole, found), *ends]
    return [site.quantized(found, site.step(WIDE_LEVELS[dtype], *ends), dtype), *ends]


def _given(site: Site) -> list[Tensor]:
    """What the layer reads: its parameters, ends of ranges, and of its data the type alone."""
    names, data = site.op.chain.names, site.op.integer_inputs()
    found = []
    for i, entry in enumerate(site.inputs):
        if i < len(names) and names[i] in data:
            found.append(torch.empty(0, dtype=site.dtypes[i]))
            continue
        value = site.graph.value(entry)
        if value is None and i < len(names):
            raise UnsupportedError(f"its input {names[i]} is no parameter")
        if value is None:
            raise UnsupportedError("the range of its data is not known beforehand: calibrate it")
        found.append(value)
    return found


def _product(site: Site, data: Entry, weights: Weights, data_scale: Tensor) -> Entry:
    """The product of real numbers by such weights."""
    op: Any = site.op.chain.product.op
    scale = 1 / weights.scale
    axis = 0 if len(scale) > 1 else None
    weight = site.constant("weight", weights.weight.to(torch.int8))
    given = [data, site.dequantized(weight, site.constant("weight_scale", scale), axis)]
    if weights.bias is not None:
        given.append(_bias(site, weights.bias, scale * data_scale, axis))
        op = op.changed(no_bias=False) if op.attr("no_bias") else op
    return site.apply(op, *given)


def _bias(site: Site, steps: Tensor, scale: Tensor, axis: int | None) -> Entry:
    """A bias that is in steps of the sums; as real numbers where int32 does not hold them."""
    if steps.abs().max() >= LEVELS[torch.int32]:
        return site.constant("bias", steps * scale)
    bias = site.constant("bias", steps.to(torch.int32))
    return site.dequantized(bias, site.constant("bias_scale", scale), axis)
