# SPDX-License-Identifier: Apache-2.0
"""Updates by stochastic gradient descent, with momentum, and by the sign of the gradient.

`scaled(grad)` stands for ``rescale_grad * grad``, cut to ±`clip_gradient` unless that is negative.
"""

from __future__ import annotations

from torch import Tensor

from .step import (
    Out,
    destination,
    master_dtypes,
    momentum_step_,
    nesterov_step_,
    rounded,
    scaled,
    sgd_step_,
    update_operator,
)


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
    """``weight - lr * (scaled(grad) + wd * weight)``.

    Args:
        weight: the weight, of any shape.
        grad: its gradient.
        lr: learning rate.
        wd: weight decay (L2 penalty).
        rescale_grad: factor for the gradient.
        clip_gradient: bound for the rescaled gradient; none when negative.
        lazy_update: for row_sparse gradients only: leave the other rows as they are.
    """
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
    """``weight + mom``, after ``mom = momentum * mom - lr * (scaled(grad) + wd * weight)``.

    Args:
        weight: the weight, of any shape.
        grad: its gradient.
        mom: momentum, updated.
        lr: learning rate.
        momentum: decay of the momentum.
        wd: weight decay (L2 penalty).
        rescale_grad: factor for the gradient.
        clip_gradient: bound for the rescaled gradient; none when negative.
        lazy_update: for row_sparse gradients only: leave the other rows as they are.
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
    """Step along Nesterov's accelerated gradient: where the next momentum will lead.

    ``d = lr * (scaled(grad) + wd * weight)``, ``mom = momentum * mom - d``, then
    ``weight + momentum * mom - d``.

    Args:
        weight: the weight, of any shape.
        grad: its gradient.
        mom: momentum, updated.
        lr: learning rate.
        momentum: decay of the momentum.
        wd: weight decay (L2 penalty).
        rescale_grad: factor for the gradient.
        clip_gradient: bound for the rescaled gradient; none when negative.
    """
    target = destination(weight, out)
    nesterov_step_(target, grad, mom, lr, momentum, wd, rescale_grad, clip_gradient)
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
    """`sgd_update` of a float32 copy of the weight; the result is its rounded value.

    Args:
        weight: the weight, usually float16.
        grad: its gradient, of the same type.
        weight32: float32 copy of the weight, updated.
        lr: learning rate.
        wd: weight decay (L2 penalty).
        rescale_grad: factor for the gradient.
        clip_gradient: bound for the rescaled gradient; none when negative.
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
    """`sgd_mom_update` of a float32 copy of the weight; the result is its rounded value.

    Args:
        weight: the weight, usually float16.
        grad: its gradient, of the same type.
        mom: float32 momentum, updated.
        weight32: float32 copy of the weight, updated.
        lr: learning rate.
        momentum: decay of the momentum.
        wd: weight decay (L2 penalty).
        rescale_grad: factor for the gradient.
        clip_gradient: bound for the rescaled gradient; none when negative.
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
    """`nag_mom_update` of a float32 copy of the weight; the result is its rounded value.

    Args:
        weight: the weight, usually float16.
        grad: its gradient, of the same type.
        mom: float32 momentum, updated.
        weight32: float32 copy of the weight, updated.
        lr: learning rate.
        momentum: decay of the momentum.
        wd: weight decay (L2 penalty).
        rescale_grad: factor for the gradient.
        clip_gradient: bound for the rescaled gradient; none when negative.
    """
    nesterov_step_(weight32, grad.float(), mom, lr, momentum, wd, rescale_grad, clip_gradient)
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
        weight: the weight, of any shape.
        grad: its gradient.
        lr: learning rate.
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

    Before, ``mom = momentum * mom - (1 - momentum) * (scaled(grad) + wd * weight)``.
    Bernstein et al., "signSGD: Compressed Optimisation for Non-Convex Problems", 2018.

    Args:
        weight: the weight, of any shape.
        grad: its gradient.
        mom: momentum, updated.
        lr: learning rate.
        momentum: decay of the momentum.
        wd: weight decay that goes through the momentum (L2 penalty).
        rescale_grad: factor for the gradient.
        clip_gradient: bound for the rescaled gradient; none when negative.
        wd_lh: weight decay that acts on the weight directly.
    """
    share = 1 - momentum
    grad = scaled(grad, rescale_grad, clip_gradient)
    mom.mul_(momentum).sub_(grad, alpha=share).sub_(weight, alpha=share * wd)
    return destination(weight, out).mul_(1 - lr * wd_lh).add_(mom.sign(), alpha=lr)
