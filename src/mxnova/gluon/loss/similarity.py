# SPDX-License-Identifier: Apache-2.0
"""Losses of how near predictions are to each other."""

from __future__ import annotations

from typing import Any

from .base import _EPSILON, Loss, _apply_weighting, _reshape_like
from .classification import KLDivLoss

__all__ = ["CosineEmbeddingLoss", "SDMLLoss", "TripletLoss"]


class TripletLoss(Loss):
    """`max(0, |positive - pred|² - |negative - pred|² + margin)`, one for each sample.

    Args:
        margin: how much nearer the positive shall be.
        weight: a factor for all losses.
        batch_axis: the axis of samples.

    Example:
        >>> mx.gluon.loss.TripletLoss()(
        ...     mx.nd.array([[0, 0]]),
        ...     mx.nd.array([[0, 1]]),
        ...     mx.nd.array([[1, 1]]),
        ... ).asnumpy()
        array([0.], dtype=float32)
    """

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, positive: Any, negative: Any) -> Any:
        nearer, farther = (
            F.square(_reshape_like(F, other, pred) - pred) for other in (positive, negative)
        )
        loss = F.sum(nearer - farther, axis=self._batch_axis, exclude=True)
        return _apply_weighting(F, F.relu(loss + self._margin), self._weight, None)


class CosineEmbeddingLoss(Loss):
    """`1 - cos(input1, input2)` for label 1, `max(0, cos(input1, input2) - margin)` for label -1.

    Args:
        weight: a factor for all losses.
        batch_axis: the axis of samples.
        margin: the cosine up to which a pair of label -1 is good enough.

    Example:
        >>> mx.gluon.loss.CosineEmbeddingLoss()(
        ...     mx.nd.array([[1, 0]]),
        ...     mx.nd.array([[0, 1]]),
        ...     mx.nd.array([1]),
        ... ).asnumpy()
        array([[1.]], dtype=float32)
    """

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self,
        F: Any,
        input1: Any,
        input2: Any,
        label: Any,
        sample_weight: Any = None,
    ) -> Any:
        cosine = self._cosine_similarity(F, _reshape_like(F, input1, input2), input2)
        label = label.reshape((-1, 1))
        loss = (1 - cosine) * (label == 1) + F.relu((label == -1) * (cosine - self._margin))
        return _apply_weighting(F, loss, self._weight, sample_weight)

    def _cosine_similarity(self, F: Any, x: Any, y: Any, axis: int = -1) -> Any:
        product = F.sum(x * y, axis=axis).reshape((-1, 1))
        norms = F.norm(x, axis=axis).reshape((-1, 1)) * F.norm(y, axis=axis).reshape((-1, 1))
        return product / F.maximum(norms, _EPSILON)


class SDMLLoss(Loss):
    """Smoothed deep metric learning (Bonadiman et al., https://arxiv.org/abs/1905.12786).

    Rows of `x1` and `x2`, ``(n, d)``, with the same index belong together, all others do not: the
    cross entropy of softmax over negative squared distances with smoothed labels.

    Args:
        smoothing_parameter: the probability that labels give to the others.
        weight: kept; MXNet does not apply it.
        batch_axis: the axis of samples.

    Example:
        >>> mx.gluon.loss.SDMLLoss()(mx.nd.ones((3, 2)), mx.nd.ones((3, 2))).shape
        (3,)
    """

    def __init__(
        self,
        smoothing_parameter: float = 0.3,
        weight: float | None = 1.0,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.kl_loss = KLDivLoss(from_logits=True)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        difference = F.broadcast_sub(F.expand_dims(x1, axis=1), F.expand_dims(x2, axis=0))
        distances = F.sum(F.square(difference), axis=2)
        return self.kl_loss(F.log_softmax(-distances, axis=1), self._labels(F, x1))

    def _labels(self, F: Any, x: Any) -> Any:
        """``(n, n)``: the parameter shared by the others of a row, the rest on the diagonal."""
        index = F.contrib.arange_like(x, axis=0)
        same = F.broadcast_equal(F.expand_dims(index, axis=1), F.expand_dims(index, axis=0))
        others = 1 - same
        share = self.smoothing_parameter / F.sum(others, axis=1, keepdims=True)
        return (1 - self.smoothing_parameter) * same + F.broadcast_mul(others, share)
