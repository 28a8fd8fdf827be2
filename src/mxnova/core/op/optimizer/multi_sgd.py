# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent on several weights in one call."""

from __future__ import annotations

from collections.abc import Sequence

from ...base.params import Count, Floats
from ...runtime.torch_optimizers import foreach
from ..declaration import operator
from ..infer import Shapes
from .multi import MultiUpdate, RatedUpdate
from .step import Tensors, scaled, sgd_steps_


class _Sgd(RatedUpdate):
    @property
    def decay(self) -> float:
        """The momentum, where there is one."""
        return 0.0

    def steps_(
        self, weights: Tensors, grads: Tensors, states: Sequence[Tensors], shared: Tensors
    ) -> None:
        moms = states[0] if states else ()
        rates = (self.lrs, self.wds, self.decay, self.rescale_grad, self.clip_gradient)
        sgd_steps_(weights, grads, moms, *rates)


class _SgdMom(_Sgd):
    """With momentum.

    Args:
        momentum: decay of the momentum.
    """

    lrs: Floats
    wds: Floats
    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1

    @property
    def decay(self) -> float:
        return self.momentum


class _Preloaded(MultiUpdate):
    """Learning rates and weight decays come in arrays, which are not read back to the host.

    Args:
        rescale_grad: factor for the gradients.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    shared = ("lrs", "wds")
    per_weight = ()
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1

    @property
    def decay(self) -> float:
        """The momentum, where there is one."""
        return 0.0

    def infer_shape(self, s: Shapes) -> None:
        super().infer_shape(s)
        s.lrs = s.wds = (self.num_weights,)

    def steps_(
        self, weights: Tensors, grads: Tensors, states: Sequence[Tensors], shared: Tensors
    ) -> None:
        lrs, wds = (rates.unbind() for rates in shared)
        steps = foreach.mul(weights, wds)
        foreach.add_(steps, [scaled(g, self.rescale_grad, self.clip_gradient) for g in grads])
        foreach.mul_(steps, lrs)
        if states:
            (moms,) = states
            foreach.mul_(moms, self.decay)
            foreach.sub_(moms, steps)
            foreach.add_(weights, moms)
        else:
            foreach.sub_(weights, steps)


class _PreloadedMom(_Preloaded):
    """With momentum.

    Args:
        momentum: decay of the momentum.
    """

    momentum: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    num_weights: Count = 1

    @property
    def decay(self) -> float:
        return self.momentum


@operator("multi_sgd_update")
class MultiSgdUpdate(_Sgd):
    """`sgd_update` of several weights.

    Args:
        data: for each weight, weight and gradient.
    """

    arrays = ("weight", "grad")


@operator("multi_mp_sgd_update")
class MultiMpSgdUpdate(_Sgd):
    """`mp_sgd_update` of several weights.

    Args:
        data: for each weight, weight, gradient and float32 copy of the weight (mutated).
    """

    arrays = ("weight", "grad", "weight32")


@operator("multi_sgd_mom_update")
class MultiSgdMomUpdate(_SgdMom):
    """`sgd_mom_update` of several weights.

    Args:
        data: for each weight, weight, gradient and momentum (mutated).
    """

    arrays = ("weight", "grad", "mom")


@operator("multi_mp_sgd_mom_update")
class MultiMpSgdMomUpdate(_SgdMom):
    """`mp_sgd_mom_update` of several weights.

    Args:
        data: for each weight, weight, gradient, float32 momentum (mutated) and float32 copy of the
            weight (mutated).
    """

    arrays = ("weight", "grad", "mom", "weight32")


@operator("preloaded_multi_sgd_update")
class PreloadedMultiSgdUpdate(_Preloaded):
    """`sgd_update` of several weights, with learning rates and weight decays in arrays.

    Args:
        data: for each weight, weight and gradient; then learning rates and weight decays, both
            (num_weights,) float32.
    """

    arrays = ("weight", "grad")


@operator("preloaded_multi_mp_sgd_update")
class PreloadedMultiMpSgdUpdate(_Preloaded):
    """`mp_sgd_update` of several weights, with learning rates and weight decays in arrays.

    Args:
        data: for each weight, weight, gradient and float32 copy of the weight (mutated); then
            learning rates and weight decays, both (num_weights,) float32.
    """

    arrays = ("weight", "grad", "weight32")


@operator("preloaded_multi_sgd_mom_update")
class PreloadedMultiSgdMomUpdate(_PreloadedMom):
    """`sgd_mom_update` of several weights, with learning rates and weight decays in arrays.

    Args:
        data: for each weight, weight, gradient and momentum (mutated); then learning rates and
            weight decays, both (num_weights,) float32.
    """

    arrays = ("weight", "grad", "mom")


@operator("preloaded_multi_mp_sgd_mom_update")
class PreloadedMultiMpSgdMomUpdate(_PreloadedMom):
    """`mp_sgd_mom_update` of several weights, with learning rates and weight decays in arrays.

    Args:
        data: for each weight, weight, gradient, float32 momentum (mutated) and float32 copy of the
            weight (mutated); then learning rates and weight decays, both (num_weights,) float32.
    """

    arrays = ("weight", "grad", "mom", "weight32")
