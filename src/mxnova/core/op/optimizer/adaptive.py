# SPDX-License-Identifier: Apache-2.0
"""Updates that adapt the learning rate of each element: AdaGrad, RMSProp, FTRL, FTML."""

from __future__ import annotations

from math import prod
from typing import Annotated

from torch import Tensor

from ...base.errors import argument_error
from ...base.parameter_types import FloatKind
from ...base.params import Double, StepCount
from ...base.shapes import shape_text
from ..infer import Shapes
from ..schema import Op
from .step import correction, decayed, inverse, moments_, scaled
from .update import Out, destination, update_operator

_Decay = Annotated[float, FloatKind(low=0, high=1)]


# AdaGrad ------------------------------------------------------------------------------------------


@update_operator("_sparse_adagrad_update", mutates=("history",))
def sparse_adagrad_update(
    weight: Tensor,
    grad: Tensor,
    history: Tensor,
    *,
    lr: float,
    epsilon: float = 1e-7,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: Out = None,
) -> Tensor:
    """``weight - lr * grad / sqrt(history + epsilon)``, with the gradient rescaled and clipped.

    Before, the gradient's square is added to ``history``. Duchi et al., "Adaptive Subgradient
    Methods for Online Learning and Stochastic Optimization", 2011.

    Args:
        wd: weight decay, which must be 0.
    """
    if wd != 0:
        raise argument_error("_sparse_adagrad_update", "wd", wd, "must be 0: it decays no weights")
    grad = scaled(grad, rescale_grad, clip_gradient)
    history.addcmul_(grad, grad)
    return destination(weight, out).addcdiv_(grad, (history + epsilon).sqrt_(), value=-lr)


def _group_shape(op: Op, s: Shapes) -> None:
    s.same("weight", "grad", "output")
    if prod(s.history) != s.weight[0]:
        raise s.fail(
            f"history has shape {shape_text(s.history)}: it must hold a number for each row "
            f"of weight, whose shape is {shape_text(s.weight)}"
        )


@update_operator("_contrib_group_adagrad_update", shape=_group_shape, mutates=("history",))
def group_adagrad_update(
    weight: Tensor,
    grad: Tensor,
    history: Tensor,
    *,
    lr: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-5,
    out: Out = None,
) -> Tensor:
    """AdaGrad with one learning rate per row: ``weight - lr * grad / sqrt(history + epsilon)``.

    Before, the mean over each row of the gradient's square is added to ``history``; the gradient
    is rescaled and clipped first.

    Args:
        weight: (rows, …): the weight.
        history: (rows, 1): sum of the rows' mean squared gradients, mutated.
    """
    grad = scaled(grad, rescale_grad, clip_gradient)
    rows = grad.reshape(len(grad), prod(grad.shape[1:]))
    history.view(-1).add_(rows.square().mean(1))
    root = (history + epsilon).sqrt_().view(-1, *(1,) * (grad.ndim - 1))
    return destination(weight, out).addcdiv_(grad, root, value=-lr)


# RMSProp ------------------------------------------------------------------------------------------


def _clip_weights(weight: Tensor, bound: float) -> Tensor:
    return weight if bound < 0 else weight.clamp_(-bound, bound)


@update_operator("rmsprop_update", mutates=("n",))
def rmsprop_update(
    weight: Tensor,
    grad: Tensor,
    n: Tensor,
    *,
    lr: float,
    gamma1: float = 0.95,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    out: Out = None,
) -> Tensor:
    """``weight - lr * grad / sqrt(n + epsilon)``.

    The gradient is rescaled, decayed and then clipped. Before, ``n = gamma1 * n + (1 - gamma1) *
    grad²``. Tieleman and Hinton, "Lecture 6.5: rmsprop", 2012.

    Args:
        n: running mean of the gradient's square, mutated.
        gamma1: decay of the running mean.
        clip_weights: bound for the size of the new weight; none when negative.
    """
    target = destination(weight, out)
    grad = decayed(weight, grad, wd, rescale_grad, clip_gradient)
    n.mul_(gamma1).addcmul_(grad, grad, value=1 - gamma1)
    target.addcdiv_(grad, (n + epsilon).sqrt_(), value=-lr)
    return _clip_weights(target, clip_weights)


