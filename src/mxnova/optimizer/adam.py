# SPDX-License-Identifier: Apache-2.0
"""Adam and its relatives: running means of the gradient and of its square."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import ndarray as nd
from ..core.nd.updates import UpdateOfSeveral
from .base import (
    Optimizer,
    aggregation_size,
    arrays_of,
    is_half,
    register,
    zeros_like,
)

__all__ = ["FTML", "Adam", "Adamax", "Nadam"]


@register
class Adam(Optimizer):
    """Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2014.

    ``mean`` and ``var`` are running means of the gradient, with ``wd * weight`` added, and of its
    square; ``weight -= lr * sqrt(1 - beta2**t) / (1 - beta1**t) * mean / (sqrt(var) + epsilon)``.

    Args:
        learning_rate: learning rate.
        beta1: decay of the mean.
        beta2: decay of the mean of squares.
        epsilon: added to the denominator.
        lazy_update: with row_sparse gradients, move only the rows that they have.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.Adam())
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
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Mean and mean of squares."""
        sparse = self.lazy_update
        return zeros_like(weight, sparse=sparse), zeros_like(weight, sparse=sparse)

    def _goes_with_dense(self, weight: nd.NDArray, grad: nd.NDArray, state: Any) -> bool:
        several = _MULTI_WITH_MASTERS if self.multi_precision and is_half(weight) else _MULTI
        return several.takes([weight, grad, *arrays_of(state)], 1, self.lazy_update)

    def _batch_limit(self) -> int:
        return self._batch_limit_of(Adam, aggregation_size())

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its means in place; or each of a list."""
        if isinstance(index, (list, tuple)):
            self._update_all(index, weight, grad, state, has_master=False)
            return
        lr, wd = self._counted(index)
        nd.adam_update(
            weight, grad, *state, out=weight, lr=lr * self._correction(index), wd=wd,
            lazy_update=self.lazy_update, **self._means(),
        )  # fmt: skip

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`; float16 weights by their float32 copies, where there are such."""
        if isinstance(index, (list, tuple)):
            has_master = self.multi_precision and is_half(weight[0])
            self._update_all(index, weight, grad, state, has_master)
        else:
            super().update_multi_precision(index, weight, grad, state)

    def _update_all(
        self,
        indices: Sequence[Any],
        weights: Sequence[nd.NDArray],
        grads: Sequence[nd.NDArray],
        states: Sequence[Any],
        has_master: bool,
    ) -> None:
        arrays: list[nd.NDArray] = []
        for w, g, state in zip(weights, grads, states, strict=True):
            arrays += (w, g, *state[1], state[0]) if has_master else (w, g, *state)
        several = _MULTI_WITH_MASTERS if has_master else _MULTI
        if len(weights) == 1 or not several.takes(arrays, len(weights), self.lazy_update):
            for arguments in zip(indices, weights, grads, states, strict=True):
                self.update_multi_precision(*arguments)
            return
        self._update_count(indices)
        rates = zip(self._get_lrs(indices), indices, strict=True)
        lrs = [lr * self._correction(index) for lr, index in rates]
        several(arrays, weights, lrs, self._get_wds(indices), **self._means())

    def _means(self) -> dict[str, Any]:
        return self._options(beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon)

    def _correction(self, index: Any) -> float:
        """Factor for the learning rate that makes up for the means' having begun at 0."""
        t = self._index_update_count[index]
        return math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t)


_MULTI = UpdateOfSeveral("_multi_adam_update", "adam_update")
_MULTI_WITH_MASTERS = UpdateOfSeveral("_multi_mp_adam_update")


@register
class Adamax(Optimizer):
    """Adam by the largest gradient instead of the mean of squares (section 7.1 of the paper).

    ``weight -= lr / (1 - beta1**t) * mean / largest`` with
    ``largest = max(beta2 * largest, |grad|)``; the gradient has ``wd * weight`` added.
    Weights whose gradients were all 0 stay.

    Args:
        learning_rate: learning rate.
        beta1: decay of the mean.
        beta2: decay of the largest gradient.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.Adamax())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.998, 2.002], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Mean and largest gradient."""
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its state in place."""
        lr, wd = self._counted(index)
        lr /= 1.0 - self.beta1 ** self._index_update_count[index]
        grad = self._decayed(grad, weight, wd)
        mean, largest = state
        mean *= self.beta1
        mean += (1.0 - self.beta1) * grad
        largest[:] = nd.maximum(self.beta2 * largest, nd.abs(grad))
        weight[:] -= lr * mean / (largest + (largest == 0))


@register
class Nadam(Optimizer):
    """Adam with Nesterov's momentum. Dozat, "Incorporating Nesterov Momentum into Adam", 2016.

    The momentum grows with the updates t: ``beta1 * (1 - 0.5 * 0.96**(t * schedule_decay))``. As
    in MXNet, the product of the momenta is one for all weights.

    Args:
        learning_rate: learning rate.
        beta1: what the momentum grows toward.
        beta2: decay of the mean of squares.
        epsilon: added to the denominator.
        schedule_decay: how fast the momentum grows.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.Nadam())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.9989, 2.0011], dtype=float32)
    """

    _progress_names = (*Optimizer._progress_names, "m_schedule")

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.schedule_decay = schedule_decay
        self.m_schedule = 1.0

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Mean and mean of squares."""
        return zeros_like(weight), zeros_like(weight)

    def _momentum(self, t: int) -> float:
        return float(self.beta1 * (1.0 - 0.5 * 0.96 ** (t * self.schedule_decay)))

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its means in place."""
        lr, wd = self._counted(index)
        t = self._index_update_count[index]
        now, later = self._momentum(t), self._momentum(t + 1)
        self.m_schedule *= now
        grad = self._decayed(grad, weight, wd)
        mean, var = state
        mean *= self.beta1
        mean += (1.0 - self.beta1) * grad
        var *= self.beta2
        var += (1.0 - self.beta2) * grad * grad
        step = (1.0 - now) / (1.0 - self.m_schedule) * grad
        step += later / (1.0 - self.m_schedule * later) * mean
        root = nd.sqrt(var / (1.0 - self.beta2**t))
        root += self.epsilon
        step *= lr
        step /= root
        weight -= step


@register
class FTML(Optimizer):
    """Zheng and Kwok, "Follow the Moving Leader in Deep Learning", 2017.

    Args:
        beta1: decay of the leader's past.
        beta2: decay of the mean of squares.
        epsilon: added to the denominator.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.FTML())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.99, 2.01], dtype=float32)
    """

    def __init__(
        self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Denominator, mean of squares and numerator."""
        return zeros_like(weight), zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its state in place."""
        lr, wd = self._counted(index)
        bound = {"clip_grad": self.clip_gradient} if self.clip_gradient else {}
        nd.ftml_update(
            weight, grad, *state, out=weight, lr=lr, wd=wd, t=self._index_update_count[index],
            beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon,
            rescale_grad=self.rescale_grad, **bound,
        )  # fmt: skip
