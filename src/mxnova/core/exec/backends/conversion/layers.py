# SPDX-License-Identifier: Apache-2.0
"""Layers: convolutions, products, pooling, normalization, softmax, attention."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from typing import Any

import torch

from .opset import Statistics, Window
from .site import Site, converter

_CHANNELS_SECOND = (None, "NCW", "NCHW", "NCDHW")


# Convolutions -------------------------------------------------------------------------------------


def _channels_moved(site: Site, x: Any, back: bool = False) -> Any:
    """Images in the order of the model, channels second; or `back` in the order of the operator."""
    if site.layout in _CHANNELS_SECOND:
        return x
    rank = site.rank
    order = (0, *range(2, rank), 1) if back else (0, rank - 1, *range(1, rank - 1))
    return site.ops.transpose(x, order)


def _channels_second(site: Site, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of images or weights in that order."""
    return shape if site.layout in _CHANNELS_SECOND else (shape[0], shape[-1], *shape[1:-1])


def _window(site: Site) -> Window:
    n = len(site.kernel)
    return Window(site.stride or (1,) * n, site.pad or (0,) * n, site.dilate or (1,) * n)


def _weights(site: Site) -> tuple[Any, Any]:
    """Weight and bias, which may be None."""
    return site.inputs[1], site.inputs[2] if len(site.inputs) == 3 else None


def _convolved(site: Site, word: Any, window: Window, *more: Any) -> Any:
    weight, bias = _weights(site)
    shape = _channels_second(site, site.shapes[1])
    images, weight = _channels_moved(site, site.x), _channels_moved(site, weight)
    found = word(images, weight, bias, window, int(site.num_group), shape, *more)
    return _channels_moved(site, found, back=True)


@converter("Convolution Convolution_v1")
def _convolution(site: Site) -> Any:
    return _convolved(site, site.ops.convolution, _window(site))


