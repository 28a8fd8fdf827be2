# SPDX-License-Identifier: Apache-2.0
"""What update operators share: their declaration, the gradient they use, the steps they take.

An update mutates its states and gives the new weight. It writes to the weight itself only when the
caller asks for it by ``out=weight``. Functions whose name ends in ``_`` write to their arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import increment_version

from ..infer import DTypes
from ..operator import F, Op, elementwise_shape, function_operator

__all__ = [
    "Out",
    "adam_step_",
    "destination",
    "master_dtypes",
    "moments_",
    "momentum_step_",
    "nesterov_step_",
    "rounded",
    "scaled",
    "sgd_step_",
    "update_operator",
]

Out = tuple[Tensor, ...] | None


def update_operator(*names: str, **rules: Any) -> Callable[[F], F]:
    """`function_operator` for an update: no gradient, inputs without names, arrays of one shape."""
    defaults = {"shape": elementwise_shape, "differentiable": False, "named_inputs": False}
    return function_operator(*names, **{**defaults, **rules})


def destination(weight: Tensor, out: Out) -> Tensor:
    """The tensor to update: `weight` itself when it is the caller's output, else a copy."""
    return weight if out is not None and out[0] is weight else weight.clone()


def rounded(weight32: Tensor, weight: Tensor, out: Out) -> Tensor:
    """`weight32` as `weight`'s type; written to `weight` when it is the caller's output."""
    if out is not None and out[0] is weight:
        return weight.copy_(weight32)
    return weight32.to(weight.dtype, copy=True)


def master_dtypes(op: Op, t: DTypes) -> None:
    """Weight, gradient and result have one element type; the states are float32."""
    t.same("weight", "grad", "output")
    for name in t.inputs:
        if name not in ("weight", "grad"):
            t[name] = torch.float32


def scaled(grad: Tensor, rescale_grad: float, clip_gradient: float) -> Tensor:
    """``rescale_grad * grad`` within ±`clip_gradient`; a negative bound is none."""
    grad = grad if rescale_grad == 1 else grad * rescale_grad
    return grad if clip_gradient < 0 else grad.clamp(-clip_gradient, clip_gradient)


# Steps --------------------------------------------------------------------------------------------


def sgd_step_(
    weight: Tensor, grad: Tensor, lr: float, wd: float, rescale_grad: float, clip_gradient: float
) -> None:
    """``weight -= lr * (scaled(grad) + wd * weight)``."""
    grad, lr, wd = _folded(grad, lr, wd, rescale_grad, clip_gradient)
    if _fusable(weight, grad):
        _fused_sgd_(weight, grad, None, lr=lr, wd=wd)
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
    """``mom = momentum * mom - lr * (scaled(grad) + wd * weight); weight += mom``."""
    grad, lr, wd = _folded(grad, lr, wd, rescale_grad, clip_gradient)
    if momentum != 0 and _fusable(weight, grad, mom):
        # ATen's step is buffer = momentum * buffer + (1 - dampening) * grad; weight -= lr * buffer.
        _fused_sgd_(weight, grad, mom, lr=-1.0, wd=wd, momentum=momentum, dampening=1 + lr)
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
) -> None:
    """Momentum's step, followed by a look ahead.

    ``d = lr * (scaled(grad) + wd * weight)``, ``mom = momentum * mom - d`` and
    ``weight += momentum * mom - d``.
    """
    step = scaled(grad, rescale_grad, clip_gradient) * -lr
    if momentum != 0 and _fusable(weight, step, mom):
        _fused_sgd_(weight, step, mom, lr=-1.0, wd=-lr * wd, momentum=momentum, nesterov=True)
    else:
        step.add_(weight, alpha=-lr * wd)
        mom.mul_(momentum).add_(step)
        weight.add_(mom, alpha=momentum).add_(step)


def moments_(mean: Tensor, var: Tensor, grad: Tensor, beta1: float, beta2: float) -> None:
    """Moves the running `mean` and uncentred variance `var` towards those of `grad`."""
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
) -> None:
    """`moments_` of ``grad + wd * weight``, then ``weight -= lr * mean / (sqrt(var) + epsilon)``."""
    if _fusable(weight, grad, mean, var) and beta1 < 1 and beta2 < 1:
        torch._fused_adam_(
            [weight], [grad], [mean], [var], [], [_endless(weight.device)],
            lr=lr, beta1=beta1, beta2=beta2, weight_decay=wd, eps=epsilon,
            amsgrad=False, maximize=False,
        )  # fmt: skip
        increment_version((weight, mean, var))
    else:
        moments_(mean, var, grad if wd == 0 else grad.add(weight, alpha=wd), beta1, beta2)
        weight.addcdiv_(mean, var.sqrt().add_(epsilon), value=-lr)


@functools.cache
def _endless(device: torch.device) -> Tensor:
    """A step count for which Adam's bias corrections are 1: these operators make none."""
    return torch.full((), float("inf"), device=device)


def _folded(
    grad: Tensor, lr: float, wd: float, rescale_grad: float, clip_gradient: float
) -> tuple[Tensor, float, float]:
    """A gradient, lr and wd that make the same step with neither rescaling nor clipping."""
    # Below that, 1 + lr would lose digits of lr.
    if clip_gradient < 0 and lr * rescale_grad > 1e-8:
        return grad, lr * rescale_grad, wd / rescale_grad
    return scaled(grad, rescale_grad, clip_gradient), lr, wd


def _fusable(weight: Tensor, *others: Tensor) -> bool:
    """Whether ATen's fused kernels, 2 to 5 times faster than single operations, compute it right.

    They read memory as it lies and, on the CPU, get float16 wrong (torch 2.13).
    """
    return (
        weight.device.type in ("cpu", "cuda")
        and weight.dtype is torch.float32
        and all(t.dtype is torch.float32 and t.is_contiguous() for t in (weight, *others))
    )


def _fused_sgd_(
    weight: Tensor,
    grad: Tensor,
    buffer: Tensor | None,
    *,
    lr: float,
    wd: float,
    momentum: float = 0.0,
    dampening: float = 0.0,
    nesterov: bool = False,
) -> None:
    torch._fused_sgd_(
        [weight], [grad], [] if buffer is None else [buffer],
        lr=lr, weight_decay=wd, momentum=momentum, dampening=dampening, nesterov=nesterov,
        maximize=False, is_first_step=False,
    )  # fmt: skip
    increment_version((weight,) if buffer is None else (weight, buffer))
