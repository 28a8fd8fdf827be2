# SPDX-License-Identifier: Apache-2.0
"""Normalization of each sample on its own: over one axis, groups of channels, or neighbors."""

from __future__ import annotations

from math import inf, prod
from typing import Literal

import torch
from torch import Tensor

from ...base.params import UInt
from ...base.shapes import UnknownDim, shape_text
from ...kernels import vectorized
from ...kernels.norms import has_lost_rows, standardize
from ...kernels.wide_sums import widen
from ...runtime import tuning
from ...runtime.torch_api import is_traced
from ..contrib.boxes import all_float32
from ..declaration import function_operator, operator
from ..dtypes import saturated
from ..infer import DTypes, Shapes
from ..schema import Op
from ..traits import InputShapes, ItemAxes, batch_apart

# Rows from which ATen's fused gradients of gamma and beta are too inexact on the CPU. They are sums
# row by row in the dtype of the data: 5e-4 off after 8,192 rows of float32, 0.5 after 1,000 rows of
# bfloat16. Scaling in a step of its own takes 1.1 to 2 times as long and is 5e-5 off.
_MANY_ROWS = 4096


def _adds_inexactly(rows: Tensor) -> bool:
    if rows.is_cuda:
        return False
    return rows.dtype.itemsize < 4 or rows.numel() >= _MANY_ROWS * rows.shape[-1]


