# SPDX-License-Identifier: Apache-2.0
"""Layers: convolutions, products, pooling, normalisation, softmax, attention."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

import torch

from .opset import Window
from .site import Site, converter

_CHANNELS_SECOND = (None, "NCW", "NCHW", "NCDHW")


# Convolutions -------------------------------------------------------------------------------------


def _layout_refusal(site: Site) -> str | None:
    return None if site.layout in _CHANNELS_SECOND else f"layout={site.layout}"


def _deconvolution_refusal(site: Site) -> str | None:
    if site.target_shape:
        return "target_shape is given"
    return _layout_refusal(site)


def _window(site: Site) -> Window:
    n = len(site.kernel)
    return Window(site.stride or (1,) * n, site.pad or (0,) * n, site.dilate or (1,) * n)


def _weights(site: Site) -> tuple[Any, Any]:
    """Weight and bias, which may be None."""
    return site.inputs[1], site.inputs[2] if len(site.inputs) == 3 else None


@converter("Convolution Convolution_v1", _layout_refusal)
def _convolution(site: Site) -> Any:
    given = (*_weights(site), _window(site), int(site.num_group), site.shapes[1])
    return site.ops.convolution(site.x, *given)


@converter("Deconvolution", _deconvolution_refusal)
def _deconvolution(site: Site) -> Any:
    window = _window(site)
    more = site.adj or (0,) * len(window.pad)
    given = (*_weights(site), window, int(site.num_group), site.shapes[1], more)
    return site.ops.deconvolution(site.x, *given)


# Products -----------------------------------------------------------------------------------------


@converter("FullyConnected")
def _fully_connected(site: Site) -> Any:
    x, shape = site.x, site.shapes[0]
    if site.flatten and len(shape) != 2:
        x = site.ops.reshape(x, (shape[0] if shape else 1, prod(shape[1:])))
    elif len(shape) != 2:  # as one matrix, which the kernel takes best
        x = site.ops.reshape(x, (prod(shape[:-1]), shape[-1]))
    product = site.ops.linear(x, *_weights(site))
    # An activation right behind the product is part of it to some runtimes.
    return product if len(site.out[0]) == 2 else site.ops.reshape(product, site.out[0])


@converter("dot", lambda s: None if {len(x) for x in s.shapes} == {2} else "no two matrices")
def _dot(site: Site) -> Any:
    return site.ops.matmul(*site.inputs, site.rank, site.transpose_a, site.transpose_b)


@converter("batch_dot")
def _batch_dot(site: Site) -> Any:
    return site.ops.matmul(*site.inputs, site.rank, site.transpose_a, site.transpose_b)


# Pooling ------------------------------------------------------------------------------------------


def _pooling_refusal(site: Site) -> str | None:
    if site.layout not in _CHANNELS_SECOND:
        return f"layout={site.layout}"
    if site.pool_type == "lp" or site.pooling_convention == "same":
        return f"pool_type={site.pool_type}, pooling_convention={site.pooling_convention}"
    if site.global_pool:
        return None
    if site.pooling_convention == "full" and site.pool_type != "max":
        return "a mean or sum over the rest that the stride leaves"
    if any(2 * p > k for p, k in zip(site.pad, site.kernel, strict=False)):
        return "padding of more than half of the window"
    if len(site.stride) > len(site.kernel) or len(site.pad) > len(site.kernel):
        return "spare strides or pads"
    if any(p >= k for p, k in zip(_behind(site), site.kernel, strict=True)):
        return "windows behind the image"
    return None


def _behind(site: Site) -> list[int]:
    """How much padding max pooling needs at the end of each axis for the last window."""
    kernel = site.kernel
    stride, pad = site.stride or (1,) * len(kernel), site.pad or (0,) * len(kernel)
    sizes = zip(site.shapes[0][2:], site.out[0][2:], kernel, stride, pad, strict=True)
    return [max(p, (n_out - 1) * s + k - n - p) for n, n_out, k, s, p in sizes]


@converter("Pooling", _pooling_refusal)
def _pooling(site: Site) -> Any:
    kind = site.pool_type
    if site.global_pool:
        return site.ops.global_pool(kind, site.x, site.rank)
    kernel = site.kernel
    stride, pad = site.stride or (1,) * len(kernel), site.pad or (0,) * len(kernel)
    if kind == "max":
        return site.ops.max_pool(site.x, kernel, stride, pad, _behind(site))
    with_pad = kind != "avg" or site.count_include_pad is not False
    mean = site.ops.mean_pool(site.x, kernel, stride, pad, with_pad)
    if kind == "avg":
        return mean
    return site.ops.elementwise("multiply", mean, site.ops.floats(prod(kernel)))


@converter("_contrib_AdaptiveAvgPooling2D")
def _adaptive(site: Site) -> Any:
    return site.ops.adaptive_mean(site.x, site.shapes[0][2:], site.out[0][2:])


# Normalisation ------------------------------------------------------------------------------------


def _statistics_refusal(site: Site) -> str | None:
    return None if site.are_constant(1, 2, 3, 4) else "its statistics are no parameters"


@converter("BatchNorm BatchNorm_v1 _contrib_SyncBatchNorm", _statistics_refusal)
def _batch_norm(site: Site) -> Any:
    gamma, beta, mean, variance = (site.constant(i).double() for i in range(1, 5))
    scale = torch.rsqrt(variance + site.eps) * (1.0 if site.fix_gamma else gamma)
    axis = site.axis() if "axis" in site.op.values else 1
    return site.ops.batch_norm(site.x, scale, beta - mean * scale, axis, site.rank)


@converter("LayerNorm")
def _layer_norm(site: Site) -> Any:
    return site.ops.layer_norm(*site.inputs, site.axis(), site.rank, float(site.eps))


@converter("InstanceNorm")
def _instance_norm(site: Site) -> Any:
    return site.ops.instance_norm(*site.inputs, site.rank, float(site.eps))


@converter("L2Normalization")
def _l2(site: Site) -> Any:
    o = site.ops
    axes = {"channel": (1,), "instance": range(1, site.rank), "spatial": range(2, site.rank)}
    reduced = axes[site.mode]
    squares = o.elementwise("multiply", site.x, site.x)
    total = o.reduce("sum", squares, reduced, keep=True) if reduced else squares
    norm = o.elementwise("sqrt", o.elementwise("add", total, o.floats(site.eps)))
    return o.elementwise("divide", site.x, norm)


@converter("LRN")
def _lrn(site: Site) -> Any:
    numbers = (float(site.alpha), float(site.beta), float(site.knorm), int(site.nsize))
    return site.ops.lrn(site.x, *numbers)


# Softmax ------------------------------------------------------------------------------------------


def _softmax_refusal(site: Site) -> str | None:
    if not site.rank or len(site.shapes) > 1:
        return "scalars and lengths"
    return None if site.dtype in (None, "float32") else f"dtype={site.dtype}"


@converter("softmax log_softmax softmin", _softmax_refusal)
def _softmax(site: Site) -> Any:
    o, x = site.ops, site.x
    if site.temperature not in (None, 1.0):
        x = o.elementwise("divide", x, o.floats(site.temperature))
    if site.op.name == "softmin":
        x = o.elementwise("negative", x)
    run = o.log_softmax if site.op.name == "log_softmax" else o.softmax
    return run(x, site.axis())


@converter("SoftmaxActivation")
def _softmax_activation(site: Site) -> Any:
    return site.ops.softmax(site.x, 1 if site.mode == "channel" else site.rank - 1)


def _output_refusal(site: Site) -> str | None:
    return None if site.rank == 2 or site.multi_output else "more than two axes"


@converter("SoftmaxOutput", _output_refusal)
def _softmax_output(site: Site) -> Any:
    return site.ops.softmax(site.x, 1)


@converter("LinearRegressionOutput MAERegressionOutput")
def _linear_output(site: Site) -> Any:
    return site.x


@converter("LogisticRegressionOutput")
def _logistic_output(site: Site) -> Any:
    return site.ops.elementwise("sigmoid", site.x)


# Attention ----------------------------------------------------------------------------------------


def _projection(site: Site, x: Any, shape: tuple[int, ...], part: int, parts: int) -> Any:
    """Projection `part` of `parts` interleaved ones: (batch · heads, length, head size)."""
    length, batch, features = shape
    heads, size = int(site.heads), features // (int(site.heads) * parts)
    apart = site.ops.reshape(x, (length, batch * heads, parts * size))
    one = site.ops.slice(apart, {2: range(part * size, (part + 1) * size)})
    return site.ops.transpose(one, (1, 0, 2))


def _scores(site: Site, queries: Any, keys: Any, size: int) -> Any:
    o = site.ops
    scaled = o.elementwise("multiply", queries, o.floats(1 / sqrt(size)))
    return o.matmul(scaled, keys, 3, False, True)


def _joined(site: Site, outputs: Any) -> Any:
    return site.ops.reshape(site.ops.transpose(outputs, (1, 0, 2)), site.out[0])


@converter("_contrib_interleaved_matmul_selfatt_qk")
def _selfatt_qk(site: Site) -> Any:
    shape = site.shapes[0]
    queries, keys = (_projection(site, site.x, shape, part, 3) for part in (0, 1))
    return _scores(site, queries, keys, shape[2] // (3 * int(site.heads)))


@converter("_contrib_interleaved_matmul_selfatt_valatt")
def _selfatt_valatt(site: Site) -> Any:
    values = _projection(site, site.x, site.shapes[0], 2, 3)
    return _joined(site, site.ops.matmul(site.inputs[1], values, 3))


@converter("_FusedAttention")
def _attention(site: Site) -> Any:
    o = site.ops
    found = o.attention(o.transpose(site.x, (1, 0, 2)), int(site.heads), site.shapes[0])
    return o.transpose(found, (1, 0, 2))


@converter("_contrib_interleaved_matmul_encdec_qk")
def _encdec_qk(site: Site) -> Any:
    queries = _projection(site, site.x, site.shapes[0], 0, 1)
    keys = _projection(site, site.inputs[1], site.shapes[1], 0, 2)
    return _scores(site, queries, keys, site.shapes[0][2] // int(site.heads))


@converter("_contrib_interleaved_matmul_encdec_valatt")
def _encdec_valatt(site: Site) -> Any:
    values = _projection(site, site.x, site.shapes[0], 1, 2)
    return _joined(site, site.ops.matmul(site.inputs[1], values, 3))
