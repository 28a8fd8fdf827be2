# SPDX-License-Identifier: Apache-2.0
"""Adam with weight decay apart from the gradient: AdamW, AdaBelief.

MXNet 1.9.1 lacks these; names of arguments are MXNet 2's.
"""

from __future__ import annotations

import math
from typing import Any

from .. import ndarray as nd
from .base import (
    Optimizer,
    aggregation_size,
    arrays_of,
    dense,
    is_half,
    listed,
    register,
    zeros_like,
)

__all__ = ["AdaBelief", "AdamW"]


class _Decoupled(Optimizer):
    """``weight -= lr * (correction * mean / (sqrt(var) + epsilon) + wd * weight)``.

    Args:
        learning_rate: learning rate.
        beta1: decay of the mean.
        beta2: decay of the second moment.
        epsilon: added to the denominator.
        correct_bias: correct the means for having begun at 0.
        kwargs: arguments of `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        correct_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.correct_bias = correct_bias

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Mean and second moment."""
        return zeros_like(weight), zeros_like(weight)

    def _correction(self, index: Any) -> float:
        """What makes up for the means' having begun at 0."""
        if not self.correct_bias:
            return 1.0
        t = self._index_update_count[index]
        return math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t)


@register
class AdamW(_Decoupled):
    """Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2017.

    ``mean`` and ``var`` are running means of the gradient, rescaled and clipped, and of its square;
    ``weight -= lr * (sqrt(1 - beta2**t) / (1 - beta1**t) * mean / (sqrt(var) + epsilon) + wd *
    weight)``. A `rescale_grad` that is not finite, or 0, leaves everything as it is.

    Args:
        learning_rate: learning rate.
        beta1: decay of the mean.
        beta2: decay of the mean of squares.
        epsilon: added to the denominator.
        correct_bias: correct the means for having begun at 0; the paper does, BERT did not.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.AdamW())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.999, 2.001], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        correct_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, correct_bias, **kwargs)
        self.aggregate_num = aggregation_size()

    def _batch_limit(self) -> int:
        return self._batch_limit_of(AdamW, self.aggregate_num)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its means in place; or each of a list."""
        self._update(index, weight, grad, state, has_master=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`; float16 weights by their float32 copies, where there are such."""
        first = weight[0] if isinstance(index, (list, tuple)) else weight
        self._update(index, weight, grad, state, self.multi_precision and is_half(first))

    def _update(self, index: Any, weight: Any, grad: Any, state: Any, has_master: bool) -> None:
        indices, weights, grads, states = listed(index, weight, grad, state)
        self._update_count(indices)
        owned = [arrays_of(state) for state in states]
        if has_master:  # the state begins with the copy, the operator ends with it
            owned = [(*own[1:], own[0]) for own in owned]
        options = self._options(beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon)
        update: Any = (
            nd.contrib.multi_mp_adamw_update if has_master else nd.contrib.multi_adamw_update
        )
        update(
            weights, [dense(grad) for grad in grads], *zip(*owned, strict=True), out=weights,
            lrs=[self._correction(i) for i in indices], etas=self._get_lrs(indices),
            wds=self._get_wds(indices), **options,
        )  # fmt: skip


@register
class AdaBelief(_Decoupled):
    """Zhuang et al., "AdaBelief Optimizer: Adapting Stepsizes by the Belief in Observed Gradients".

    As `AdamW`, but ``var`` is the running mean of ``(grad - mean)**2``, to which epsilon is added
    at every step (arXiv:2010.07468).

    Args:
        learning_rate: learning rate.
        beta1: decay of the mean.
        beta2: decay of the variance.
        epsilon: added to the variance and to the denominator.
        correct_bias: correct the means for having begun at 0.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.AdaBelief())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.9989, 2.0011], dtype=float32)
    """

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its means in place."""
        lr, wd = self._counted(index)
        grad = self._scaled(dense(grad))
        mean, var = state
        mean *= self.beta1
        mean += (1.0 - self.beta1) * grad
        grad -= mean
        var *= self.beta2
        var += (1.0 - self.beta2) * grad * grad + self.epsilon
        step = mean / (nd.sqrt(var) + self.epsilon)
        step *= self._correction(index)
        step += wd * weight
        weight[:] -= lr * step
