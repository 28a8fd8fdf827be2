# SPDX-License-Identifier: Apache-2.0
"""Optimizers for embeddings."""

from __future__ import annotations

from typing import Any

from .. import ndarray as nd
from ..core.base.doors import facade
from ..core.base.errors import ArgumentError
from ..ndarray import clip, mean, sqrt, square
from .base import Optimizer, register

__all__ = ["GroupAdaGrad"]


@register
class GroupAdaGrad(Optimizer):
    """AdaGrad with one learning rate for each row: ``weight -= lr * grad / sqrt(history + eps)``.

    ``history`` is the sum of the mean squares of each row's gradients. With row_sparse gradients
    only the rows that they have move. There is no weight decay.

    Args:
        eps: added to the history.
        kwargs: arguments of `Optimizer`.
    """

    _step_depends_on_counts = False

    def __init__(self, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The history, (rows, 1)."""
        if len(weight.shape) != 2:
            raise ArgumentError(
                f"GroupAdaGrad: weight {index!r} has shape {weight.shape}, expected two axes"
            )
        shape = (weight.shape[0], 1)
        return nd.zeros(shape, weight.context, dtype=weight.dtype, stype=weight.stype)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its history in place."""
        lr, wd = self._counted(index)
        if wd != 0:
            raise ArgumentError(f"GroupAdaGrad: wd={wd}: there is no weight decay, expected 0")
        if grad.stype == "row_sparse":
            options = self._options(lr=lr, epsilon=self.float_stable_eps)
            nd.contrib.group_adagrad_update(weight, grad, state, out=weight, **options)
            return
        grad = grad * self.rescale_grad
        if self.clip_gradient is not None:
            grad = clip(grad, -self.clip_gradient, self.clip_gradient)
        state += mean(square(grad), axis=1, keepdims=True)
        weight[:] -= lr * grad / sqrt(state + self.float_stable_eps)


facade(__name__)
