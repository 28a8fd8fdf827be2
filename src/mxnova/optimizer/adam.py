# SPDX-License-Identifier: Apache-2.0
"""Adam and its relatives: running means of the gradient and of its square."""

from __future__ import annotations

import math
from typing import Any

from .. import ndarray as nd
from .base import Optimizer, register, zeros_like

__all__ = ["Adam"]


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

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its means in place."""
        lr, wd = self._counted(index)
        t = self._index_update_count[index]
        lr *= math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t)
        nd.adam_update(
            weight, grad, *state, out=weight, lr=lr, wd=wd,
            beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon,
            lazy_update=self.lazy_update, **self._options(),
        )  # fmt: skip
