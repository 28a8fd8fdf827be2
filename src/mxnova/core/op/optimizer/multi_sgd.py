# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent on several weights in one call."""

from __future__ import annotations

from torch import Tensor

from ...base.params import Count, Floats
from ..declaration import operator
from ..infer import Shapes
from .multi import MultiUpdate
from .step import momentum_step_, scaled, sgd_step_


class _Sgd(MultiUpdate):
    lrs: Floats
    wds: Floats
    rescale_grad: float
    clip_gradient: float

    def step_(self, at: int, weight: Tensor, grad: Tensor, *others: Tensor) -> None:
        lr, wd = self.lrs[at], self.wds[at]
        sgd_step_(weight, grad, lr, wd, self.rescale_grad, self.clip_gradient)


class _SgdMom(_Sgd):
    momentum: float

    def step_(self, at: int, weight: Tensor, grad: Tensor, *others: Tensor) -> None:
        lr, wd, (mom,) = self.lrs[at], self.wds[at], others
        momentum_step_(
            weight, grad, mom, lr, self.momentum, wd, self.rescale_grad, self.clip_gradient
        )


class _Preloaded(MultiUpdate):
    """Learning rates and weight decays come in arrays, which are not read back to the host."""

    shared = ("lrs", "wds")
    per_weight = ()
    rescale_grad: float
    clip_gradient: float
    momentum: float = 0.0

    def infer_shape(self, s: Shapes) -> None:
        super().infer_shape(s)
        s.lrs = s.wds = (self.num_weights,)

    def step_(self, at: int, weight: Tensor, grad: Tensor, *others: Tensor) -> None:
        *states, lrs, wds = others
        grad = scaled(grad, self.rescale_grad, self.clip_gradient)
        step = (weight * wds[at]).add_(grad).mul_(lrs[at])
        if states:
            (mom,) = states
            weight.add_(mom.mul_(self.momentum).sub_(step))
        else:
            weight.sub_(step)


@operator("multi_sgd_update")
class MultiSgdUpdate(_Sgd):
    """`sgd_update` of several weights.

    Args:
        data: for each weight, weight and gradient.
        lrs: learning rate of each weight.
        wds: weight decay of each weight.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    arrays = ("weight", "grad")
    lrs: Floats
    wds: Floats
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1


@operator("multi_mp_sgd_update")
class MultiMpSgdUpdate(_Sgd):
    """`mp_sgd_update` of several weights.

    Args:
        data: for each weight, weight, gradient and float32 copy of the weight (mutated).
        lrs: learning rate of each weight.
        wds: weight decay of each weight.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    arrays = ("weight", "grad", "weight32")
    lrs: Floats
    wds: Floats
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1


@operator("multi_sgd_mom_update")
class MultiSgdMomUpdate(_SgdMom):
    """`sgd_mom_update` of several weights.

    Args:
        data: for each weight, weight, gradient and momentum (mutated).
        lrs: learning rate of each weight.
        wds: weight decay of each weight.
        momentum: decay of the momentum.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    arrays = ("weight", "grad", "mom")
    lrs: Floats
    wds: Floats
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1


@operator("multi_mp_sgd_mom_update")
class MultiMpSgdMomUpdate(_SgdMom):
    """`mp_sgd_mom_update` of several weights.

    Args:
        data: for each weight, weight, gradient, float32 momentum (mutated) and float32 copy of the
            weight (mutated).
        lrs: learning rate of each weight.
        wds: weight decay of each weight.
        momentum: decay of the momentum.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    arrays = ("weight", "grad", "mom", "weight32")
    lrs: Floats
    wds: Floats
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1


@operator("preloaded_multi_sgd_update")
class PreloadedMultiSgdUpdate(_Preloaded):
    """`sgd_update` of several weights, with learning rates and weight decays in arrays.

    Args:
        data: for each weight, weight and gradient; then learning rates and weight decays, both
            (num_weights,) float32.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    arrays = ("weight", "grad")
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1


@operator("preloaded_multi_mp_sgd_update")
class PreloadedMultiMpSgdUpdate(_Preloaded):
    """`mp_sgd_update` of several weights, with learning rates and weight decays in arrays.

    Args:
        data: for each weight, weight, gradient and float32 copy of the weight (mutated); then
            learning rates and weight decays, both (num_weights,) float32.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    arrays = ("weight", "grad", "weight32")
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1


@operator("preloaded_multi_sgd_mom_update")
class PreloadedMultiSgdMomUpdate(_Preloaded):
    """`sgd_mom_update` of several weights, with learning rates and weight decays in arrays.

    Args:
        data: for each weight, weight, gradient and momentum (mutated); then learning rates and
            weight decays, both (num_weights,) float32.
        momentum: decay of the momentum.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    arrays = ("weight", "grad", "mom")
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1


@operator("preloaded_multi_mp_sgd_mom_update")
class PreloadedMultiMpSgdMomUpdate(_Preloaded):
    """`mp_sgd_mom_update` of several weights, with learning rates and weight decays in arrays.

    Args:
        data: for each weight, weight, gradient, float32 momentum (mutated) and float32 copy of the
            weight (mutated); then learning rates and weight decays, both (num_weights,) float32.
        momentum: decay of the momentum.
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    arrays = ("weight", "grad", "mom", "weight32")
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1
