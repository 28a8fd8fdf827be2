# SPDX-License-Identifier: Apache-2.0
"""Operators that hand their input on: what they are for is the gradient, or the copy."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from ...base.params import Double
from ..declaration import elementwise_shape, function_operator
from ..dtypes import saturated
from ..gradient_stypes import as_head, as_input
from ..infer import DTypes
from ..schema import Op
from .rules import floats_only
from .unary import round_half_away, unary, whole


def _straight_through(d_output: Tensor) -> Tensor:
    return d_output


def _ones(loss: Tensor) -> Tensor:
    return torch.ones_like(loss)


# fmt: off
unary("_copy identity", torch.clone, dtype=None, doc="A copy of data.", gradient_stypes=as_head,
      copies=True)
unary("_CrossDeviceCopy", torch.clone, dtype=None,
      doc="A copy of data, on the device of its reader.")
unary("BlockGrad _sparse_stop_gradient stop_gradient", torch.clone,
      dtype=None, differentiable=False, doc="A copy of data that lets no gradient through.",
      copies=True,
      gradient_stypes=as_input)
unary("make_loss _sparse_make_loss", torch.clone, outputs=("loss",), dtype=None, backward=_ones,
      copies=True,
      doc="A copy of data as a loss to minimize: its gradient is 1, whatever flows in from above.")
unary("_contrib_round_ste _sparse__contrib_round_ste", whole(round_half_away),
      backward=_straight_through,
      doc="Nearest whole number, halves away from zero; the gradient passes as it is "
      "(Bengio et al., Estimating or Propagating Gradients Through Stochastic Neurons, 2013).",
      gradient_stypes=as_head)
unary("_contrib_sign_ste _sparse__contrib_sign_ste", torch.sign, backward=_straight_through,
      doc="-1, 0 or 1: the sign; the gradient passes as it is.", gradient_stypes=as_head)
# fmt: on


def _gradient_multiplier_backward(d_output: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return d_output * scalar


@function_operator(
    "_contrib_gradientmultiplier",
    shape=elementwise_shape,
    backward=_gradient_multiplier_backward,
    gradient_stypes=as_head,
    copies=True,
)
def gradientmultiplier(data: Tensor, *, scalar: Double = 1.0, is_int: bool = True) -> Tensor:
    """A copy of data whose gradient is multiplied by scalar; a negative one reverses it.

    Source: Ganin & Lempitsky, Unsupervised Domain Adaptation by Backpropagation, 2015.

    Args:
        data: of any shape and type.
        scalar: the factor.
        is_int: ignored.
    """
    return data.clone()


def _make_loss_backward(
    data: Tensor,
    *,
    grad_scale: float,
    valid_thresh: float,
    normalization: str,
) -> Tensor:
    gradient = torch.full_like(data, saturated(grad_scale, data.dtype))
    if normalization == "batch" and data.ndim > 1:
        return gradient / data.shape[0]
    if normalization == "valid":
        return gradient / (data > valid_thresh).sum().clamp(min=1)
    return gradient


@function_operator(
    "MakeLoss",
    shape=elementwise_shape,
    dtype=floats_only,
    backward=_make_loss_backward,
    copies=True,
)
def make_loss(
    data: Tensor,
    *,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal["batch", "null", "valid"] = "null",
) -> Tensor:
    """Return a copy of data as a loss; its gradient is a constant that ignores the head gradient.

    Args:
        data: the losses, floating point; their first axis is the batch.
        grad_scale: the gradient before it is normalized.
        valid_thresh: elements above it are valid.
        normalization: what the gradient is divided by: nothing (``null``), the size of the batch,
            of one for a vector (``batch``), or the number of valid elements (``valid``).
    """
    return data.clone()


@function_operator("_identity_with_attr_like_rhs", shape=elementwise_shape, gradient_stypes=as_head)
def identity_with_attr_like_rhs(lhs: Tensor, rhs: Tensor) -> Tensor:
    """A copy of lhs; shapes and types are inferred from rhs too.

    Args:
        lhs: what is copied.
        rhs: an array of the same shape and type, which is not read.
    """
    return lhs.clone()


def _copyto_dtype(op: Op, t: DTypes) -> None:
    """Data is cast to a given output; without one the output is of its type."""
    if t.known("output") is None:
        t.output = t.data


@function_operator("_copyto", "_npi_copyto", shape=elementwise_shape, dtype=_copyto_dtype)
def copyto(data: Tensor, *, out: tuple[Tensor, ...] | None) -> Tensor:
    """Copy data into the output, with a cast to its dtype and a transfer to its device.

    Args:
        data: of any shape and type.
        out: the output.
    """
    if out is None or not isinstance(out[0], Tensor):  # sparse storage, which receives a copy
        return data.clone()
    return out[0].copy_(data)
