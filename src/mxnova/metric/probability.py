# SPDX-License-Identifier: Apache-2.0
"""Metrics of the probabilities that right classes are given."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ..core.base.errors import AssertedError, OutOfRangeError
from .base import MeanMetric, alias, register

__all__ = ["CrossEntropy", "NegativeLogLikelihood", "Perplexity"]

_LEAST = 1e-10  # what smaller probabilities are taken for


@register
class Perplexity(MeanMetric):
    """The exponential of the mean negative logarithm of the right classes' probabilities.

    Args:
        ignore_label: a class whose labels do not count; None: all do.
        axis: that of the classes.
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.Perplexity(ignore_label=None)
        >>> metric.update([mx.nd.array([0])], [mx.nd.array([[0.5, 0.5]])])
        >>> round(float(metric.get()[1]), 4)
        2.0
    """

    def __init__(
        self,
        ignore_label: int | None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        given = (
            {"ignore_label": ignore_label}
            if axis == -1
            else {"ignore_label": ignore_label, "axis": axis}
        )
        super().__init__(name, output_names, label_names, has_global_stats=True, **given)
        self.ignore_label = ignore_label
        self.axis = axis

    def _measured(self, label: Tensor, pred: Tensor) -> tuple[float, int]:
        if not -pred.ndim <= self.axis < pred.ndim:
            reason = f"predictions of shape {tuple(pred.shape)} have no axis {self.axis}"
            raise AssertedError(f"Perplexity.update: {reason}")
        scores = pred.movedim(self.axis, -1)
        classes = scores.shape[-1]
        if label.numel() * classes != pred.numel():
            shapes = f"labels of shape {tuple(label.shape)}, predictions of {tuple(pred.shape)}"
            raise AssertedError(f"Perplexity.update: {shapes} along axis {self.axis}")
        label = label.reshape(-1).long()
        picked = label.clamp(0, classes - 1)[:, None]
        logs = _wide(scores.reshape(-1, classes).gather(1, picked)).clamp(min=_LEAST).log()[:, 0]
        count = len(label)
        if self.ignore_label is not None:
            counted = label != self.ignore_label
            logs = logs * counted
            count = int(torch.count_nonzero(counted).item())
        return -float(logs.sum().item()), count

    def _value(self, total: float, count: float) -> float:
        return math.exp(total / count) if count else math.nan


def _wide(probabilities: Tensor) -> Tensor:
    return probabilities if probabilities.dtype is torch.float64 else probabilities.float()


class _LogLoss(MeanMetric):
    """The mean of -log(p + eps) over the right classes' probabilities p."""

    def __init__(
        self,
        eps: float,
        name: str,
        output_names: Sequence[str] | None,
        label_names: Sequence[str] | None,
    ) -> None:
        super().__init__(name, output_names, label_names, eps=eps, has_global_stats=True)
        self.eps = eps

    def _measured(self, label: Tensor, pred: Tensor) -> tuple[float, int]:
        label = label.reshape(-1).long()
        if pred.ndim != 2 or len(label) != len(pred):
            shapes = f"{len(label)} labels, predictions of shape {tuple(pred.shape)}"
            raise AssertedError(f"{self._own_name()}: {shapes}: must be (labels, classes)")
        classes = pred.shape[1]
        if len(label):
            least, most = label.aminmax()
            if int(least) < -classes or int(most) >= classes:
                raise OutOfRangeError(f"{self._own_name()}: labels beyond the {classes} classes")
        # Negative ones count from behind, as indices of NumPy do.
        picked = _wide(pred.gather(1, (label % classes)[:, None]))
        return -(picked + self.eps).log_().sum().item(), len(label)

    def _own_name(self) -> str:
        return f"{type(self).__name__}.update"


@register
@alias("ce")
class CrossEntropy(_LogLoss):
    """The mean of -log(p + eps) over the right classes' probabilities p.

    Args:
        eps: keeps the logarithm finite.
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.CrossEntropy()
        >>> metric.update([mx.nd.array([0])], [mx.nd.array([[0.5, 0.5]])])
        >>> round(float(metric.get()[1]), 4)
        0.6931
    """

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
@alias("nll_loss")
class NegativeLogLikelihood(_LogLoss):
    """`CrossEntropy` under its other name.

    Args:
        eps: keeps the logarithm finite.
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.NegativeLogLikelihood()
        >>> metric.update([mx.nd.array([0])], [mx.nd.array([[0.5, 0.5]])])
        >>> round(float(metric.get()[1]), 4)
        0.6931
    """

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)
