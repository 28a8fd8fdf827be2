# SPDX-License-Identifier: Apache-2.0
"""Losses of predicted numbers."""

from __future__ import annotations

import math
from typing import Any, cast

from .base import Loss, _apply_weighting, _reshape_like

__all__ = ["HuberLoss", "L1Loss", "L2Loss", "PoissonNLLLoss"]


class L2Loss(Loss):
    """`weight / 2 * (label - pred)²`.

    Args:
        weight: a factor of the loss; None: 1.
        batch_axis: the axis of the samples.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.loss.L2Loss()(mx.nd.array([[1, 2]]), mx.nd.array([[1, 4]])).asnumpy()
        array([1.], dtype=float32)
    """

    def __init__(self, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.square(_reshape_like(F, label, pred) - pred)
        loss = _apply_weighting(F, loss, cast(float, self._weight) / 2, sample_weight)
        return F.mean(loss, axis=self._batch_axis, exclude=True)


class L1Loss(Loss):
    """`|label - pred|`.

    Args:
        weight: a factor of the loss; None: 1.
        batch_axis: the axis of the samples.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> mx.gluon.loss.L1Loss()(mx.nd.array([[1, 2]]), mx.nd.array([[1, 4]])).asnumpy()
        array([1.], dtype=float32)
    """

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.abs(_reshape_like(F, label, pred) - pred)
        return self._mean(F, loss, sample_weight)


class HuberLoss(Loss):
    """`(label - pred)² / (2 rho)` up to a distance of `rho`, `|label - pred| - rho / 2` beyond.

    Args:
        rho: where the square ends.
        weight: a factor for all losses.
        batch_axis: the axis of samples.

    Example:
        >>> mx.gluon.loss.HuberLoss()(mx.nd.array([[1, 2]]), mx.nd.array([[1, 4]])).asnumpy()
        array([0.75], dtype=float32)
    """

    def __init__(
        self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        distance = F.abs(_reshape_like(F, label, pred) - pred)
        square = (0.5 / self._rho) * F.square(distance)
        loss = F.where(distance > self._rho, distance - 0.5 * self._rho, square)
        return self._mean(F, loss, sample_weight)


class PoissonNLLLoss(Loss):
    """The mean over all elements of Poisson's `rate - target * log(rate)`.

    Args:
        weight: a factor for all losses.
        from_logits: whether `pred` are logarithms of rates; rates otherwise.
        batch_axis: the axis of samples.
        compute_full: whether Stirling's approximation of `log(target!)` is added, which does not
            depend on `pred`, for targets above 1.

    Example:
        >>> loss_of = mx.gluon.loss.PoissonNLLLoss()
        >>> loss_of(mx.nd.array([[0.5]]), mx.nd.array([[2]])).asnumpy().round(4)
        array([0.6487], dtype=float32)
    """

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._compute_full = compute_full

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        target: Any,
        sample_weight: Any = None,
        epsilon: float = 1e-8,
    ) -> Any:
        target = _reshape_like(F, target, pred)
        if self._from_logits:
            loss = F.exp(pred) - target * pred
        else:
            loss = pred - target * F.log(pred + epsilon)
        if self._compute_full:
            # Below 1 the logarithm of 1 takes the place of one that may be infinite.
            above = F.maximum(target, 1)
            stirling = above * F.log(above) - above + 0.5 * F.log(2 * math.pi * above)
            loss = loss + stirling * (target > 1)
        return F.mean(_apply_weighting(F, loss, self._weight, sample_weight))
