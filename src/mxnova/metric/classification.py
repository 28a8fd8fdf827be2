# SPDX-License-Identifier: Apache-2.0
"""How often the right class is predicted, of any number of classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..core.base.errors import AssertedError, shown
from .base import (
    EvalMetric,
    MeanMetric,
    alias,
    argument,
    check_label_shapes,
    check_sizes,
    register,
    tensor_of,
)

__all__ = ["PCC", "Accuracy", "TopKAccuracy"]


def _classes(metric: EvalMetric, label: Tensor, pred: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Labels and predicted classes as flat integers; scores along `axis` become classes."""
    if pred.shape != label.shape:
        if not -pred.ndim <= axis < pred.ndim:
            reason = f"predictions of shape {tuple(pred.shape)} have no axis {axis}"
            raise argument(metric, f"{reason}: update(labels, predictions)")
        pred = pred.argmax(axis)
    label, pred = label.reshape(-1), pred.reshape(-1)
    check_sizes(metric, label, pred)
    return label.long(), pred.long()


@register
@alias("acc")
class Accuracy(MeanMetric):
    """The share of correct predictions.

    Predictions are classes where they are of the labels' shape, scores of classes otherwise.

    Args:
        axis: that of the classes, in scores.
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.Accuracy()
        >>> metric.update([mx.nd.array([0, 1])], [mx.nd.array([[0.9, 0.1], [0.8, 0.2]])])
        >>> metric.get()
        ('accuracy', 0.5)
    """

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, axis=axis, has_global_stats=True)
        self.axis = axis

    def _measured(self, label: Tensor, pred: Tensor) -> tuple[float, int]:
        label, pred = _classes(self, label, pred, self.axis)
        return float(torch.count_nonzero(label == pred).item()), len(label)


@register
@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(MeanMetric):
    """How often the right class is among the `top_k` of the highest scores.

    Args:
        top_k: how many count; 2 or more.
        name: what is measured; `top_k` is appended.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.TopKAccuracy(2)
        >>> metric.update([mx.nd.array([2])], [mx.nd.array([[0.5, 0.2, 0.3]])])
        >>> metric.get()
        ('top_k_accuracy_2', 1.0)
    """

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        if not top_k > 1:
            reason = "must be 2 or more; Accuracy is for 1"
            raise AssertedError(f"TopKAccuracy: top_k={shown(top_k)}: {reason}")
        super().__init__(name, output_names, label_names, top_k=top_k, has_global_stats=True)
        self.top_k = top_k
        self.name += f"_{top_k}"

    def _measured(self, label: Tensor, pred: Tensor) -> tuple[float, int]:
        if pred.ndim > 2:
            reason = f"predictions of shape {tuple(pred.shape)} must have at most 2 axes"
            raise AssertedError(f"TopKAccuracy.update: {reason}")
        label = label.reshape(-1).long()
        check_sizes(self, label, pred)
        if pred.ndim == 2:
            pred = pred.topk(min(self.top_k, pred.shape[1]), sorted=False).indices
            label = label[:, None]
        return float(torch.count_nonzero(label == pred.long()).item()), len(label)


@register
class PCC(EvalMetric):
    """Pearson's correlation of right and predicted classes, of any number of classes.

    Gorodkin, "Comparing two K-category assignments by a K-category correlation coefficient", 2004;
    with two classes it is Matthews' coefficient.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.
        has_global_stats: whether the whole run is told apart from its last stretch.

    Example:
        >>> metric = mx.metric.PCC()
        >>> metric.update(
        ...     [mx.nd.array([0, 1, 1])],
        ...     [mx.nd.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])],
        ... )
        >>> metric.get()
        ('pcc', 0.5)
    """

    gcm: np.ndarray  # confusion matrix since `reset`
    lcm: np.ndarray  # since the last reset of either kind

    def __init__(
        self,
        name: str = "pcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        has_global_stats: bool = True,
    ) -> None:
        self.k = 2
        super().__init__(name, output_names, label_names, has_global_stats=has_global_stats)

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with a batch: lists of arrays, or a single pair.

        Raises:
            ArgumentError: shapes do not fit; nothing of the batch is taken then.
        """
        labels, preds = check_label_shapes(labels, preds, True)
        pairs = zip(labels, preds, strict=True)
        found = [self._confusion(tensor_of(label), tensor_of(pred)) for label, pred in pairs]
        for confusion in found:
            k = len(confusion)
            self._grow(k)
            self.lcm[:k, :k] += confusion
            self.gcm[:k, :k] += confusion
        self.num_inst += 1
        self.global_num_inst += 1

    def _confusion(self, label: Tensor, pred: Tensor) -> np.ndarray[Any, Any]:
        """How often each class is predicted (rows) where each is right (columns)."""
        label, pred = _classes(self, label.to(pred.device), pred, 1)
        if not len(label):
            return np.zeros((1, 1))
        (least, most), (least_pred, most_pred) = label.aminmax(), pred.aminmax()
        if min(int(least), int(least_pred)) < 0:
            raise argument(self, "classes must not be negative")
        k = max(int(most), int(most_pred)) + 1
        counts = torch.bincount(pred * k + label, minlength=k * k)
        return counts.view(k, k).cpu().numpy()

    def _grow(self, k: int) -> None:
        if k > self.k:
            more = (0, k - self.k)
            self.lcm = np.pad(self.lcm, more)
            self.gcm = np.pad(self.gcm, more)
            self.k = k

    @property
    def sum_metric(self) -> float:  # type: ignore[override]
        """The correlation since the last reset of either kind, times the number of batches."""
        return _correlation(self.lcm) * self.num_inst

    @property
    def global_sum_metric(self) -> float:  # type: ignore[override]
        """The correlation since `reset`, times the number of batches."""
        return _correlation(self.gcm) * self.global_num_inst

    def reset(self) -> None:
        """Reset all statistics."""
        self.global_num_inst = 0
        self.gcm = np.zeros((self.k, self.k))
        self.reset_local()

    def reset_local(self) -> None:
        """Reset the local statistics of `get`."""
        self.num_inst = 0
        self.lcm = np.zeros((self.k, self.k))


def _correlation(confusion: np.ndarray[Any, Any]) -> float:
    n = confusion.sum()
    predicted, right = confusion.sum(1), confusion.sum(0)
    variances = np.sum(predicted * (n - predicted)) * np.sum(right * (n - right))
    covariance = np.sum(confusion.diagonal() * n - predicted * right)
    return float(covariance / math.sqrt(variances)) if variances else math.nan