class _WithStatistics(Op):
    """A normalization that also gives the mean and the standard deviation, without gradients."""

    eps: float
    output_mean_var: bool

    def outputs(self) -> tuple[str, ...]:
        return ("output", "mean", "std")

    def n_visible(self) -> int:
        return 3 if self.output_mean_var else 1

    def _results(
        self, output: Tensor, mean: Tensor, inverse_std: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        mean, std = mean.detach(), inverse_std.detach()
        if self.output_mean_var:
            mean, std = mean.to(output.dtype), std.reciprocal().to(output.dtype)
        return output, mean, std


@operator("LayerNorm", "_npx_layer_norm")
class LayerNorm(_WithStatistics):
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics along one axis.

    Ba, Kiros, Hinton, "Layer normalization", 2016.

    Args:
        data: floats of any shape.
        gamma: scale (size of the axis,).
        beta: shift (size of the axis,).
        axis: the axis that is normalized.
        eps: added to the variance.
        output_mean_var: also show the mean and ``sqrt(var + eps)`` that were used.
    """

    axis: int = -1
    eps: float = 1e-5
    output_mean_var: bool = False

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        if shapes[0] is None or any(axis is not None for axis in axes[1:]):
            return None
        return None if self.axis % len(shapes[0]) == axes[0] else axes[0]

    def infer_shape(self, s: Shapes) -> None:
        axis = s.axis("data", self.axis)
        s.gamma = s.beta = (s.data[axis],)
        s.output = s.data
        s.mean = s.std = (*s.data[:axis], 1, *s.data[axis + 1 :])

    def shape_advice(self, s: Shapes, name: str) -> str:
        """Where the axis has another size than gamma and beta."""
        size, wanted = s.data[s.axis("data", self.axis)], s[name][0]
        return (
            f"data has {size} items along axis={self.axis}, {name} is for {wanted}: make the layer "
            f"with in_channels={size}"
        )

    def forward(self, data: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        last = self.axis in (-1, data.ndim - 1)
        x = data if last else data.movedim(self.axis, -1)
        if (gamma.requires_grad or beta.requires_grad) and _adds_inexactly(x):
            plain, *rest = torch.native_layer_norm(x, gamma.shape, None, None, self.eps)
            results = (torch.addcmul(beta, plain, gamma), *rest)
        else:
            results = vectorized.layer_norm(x, gamma, beta, self.eps)
        if has_lost_rows(results[2]):
            plain, *rest = standardize(x, self.eps)
            results = (torch.addcmul(beta, plain, gamma), *rest)
        return self._results(*(r if last else r.movedim(-1, self.axis) for r in results))


@operator("GroupNorm")
class GroupNorm(_WithStatistics):
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics of channel groups.

    Wu, He, "Group normalization", 2018.

    Args:
        data: floats (batch, channels, *spatial).
        gamma: scale of each group (num_groups,).
        beta: shift of each group (num_groups,).
        num_groups: number of groups that the channels are split into.
        eps: added to the variance.
        output_mean_var: also show the mean and ``sqrt(var + eps)`` that were used.
    """

    num_groups: int = 1
    eps: float = 1e-5
    output_mean_var: bool = False

    def infer_shape(self, s: Shapes) -> None:
        groups = self.num_groups
        if s.rank("data") < 3:
            raise s.fail(f"data has shape {shape_text(s.data)}: it needs at least 3 dimensions")
        channels = s.data[1]
        if groups < 1 or (not isinstance(channels, UnknownDim) and channels % groups):
            raise s.fail(f"num_groups={groups}: data {shape_text(s.data)} has {channels} channels")
        s.gamma = s.beta = (groups,)
        s.output = s.data
        s.mean = s.std = (s.data[0], groups)

    def forward(self, data: Tensor, gamma: Tensor, beta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        each = data.shape[1] // self.num_groups
        vectors = gamma.repeat_interleave(each), beta.repeat_interleave(each)
        return self._results(*_normalize_groups(data, *vectors, self.num_groups, self.eps))


def _normalize_groups(
    data: Tensor, gamma: Tensor, beta: Tensor, groups: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return data normalized by groups of channels, the means, and ``1 / std`` (batch, groups).

    Args:
        data: (batch, channels, *spatial).
        gamma: scale (channels,).
        beta: shift (channels,).
        groups: number of groups.
        eps: added to the variance.
    """
    batch, channels, *spatial = data.shape
    results = torch.native_group_norm(
        data.contiguous(), gamma, beta, batch, channels, prod(spatial), groups, eps
    )
    if not has_lost_rows(results[2]):
        return results
    plain, mean, inverse_std = standardize(data.reshape(batch, groups, -1), eps)
    gamma, beta = (vector.view(-1, *[1] * len(spatial)) for vector in (gamma, beta))
    output = torch.addcmul(beta, plain.view(data.shape), gamma)
    return output, mean.squeeze(-1), inverse_std.squeeze(-1)


@operator("InstanceNorm")
class InstanceNorm(Op):
    """``(data - mean) / sqrt(var + eps) * gamma + beta`` with the statistics of each channel.

    Ulyanov, Vedaldi, Lempitsky, "Instance normalization: the missing ingredient for fast
    stylization", 2016.

    Args:
        data: float32 (batch, channels, *spatial).
        gamma: scale (channels,).
        beta: shift (channels,).
        eps: added to the variance.
    """

    eps: float = 1e-3
    item_axis = batch_apart

    def infer_shape(self, s: Shapes) -> None:
        if s.rank("data") < 3:
            raise s.fail(f"data has shape {shape_text(s.data)}: it needs at least 3 dimensions")
        s.gamma = s.beta = (s.data[1],)
        s.output = s.data

    def infer_dtype(self, t: DTypes) -> None:
        all_float32(t)

    def forward(self, data: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
        return _normalize_groups(data, gamma, beta, data.shape[1], self.eps)[0]


def _l2_shape(op: Op, s: Shapes) -> None:
    if op.attr("mode") != "instance" and s.rank("data") < 3:
        raise s.fail(
            f"mode={op.attr('mode')}: data has shape {shape_text(s.data)}: "
            f"it needs at least 3 dimensions"
        )
    s.output = s.data


@function_operator("L2Normalization", shape=_l2_shape)
def l2_normalization(
    data: Tensor,
    *,
    eps: float = 1e-10,
    mode: Literal["channel", "instance", "spatial"] = "instance",
) -> Tensor:
    """``data / sqrt(sum(data ** 2) + eps)``.

    Args:
        data: floats (batch, channels, …).
        eps: added to the sum.
        mode: the sum is over all of a sample (instance), axis 1 (channel) or all further axes
            (spatial).
    """
    x = widen(data)
    if mode == "channel":
        axes: tuple[int, ...] = (1,)
    else:
        axes = tuple(range(1 if mode == "instance" else 2, data.ndim))
    squares = (x * x).sum(axes, keepdim=True) if axes else x * x
    return (x / (squares + eps).sqrt()).to(data.dtype)


def _lrn_shape(op: Op, s: Shapes) -> None:
    if op.attr("nsize") < 1:
        raise s.fail(f"nsize={op.attr('nsize')}: it must be at least 1")
    s.same("data", "output")
    s.rank("data", 4)


def _lrn_backward(
    d_output: Tensor,
    data: Tensor,
    output: Tensor,
    *,
    alpha: float,
    beta: float,
    knorm: float,
    nsize: int,
) -> Tensor:
    weight, beta = saturated(alpha / nsize, data.dtype), saturated(beta, data.dtype)
    x = widen(data)
    total = _lrn_totals(x, weight, knorm, nsize)
    # Beside an infinite element, everything is 0 and has no slope.
    shares = (d_output * output / total).where(total < inf, 0)
    near = _add_near(shares.clone(), shares, 1.0, nsize)
    return (d_output * total.pow(-beta) - 2 * weight * beta * x * near).to(data.dtype)


@function_operator("LRN", shape=_lrn_shape, items=batch_apart, backward=_lrn_backward)
def local_response_norm(
    data: Tensor, *, alpha: float = 1e-4, beta: float = 0.75, knorm: float = 2, nsize: UInt
) -> Tensor:
    """``data / (knorm + alpha / nsize * sum(data ** 2)) ** beta``, the sum over near channels.

    Krizhevsky, Sutskever, Hinton, "ImageNet classification with deep convolutional neural
    networks", 2012.

    Args:
        data: floats (batch, channels, height, width).
        alpha: weight of the sum.
        beta: exponent.
        knorm: constant term.
        nsize: number of channels summed around each one; one less if it is even, as in MXNet.
    """
    weight, beta = saturated(alpha / nsize, data.dtype), saturated(beta, data.dtype)
    if is_traced() or data.is_cuda or data.dtype.itemsize < 4 or not data.numel():
        x = widen(data)
        total = _lrn_totals(x, weight, knorm, nsize)
        return (x * (_power_075(total) if beta == 0.75 else total.pow(-beta))).to(data.dtype)
    output = torch.empty_like(data)
    n = max(1, tuning.LRN_BLOCK // data[0].numel())
    squares, totals = torch.empty_like(data[:n]), torch.empty_like(data[:n])
    constant = data.new_tensor(knorm)
    for images, result in zip(torch.split(data, n), torch.split(output, n), strict=True):
        square, total = squares[: len(images)], totals[: len(images)]
        torch.mul(images, images, out=square)
        torch.add(constant, square, alpha=weight, out=total)
        _add_near(total, square, weight, nsize)
        if beta == 0.75:
            torch.sqrt(total.rsqrt_(), out=square)
            total.mul_(square)
        else:
            total.pow_(-beta)
        torch.mul(total, images, out=result)
    return output


def _lrn_totals(data: Tensor, weight: float, knorm: float, nsize: int) -> Tensor:
    square = data * data
    return _add_near(square.mul(weight).add_(knorm), square, weight, nsize)


def _add_near(total: Tensor, square: Tensor, weight: float, nsize: int) -> Tensor:
    """Add the weighted squares of as many channels on both sides to the totals, in place."""
    for i in range(1, min((nsize - 1) // 2 + 1, total.shape[1])):
        total[:, i:].add_(square[:, :-i], alpha=weight)
        total[:, :-i].add_(square[:, i:], alpha=weight)
    return total


def _power_075(total: Tensor) -> Tensor:
    """Compute ``total ** -0.75`` in a quarter of the time that powers take."""
    root = total.rsqrt_()
    return root * root.sqrt()
