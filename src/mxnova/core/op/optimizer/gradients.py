# SPDX-License-Identifier: Apache-2.0
"""Operators on all gradients of a step: finiteness checks, norms, learning rates, zeroing."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.params import Count
from ...runtime.torch_optimizers import foreach
from ..declaration import elementwise_shape, function_operator
from ..dtypes import dtype_name
from ..infer import DTypes, Shapes
from ..outputs import numbered
from ..schema import Op
from .update import Out


def _numbered(op: Any) -> tuple[str, ...]:
    return numbered("array_", op.num_arrays)


def _float_dtypes(op: Op, t: DTypes) -> None:
    for name in t.inputs:
        dtype = t.known(name)
        if dtype is not None and not dtype.is_floating_point:
            raise MXNetError(
                f"{op.name}: {name} has type {dtype_name(dtype)}: it must be a floating-point type"
            )
    for name in t.outputs:
        t[name] = torch.float32


# Finiteness ---------------------------------------------------------------------------------------


def _one_number(op: Op, s: Shapes) -> None:
    s.output = (1,)


def _finite(arrays: tuple[Tensor, ...], init_output: bool, out: Out) -> Tensor:
    by_type: dict[torch.dtype, list[Tensor]] = {}
    for array in arrays:
        if array.numel():
            by_type.setdefault(array.dtype, []).append(array)
    found = [torch.stack(_extremes(alike)).isfinite().all() for alike in by_type.values()]
    result = torch.stack(found).all() if found else torch.ones(1, device=arrays[0].device)
    result = result.float().reshape(1)
    return result if init_output or out is None else result * out[0]


def _extremes(arrays: list[Tensor]) -> list[Tensor]:
    """Numbers that are infinite or NaN where any of `arrays` is: found in a tenth of the time."""
    if arrays[0].is_cuda:  # a few kernels for all of them
        largest: list[Tensor] = foreach.norm(arrays, math.inf)
        return largest
    return [extreme for array in arrays for extreme in torch.aminmax(array)]


@function_operator("all_finite", shape=_one_number, dtype=_float_dtypes, differentiable=None)
def all_finite(data: Tensor, *, init_output: bool = True, out: Out = None) -> Tensor:
    """1 when every element is finite, else 0; (1,) float32.

    Args:
        data: the array, of any shape and floating-point type.
        init_output: False to multiply the result into the output array.
    """
    return _finite((data,), init_output, out)


@function_operator(
    "multi_all_finite",
    inputs=_numbered,
    shape=_one_number,
    dtype=_float_dtypes,
    differentiable=None,
)
def multi_all_finite(
    *data: Tensor, num_arrays: Count = 1, init_output: bool = True, out: Out = None
) -> Tensor:
    """1 when every element of every array is finite, else 0; (1,) float32.

    Args:
        data: the arrays, of any shapes and floating-point types.
        num_arrays: number of arrays.
        init_output: False to multiply the result into the output array.
    """
    return _finite(data, init_output, out)


# Norms --------------------------------------------------------------------------------------------


def _numbers(op: Any, s: Shapes) -> None:
    s.output = (op.num_arrays,)


def _sum_sq_dtypes(op: Op, t: DTypes) -> None:
    t.same(*t.inputs)
    _float_dtypes(op, t)


@function_operator(
    "multi_sum_sq", inputs=_numbered, shape=_numbers, dtype=_sum_sq_dtypes, differentiable=None
)
def multi_sum_sq(*data: Tensor, num_arrays: Count) -> Tensor:
    """Sum of the squares of each array; (num_arrays,) float32.

    Args:
        data: the arrays, of any shapes and one floating-point type, in which the squares are taken;
            on a GPU they are taken in float32.
        num_arrays: number of arrays.
    """
    if data[0].is_cuda:
        data = tuple(a.float() for a in data)
    if data[0].dtype is torch.float32:
        return torch.stack(foreach.norm(data)).square_()
    return torch.stack([a.square().sum(dtype=torch.float32) for a in data])


@function_operator("multi_lars", shape=elementwise_shape, differentiable=None)
def multi_lars(
    lrs: Tensor,
    weights_sum_sq: Tensor,
    grads_sum_sq: Tensor,
    wds: Tensor,
    *,
    eta: float,
    eps: float,
    rescale_grad: float = 1.0,
) -> Tensor:
    """Learning rates in proportion to norm of weight over norm of gradient, for each layer.

    ``lr * eta * |weight| / (rescale_grad * |grad| + wd * |weight| + eps)``; just ``lr`` where one
    of the norms is 0. You et al., "Large Batch Training of Convolutional Networks", 2017.

    Args:
        lrs: learning rate of each layer.
        weights_sum_sq: sum of the squares of each layer's weights.
        grads_sum_sq: sum of the squares of each layer's gradients.
        wds: weight decay of each layer.
        eta: factor for the learning rates.
        eps: added to the denominator.
        rescale_grad: factor for the gradients.
    """
    weights, grads = weights_sum_sq.sqrt(), grads_sum_sq.sqrt()
    rates = lrs * eta * weights / (grads * rescale_grad + wds * weights + eps)
    return torch.where((weights > 0) & (grads > 0), rates, lrs)


# Zeroing ------------------------------------------------------------------------------------------


def _no_shape(op: Op, s: Shapes) -> None:
    """There is no output, and the shapes are free."""


@function_operator(
    "reset_arrays",
    inputs=_numbered,
    outputs=(),
    shape=_no_shape,
    dtype=_float_dtypes,
    differentiable=False,
)
def reset_arrays(*data: Tensor, num_arrays: Count) -> tuple[Tensor, ...]:
    """Set all arrays to zero, in place; there is no output.

    Args:
        data: the arrays, of any shapes and floating-point types.
        num_arrays: number of arrays.
    """
    foreach.zero_(data)
    return ()
