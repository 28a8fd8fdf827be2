# SPDX-License-Identifier: Apache-2.0
"""Arrays that are made of nothing, or of shapes: constants, random numbers."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from .site import Site, converter

_CONSTANT = (
    "_zeros _ones _full _arange _eye _linspace _zeros_without_dtype _npi_zeros _npi_ones _npi_eye "
    "_npi_arange _npi_identity"
)


_LARGEST = 1 << 28  # elements: a symbol of one line may ask for any number of them


def _is_too_large(site: Site) -> str | None:
    count = sum(map(prod, site.out))
    return None if count <= _LARGEST else f"a constant of {count:,} elements"


@converter(_CONSTANT, _is_too_large, only_onnx=True)
def _made(site: Site) -> Any:
    return site.ops.constant(site.op.forward(**site.op.quiet_facts()))


@converter("_contrib_MultiBoxPrior", _is_too_large, only_onnx=True)
def _anchors(site: Site) -> Any:
    images = torch.empty(1).expand(site.shapes[0])  # of which the operator reads the shape
    return site.ops.constant(site.op.forward(images))


@converter("shape_array", only_onnx=True)
def _shape(site: Site) -> Any:
    return site.ops.shape_of(site.x)


@converter("size_array", only_onnx=True)
def _size(site: Site) -> Any:
    return site.ops.reshape(site.ops.count_of(site.x), (1,))


@converter(
    "_contrib_arange_like",
    lambda site: f"repeat={site.repeat}" if site.repeat != 1 else None,
    only_onnx=True,
)
def _arange_like(site: Site) -> Any:
    o = site.ops
    along = site.op.attr("axis")
    count = site.out[0][0] if along is not None else prod(site.shapes[0])
    steps = o.elementwise("multiply", o.positions(count), o.floats(site.step))
    return o.reshape(o.elementwise("add", steps, o.floats(site.start)), site.out[0])


@converter("_random_uniform _random_uniform_like", only_onnx=True)
def _uniform(site: Site) -> Any:
    low, high = float(site.low), float(site.high)
    return site.ops.random("RandomUniform", site.out[0], site.out_dtypes[0], low=low, high=high)


def _multinomial_refusal(site: Site) -> str | None:
    if site.get_prob or len(site.shapes[0]) > 2:
        return f"get_prob={site.get_prob} of {len(site.shapes[0])} axes"
    return None


@converter("_sample_multinomial", _multinomial_refusal, only_onnx=True)
def _multinomial(site: Site) -> Any:
    o, (*batch, classes) = site.ops, site.shapes[0]
    chances = o.elementwise("log", o.reshape(site.x, (prod(batch), classes)))
    drawn = o.draws(chances, prod(site.out[0]) // prod(batch))
    return o.reshape(o.cast(drawn, site.out_dtypes[0]), site.out[0])


@converter("_random_normal _random_normal_like", only_onnx=True)
def _normal(site: Site) -> Any:
    facts = {"mean": float(site.loc), "scale": float(site.scale)}
    return site.ops.random("RandomNormal", site.out[0], site.out_dtypes[0], **facts)
