# SPDX-License-Identifier: Apache-2.0
"""Updates by stochastic gradient descent, with momentum, and by the sign of the gradient."""

from __future__ import annotations

from torch import Tensor

from .step import momentum_step_, nesterov_step_, scaled, sgd_step_
from .update import Out, destination, master_dtypes, rounded, update_operator


@update_operator("sgd_update", "_sparse_sgd_update")
def sgd_update(
    weight: Tensor,
    grad: Tensor,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: Out = None,
) -> Tensor:
    """``weight - lr * (grad + wd * weight)``, with the gradient rescaled and clipped."""
    target = destination(weight, out)
    sgd_step_(target, grad, lr, wd, rescale_grad, clip_gradient)
    return target


@update_operator("sgd_mom_update", "_sparse_sgd_mom_update", mutates=("mom",))
def sgd_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: Out = None,
) -> Tensor:
    """``weight + mom``, after ``mom = momentum * mom - lr * (grad + wd * weight)``.

    The gradient is rescaled and clipped first.
    """
    target = destination(weight, out)
    momentum_step_(target, grad, mom, lr, momentum, wd, rescale_grad, clip_gradient)
    return target


@update_operator("nag_mom_update", mutates=("mom",))
def nag_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: Out = None,
) -> Tensor:
    """Step along Nesterov's accelerated gradient: to where the next momentum will lead.

    With the gradient rescaled and clipped, ``d = lr * (grad + wd * weight)`` and
    ``mom = momentum * mom - d``, it is ``weight + momentum * mom - d``.
    """
    target = destination(weight, out)
    nesterov_step_(weight, grad, mom, lr, momentum, wd, rescale_grad, clip_gradient, target)
    return target


# With a float32 copy of the weight ----------------------------------------------------------------


@update_operator("mp_sgd_update", mutates=("weight32",), dtype=master_dtypes)
def mp_sgd_update(
    weight: Tensor,
    grad: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: Out = None,
) -> Tensor:
    """`sgd_update` of a float32 copy of the weight, rounded to the weight's type.

    Args:
        lazy_update: without effect.
    """
    sgd_step_(weight32, grad.float(), lr, wd, rescale_grad, clip_gradient)
    return rounded(weight32, weight, out)


@update_operator("mp_sgd_mom_update", mutates=("mom", "weight32"), dtype=master_dtypes)
def mp_sgd_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: Out = None,
) -> Tensor:
    """`sgd_mom_update` of a float32 copy of the weight, rounded to the weight's type.

    Args:
        lazy_update: without effect.
    """
    momentum_step_(weight32, grad.float(), mom, lr, momentum, wd, rescale_grad, clip_gradient)
    return rounded(weight32, weight, out)


@update_operator("mp_nag_mom_update", mutates=("mom", "weight32"), dtype=master_dtypes)
def mp_nag_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: Out = None,
) -> Tensor:
    """`nag_mom_update` of a float32 copy of the weight, rounded to the weight's type."""
    nesterov_step_(
        weight32, grad.float(), mom, lr, momentum, wd, rescale_grad, clip_gradient, weight32
    )
    return rounded(weight32, weight, out)


# By sign ------------------------------------------------------------------------------------------


@update_operator("signsgd_update")
def signsgd_update(
    weight: Tensor,
    grad: Tensor,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: Out = None,
) -> Tensor:
    """``(1 - lr * wd) * weight - lr * sign(grad)``.

    Bernstein et al., "signSGD: Compressed Optimisation for Non-Convex Problems", 2018.

    Args:
        wd: weight decay.
        rescale_grad: without effect.
        clip_gradient: without effect.
    """
    return destination(weight, out).mul_(1 - lr * wd).sub_(grad.sign(), alpha=lr)


@update_operator("signum_update", mutates=("mom",))
def signum_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
    out: Out = None,
) -> Tensor:
    """Step by the sign of the momentum: ``(1 - lr * wd_lh) * weight + lr * sign(mom)``.

    Before, ``mom = momentum * mom - (1 - momentum) * (grad + wd * weight)``, with the gradient
    rescaled and clipped.
    Bernstein et al., "signSGD: Compressed Optimisation for Non-Convex Problems", 2018.

    Args:
        wd: weight decay that goes through the momentum.
        wd_lh: weight decay that acts on the weight directly.
    """
    share = 1 - momentum
    grad = scaled(grad, rescale_grad, clip_gradient)
    mom.mul_(momentum).sub_(grad, alpha=share).sub_(weight, alpha=share * wd)
    return destination(weight, out).mul_(1 - lr * wd_lh).add_(mom.sign(), alpha=lr)
