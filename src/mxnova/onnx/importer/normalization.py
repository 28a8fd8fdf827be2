# SPDX-License-Identifier: Apache-2.0
"""ONNX's normalizations, and softmax."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from .arrangement import moved
from .elementwise import binary, broadcast
from .reductions import reduced
from .reshaping import reshaped
from .site import REQUIRED, RefusalError, Site, translator
from .values import Value

__all__: list[str] = []


@translator("BatchNormalization SpatialBN")
def _batch_norm(site: Site) -> Value:
    site.only("training_mode", 0)
    site.only("spatial", 1)
    site.ignore("is_test")
    statistics = [site.input(i) for i in (3, 4)]
    if any(value.array is None for value in statistics):
        raise RefusalError("mean and variance must be constants, which are states in MXNet")
    vectors = [site.input(1), site.input(2), *map(site.builder.state, statistics)]
    facts = {"eps": site.attribute("epsilon", 1e-5), "momentum": site.attribute("momentum", 0.9)}
    return site.op("BatchNorm", site.x, *vectors, fix_gamma=False, **facts)


@translator("InstanceNormalization")
def _instance_norm(site: Site) -> Value:
    given = site.x, site.input(1), site.input(2)
    return site.op("InstanceNorm", *given, eps=site.attribute("epsilon", 1e-5))


@translator("LayerNormalization")
def _layer_norm(site: Site) -> Value | list[Value]:
    site.ignore("stash_type")
    x, axis = site.x, site.axis(site.attribute("axis", -1))
    eps, bias = site.attribute("epsilon", 1e-5), site.optional(2)
    sizes, scale = x.shape[axis:], site.input(1)
    is_last = axis == x.rank - 1 and scale.shape == sizes and site.n_outputs == 1
    if is_last and bias is not None and bias.shape == sizes:
        return site.op("LayerNorm", x, scale, bias, axis=-1, eps=eps)
    axes = [*range(axis, x.rank)]
    mean = reduced(site, "mean", x, axes, keep=True)
    centered = site.op("broadcast_sub", x, mean)
    inverse = _inverse(site, centered, axes, eps)
    found = binary(site, "Mul", site.op("broadcast_mul", centered, inverse), scale)
    return [found if bias is None else binary(site, "Add", found, bias), mean, inverse]


def _normalized(site: Site, x: Value, axes: list[int], eps: float) -> Value:
    """With mean 0 and variance 1 over axes."""
    centered = site.op("broadcast_sub", x, reduced(site, "mean", x, axes, keep=True))
    return _scaled(site, centered, axes, eps)


def _scaled(site: Site, x: Value, axes: list[int], eps: float) -> Value:
    """Divided by the root of the mean of squares over axes."""
    return site.op("broadcast_mul", x, _inverse(site, x, axes, eps))


def _inverse(site: Site, x: Value, axes: list[int], eps: float) -> Value:
    """One by the root of the mean of squares over axes."""
    variance = reduced(site, "mean", site.op("square", x), axes, keep=True)
    return site.op("rsqrt", site.op("_plus_scalar", variance, scalar=eps))


@translator("RMSNormalization")
def _rms_norm(site: Site) -> Value:
    site.ignore("stash_type")
    axis = site.axis(site.attribute("axis", -1))
    axes, eps = [*range(axis, site.x.rank)], site.attribute("epsilon", 1e-5)
    return binary(site, "Mul", _scaled(site, site.x, axes, eps), site.input(1))


@translator("GroupNormalization")
def _group_norm(site: Site) -> Value:
    site.ignore("stash_type")
    x, groups = site.x, site.attribute("num_groups", REQUIRED)
    channels = x.shape[1]
    if groups < 1 or channels % groups:
        raise RefusalError(f"{channels} channels in {groups} groups")
    parts = site.op("Reshape", x, shape=(0, groups, -1))
    normal = _normalized(site, parts, [2], site.attribute("epsilon", 1e-5))
    normal = site.op("reshape_like", normal, x)
    along = [-1, *[1] * (x.rank - 2)]
    vectors = []
    for vector in (site.input(1), site.input(2)):
        if site.version < 21:  # one number for each group
            vector = reshaped(site, vector, [groups, 1])
            vector = broadcast(site, vector, (groups, channels // groups))
        vectors.append(reshaped(site, vector, along))
    return binary(site, "Add", binary(site, "Mul", normal, vectors[0]), vectors[1])


@translator("LRN")
def _lrn(site: Site) -> Value:
    size = site.attribute("size", REQUIRED)
    facts = {"alpha": site.attribute("alpha", 1e-4), "beta": site.attribute("beta", 0.75)}
    if size % 2 == 0:
        text = "one more channel behind than before, which MXNet's LRN cannot sum"
        raise RefusalError(f"attribute size={size}: {text}")
    return site.op("LRN", site.x, knorm=site.attribute("bias", 1.0), nsize=size, **facts)


@translator("LpNormalization")
def _lp_norm(site: Site) -> Value:
    x, axis, power = site.x, site.axis(site.attribute("axis", -1)), site.only("p", 2, 1)
    length = site.op("norm", x, ord=power, axis=(axis,), keepdims=True)
    is_zero = site.op("_equal_scalar", length, scalar=0)  # what has no length stays
    return site.op("broadcast_div", x, site.op("elemwise_add", length, is_zero))


@translator("MeanVarianceNormalization")
def _mean_variance_norm(site: Site) -> Value:
    return _normalized(site, site.x, site.axes(site.integers("axes", [0, 2, 3])), 0.0)


# Softmax


@translator("Softmax LogSoftmax")
def _softmax(site: Site) -> Value:
    kind = "softmax" if site.kind == "Softmax" else "log_softmax"
    return _along(site, lambda x, axis: site.op(kind, x, axis=axis))


@translator("Hardmax")
def _hardmax(site: Site) -> Value:
    def one_hot(x: Value, axis: int) -> Value:
        largest = site.op("argmax", x, axis=axis, keepdims=False)
        found = site.op("one_hot", largest, depth=x.shape[axis], dtype=x.dtype.name)
        return moved(site, found, x.rank - 1, axis)

    return _along(site, one_hot)


def _along(site: Site, function: Callable[[Value, int], Value]) -> Value:
    """Along an axis; before version 13 over all axes from there on."""
    x, axis = site.x, site.axis(site.attribute("axis", 1 if site.version < 13 else -1))
    if site.version >= 13 or prod(x.shape[axis + 1 :]) == 1:
        return function(x, axis)
    flat = reshaped(site, x, [prod(x.shape[:axis]), prod(x.shape[axis:])])
    return site.op("reshape_like", function(flat, 1), x)
