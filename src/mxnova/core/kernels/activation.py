# SPDX-License-Identifier: Apache-2.0
"""Activation functions with MXNet's values and slopes at NaN and infinity.

MXNet's and oneDNN's rectifiers are 0 at NaN, ATen's is NaN. Some of ATen's gradients at NaN depend
on whether an element is in a vector or in the rest of an array.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..runtime.torch_api import is_traced, is_transformed

__all__ = ["clear_nan", "has_nan", "is_readable", "relu", "relu_", "softsign", "with_slope_at_nan"]


def relu(data: Tensor) -> Tensor:
    """Return `data` where it is positive and 0 elsewhere.

    NaN is 0 in float32 and bfloat16, and NaN in other dtypes, which oneDNN has no rectifier for.
    """
    if data.dtype not in (torch.float32, torch.bfloat16):
        return torch.relu(data)
    if data.is_cuda and not is_traced():
        result: Tensor = _Relu.apply(data)  # type: ignore[no-untyped-call]
        return result
    return clear_nan(torch.relu(data))


def relu_(data: Tensor) -> Tensor:
    """Set all elements to 0 that are not positive, without a gradient."""
    if data.is_cuda:
        return torch.fmax(data, data.new_zeros(()), out=data)
    return clear_nan(torch.relu_(data))


def is_readable(data: Tensor) -> bool:
    """Return whether numbers of `data` can be read at once: a GPU would have to finish its work."""
    return data.is_cpu and not (is_traced() or is_transformed())


def has_nan(data: Tensor) -> bool:
    """Return True if `data` is readable and contains NaN or infinities of both signs."""
    return data.is_floating_point() and is_readable(data) and _sums_to_nan(data)


def _sums_to_nan(data: Tensor) -> bool:
    """Return whether the sum is NaN, which takes at most half of the time of a pass that writes."""
    return math.isnan((data.detach() if data.requires_grad else data).sum().item())


def clear_nan(output: Tensor) -> Tensor:
    """Return the output of ATen's rectifier with 0 in place of NaN, as a rule in place."""
    if output.is_mkldnn or not output.is_floating_point():  # oneDNN's rectifier is 0 at NaN.
        return output
    if is_traced() or is_transformed():
        return torch.where(output > 0, output, 0.0)
    # Autograd derives the slope from the output, whose version `data` does not change.
    values = output.data if output.requires_grad else output
    if not values.is_cpu or _sums_to_nan(values):  # The sum of a meta tensor cannot be read.
        values.nan_to_num_(0.0, math.inf)
    return output


class _Relu(torch.autograd.Function):
    """The rectifier in one kernel of a GPU; on CPUs `fmax` takes 20 times as long as `relu`."""

    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        output = torch.fmax(data, data.new_zeros(()))
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> Tensor:
        (output,) = ctx.saved_tensors
        return d_outputs[0].masked_fill(output <= 0, 0.0)


def softsign(data: Tensor) -> Tensor:
    """Return ``data / (1 + |data|)``, whose slope is 0 at infinity, where ATen's is NaN."""
    result: Tensor = _Softsign.apply(data)  # type: ignore[no-untyped-call]
    return result


class _Softsign(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        ctx.save_for_backward(data)
        return data / data.abs().add(1)

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> Tensor:
        (data,) = ctx.saved_tensors
        slope: Tensor = d_outputs[0] / data.abs().add(1).square()
        return slope


def with_slope_at_nan(function: Callable[[Tensor], Tensor], data: Tensor) -> Tensor:
    """Return ``function(data)`` with the slope 1 at NaN, in arrays of every size.

    Args:
        function: an element-wise function that propagates NaN.
        data: its argument.
    """
    output = function(data)
    if not output.requires_grad or not has_nan(output):
        return output
    is_nan = data.isnan()
    return torch.where(is_nan, data, function(data.masked_fill(is_nan, 0.0)))
