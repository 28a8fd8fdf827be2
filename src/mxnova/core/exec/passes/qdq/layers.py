# SPDX-License-Identifier: Apache-2.0
"""Layers of networks on 8-bit integers."""

from __future__ import annotations

import torch

from ....graph.node import Entry
from ....op.quantized.ranges import LEVELS, WIDE_LEVELS
from .site import Site, UnsupportedError, rule

__all__: list[str] = []

_EPS = 1e-3  # of BatchNorms whose statistics are folded into gamma and beta


@rule("_contrib_quantized_fully_connected", "_contrib_quantized_conv")
def _product(site: Site) -> list[Entry]:
    """Float sums for readers that requantize, exact int32 sums for others."""
    op, read = site.op, site.read()
    data, weight = read["data"], read["weight"]
    data_scale = site.step(op.data_levels(site.dtype("data")), read["min_data"], read["max_data"])
    weight_scale = site.step(LEVELS[torch.int8], read["min_weight"], read["max_weight"])
    one = site.apply("broadcast_mul", data_scale, weight_scale)
    reals = [site.dequantized(data, data_scale), site.dequantized(weight, weight_scale)]
    wholes = [site.whole(data), site.whole(weight)]
    if not op.no_bias:
        bias = _bias_in_steps(site)
        reals.append(site.dequantized(bias, one))
        wholes.append(site.whole(bias))
    sums = site.apply(op.plain, *wholes)
    ends = [site.apply("_mul_scalar", one, scalar=s * LEVELS[torch.int32]) for s in (-1, 1)]
    return [site.int32(sums, site.apply(op.plain, *reals)), *ends]


def _bias_in_steps(site: Site) -> Entry:
    """The bias as int32."""
    names = [name for name in site.op.inputs() if name not in ("data", "weight")]
    values = site.known(*(site.read()[name] for name in names))
    if values is None:
        raise UnsupportedError("its bias, or a range, is not known beforehand: calibrate the model")
    data = torch.empty(0, dtype=site.dtype("data"))
    bias = site.op.bias_in_steps(data=data, **dict(zip(names, values, strict=True)))
    return site.constant("bias", bias.to(torch.int32))


@rule("_contrib_quantized_pooling")
def _pooling(site: Site) -> list[Entry]:
    data, low, high = site.inputs
    # Means of integers often lie just between two, where steps other than 1 would not be rounded.
    is_exact = site.op.pool_type == "avg"
    scale = site.one() if is_exact else site.wide_step("data", low, high)
    pooled = site.apply(site.op.plain, site.dequantized(data, scale))
    if site.op.divisor != 1:
        pooled = site.apply("_div_scalar", pooled, scalar=site.op.divisor)
    return [site.quantized(pooled, scale, site.dtype("data")), low, high]


@rule("_contrib_quantized_batch_norm")
def _batch_norm(site: Site) -> list[Entry]:
    data, *vectors, least, most = site.inputs
    statistics = site.known(*vectors)
    if statistics is None:
        raise UnsupportedError("its statistics are no parameters")
    levels = WIDE_LEVELS[torch.int8]
    step = site.step(levels, least, most)
    if site.dtype("data") is torch.uint8:  # whose last bit is dropped
        halves = site.apply("floor", site.apply("_mul_scalar", site.whole(data), scalar=0.5))
        numbers = site.apply("broadcast_mul", halves, step)
    else:
        numbers = site.dequantized(data, step)
    scale, shift = site.op.folded(*statistics)
    parts = {
        "gamma": scale,
        "beta": shift,
        "mean": 0 * shift,
        "var": torch.full_like(shift, 1 - _EPS),
    }
    vectors = [site.constant(name, value) for name, value in parts.items()]
    attrs = {"axis": site.op.axis, "eps": _EPS, "fix_gamma": False, "use_global_stats": True}
    numbers = site.apply("BatchNorm", numbers, *vectors, **attrs)
    low, high = site.calibrated(data, torch.int8)
    return [site.quantized(numbers, site.step(levels, low, high), torch.int8), low, high]


@rule("_contrib_quantized_rnn")
def _recurrent(site: Site) -> list[Entry]:
    data, *given, scale, shift = site.inputs
    numbers = site.apply("broadcast_sub", site.whole(data), shift)
    numbers = site.apply("broadcast_div", numbers, scale)
    return site.outputs(site.op.plain, numbers, *given)
