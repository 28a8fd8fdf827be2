# SPDX-License-Identifier: Apache-2.0
"""The steps that several updates take. Functions whose name ends in ``_`` write to arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import increment_version

__all__ = [
    "adam_step_",
    "adamw_step_",
    "correction",
    "decayed",
    "moments_",
    "momentum_step_",
    "nesterov_step_",
    "scaled",
    "sgd_step_",
]


def scaled(grad: Tensor, rescale_grad: float | Tensor, clip_gradient: float) -> Tensor:
    """``rescale_grad * grad``, cut to ±`clip_gradient` unless that is negative."""
    if not isinstance(rescale_grad, Tensor) and rescale_grad == 1:
        return grad if clip_gradient < 0 else grad.clamp(-clip_gradient, clip_gradient)
    return _clipped_(grad * rescale_grad, clip_gradient)


def decayed(
    weight: Tensor, grad: Tensor, wd: float, rescale_grad: float, clip_gradient: float
) -> Tensor:
    """``rescale_grad * grad + wd * weight``, cut to ±`clip_gradient` unless that is negative."""
    if wd == 0:
        return scaled(grad, rescale_grad, clip_gradient)
    return _clipped_((weight * wd).add_(grad, alpha=rescale_grad), clip_gradient)


def _clipped_(x: Tensor, bound: float) -> Tensor:
    return x if bound < 0 else x.clamp_(-bound, bound)


@functools.lru_cache(maxsize=64)  # one step updates many weights
def correction(beta: float, t: int, dtype: torch.dtype) -> float:
    """``1 - beta**t``, the power rounded to `dtype` as MXNet does."""
    return 1 - float(torch.tensor(beta**t, dtype=dtype))


# Descent ------------------------------------------------------------------------------------------


def sgd_step_(
    weight: Tensor, grad: Tensor, lr: float, wd: float, rescale_grad: float, clip_gradient: float
) -> None:
    """``weight -= lr * (scaled(grad) + wd * weight)``."""
    grad, lr, wd = _folded(grad, lr, wd, rescale_grad, clip_gradient)
    if _fusable(weight, grad):
        _fused_sgd_([weight], [grad], [], lr=lr, wd=wd)
    else:
        weight.mul_(1 - lr * wd).add_(grad, alpha=-lr)


def momentum_step_(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
) -> None:
    """``mom = momentum * mom - lr * (scaled(grad) + wd * weight)``, then ``weight += mom``."""
    grad, lr, wd = _folded(grad, lr, wd, rescale_grad, clip_gradient)
    if momentum != 0 and _fusable(weight, grad, mom):
        # ATen: buffer = momentum * buffer + (1 - dampening) * (grad + wd * weight).
        _fused_sgd_([weight], [grad], [mom], -1.0, wd, momentum, dampening=1 + lr)
    else:
        mom.mul_(momentum).add_(grad, alpha=-lr).add_(weight, alpha=-lr * wd)
        weight.add_(mom)


def nesterov_step_(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    lr: float,
    momentum: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
    target: Tensor,
) -> None:
    """Puts the weight after a step of Nesterov's momentum into `target`.

    ``d = lr * (scaled(grad) + wd * weight)``, ``mom = momentum * mom - d`` and
    ``target = weight + momentum * mom - d``.
    """
    grad, lr, wd = _folded(grad, lr, wd, rescale_grad, clip_gradient)
    step = grad * -lr
    target.mul_(1 - lr * wd * (1 + momentum)).add_(mom, alpha=momentum**2)
    target.add_(step, alpha=1 + momentum)
    # In place, `weight` is the new one by now, and the momentum decays by that: MXNet's order.
    mom.mul_(momentum).add_(step).add_(weight, alpha=-lr * wd)


def _folded(
    grad: Tensor, lr: float, wd: float, rescale_grad: float, clip_gradient: float
) -> tuple[Tensor, float, float]:
    """Gradient, lr and wd that make the same step with neither rescaling nor clipping."""
    if clip_gradient < 0 and lr * rescale_grad > _SMALLEST_LR:
        return grad, lr * rescale_grad, wd / rescale_grad
    return scaled(grad, rescale_grad, clip_gradient), lr, wd


_SMALLEST_LR = 1e-8  # below, 1 + lr loses digits of lr that float32 has


# Adam ---------------------------------------------------------------------------------------------


def moments_(mean: Tensor, var: Tensor, grad: Tensor, beta1: float, beta2: float) -> None:
    """Moves the running means of the gradient and of its square."""
    mean.mul_(beta1).add_(grad, alpha=1 - beta1)
    var.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)


def adam_step_(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    rescale_grad: float,
    clip_gradient: float,
) -> None:
    """`moments_` of the decayed gradient; ``weight -= lr * mean / (sqrt(var) + epsilon)``."""
    if clip_gradient >= 0:
        grad, wd = decayed(weight, grad, wd, rescale_grad, clip_gradient), 0.0
    else:
        grad = scaled(grad, rescale_grad, clip_gradient)
    if _fusable(weight, grad, mean, var) and _converge(beta1, beta2):
        _fused_adam_(torch._fused_adam_, weight, grad, mean, var, lr, beta1, beta2, epsilon, wd)
    else:
        moments_(mean, var, grad.add(weight, alpha=wd), beta1, beta2)
        weight.addcdiv_(mean, var.sqrt().add_(epsilon), value=-lr)


def adamw_step_(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    eta: float,
    usable: Tensor,
) -> None:
    """`moments_`; ``weight -= eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)``.

    Nothing changes where `usable`, a boolean of one element, is false.
    """
    if _fusable(weight, grad, mean, var) and _converge(beta1, beta2) and lr != 0:
        # ATen: weight -= lr * (mean / (sqrt(var) + eps) + weight_decay * weight).
        _fused_adam_(
            torch._fused_adamw_, weight, grad, mean, var, lr * eta, beta1, beta2, epsilon, wd / lr,
            found_inf=(~usable).float(),
        )  # fmt: skip
        return
    states = (weight, mean, var)
    before = [t.clone() for t in states]
    moments_(mean, var, grad, beta1, beta2)
    weight.mul_(1 - eta * wd).addcdiv_(mean, var.sqrt().add_(epsilon), value=-eta * lr)
    for state, old in zip(states, before, strict=True):
        state.copy_(torch.where(usable, state, old))


def _converge(beta1: float, beta2: float) -> bool:
    # From 0.5 down, ATen's running mean of an infinite gradient is not a number.
    return 0.5 < beta1 < 1 and 0 <= beta2 < 1


@functools.cache
def _endless(device: torch.device) -> Tensor:
    """A step count for which Adam's bias corrections are 1: these updates make none."""
    return torch.full((), float("inf"), device=device)


