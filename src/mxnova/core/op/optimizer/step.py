# SPDX-License-Identifier: Apache-2.0
"""The steps that several updates take. Functions whose name ends in ``_`` write to arguments."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TypeAlias, TypeVar

import torch
from torch import Tensor
from torch.autograd.graph import increment_version

from ...runtime.torch_optimizers import (
    foreach,
    fused_adam_,
    fused_sgd_,
    has_fused_optimizers,
)

__all__ = [
    "Tensors",
    "adam_directions_",
    "adam_step_",
    "adam_steps_",
    "adamw_step_",
    "bounded_",
    "correction",
    "decayed",
    "decayed_all",
    "inverse",
    "moments_",
    "momentum_step_",
    "nesterov_step_",
    "of_equal",
    "scaled",
    "scaled_all",
    "sgd_step_",
    "sgd_steps_",
]

Fact = TypeVar("Fact")
Tensors: TypeAlias = "list[Tensor] | tuple[Tensor, ...]"


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


def scaled_all(grads: Tensors, rescale_grad: float, clip_gradient: float) -> Tensors:
    """`scaled` for each of several gradients."""
    if rescale_grad == 1 and clip_gradient < 0:
        return grads
    results: Tensors = foreach.mul(grads, rescale_grad)
    bounded_(results, clip_gradient)
    return results


def decayed_all(
    weights: Tensors,
    grads: Tensors,
    wds: Sequence[float],
    rescale_grad: float,
    clip_gradient: float,
) -> Tensors:
    """`decayed` for each of several weights."""
    results: Tensors = foreach.mul(weights, wds)
    foreach.add_(results, grads, alpha=rescale_grad)
    bounded_(results, clip_gradient)
    return results


def bounded_(tensors: Tensors, bound: float) -> None:
    """Cuts each of several tensors to ±`bound`, unless that is negative."""
    if bound >= 0:
        foreach.clamp_min_(tensors, -bound)
        foreach.clamp_max_(tensors, bound)


def of_equal(
    facts: Iterable[Fact], columns: Sequence[Tensors]
) -> Iterator[tuple[Fact, Sequence[Tensors]]]:
    """Group the tensors of weights with equal facts, which one fused call can update."""
    facts = list(facts)
    if facts.count(facts[0]) == len(facts):
        yield facts[0], columns
        return
    groups: dict[Fact, list[int]] = {}
    for at, fact in enumerate(facts):
        groups.setdefault(fact, []).append(at)
    for fact, members in groups.items():
        yield fact, [[column[at] for at in members] for column in columns]


def inverse(x: float) -> float:
    """``1 / x``, infinite for a zero, as learning rates are at the end of a schedule."""
    return 1 / x if x else math.copysign(math.inf, x)


@functools.lru_cache(maxsize=64)  # one step updates many weights
def correction(beta: float, t: int, dtype: torch.dtype) -> float:
    """``1 - beta**t``, the power rounded to `dtype` as MXNet does.

    Not so to bfloat16, in which 0.999 is 1, and divisors 0.
    """
    dtype = torch.float32 if dtype == torch.bfloat16 else dtype
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


def sgd_steps_(
    weights: Tensors,
    grads: Tensors,
    moms: Tensors,
    lrs: Sequence[float],
    wds: Sequence[float],
    momentum: float,
    rescale_grad: float,
    clip_gradient: float,
) -> None:
    """`momentum_step_` for each of several weights; `sgd_step_` where there are no `moms`."""
    steps = (weights, grads, moms) if moms else (weights, grads)
    if (moms and momentum == 0) or not _fusable(*itertools.chain(*steps)):
        clip = (rescale_grad, clip_gradient)
        for at, (w, g, lr, wd) in enumerate(zip(weights, grads, lrs, wds, strict=True)):
            if moms:
                momentum_step_(w, g, moms[at], lr, momentum, wd, *clip)
            else:
                sgd_step_(w, g, lr, wd, *clip)
        return
    if clip_gradient >= 0 or min(lrs) * rescale_grad <= _SMALLEST_LR:
        grads = scaled_all(grads, rescale_grad, clip_gradient)
        steps, rescale_grad = (weights, grads, *steps[2:]), 1.0
    for (lr, wd), (ws, gs, *ms) in of_equal(zip(lrs, wds, strict=True), steps):
        lr, wd = lr * rescale_grad, wd / rescale_grad
        if ms:
            _fused_sgd_(ws, gs, ms[0], -1.0, wd, momentum, dampening=1 + lr)
        else:
            _fused_sgd_(ws, gs, [], lr=lr, wd=wd)


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
        tensors = ([weight], [grad], [mean], [var])
        _fused_adam_(*tensors, lr, beta1, beta2, epsilon, wd)
    else:
        moments_(mean, var, grad.add(weight, alpha=wd), beta1, beta2)
        weight.addcdiv_(mean, var.sqrt().add_(epsilon), value=-lr)


def adam_steps_(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    lrs: Sequence[float],
    wds: Sequence[float],
    beta1: float,
    beta2: float,
    epsilon: float,
    rescale_grad: float,
    clip_gradient: float,
) -> None:
    """`adam_step_` for each of several weights."""
    columns = (weights, grads, means, variances)
    if not (_fusable(*itertools.chain(*columns)) and _converge(beta1, beta2)):
        for lr, wd, (w, g, m, v) in zip(lrs, wds, zip(*columns, strict=True), strict=True):
            adam_step_(w, g, m, v, lr, beta1, beta2, epsilon, wd, rescale_grad, clip_gradient)
        return
    if clip_gradient >= 0:
        grads, wds = decayed_all(*columns[:2], wds, rescale_grad, clip_gradient), [0.0] * len(wds)
    else:
        grads = scaled_all(grads, rescale_grad, clip_gradient)
    columns = (weights, grads, means, variances)
    for (lr, wd), (ws, gs, ms, vs) in of_equal(zip(lrs, wds, strict=True), columns):
        _fused_adam_(ws, gs, ms, vs, lr, beta1, beta2, epsilon, wd)


def adam_directions_(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    corrections: Sequence[tuple[float, float]],
    beta1: float,
    beta2: float,
    epsilon: float,
) -> list[Tensor]:
    """For each of several weights, `moments_`, then ``mean / (sqrt(var) + epsilon)``.

    Both are divided by a weight's `corrections` before.
    """
    columns = (weights, grads, means, variances)
    if not (_fusable(*itertools.chain(*columns)) and _converge(beta1, beta2)):
        return [
            _adam_direction_(g, m, v, *c, beta1, beta2, epsilon)
            for g, m, v, c in zip(grads, means, variances, corrections, strict=True)
        ]
    # A step from 0; the corrections go into its length and into epsilon.
    directions = [torch.zeros_like(w) for w in weights]
    tensors = (directions, grads, means, variances)
    for (first, second), (ds, gs, ms, vs) in of_equal(corrections, tensors):
        root = math.sqrt(second)
        _fused_adam_(ds, gs, ms, vs, -root / first, beta1, beta2, epsilon * root, 0.0)
    return directions


def _adam_direction_(
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    first: float,
    second: float,
    beta1: float,
    beta2: float,
    epsilon: float,
) -> Tensor:
    moments_(mean, var, grad, beta1, beta2)
    if (first, second) != (1.0, 1.0):
        mean, var = mean / first, var / second
    return mean / var.sqrt().add_(epsilon)


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
            [weight], [grad], [mean], [var], lr * eta, beta1, beta2, epsilon, wd / lr,
            found_inf=(~usable).float(), decoupled=True,
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
    return (
        tensors[0].device.type in ("cpu", "cuda")
        and has_fused_optimizers()
        and _FLOAT32.issuperset(map(_dtype_of, tensors))
        and all(map(Tensor.is_contiguous, tensors))
    )


_FLOAT32 = frozenset({torch.float32})
_dtype_of = attrgetter("dtype")


def _fused_sgd_(
    weights: Tensors,
    grads: Tensors,
    buffers: Tensors,
    lr: float,
    wd: float,
    momentum: float = 0.0,
    dampening: float = 0.0,
) -> None:
    grads, buffers = _laid_out_as(weights, grads, buffers)
    fused_sgd_(weights, grads, buffers, lr, wd, momentum, dampening)
    increment_version([*weights, *buffers])  # which these kernels leave out


def _fused_adam_(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    *numbers: float,
    found_inf: Tensor | None = None,
    decoupled: bool = False,
) -> None:
    grads, means, variances = _laid_out_as(weights, grads, means, variances)
    endless = [_endless(weights[0].device)] * len(weights)
    columns = (weights, grads, means, variances, endless)
    fused_adam_(*columns, *numbers, found_inf=found_inf, decoupled=decoupled)
    increment_version([*weights, *means, *variances])


def _laid_out_as(weights: Tensors, *columns: Tensors) -> list[Tensors]:
    """Tensors with the strides of `weights`, which CUDA's kernels compare.

    Contiguous tensors of one shape differ in strides of axes that have less than two places.
    """
    if not weights[0].is_cuda:
        return list(columns)
    strides = [w.stride() for w in weights]
    return [
        column
        if not column or [t.stride() for t in column] == strides
        else [t.as_strided(w.shape, s) for t, w, s in zip(column, weights, strides, strict=True)]
        for column in columns
    ]
