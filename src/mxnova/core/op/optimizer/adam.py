# SPDX-License-Identifier: Apache-2.0
"""Updates by running means of the gradient and of its square: Adam and AdamW.

Bias corrections are not made here: the optimizer puts them into the learning rate.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..infer import DTypes, Shapes
from ..schema import Op
from .step import adam_step_, adamw_step_, scaled
from .update import Out, destination, master_dtypes, rounded, update_operator


@update_operator("adam_update", "_sparse_adam_update", mutates=("mean", "var"))
def adam_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: Out = None,
) -> Tensor:
    """``weight - lr * mean / (sqrt(var) + epsilon)``.

    Before, ``mean`` and ``var`` move toward the gradient, rescaled, decayed and then clipped, and
    its square. Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2014.
    """
    target = destination(weight, out)
    adam_step_(target, grad, mean, var, lr, beta1, beta2, epsilon, wd, rescale_grad, clip_gradient)
    return target


# AdamW --------------------------------------------------------------------------------------------


def loss_scale(rescale_grad: Tensor) -> tuple[Tensor, Tensor]:
    """The factor in `rescale_grad`, its first element, and whether it is finite and not 0."""
    scale = rescale_grad.reshape(-1)[0]
    return scale, scale.isfinite() & (scale != 0)


def _adamw_shape(op: Op, s: Shapes) -> None:
    s.same(*s.inputs[:-1], "output")


def _adamw_dtypes(op: Op, t: DTypes) -> None:
    t.same(*t.inputs[:-1], "output")
    t.rescale_grad = torch.float32


@update_operator("_adamw_update", shape=_adamw_shape, dtype=_adamw_dtypes, mutates=("mean", "var"))
def adamw_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    rescale_grad: Tensor,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
    out: Out = None,
) -> Tensor:
    """``weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``.

    Before, ``mean`` and ``var`` move toward the gradient, rescaled and clipped, and its square.
    Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2017.

    Args:
        grad: its gradient, of the same shape and type; left rescaled and clipped.
        rescale_grad: (1,) float32: factor for the gradient. Nothing is updated when it is 0,
            infinite or not a number, as a dynamic loss scale makes it after an overflow.
        wd: weight decay, apart from the gradient.
        eta: factor for the whole step, from the schedule of the learning rate.
    """
    target = destination(weight, out)
    scale, usable = loss_scale(rescale_grad)
    # MXNet, too, leaves the gradient as it was used.
    grad.mul_(scale.where(usable, 1))
    if clip_gradient >= 0:
        bound = torch.where(usable, clip_gradient, torch.inf)
        grad.clamp_(-bound, bound)
    adamw_step_(target, grad, mean, var, lr, beta1, beta2, epsilon, wd, eta, usable)
    return target


@update_operator(
    "_mp_adamw_update",
    shape=_adamw_shape,
    dtype=master_dtypes,
    mutates=("mean", "var", "weight32"),
)
def mp_adamw_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    weight32: Tensor,
    rescale_grad: Tensor,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
    out: Out = None,
) -> Tensor:
    """`_adamw_update` of a float32 copy of the weight, rounded to the weight's type.

    Args:
        rescale_grad: (1,) float32: factor for the gradient. Nothing is updated when it is 0,
            infinite or not a number, as a dynamic loss scale makes it after an overflow.
        wd: weight decay, apart from the gradient.
        eta: factor for the whole step, from the schedule of the learning rate.
    """
    scale, usable = loss_scale(rescale_grad)
    grad = scaled(grad.float(), scale, clip_gradient)
    adamw_step_(weight32, grad, mean, var, lr, beta1, beta2, epsilon, wd, eta, usable)
    return rounded(weight32, weight, out)
