# SPDX-License-Identifier: Apache-2.0
"""Adam, AdamW and LAMB on several weights in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ...base.params import Count, Floats, StepCounts
from ...runtime.torch_optimizers import foreach
from ..declaration import operator
from ..infer import DTypes
from .adam import loss_scale
from .lamb import trust_ratios
from .multi import MultiUpdate, RatedUpdate
from .step import (
    Tensors,
    adam_directions_,
    adam_steps_,
    adamw_step_,
    correction,
    scaled,
    scaled_all,
)
from .update import Out


class _AdamW(MultiUpdate):
    """AdamW's parameters; the gradients' factor is an array.

    Args:
        lrs: learning rate of each weight.
        beta1: decay of the running means.
        beta2: decay of the running means of squares.
        epsilon: added to the denominator.
        wds: weight decay of each weight.
        etas: factor for the whole step of each weight.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        num_weights: number of weights.
    """

    shared = ("rescale_grad",)
    per_weight = ("lrs", "wds", "etas")

    lrs: Floats
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wds: Floats
    etas: Floats
    clip_gradient: float = -1.0
    num_weights: Count = 1

    def forward(self, *data: Tensor, out: Out = None) -> Any:
        *arrays, rescale_grad = data
        return super().forward(*arrays, *loss_scale(rescale_grad), out=out)

    def step_(self, at: int, weight: Tensor, grad: Tensor, *others: Tensor) -> None:
        mean, var, scale, usable = others
        grad = scaled(grad, scale, self.clip_gradient)
        lr, wd, eta = self.lrs[at], self.wds[at], self.etas[at]
        adamw_step_(
            weight, grad, mean, var, lr, self.beta1, self.beta2, self.epsilon, wd, eta, usable
        )


class _Lamb(MultiUpdate):
    """LAMB's parameters.

    Args:
        learning_rates: learning rate of each weight.
        beta1: decay of the running means.
        beta2: decay of the running means of squares.
        epsilon: added to the denominator.
        wds: weight decay of each weight.
        rescale_grad: factor for the gradients.
        lower_bound: least value for a weight's norm; none when negative.
        upper_bound: greatest value for a weight's norm; none when negative.
        clip_gradient: bound for the size of the rescaled gradients; none when negative.
        bias_correction: correct the running means for having begun at 0.
        step_count: number of the step of each weight, from 1.
        num_tensors: number of weights.
    """

    per_weight = ("learning_rates", "wds", "step_count")

    learning_rates: Floats
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    wds: Floats
    rescale_grad: float = 1.0
    lower_bound: float = -1.0
    upper_bound: float = -1.0
    clip_gradient: float = -1.0
    bias_correction: bool = True
    step_count: StepCounts
    num_tensors: Count = 1

    @property
    def num_weights(self) -> int:  # type: ignore[override]
        """The number of weights."""
        return self.num_tensors

    def steps_(
        self, weights: Tensors, grads: Tensors, states: Sequence[Tensors], shared: Tensors
    ) -> None:
        directions = self._directions(weights, grads, *states)
        norms = torch.stack(foreach.norm(weights))
        lengths = torch.stack(foreach.norm(directions))
        ratios = trust_ratios(norms, lengths, self.lower_bound, self.upper_bound)
        rates = foreach.mul(ratios.unbind(), self.learning_rates)
        foreach.mul_(directions, rates)
        foreach.sub_(weights, directions)

    def _directions(
        self, weights: Tensors, grads: Tensors, means: Tensors, variances: Tensors
    ) -> Tensors:
        """`lamb_direction` for each of several weights."""
        grads = scaled_all(grads, self.rescale_grad, self.clip_gradient)
        dtype, corrections = means[0].dtype, [(1.0, 1.0)] * len(means)
        if self.bias_correction:
            corrections = [
                (correction(self.beta1, t, dtype), correction(self.beta2, t, dtype))
                for t in self.step_count
            ]
        directions = adam_directions_(
            weights, grads, means, variances, corrections, self.beta1, self.beta2, self.epsilon
        )
        foreach.add_(directions, foreach.mul(weights, self.wds))
        return directions


@operator("_multi_adam_update", extends=True)
class MultiAdamUpdate(RatedUpdate):
    """`adam_update` of several weights.

    Args:
        data: for each weight, weight, gradient, mean and var (both mutated).
        beta1: decay of the running means.
        beta2: decay of the running means of squares.
        epsilon: added to the denominator.
    """

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    arrays = ("weight", "grad", "mean", "var")

    def steps_(
        self, weights: Tensors, grads: Tensors, states: Sequence[Tensors], shared: Tensors
    ) -> None:
        means, variances = states
        adam_steps_(
            weights, grads, means, variances, self.lrs, self.wds,
            self.beta1, self.beta2, self.epsilon, self.rescale_grad, self.clip_gradient,
        )  # fmt: skip


@operator("_multi_mp_adam_update", extends=True)
class MultiMpAdamUpdate(MultiAdamUpdate):
    """`_multi_adam_update` of float32 copies of the weights, rounded to the weights' type.

    Args:
        data: for each weight, weight, gradient, mean, var and float32 copy of the weight (the last
            three float32 and mutated).
    """

    arrays = ("weight", "grad", "mean", "var", "weight32")  # type: ignore[assignment]


@operator("_multi_adamw_update", named_inputs=False)
class MultiAdamWUpdate(_AdamW):
    """`_adamw_update` of several weights.

    Args:
        data: for each weight, weight, gradient, mean and var (both mutated); then rescale_grad,
            (1,): factor for the gradients. Nothing is updated when it is 0 or not finite.
    """

    arrays = ("weight", "grad", "mean", "var")

    def infer_dtype(self, t: DTypes) -> None:
        t.same(*t.inputs, *t.outputs)


@operator("_multi_mp_adamw_update", named_inputs=False)
class MultiMpAdamWUpdate(_AdamW):
    """`_mp_adamw_update` of several weights.

    Args:
        data: for each weight, weight, gradient, mean, var and float32 copy of the weight (the last
            three float32 and mutated); then rescale_grad, (1,) float32: factor for the gradients.
            Nothing is updated when it is 0 or not finite.
    """

    arrays = ("weight", "grad", "mean", "var", "weight32")


@operator("_multi_lamb_update")
class MultiLambUpdate(_Lamb):
    """Both phases of LAMB (`lamb_update_phase1`, `lamb_update_phase2`) for several weights.

    Args:
        data: for each weight, weight, gradient, mean and var (both mutated).
    """

    arrays = ("weight", "grad", "mean", "var")


@operator("_multi_mp_lamb_update")
class MultiMpLambUpdate(_Lamb):
    """`_multi_lamb_update` of float32 copies of the weights, rounded to the weights' type.

    Args:
        data: for each weight, weight, gradient, mean, var and float32 copy of the weight (the last
            three float32 and mutated).
    """

    arrays = ("weight", "grad", "mean", "var", "weight32")
