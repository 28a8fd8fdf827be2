# SPDX-License-Identifier: Apache-2.0
"""Metrics of predicted numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .base import EvalMetric, MeanMetric, alias, argument, check_label_shapes, register, tensor_of

__all__ = ["MAE", "MSE", "RMSE", "PearsonCorrelation"]


class _Deviation(MeanMetric):
    """The mean over batches of some mean deviation of predictions from labels."""

    def _measured(self, label: Tensor, pred: Tensor) -> tuple[float, int]:
        label, pred = _columns(label), _columns(pred)
        try:
            difference = label - pred
        except RuntimeError:
            shapes = f"{tuple(label.shape)} and {tuple(pred.shape)}"
            reason = f"labels and predictions of shapes {shapes} cannot be subtracted"
            raise argument(self, reason) from None
        return self._deviation(difference), 1

    def _deviation(self, difference: Tensor) -> float:
        raise NotImplementedError


def _columns(values: Tensor) -> Tensor:
    """Floats, and one column of them where they have one axis."""
    values = values if values.dtype in (torch.float32, torch.float64) else values.float()
    return values[:, None] if values.ndim == 1 else values


@register
class MAE(_Deviation):
    """The mean over batches of the mean absolute error.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.MAE()
        >>> metric.update([mx.nd.array([1, 2])], [mx.nd.array([[1], [4]])])
        >>> metric.get()
        ('mae', 1.0)
    """

    def __init__(
        self,
        name: str = "mae",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def _deviation(self, difference: Tensor) -> float:
        return difference.abs_().mean().item()


@register
class MSE(_Deviation):
    """The mean over batches of the mean squared error.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.MSE()
        >>> metric.update([mx.nd.array([1, 2])], [mx.nd.array([[1], [4]])])
        >>> metric.get()
        ('mse', 2.0)
    """

    def __init__(
        self,
        name: str = "mse",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def _deviation(self, difference: Tensor) -> float:
        return difference.square_().mean().item()


@register
class RMSE(_Deviation):
    """The mean over batches of the root of the mean squared error.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.RMSE()
        >>> metric.update([mx.nd.array([1, 2])], [mx.nd.array([[1], [4]])])
        >>> metric.get()
        ('rmse', 1.4142135623730951)
    """

    def __init__(
        self,
        name: str = "rmse",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def _deviation(self, difference: Tensor) -> float:
        return math.sqrt(difference.square_().mean().item())


@register
@alias("pearsonr")
class PearsonCorrelation(EvalMetric):
    """Pearson's correlation of labels and predictions.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.
        average: ``macro``: the mean over batches; ``micro``: of all predictions at once.

    Example:
        >>> metric = mx.metric.PearsonCorrelation()
        >>> metric.update([mx.nd.array([1, 2, 3])], [mx.nd.array([2, 4, 6])])
        >>> round(float(metric.get()[1]), 4)
        1.0
    """

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        self.average = average
        given = {} if average == "macro" else {"average": average}
        super().__init__(name, output_names, label_names, has_global_stats=True, **given)

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with a batch: lists of arrays, or a single pair.

        Raises:
            ArgumentError: shapes differ; nothing of the batch is taken then.
        """
        labels, preds = check_label_shapes(labels, preds, True)
        pairs = [_flat_pair(label, p) for label, p in zip(labels, preds, strict=True)]
        for label, pred in pairs:
            if self.average == "macro":
                moments = _Moments()
                moments.add(label, pred)
                self._add(moments.correlation(), 1)
            else:
                self._local.add(label, pred)
                self._whole.add(label, pred)
                self._add(0.0, 1)

    def update_variance(self, new_values: Any, *aggregate: float) -> tuple[float, float, float]:
        """(count, mean, sum of squared deviations) with `new_values` added to such an aggregate."""
        moments = _Moments()
        moments.count, moments.mean_label, moments.squares_label = aggregate
        moments.add(*_flat_pair(new_values, new_values))
        return moments.count, moments.mean_label, moments.squares_label

    def update_cov(self, label: Any, pred: Any) -> None:
        """Adds pairs to what `micro` correlates."""
        pair = _flat_pair(label, pred)
        self._local.add(*pair)
        self._whole.add(*pair)

    def reset_micro(self) -> None:
        """Reset the statistics of `micro`."""
        self._local, self._whole = _Moments(), _Moments()

    def reset(self) -> None:
        """Reset all statistics."""
        super().reset()
        self.reset_micro()

    def reset_local(self) -> None:
        """Reset the local statistics of `get`."""
        super().reset_local()
        self._local = _Moments()

    def get(self) -> tuple[str, float]:
        """(name, correlation) since the last reset of either kind; NaN where nothing was seen."""
        if self.average == "macro":
            return super().get()
        return self.name, self._local.correlation()

    def get_global(self) -> tuple[str, float]:
        """(name, correlation) since `reset`."""
        if self.average == "macro":
            return super().get_global()
        return self.name, self._whole.correlation()


def _flat_pair(label: Any, pred: Any) -> tuple[Tensor, Tensor]:
    """Both as vectors of doubles."""
    check_label_shapes(label, pred, False, True)
    pred = tensor_of(pred)
    return tensor_of(label).to(pred.device).reshape(-1).double(), pred.reshape(-1).double()


class _Moments:
    """Means, squared deviations and their products, batch by batch.

    Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983.
    """

    def __init__(self) -> None:
        self.count = 0.0
        self.mean_label = self.mean_pred = 0.0
        self.squares_label = self.squares_pred = self.products = 0.0

    def add(self, label: Tensor, pred: Tensor) -> None:
        """Adds pairs."""
        number, before = len(label), self.count
        if not number:
            return
        means = label.mean().item(), pred.mean().item()
        label, pred = label - means[0], pred - means[1]
        shifts = means[0] - self.mean_label, means[1] - self.mean_pred
        self.count = before + number
        self.mean_label += shifts[0] * number / self.count
        self.mean_pred += shifts[1] * number / self.count
        between = before * number / self.count
        self.squares_label += torch.dot(label, label).item() + shifts[0] * shifts[0] * between
        self.squares_pred += torch.dot(pred, pred).item() + shifts[1] * shifts[1] * between
        self.products += torch.dot(label, pred).item() + shifts[0] * shifts[1] * between

    def correlation(self) -> float:
        """Pearson's; NaN where labels or predictions do not vary."""
        scale = math.sqrt(self.squares_label) * math.sqrt(self.squares_pred)
        return self.products / scale if scale else math.nan
