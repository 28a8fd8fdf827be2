# SPDX-License-Identifier: Apache-2.0
"""ONNX's random numbers. Seeds are left out: programs set them by ``mx.random.seed``."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.graph.open_sizes import is_open
from .element_types import element_type
from .site import REQUIRED, Site, translator
from .values import Value

__all__: list[str] = []


@translator("RandomNormal RandomUniform")
def _random(site: Site) -> Value:
    return _drawn(site, site.integers("shape"), element_type(site.attribute("dtype", 1)).name)


@translator("RandomNormalLike RandomUniformLike")
def _random_like(site: Site) -> Value:
    x = site.x
    dtype = x.dtype.name
    dtype = element_type(site.attribute("dtype", 0)).name if site.is_set("dtype") else dtype
    if any(map(is_open, x.shape)):
        facts, kind = _facts(site)
        return site.op(f"_random_{kind}_like", x, **facts)
    return _drawn(site, x.shape, dtype)


def _drawn(site: Site, shape: Sequence[int], dtype: str) -> Value:
    facts, kind = _facts(site)
    return site.op(f"_random_{kind}", shape=tuple(shape), dtype=dtype, **facts)


def _facts(site: Site) -> tuple[dict[str, float], str]:
    site.ignore("seed")
    if site.kind.startswith("RandomNormal"):
        return {"loc": site.attribute("mean", 0.0), "scale": site.attribute("scale", 1.0)}, "normal"
    return {"low": site.attribute("low", 0.0), "high": site.attribute("high", 1.0)}, "uniform"


@translator("Multinomial")
def _multinomial(site: Site) -> Value:
    site.ignore("seed")
    dtype = element_type(site.attribute("dtype", 6)).name
    chances = site.op("softmax", site.x, axis=-1)  # inputs are logarithms
    count = site.attribute("sample_size", 1)
    return site.op("_sample_multinomial", chances, shape=(count,), dtype=dtype)


@translator("Bernoulli")
def _bernoulli(site: Site) -> Value:
    site.ignore("seed")
    dtype = site.x.dtype
    dtype = element_type(site.attribute("dtype", REQUIRED)) if site.is_set("dtype") else dtype
    drawn = site.op("_random_uniform_like", site.x, low=0, high=1)
    found = site.op("broadcast_lesser", drawn, site.x)
    return found if found.dtype == dtype else site.op("Cast", found, dtype=dtype.name)
