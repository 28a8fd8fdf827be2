# SPDX-License-Identifier: Apache-2.0
"""int8 layers that MXNet fuses for oneDNN: their chains, on floats."""

from __future__ import annotations

from collections.abc import Mapping
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
    data, *summand = op.integer_inputs()
    scales = {n: step(WIDE_LEVELS[arrays[n].dtype], *ranges[n]) for n in (data, *summand)}
    reals = {n: site.dequantized(read[n], site.constant("scale", s)) for n, s in scales.items()}
    found = _product(site, read, reals[data], weights, scales[data])
    for node in op.chain.rest:
        added = [reals[n] for n in summand] if node is op.chain.sum else []
        found = site.apply(node.op, found, *added)
    if op.enable_float_output:
        return [found]
    ends = [site.constant(n, v) for n, v in zip(("min", "max"), result.range, strict=True)]
    dtype = op.result_type()
    if dtype is torch.int32:
        steps = site.apply("broadcast_mul", found, site.constant("unit", result.unit))
        # The range of such sums is made of other levels than the sums: readers see them larger.
        ratio = result.unit * step(LEVELS[dtype], *result.range)
        return [site.int32(site.apply("rint", steps), found, ratio), *ends]
    return [site.quantized(found, site.step(WIDE_LEVELS[dtype], *ends), dtype), *ends]


def _given(site: Site) -> list[Tensor]:
    """What the layer reads: parameters, ends of ranges, and empty arrays of the data's types."""
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


def _product(
    site: Site, read: Mapping[str, Entry], data: Entry, weights: Weights, data_scale: Tensor
) -> Entry:
    """The convolution or matrix product by dequantized weights."""
    product: Any = site.op.chain.product
    op, names = product.op, [read[e.node.name].node.name for e in product.inputs[1:]]
    scale = 1 / weights.scale
    axis = 0 if len(scale) > 1 else None
    weight = site.graph.variable(f"{names[0]}_quantized", weights.weight.to(torch.int8))
    weight_scale = site.graph.variable(f"{names[0]}_scale", scale)
    given = [data, site.dequantized(weight, weight_scale, axis)]
    if weights.bias is not None:
        name = names[1] if len(names) > 1 else f"{site.name}_bias"
        given.append(_bias(site, name, weights.bias, scale * data_scale, axis))
        op = op.changed(no_bias=False) if op.attr("no_bias") else op
    return site.apply(op, *given)


def _bias(site: Site, name: str, steps: Tensor, scale: Tensor, axis: int | None) -> Entry:
    """A bias in steps of the sums, as int32; as floats where int32 overflows."""
    if steps.abs().max() >= LEVELS[torch.int32]:
        return site.graph.variable(name, steps * scale)
    bias = site.graph.variable(f"{name}_quantized", steps.to(torch.int32))
    return site.dequantized(bias, site.graph.variable(f"{name}_scale", scale), axis)