@update_operator("rmspropalex_update", mutates=("n", "g", "delta"))
def rmspropalex_update(
    weight: Tensor,
    grad: Tensor,
    n: Tensor,
    g: Tensor,
    delta: Tensor,
    *,
    lr: float,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    out: Out = None,
) -> Tensor:
    """``weight + delta``: RMSProp with momentum, scaled by the gradient's standard deviation.

    Before, with ``grad`` rescaled, decayed and then clipped:
    ``n = gamma1 * n + (1 - gamma1) * grad²``, ``g = gamma1 * g + (1 - gamma1) * grad``,
    ``delta = gamma2 * delta - lr * grad / sqrt(n - g² + epsilon)``.
    Graves, "Generating Sequences With Recurrent Neural Networks", 2013, equations 38 to 45.

    Args:
        n: running mean of the gradient's square, mutated.
        g: running mean of the gradient, mutated.
        delta: momentum, mutated.
        gamma1: decay of the running means.
        gamma2: decay of the momentum.
        clip_weights: bound for the size of the new weight; none when negative.
    """
    target = destination(weight, out)
    grad = decayed(weight, grad, wd, rescale_grad, clip_gradient)
    moments_(g, n, grad, gamma1, gamma1)
    deviation = n.addcmul(g, g, value=-1).add_(epsilon).sqrt_()
    delta.mul_(gamma2).addcdiv_(grad, deviation, value=-lr)
    return _clip_weights(target.add_(delta), clip_weights)


# Follow the leader --------------------------------------------------------------------------------


@update_operator("ftrl_update", "_sparse_ftrl_update", mutates=("z", "n"))
def ftrl_update(
    weight: Tensor,
    grad: Tensor,
    z: Tensor,
    n: Tensor,
    *,
    lr: float,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Tensor:
    """Follow the regularized leader: ``-shrink(z) / ((beta + sqrt(n)) / lr + wd)``.

    ``shrink`` brings `z` closer to 0 by `lamda1`, at most to 0. Before, with the gradient rescaled
    and clipped, ``z += grad - (sqrt(n + grad²) - sqrt(n)) / lr * weight`` and ``n += grad²``.
    McMahan et al., "Ad Click Prediction: a View from the Trenches", 2013.

    Args:
        z: state that the weight follows from, mutated.
        n: sum of the squared gradients, mutated.
        lamda1: strength of the L1 penalty.
        beta: added to the root of `n`.
    """
    grad = scaled(grad, rescale_grad, clip_gradient)
    root = n.sqrt()
    n.addcmul_(grad, grad)
    new_root = n.sqrt()
    z.add_(grad).addcmul_(root.sub_(new_root), weight, value=inverse(lr))
    shrunk = z.clamp(-lamda1, lamda1).sub_(z)  # times -1
    return shrunk.div_(new_root.add_(beta).div_(lr).add_(wd))


@update_operator("ftml_update", mutates=("d", "v", "z"))
def ftml_update(
    weight: Tensor,
    grad: Tensor,
    d: Tensor,
    v: Tensor,
    z: Tensor,
    *,
    lr: float,
    beta1: _Decay = 0.6,
    beta2: _Decay = 0.999,
    epsilon: Double = 9.9999999392252903e-09,  # 1e-8 as a float32
    t: StepCount,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
) -> Tensor:
    """Follow the moving leader: ``-z / d``.

    Before, with ``g`` the gradient, rescaled, decayed and then clipped:
    ``v = beta2 * v + (1 - beta2) * g²``,
    ``d' = (1 - beta1ᵗ) / lr * (sqrt(v / (1 - beta2ᵗ)) + epsilon)``,
    ``z = beta1 * z + (1 - beta1) * g - (d' - beta1 * d) * weight`` and ``d = d'``.
    Zheng and Kwok, "Follow the Moving Leader in Deep Learning", 2017.

    Args:
        d: denominator, mutated.
        v: running mean of the gradient's square, mutated.
        z: numerator, mutated.
        beta1: decay of the leader's past, from 0 to 1.
        beta2: decay of the running mean, from 0 to 1.
        t: number of the update, from 1.
        clip_grad: bound for the size of the rescaled and decayed gradient; none when negative.
    """
    grad = decayed(weight, grad, wd, rescale_grad, clip_grad)
    v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    root = (v / correction(beta2, t, v.dtype)).sqrt_().add_(epsilon)
    scale = correction(beta1, t, v.dtype)
    new_d = root.mul_(scale * inverse(lr))
    z.mul_(beta1).add_(grad, alpha=1 - beta1).addcmul_(d.mul_(beta1).sub_(new_d), weight)
    d.copy_(new_d)
    return z.neg().div_(d)