# ATen's fused kernels -----------------------------------------------------------------------------


def _fusable(*tensors: Tensor) -> bool:
    """Whether the fused kernels take them: 2 to 5 times as fast as single operations.

    They read memory as it lies, and the one for the CPU gets float16 wrong (torch 2.13).
    """
    return tensors[0].device.type in ("cpu", "cuda") and all(
        t.dtype is torch.float32 and t.is_contiguous() for t in tensors
    )


def _fused_sgd_(
    weights: list[Tensor],
    grads: list[Tensor],
    buffers: list[Tensor],
    lr: float,
    wd: float,
    momentum: float = 0.0,
    dampening: float = 0.0,
) -> None:
    torch._fused_sgd_(
        weights, grads, buffers,
        lr=lr, weight_decay=wd, momentum=momentum, dampening=dampening,
        nesterov=False, maximize=False, is_first_step=False,
    )  # fmt: skip
    increment_version([*weights, *buffers])  # which these kernels leave out


def _fused_adam_(
    kernel: Callable[..., Any],
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: float,
    found_inf: Tensor | None = None,
) -> None:
    kernel(
        [weight], [grad], [mean], [var], [], [_endless(weight.device)],
        lr=lr, beta1=beta1, beta2=beta2, weight_decay=wd, eps=epsilon,
        amsgrad=False, maximize=False, found_inf=found_inf,
    )  # fmt: skip
    increment_version([weight, mean, var])
