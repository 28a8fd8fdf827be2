# SPDX-License-Identifier: Apache-2.0
"""Element-wise functions of one array that have parameters."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ...kernels.bounds import clipped
from ...runtime import torch_api
from ..declaration import elementwise_shape, function_operator
from ..dtypes import saturated
from .rules import floats_only, numbers_only, through_float
from .unary import unary


def _hard_sigmoid_backward(
    d_output: Tensor, output: Tensor, *, alpha: float, beta: float
) -> Tensor:
    output = output.nan_to_num(0)  # where ATen's vectors and its rest differ
    return torch_api.hardtanh_backward(alpha * d_output, output, 0, 1)


# MXNet's gradient is 0 where the bounds are just reached, ATen's is not.
@function_operator(
    "hard_sigmoid", shape=elementwise_shape, dtype=floats_only, backward=_hard_sigmoid_backward
)
def hard_sigmoid(data: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    """``alpha * data + beta``, kept within [0, 1].

    Args:
        data: floating point, of any shape.
        alpha: slope.
        beta: value at 0.
    """
    return (alpha * data).add_(beta).clamp_(0, 1)


@function_operator(
    "clip",
    "_npi_clip",
    "_sparse_clip",
    shape=elementwise_shape,
    dtype=numbers_only,
    method=True,
    pointwise=True,
)
def clip(data: Tensor, *, a_min: float, a_max: float) -> Tensor:
    """Its input, kept within [a_min, a_max].

    Args:
        data: the input, of any shape.
        a_min: what smaller elements become.
        a_max: what larger elements become; it wins where a_min is larger still.
    """
    low, high = saturated(a_min, data.dtype), saturated(a_max, data.dtype)
    if not data.is_floating_point():
        low, high = _held(a_min, data.dtype), _held(a_max, data.dtype)
    if low <= high:
        return clipped(data, low, high)
    return torch.where(data > high, high, torch.clamp(data, min=low))


def _held(bound: float, dtype: torch.dtype) -> int:
    """The integer of type `dtype` that `bound` is cut to."""
    limits = torch.iinfo(dtype)
    return int(min(max(bound, limits.min), limits.max))


@through_float
def _polynomial(data: Tensor, *, a: float, b: float, c: float) -> Tensor:
    return (a * data + b) * data + c


@function_operator("_contrib_quadratic", shape=elementwise_shape, dtype=numbers_only)
def quadratic(data: Tensor, *, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> Tensor:
    """``a * data² + b * data + c``.

    Args:
        data: the input, of any shape.
        a: factor of the square.
        b: factor of data.
        c: value at 0.
    """
    return _polynomial(data, a=a, b=b, c=c)


def _div_sqrt_dim(data: Tensor) -> Tensor:
    return torch.div(data, math.sqrt(data.shape[-1]))


unary(
    "_contrib_div_sqrt_dim",
    through_float(_div_sqrt_dim),
    doc="data / √n, where n is the length of its last axis: how attention scores are scaled.",
    pointwise=False,  # the length is that of the whole axis
)
