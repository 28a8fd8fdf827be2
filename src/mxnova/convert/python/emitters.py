# SPDX-License-Identifier: Apache-2.0
"""Operators that torch.nn and torch.nn.functional say in one line.

An emitter gives a step, or None where the operator at these inputs is not what torch's is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch

from .recurrent import recurrent
from .steps import Layer, Site, Step, real

__all__ = ["EMITTERS"]

Emitter = Callable[[Site], Step | None]
EMITTERS: dict[str, Emitter] = {"RNN": recurrent}

_CHANNELS_SECOND = (None, "NCW", "NCHW", "NCDHW")


def _emitter(names: str) -> Callable[[Emitter], Emitter]:
    def declare(emit: Emitter) -> Emitter:
        EMITTERS.update(dict.fromkeys(names.split(), emit))
        return emit

    return declare


def _side(sizes: tuple[int, ...], n: int, default: int) -> Any:
    """One number where all are equal."""
    sizes = tuple(sizes) or (default,) * n
    return sizes[0] if len(set(sizes)) == 1 else sizes


# -- Layers ----------------------------------------------------------------------------------------


@_emitter("Convolution Deconvolution")
def _convolution(site: Site) -> Step | None:
    places = range(1, len(site.shapes))
    n = len(site.kernel)
    is_back = site.node.op.name == "Deconvolution"  # type: ignore[union-attr]
    if not site.stay(*places) or site.layout not in _CHANNELS_SECOND or not 1 <= n <= 3:
        return None
    if is_back and any(site.target_shape or ()):
        return None
    weight = site.tensor(1)
    given = {
        "_in": site.shapes[0][1],  # type: ignore[index]
        "_out": int(site.num_filter),
        "_kernel": _side(site.kernel, n, 1),
        "stride": _side(site.stride, n, 1),
        "padding": _side(site.pad, n, 0),
        "dilation": _side(site.dilate, n, 1),
        "groups": int(site.num_group),
        "bias": len(site.shapes) == 3,
    }
    if is_back:
        given["output_padding"] = _side(site.adj or (), n, 0)
    tensors = {"weight": weight}
    if len(site.shapes) == 3:
        tensors["bias"] = site.tensor(2)
    return Step("{m}({0})", layer=Layer(f"nn.Conv{'Transpose' * is_back}{n}d", given, tensors))


@_emitter("FullyConnected")
def _fully_connected(site: Site) -> Step | None:
    if not site.stay(*range(1, len(site.shapes))) or site.rank < 2:
        return None
    weight = site.tensor(1)
    given = {"_in": weight.shape[1], "_out": weight.shape[0], "bias": len(site.shapes) == 3}
    tensors = {"weight": weight}
    if len(site.shapes) == 3:
        if site.tensor(2).dim() != 1:
            return None
        tensors["bias"] = site.tensor(2)
    is_flat = site.rank == 2 or not site.flatten
    template = "{m}({0})" if is_flat else "{m}(torch.flatten({0}, 1))"
    return Step(template, layer=Layer("nn.Linear", given, tensors))


@_emitter("BatchNorm BatchNorm_v1 _contrib_SyncBatchNorm")
def _batch_norm(site: Site) -> Step | None:
    axis = site.axis % site.rank if site.has("axis") else 1
    if not site.stay(1, 2, 3, 4) or axis != 1 or not 2 <= site.rank <= 5:
        return None
    gamma, beta, mean, variance = (site.tensor(i) for i in range(1, 5))
    gamma = torch.ones_like(gamma) if site.fix_gamma else gamma
    tensors = {"weight": gamma, "bias": beta, "running_mean": mean, "running_var": variance}
    if site.use_global_stats:
        return None
    n = {2: 1, 3: 1, 4: 2, 5: 3}[site.rank]
    momentum = round(1 - real(site.momentum), 12)
    given = {"_features": len(gamma), "eps": real(site.eps), "momentum": momentum}
    return Step("{m}({0})", layer=Layer(f"nn.BatchNorm{n}d", given, tensors))


@_emitter("LayerNorm")
def _layer_norm(site: Site) -> Step | None:
    if not site.stay(1, 2) or site.axis % site.rank != site.rank - 1 or site.output_mean_var:
        return None
    tensors = {"weight": site.tensor(1), "bias": site.tensor(2)}
    given = {"_features": len(site.tensor(1)), "eps": real(site.eps)}
    return Step("{m}({0})", layer=Layer("nn.LayerNorm", given, tensors))


@_emitter("Embedding")
def _embedding(site: Site) -> Step | None:
    if not site.stay(1):
        return None
    weight = site.tensor(1)
    given = {"_count": weight.shape[0], "_size": weight.shape[1]}
    template = "{m}({0}.long().clamp(0, {last}))"
    layer = Layer("nn.Embedding", given, {"weight": weight})
    return Step(template, {"last": weight.shape[0] - 1}, layer)


@_emitter("Dropout")
def _dropout(site: Site) -> Step | None:
    if site.mode != "training" or site.axes:
        return None
    return Step("{m}({0})", layer=Layer("nn.Dropout", {"_p": real(site.p)}, {}))


@_emitter("LeakyReLU")
def _leaky(site: Site) -> Step | None:
    kind = site.act_type
    if kind == "leaky":
        return Step("F.leaky_relu({0}, {slope})", {"slope": real(site.slope)})
    if kind == "elu":
        return Step("F.elu({0}, {slope})", {"slope": real(site.slope)})
    if kind == "prelu" and site.stay(1) and site.tensor(1).dim() == 1 and site.rank > 1:
        layer = Layer("nn.PReLU", {"_n": len(site.tensor(1))}, {"weight": site.tensor(1)})
        return Step("{m}({0})", layer=layer)
    return Step("F.gelu({0})") if kind == "gelu" else None


# -- Pooling ---------------------------------------------------------------------------------------


@_emitter("Pooling")
def _pooling(site: Site) -> Step | None:
    n = site.rank - 2
    if site.layout not in _CHANNELS_SECOND or n not in (1, 2, 3):
        return None
    if site.pool_type not in ("max", "avg"):
        return None
    if site.global_pool:
        word = "amax" if site.pool_type == "max" else "mean"
        axes = tuple(range(-n, 0))
        return Step(f"{{0}}.{word}({{axes}}, keepdim=True)", {"axes": axes})
    kernel, stride = tuple(site.kernel), tuple(site.stride) or (1,) * n
    pad = tuple(site.pad) or (0,) * n
    if not len(kernel) == len(stride) == len(pad) == n or any(
        2 * p > k for p, k in zip(pad, kernel, strict=True)
    ):
        return None
    ceil = site.pooling_convention == "full"
    if site.pooling_convention not in ("valid", "full") or (ceil and site.pool_type == "avg"):
        return None
    if ceil and not _ceils_alike(site, kernel, stride, pad):
        return None
    given = {"kernel": _side(kernel, n, 1), "stride": _side(stride, n, 1)}
    more = ""
    if any(pad):
        given["padding"] = _side(pad, n, 0)
        more = ", {padding}"
    if ceil:
        more += ", ceil_mode=True"
    if site.pool_type == "avg" and any(pad) and site.count_include_pad is False:
        more += ", count_include_pad=False"
    word = "max_pool" if site.pool_type == "max" else "avg_pool"
    return Step(f"F.{word}{n}d({{0}}, {{kernel}}, {{stride}}{more})", given)


def _ceils_alike(site: Site, kernel: Any, stride: Any, pad: Any) -> bool:
    """Whether torch, which leaves out windows that begin behind the image, has as many of them."""
    for size, k, s, p in zip(site.shapes[0][2:], kernel, stride, pad, strict=True):  # type: ignore[index]
        if type(size) is not int:
            return False
        last = -(-(size + 2 * p - k) // s) * s
        if last >= size + p:
            return False
    return True


# -- Functions -------------------------------------------------------------------------------------


@_emitter("Activation")
def _activation(site: Site) -> Step | None:
    return Step(_ACTIVATIONS[site.act_type]) if site.act_type in _ACTIVATIONS else None


_ACTIVATIONS = {
    "relu": "F.relu({0})", "sigmoid": "torch.sigmoid({0})", "tanh": "torch.tanh({0})",
    "softrelu": "F.softplus({0})", "softsign": "F.softsign({0})",
}  # fmt: skip
_UNARY = {
    "relu": "F.relu({0})", "sigmoid": "torch.sigmoid({0})", "tanh": "torch.tanh({0})",
    "exp": "torch.exp({0})", "sqrt": "torch.sqrt({0})", "abs": "torch.abs({0})",
    "negative": "-{0}", "erf": "torch.erf({0})", "_copy": "{0}",
    "BlockGrad": "{0}", "Flatten": "torch.flatten({0}, 1)", "LinearRegressionOutput": "{0}",
    "LogisticRegressionOutput": "torch.sigmoid({0})", "MAERegressionOutput": "{0}",
    "SVMOutput": "{0}",
}  # fmt: skip
_BINARY = {
    "elemwise_add": "+", "broadcast_add": "+", "elemwise_sub": "-", "broadcast_sub": "-",
    "elemwise_mul": "*", "broadcast_mul": "*", "elemwise_div": "/", "broadcast_div": "/",
    "_grad_add": "+",
}  # fmt: skip
_SCALAR = {
    "_plus_scalar": "{0} + {scalar}", "_minus_scalar": "{0} - {scalar}",
    "_rminus_scalar": "{scalar} - {0}", "_mul_scalar": "{0} * {scalar}",
    "_div_scalar": "{0} / {scalar}", "_rdiv_scalar": "{scalar} / {0}",
}  # fmt: skip


def _unary(template: str) -> Emitter:
    return lambda site: Step(template) if site.rank or "flatten" not in template else None


def _binary(sign: str) -> Emitter:
    return lambda site: Step(f"{{0}} {sign} {{1}}") if len(site.shapes) == 2 else None


def _scalar(template: str) -> Emitter:
    return lambda site: Step(template, {"scalar": real(site.scalar)})


EMITTERS.update({name: _unary(template) for name, template in _UNARY.items()})
EMITTERS.update({name: _binary(sign) for name, sign in _BINARY.items()})
EMITTERS.update({name: _scalar(template) for name, template in _SCALAR.items()})


@_emitter("Concat")
def _concat(site: Site) -> Step | None:
    values = ", ".join(f"{{{i}}}" for i in range(len(site.shapes)))
    return Step(f"torch.cat([{values}], {{dim}})", {"dim": int(site.dim)})


@_emitter("add_n")
def _sum(site: Site) -> Step | None:
    return Step(" + ".join(f"{{{i}}}" for i in range(len(site.shapes))))


@_emitter("softmax log_softmax")
def _softmax(site: Site) -> Step | None:
    if len(site.shapes) > 1 or site.temperature not in (None, 1) or site.dtype is not None:
        return None
    word = site.node.op.name  # type: ignore[union-attr]
    return Step(f"torch.{word}({{0}}, {{axis}})", {"axis": int(site.axis)})


@_emitter("SoftmaxOutput")
def _softmax_output(site: Site) -> Step | None:
    if site.multi_output:
        return Step("torch.softmax({0}, 1)")
    if site.rank == 2 or site.preserve_shape:
        return Step("torch.softmax({0}, -1)")
    rows = "{0}.unsqueeze(1)" if site.rank == 1 else "torch.flatten({0}, 1)"
    return Step(f"torch.softmax({rows}, -1).reshape({{0}}.shape)")


@_emitter("CTCLoss")
def _ctc_loss(site: Site) -> Step | None:
    names = list(site.node.op.inputs())  # type: ignore[union-attr]
    is_first = site.blank_label == "first"
    lines = [f"def forward({', '.join(names)}):", "steps, batch, classes = data.shape"]
    if "data_lengths" in names:  # Data behind a sequence may be NaN.
        lines.append("behind = torch.arange(steps, device=data.device)[:, None] >= data_lengths")
        lines.append("data = data.masked_fill(behind[:, :, None], 0)")
    else:
        lines.append("data_lengths = torch.full((batch,), steps, device=data.device)")
    if "label_lengths" not in names:
        padding = 0 if is_first else -1
        lines.append(f"label_lengths = (label != {padding}).cumprod(1).sum(1)")
    lines += [
        "label = label.long().clamp(0, classes - 1)",
        "lengths = data_lengths.long(), label_lengths.long()",
        f"blank = {0 if is_first else 'classes - 1'}",
        "scores = data.log_softmax(2)",
        'return F.ctc_loss(scores, label, *lengths, blank, "none", zero_infinity=True)',
    ]
    arguments = ", ".join(f"{{{place}}}" for place in range(len(names)))
    return Step(f"{{f}}({arguments})", function="\n    ".join(lines))


@_emitter("SoftmaxActivation")
def _softmax_activation(site: Site) -> Step | None:
    if site.mode == "channel":
        return Step("torch.softmax({0}, 1)")
    return Step("torch.softmax({0}, -1)") if site.rank == 2 else None


@_emitter("clip")
def _clip(site: Site) -> Step | None:
    limits = {"low": real(site.a_min), "high": real(site.a_max)}
    return Step("{0}.clamp({low}, {high})", limits)


@_emitter("transpose")
def _transpose(site: Site) -> Step | None:
    axes = tuple(site.axes or range(site.rank)[::-1])
    return Step("{0}.permute({axes})", {"axes": axes}) if axes else None


@_emitter("expand_dims")
def _expand_dims(site: Site) -> Step | None:
    return Step("{0}.unsqueeze({axis})", {"axis": int(site.axis)})


@_emitter("Reshape")
def _reshape(site: Site) -> Step | None:
    codes, shape = tuple(site.shape or ()), site.shapes[0]
    if not codes or site.reverse or any(code < -1 for code in codes) or codes.count(-1) > 1:
        return None
    if any(code == 0 and i >= len(shape or ()) for i, code in enumerate(codes)):
        return None
    sizes = [f"{{0}}.shape[{i}]" if code == 0 else f"{{s{i}}}" for i, code in enumerate(codes)]
    given = {f"s{i}": int(code) for i, code in enumerate(codes) if code}
    return Step(f"{{0}}.reshape({', '.join(sizes)})", given)


@_emitter("mean sum max min")
def _reduction(site: Site) -> Step | None:
    axis = site.axis
    if axis is None or axis == () or site.exclude or not site.rank:
        return None
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    word = site.node.op.name.replace("max", "amax").replace("min", "amin")  # type: ignore[union-attr]
    if word == "sum" and prod(len(s or ()) for s in site.shapes) == 0:
        return None
    return Step(f"{{0}}.{word}({{axes}}{', keepdim=True' * bool(site.keepdims)})", {"axes": axes})


@_emitter("batch_dot")
def _batch_dot(site: Site) -> Step | None:
    turn = ".transpose(-1, -2)"
    return Step(
        f"torch.matmul({{0}}{turn * bool(site.transpose_a)}, {{1}}{turn * bool(site.transpose_b)})"
    )


@_emitter("slice_axis")
def _slice_axis(site: Site) -> Step | None:
    axis = site.axis % site.rank
    begin, end = site.begin, site.end
    if begin < 0 or (end is not None and end < 0):
        return None
    stop = "" if end is None else "{end}"
    given = {"begin": int(begin), **({} if end is None else {"end": int(end)})}
    return Step(f"{{0}}[{':, ' * axis}{{begin}}:{stop}]", given)
