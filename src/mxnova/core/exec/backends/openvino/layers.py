# SPDX-License-Identifier: Apache-2.0
"""Layers: convolutions, products, pooling, normalisation, softmax, attention."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

import torch
from openvino import opset13 as ov

from .arrangement import reshaped, sliced
from .site import Site, converter, floats, integers

_CHANNELS_SECOND = (None, "NCW", "NCHW", "NCDHW")


# Convolutions -------------------------------------------------------------------------------------


def _layout_refusal(site: Site) -> str | None:
    return None if site.layout in _CHANNELS_SECOND else f"layout={site.layout}"


def _deconvolution_refusal(site: Site) -> str | None:
    if site.target_shape:
        return "target_shape is given"
    return _layout_refusal(site)


def _window(site: Site) -> tuple[list[int], list[int], list[int]]:
    """Strides, padding and dilation."""
    n = len(site.kernel)
    return (
        list(site.stride or (1,) * n),
        list(site.pad or (0,) * n),
        list(site.dilate or (1,) * n),
    )


def _biased(site: Site, output: Any, axis: int = 1) -> Any:
    if len(site.inputs) < 3:
        return output
    shape = [1] * len(site.out[0])
    shape[axis] = -1
    return ov.add(output, reshaped(site.inputs[2], shape))


def _grouped(site: Site) -> Any:
    """The weights with an axis for the groups."""
    rows, *rest = site.shapes[1]
    return reshaped(site.inputs[1], (site.num_group, rows // site.num_group, *rest))


@converter("Convolution Convolution_v1", _layout_refusal)
def _convolution(site: Site) -> Any:
    stride, pad, dilate = _window(site)
    if site.num_group == 1:
        output = ov.convolution(site.x, site.inputs[1], stride, pad, pad, dilate)
    else:
        output = ov.group_convolution(site.x, _grouped(site), stride, pad, pad, dilate)
    return _biased(site, output)


@converter("Deconvolution", _deconvolution_refusal)
def _deconvolution(site: Site) -> Any:
    stride, pad, dilate = _window(site)
    run, weight = ov.convolution_backprop_data, site.inputs[1]
    if site.num_group > 1:
        run, weight = ov.group_convolution_backprop_data, _grouped(site)
    output = run(
        site.x,
        weight,
        stride,
        pads_begin=pad,
        pads_end=pad,
        dilations=dilate,
        auto_pad="EXPLICIT",
        output_padding=list(site.adj or (0,) * len(pad)),
    )
    return _biased(site, output)


# Products -----------------------------------------------------------------------------------------


@converter("FullyConnected")
def _fully_connected(site: Site) -> Any:
    x, shape = site.x, site.shapes[0]
    if site.flatten and len(shape) != 2:
        x = reshaped(x, (shape[0] if shape else 1, prod(shape[1:])))
    elif len(shape) > 2:  # as one matrix, which the kernel takes best
        x = reshaped(x, (-1, shape[-1]))
    output = ov.matmul(x, site.inputs[1], False, True)
    if len(site.inputs) == 3:
        output = ov.add(output, site.inputs[2])
    return reshaped(output, site.out[0])


@converter("dot", lambda s: None if {len(x) for x in s.shapes} == {2} else "no two matrices")
def _dot(site: Site) -> Any:
    return ov.matmul(*site.inputs, site.transpose_a, site.transpose_b)


@converter("batch_dot")
def _batch_dot(site: Site) -> Any:
    return ov.matmul(*site.inputs, site.transpose_a, site.transpose_b)


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
    return None


@converter("Pooling", _pooling_refusal)
def _pooling(site: Site) -> Any:
    kind = site.pool_type
    if site.global_pool:
        reduce = {"max": ov.reduce_max, "avg": ov.reduce_mean, "sum": ov.reduce_sum}[kind]
        return reduce(site.x, integers(range(2, site.rank)), True)
    kernel = list(site.kernel)
    stride, pad = list(site.stride or (1,) * len(kernel)), list(site.pad or (0,) * len(kernel))
    if kind == "max":
        end = [  # so that the last window ends where the padding does
            max(p, (n_out - 1) * s + k - n - p)
            for n, n_out, k, s, p in zip(
                site.shapes[0][2:], site.out[0][2:], kernel, stride, pad, strict=True
            )
        ]
        ones = [1] * len(kernel)
        return ov.max_pool(site.x, stride, ones, pad, end, kernel, "floor").output(0)
    without_pad = kind == "avg" and site.count_include_pad is False
    mean = ov.avg_pool(site.x, stride, pad, pad, kernel, without_pad, "floor")
    return mean if kind == "avg" else ov.multiply(mean, floats(prod(kernel)))


@converter("_contrib_AdaptiveAvgPooling2D")
def _adaptive(site: Site) -> Any:
    return ov.adaptive_avg_pool(site.x, integers(site.out[0][2:]))


# Normalisation ------------------------------------------------------------------------------------


def _along(site: Site, x: Any, axis: int) -> Any:
    """A vector in the shape that stands along an axis of the first input."""
    shape = [1] * site.rank
    shape[axis] = -1
    return reshaped(x, shape)


def _statistics_refusal(site: Site) -> str | None:
    return None if site.are_constant(1, 2, 3, 4) else "its statistics are no parameters"


@converter("BatchNorm BatchNorm_v1 _contrib_SyncBatchNorm", _statistics_refusal)
def _batch_norm(site: Site) -> Any:
    gamma, beta, mean, variance = (site.constant(i).double() for i in range(1, 5))
    scale = torch.rsqrt(variance + site.eps) * (1.0 if site.fix_gamma else gamma)
    axis = site.axis() if "axis" in site.op.values else 1
    shift = floats(beta - mean * scale)
    scaled = ov.multiply(site.x, _along(site, floats(scale), axis))
    return ov.add(scaled, _along(site, shift, axis))


@converter("LayerNorm")
def _layer_norm(site: Site) -> Any:
    axis = site.axis()
    plain = ov.mvn(site.x, integers([axis]), True, float(site.eps), "INSIDE_SQRT")
    gamma, beta = (_along(site, x, axis) for x in site.inputs[1:])
    return ov.add(ov.multiply(plain, gamma), beta)


@converter("InstanceNorm")
def _instance_norm(site: Site) -> Any:
    plain = ov.mvn(site.x, integers(range(2, site.rank)), True, float(site.eps), "INSIDE_SQRT")
    gamma, beta = (_along(site, x, 1) for x in site.inputs[1:])
    return ov.add(ov.multiply(plain, gamma), beta)


@converter("L2Normalization")
def _l2(site: Site) -> Any:
    axes = {"channel": (1,), "instance": range(1, site.rank), "spatial": range(2, site.rank)}
    squares = ov.multiply(site.x, site.x)
    total = ov.reduce_sum(squares, integers(axes[site.mode]), True)
    return ov.divide(site.x, ov.sqrt(ov.add(total, floats(site.eps))))


@converter("LRN")
def _lrn(site: Site) -> Any:
    numbers = (float(site.alpha), float(site.beta), float(site.knorm), int(site.nsize))
    return ov.lrn(site.x, integers([1]), *numbers)


# Softmax ------------------------------------------------------------------------------------------


def _softmax_refusal(site: Site) -> str | None:
    if not site.rank or len(site.shapes) > 1:
        return "scalars and lengths"
    return None if site.dtype in (None, "float32") else f"dtype={site.dtype}"


@converter("softmax log_softmax softmin", _softmax_refusal)
def _softmax(site: Site) -> Any:
    x = site.x
    if site.temperature not in (None, 1.0):
        x = ov.divide(x, floats(site.temperature))
    if site.op.name == "softmin":
        x = ov.negative(x)
    run = ov.log_softmax if site.op.name == "log_softmax" else ov.softmax
    return run(x, site.axis())


@converter("SoftmaxActivation")
def _softmax_activation(site: Site) -> Any:
    return ov.softmax(site.x, 1 if site.mode == "channel" else site.rank - 1)


def _output_refusal(site: Site) -> str | None:
    return None if site.rank == 2 or site.multi_output else "more than two axes"


@converter("SoftmaxOutput", _output_refusal)
def _softmax_output(site: Site) -> Any:
    return ov.softmax(site.x, 1)


@converter("LinearRegressionOutput MAERegressionOutput")
def _linear_output(site: Site) -> Any:
    return site.x


@converter("LogisticRegressionOutput")
def _logistic_output(site: Site) -> Any:
    return ov.sigmoid(site.x)


# Attention ----------------------------------------------------------------------------------------


def _projection(site: Site, x: Any, shape: tuple[int, ...], part: int, parts: int) -> Any:
    """Projection `part` of `parts` interleaved ones: (batch · heads, length, head size)."""
    length, batch, features = shape
    heads, size = int(site.heads), features // (int(site.heads) * parts)
    apart = reshaped(x, (length, batch * heads, parts * size))
    one = sliced(apart, {2: range(part * size, (part + 1) * size)})
    return ov.transpose(one, integers((1, 0, 2)))


def _scores(queries: Any, keys: Any, size: int) -> Any:
    return ov.matmul(ov.multiply(queries, floats(1 / sqrt(size))), keys, False, True)


def _joined(site: Site, outputs: Any) -> Any:
    return reshaped(ov.transpose(outputs, integers((1, 0, 2))), site.out[0])


@converter("_contrib_interleaved_matmul_selfatt_qk")
def _selfatt_qk(site: Site) -> Any:
    shape = site.shapes[0]
    queries, keys = (_projection(site, site.x, shape, part, 3) for part in (0, 1))
    return _scores(queries, keys, shape[2] // (3 * int(site.heads)))


@converter("_contrib_interleaved_matmul_selfatt_valatt")
def _selfatt_valatt(site: Site) -> Any:
    values = _projection(site, site.x, site.shapes[0], 2, 3)
    return _joined(site, ov.matmul(site.inputs[1], values, False, False))


@converter("_contrib_interleaved_matmul_encdec_qk")
def _encdec_qk(site: Site) -> Any:
    queries = _projection(site, site.x, site.shapes[0], 0, 1)
    keys = _projection(site, site.inputs[1], site.shapes[1], 0, 2)
    return _scores(queries, keys, site.shapes[0][2] // int(site.heads))


@converter("_contrib_interleaved_matmul_encdec_valatt")
def _encdec_valatt(site: Site) -> Any:
    values = _projection(site, site.x, site.shapes[0], 1, 2)
    return _joined(site, ov.matmul(site.inputs[1], values, False, False))