@converter("Deconvolution")
def _deconvolution(site: Site) -> Any:
    window = _window(site)
    more = site.adj or (0,) * len(window.pad)
    if any(site.target_shape):
        sizes = _channels_second(site, site.shapes[0])[2:]
        each = zip(sizes, site.target_shape, site.kernel, window.stride, window.dilate, strict=True)
        cut = [s * (n - 1) + d * (k - 1) + 1 - wanted for n, wanted, k, s, d in each]
        window, more = window._replace(pad=[(c + 1) // 2 for c in cut]), [c % 2 for c in cut]
    return _convolved(site, site.ops.deconvolution, window, more)


# Products -----------------------------------------------------------------------------------------


@converter("FullyConnected")
def _fully_connected(site: Site) -> Any:
    x, shape = site.x, site.shapes[0]
    if site.flatten and len(shape) != 2:
        x = site.ops.reshape(x, (shape[0] if shape else 1, prod(shape[1:])))
    elif len(shape) != 2:  # as one matrix, which the kernel takes best
        x = site.ops.reshape(x, (prod(shape[:-1]), shape[-1]))
    weight, bias = _weights(site)
    if bias is not None and len(site.shapes[2]) == 2:
        bias = site.ops.reshape(bias, (site.shapes[2][0],))
    product = site.ops.linear(x, weight, bias)
    # An activation right behind the product is part of it to some runtimes.
    return product if len(site.out[0]) == 2 else site.ops.reshape(product, site.out[0])


def _dot_refusal(site: Site) -> str | None:
    are_matrices = {len(shape) for shape in site.shapes} == {2}
    if not all(site.shapes):
        return "a scalar"
    turns = site.op.values.get("transpose_a") or site.op.values.get("transpose_b")
    return "transposed arrays that are no matrices" if turns and not are_matrices else None


@converter("dot", _dot_refusal)
def _dot(site: Site) -> Any:
    (*rows, inner), (_, *columns) = site.shapes
    if len(rows) == len(columns) == 1:
        return site.ops.matmul(*site.inputs, site.rank, site.transpose_a, site.transpose_b)
    x = site.ops.reshape(site.x, (prod(rows), inner))
    y = site.ops.reshape(site.inputs[1], (inner, prod(columns)))
    return site.ops.reshape(site.ops.matmul(x, y, 2), site.out[0])


@converter("_npi_matmul", lambda s: None if min(map(len, s.shapes)) > 1 else "vectors")
def _matmul(site: Site) -> Any:
    return site.ops.matmul(*site.computed_in(site.out_dtypes[0]).inputs, site.rank)


def _gemm_refusal(site: Site) -> str | None:
    return None if site.op.attr("axis") == -2 else f"axis={site.op.attr('axis')}"


@converter("_linalg_gemm2 _linalg_gemm", _gemm_refusal)
def _gemm(site: Site) -> Any:
    o = site.ops
    product = o.matmul(*site.inputs[:2], site.rank, site.transpose_a, site.transpose_b)
    product = o.elementwise("multiply", product, o.floats(site.alpha))
    if len(site.inputs) == 2:
        return product
    return o.elementwise(
        "add", product, o.elementwise("multiply", site.inputs[2], o.floats(site.beta))
    )


@converter("batch_dot")
def _batch_dot(site: Site) -> Any:
    return site.ops.matmul(*site.inputs, site.rank, site.transpose_a, site.transpose_b)


# Pooling ------------------------------------------------------------------------------------------


def _pooling_refusal(site: Site) -> str | None:
    if site.pool_type == "lp" and site.p_value == 3:
        return "p_value=3"
    # Which ONNX Runtime makes of a padding of its own, and then refuses.
    is_single = not site.global_pool and site.pool_type != "max" and prod(site.kernel) == 1
    if is_single and any(_margins(site)[-1]):
        return "means of single items, some behind the image"
    return None


@converter("Pooling", _pooling_refusal)
def _pooling(site: Site) -> Any:
    return _channels_moved(site, _pooled(site, _channels_moved(site, site.x)), back=True)


def _pooled(site: Site, x: Any) -> Any:
    if site.pool_type != "lp":
        return _pooled_as(site, x, site.pool_type)
    if site.p_value == 1:
        return _pooled_as(site, x, "sum")
    squares = _pooled_as(site, site.ops.elementwise("multiply", x, x), "sum")
    return site.ops.elementwise("sqrt", squares)


def _pooled_as(site: Site, x: Any, kind: str) -> Any:
    if site.global_pool:
        return site.ops.global_pool(kind, x, site.rank)
    stride, pad, behind = _margins(site)
    if kind == "max":
        return _maxima(site, x, stride, pad, behind)
    o, with_pad = site.ops, kind != "avg" or site.count_include_pad is not False
    is_plain = behind == pad and not _needs_margins(site, pad, behind)
    if kind == "avg" and is_plain:
        return o.mean_pool(x, site.kernel, stride, pad, with_pad)
    if not is_plain:
        x, pad = o.pad(x, (0, 0, *pad), (0, 0, *behind), "constant", 0.0), (0,) * len(pad)
    # Multiplied before, lest ONNX Runtime makes the padding a part of pooling, which it refuses.
    x = o.elementwise("multiply", x, o.floats(prod(site.kernel)))
    total = o.mean_pool(x, site.kernel, stride, pad, True)
    if kind != "avg":
        return total
    return o.elementwise("multiply", total, o.floats(1 / _items(site, with_pad)))


def _margins(site: Site) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Strides, padding in front, and the padding that the last window needs at the end."""
    n = len(site.kernel)  # what is given behind is spare
    stride, pad = site.stride[:n] or (1,) * n, site.pad[:n] or (0,) * n
    images, found = (_channels_second(site, shape)[2:] for shape in (site.shapes[0], site.out[0]))
    sizes = zip(images, found, site.kernel, stride, pad, strict=True)
    behind = tuple(max(p, (n_out - 1) * s + k - n - p) for n, n_out, k, s, p in sizes)
    return stride, pad, behind


def _needs_margins(site: Site, pad: Sequence[int], behind: Sequence[int]) -> bool:
    """Whether runtimes refuse the padding as a part of pooling."""
    each = zip(pad, behind, site.kernel, strict=True)
    is_same = site.pooling_convention == "same"
    return is_same or any(2 * p > k or last >= k for p, last, k in each)


@converter("_Subsampled", takes_integers=True)
def _subsample(site: Site) -> Any:
    """Windows of one position, which every runtime knows."""
    steps = site.op.attr("steps")
    return site.ops.max_pool(site.x, (1, 1), steps, (0, 0), (0, 0))


def _maxima(
    site: Site, x: Any, stride: Sequence[int], pad: Sequence[int], behind: Sequence[int]
) -> Any:
    if _needs_margins(site, pad, behind):
        lowest = torch.finfo(site.dtypes[0]).min
        x = site.ops.pad(x, (0, 0, *pad), (0, 0, *behind), "constant", lowest)
        pad = behind = (0,) * len(pad)
    return site.ops.max_pool(x, site.kernel, stride, pad, behind)


def _items(site: Site, with_pad: bool) -> torch.Tensor:
    """How many items there are under each position of the window."""
    shape = _channels_second(site, site.shapes[0])
    items: torch.Tensor = site.op.slide.n_items(shape[2:], with_pad)  # type: ignore[attr-defined]
    return items.reshape(_channels_second(site, site.out[0])[2:])


@converter("_contrib_AdaptiveAvgPooling2D")
def _adaptive(site: Site) -> Any:
    if site.out[0][2:] == (1, 1):
        return site.ops.global_pool("avg", site.x, site.rank)
    return site.ops.adaptive_mean(site.x, site.shapes[0][2:], site.out[0][2:])


# Normalization ------------------------------------------------------------------------------------


def _statistics_refusal(site: Site) -> str | None:
    return None if site.are_constant(1, 2, 3, 4) else "its statistics are no parameters"


@converter("BatchNorm BatchNorm_v1 _contrib_SyncBatchNorm", _statistics_refusal)
def _batch_norm(site: Site) -> Any:
    gamma, beta, mean, variance = (site.constant(i) for i in range(1, 5))
    vectors, statistics = site.inputs[1:], Statistics(gamma, beta, mean, variance, site.eps)
    if site.fix_gamma:
        statistics = statistics._replace(gamma=torch.ones_like(statistics.gamma))
        vectors = [site.ops.floats(statistics.gamma), *vectors[1:]]
    axis = site.axis() if "axis" in site.op.values else 1
    return site.ops.normalized(site.x, vectors, statistics, axis, site.rank)


@converter("_contrib_BatchNormWithReLU", _statistics_refusal)
def _batch_norm_relu(site: Site) -> Any:
    return site.ops.elementwise("relu", _batch_norm(site))


@converter("LayerNorm")
def _layer_norm(site: Site) -> Any:
    return site.ops.layer_norm(*site.inputs, site.axis(), site.rank, float(site.eps))


@converter("InstanceNorm")
def _instance_norm(site: Site) -> Any:
    return site.ops.instance_norm(*site.inputs, site.rank, float(site.eps))


@converter("GroupNorm")
def _group_norm(site: Site) -> Any:
    groups, shape = int(site.num_groups), site.shapes[0]
    return site.ops.group_norm(*site.inputs, groups, shape, float(site.eps))


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
    # MXNet sums nsize - 1 channels if nsize is even; runtimes sum more of them on one side.
    size = site.nsize - 1 + site.nsize % 2
    alpha = site.alpha * size / site.nsize
    return site.ops.lrn(site.x, float(alpha), float(site.beta), float(site.knorm), int(size))


# Softmax ------------------------------------------------------------------------------------------


@converter("SoftmaxActivation")
def _softmax_activation(site: Site) -> Any:
    return site.ops.softmax(site.x, 1 if site.mode == "channel" else site.rank - 1)


@converter("SoftmaxOutput")
def _softmax_output(site: Site) -> Any:
    if site.multi_output or site.rank == 2:
        return site.ops.softmax(site.x, 1)
    if site.preserve_shape or site.rank < 2:
        return site.ops.softmax(site.x, site.rank - 1)
    batch, *rest = site.shapes[0]
    classes = site.ops.softmax(site.ops.reshape(site.x, (batch, prod(rest))), 1)
    return site.ops.reshape(classes, site.out[0])


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
