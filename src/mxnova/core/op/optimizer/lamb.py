# SPDX-License-Identifier: Apache-2.0
"""LAMB: Adam with a learning rate per layer.

You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", 2019.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ...base.params import StepCount
from ...base.shapes import shape_text
from ..infer import DTypes, Shapes
from ..schema import Op
from .step import correction, moments_, scaled
from .update import Out, destination, rounded, update_operator


def lamb_direction(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    beta1: float,
    beta2: float,
    epsilon: float,
    t: StepCount,
    bias_correction: bool,
    wd: float,
) -> Tensor:
    """``mean / (sqrt(var) + epsilon) + wd * weight``, after `moments_`; corrected for step `t`."""
    moments_(mean, var, grad, beta1, beta2)
    if bias_correction:
        mean = mean / correction(beta1, t, mean.dtype)
        var = var / correction(beta2, t, var.dtype)
    return (mean / var.sqrt().add_(epsilon)).add_(weight, alpha=wd)


def trust_ratios(r1: Tensor, r2: Tensor, lower_bound: float, upper_bound: float) -> Tensor:
    """`r1`, within the bounds that are not negative, over `r2`; 1 where one of them is 0."""
    if lower_bound >= 0:
        r1 = r1.clamp(min=lower_bound)
    if upper_bound >= 0:
        r1 = r1.clamp(max=upper_bound)
    return torch.where((r1 == 0) | (r2 == 0), torch.ones_like(r1), r1 / r2)


def _first(x: Tensor) -> Tensor:
    """The first element, without axes."""
    return x.flatten()[0]


# Phase 1: the direction ---------------------------------------------------------------------------


@update_operator("lamb_update_phase1", mutates=("mean", "var"))
def lamb_update_phase1(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    t: StepCount,
    bias_correction: bool = True,
    wd: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Tensor:
    """Direction of a LAMB step: ``mean / (sqrt(var) + epsilon) + wd * weight``.

    Before, ``mean`` and ``var`` move toward the gradient, rescaled and clipped, and its square.

    Args:
        t: number of the step, from 1.
        bias_correction: divide ``mean`` by ``1 - beta1ᵗ`` and ``var`` by ``1 - beta2ᵗ``.
        wd: weight decay.
    """
    grad = scaled(grad, rescale_grad, clip_gradient)
    return lamb_direction(weight, grad, mean, var, beta1, beta2, epsilon, t, bias_correction, wd)


def _mp_phase1_dtypes(op: Op, t: DTypes) -> None:
    t.weight = t.grad = torch.float16
    t.mean = t.var = t.weight32 = t.output = torch.float32


@update_operator("mp_lamb_update_phase1", mutates=("mean", "var"), dtype=_mp_phase1_dtypes)
def mp_lamb_update_phase1(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    weight32: Tensor,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    t: StepCount,
    bias_correction: bool = True,
    wd: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Tensor:
    """`lamb_update_phase1` of a float32 copy of the weight; the direction is float32.

    Args:
        weight: the weight, float16.
        weight32: float32 copy of the weight.
        t: number of the step, from 1.
        bias_correction: divide ``mean`` by ``1 - beta1ᵗ`` and ``var`` by ``1 - beta2ᵗ``.
        wd: weight decay.
    """
    grad = scaled(grad.float(), rescale_grad, clip_gradient)
    return lamb_direction(weight32, grad, mean, var, beta1, beta2, epsilon, t, bias_correction, wd)


# Phase 2: the step --------------------------------------------------------------------------------


def _phase2_shape(op: Op, s: Shapes) -> None:
    s.same(*(n for n in s.inputs if n not in ("r1", "r2")), "output")
    for name in ("r1", "r2"):
        if s[name][:1] != (1,):
            raise s.fail(f"{name} has shape {shape_text(s[name])}: it must be [1]")


@update_operator("lamb_update_phase2", shape=_phase2_shape)
def lamb_update_phase2(
    weight: Tensor,
    g: Tensor,
    r1: Tensor,
    r2: Tensor,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    out: Out = None,
) -> Tensor:
    """``weight - lr * r1 / r2 * g``; the ratio is 1 where one of the norms is 0.

    Args:
        g: the direction from `lamb_update_phase1`.
        r1: (1,): norm of the weight.
        r2: (1,): norm of `g`.
        lower_bound: least value for `r1`; none when negative.
        upper_bound: greatest value for `r1`; none when negative.
    """
    ratio = trust_ratios(_first(r1), _first(r2), lower_bound, upper_bound)
    return destination(weight, out).sub_(g * (ratio * lr))


def _mp_phase2_dtypes(op: Op, t: DTypes) -> None:
    t.same("weight", "output")
    t.g = t.r1 = t.r2 = t.weight32 = torch.float32


@update_operator(
    "mp_lamb_update_phase2", shape=_phase2_shape, dtype=_mp_phase2_dtypes, mutates=("weight32",)
)
def mp_lamb_update_phase2(
    weight: Tensor,
    g: Tensor,
    r1: Tensor,
    r2: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    out: Out = None,
) -> Tensor:
    """`lamb_update_phase2` of a float32 copy of the weight, rounded to the weight's type.

    Args:
        g: the direction from `mp_lamb_update_phase1`, float32.
        r1: (1,): norm of the weight, float32.
        r2: (1,): norm of `g`, float32.
        weight32: float32 copy of the weight, which stays as it is.
        lower_bound: least value for `r1`; none when negative.
        upper_bound: greatest value for `r1`; none when negative.
    """
    ratio = trust_ratios(_first(r1), _first(r2), lower_bound, upper_bound)
    # MXNet calls weight32 a state but leaves it alone.
    return rounded(weight32 - g * (ratio * lr), weight, out)
