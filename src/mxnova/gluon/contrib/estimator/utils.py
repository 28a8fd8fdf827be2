# SPDX-License-Identifier: Apache-2.0
"""Checks of metrics; those that suit a loss."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ....core.base.errors import ArgumentError, shown
from ....metric import Accuracy, CompositeEvalMetric, EvalMetric
from ...loss import SoftmaxCrossEntropyLoss

__all__: list[str] = []


def _check_metrics(metrics: Any) -> list[EvalMetric]:
    """Metrics as a list; those of a composite one by one.

    Raises:
        ArgumentError: something is no metric.
    """
    if isinstance(metrics, CompositeEvalMetric):
        return [metric for each in metrics.metrics for metric in _check_metrics(each)]
    if isinstance(metrics, EvalMetric):
        return [metrics]
    metrics = metrics or []
    if not isinstance(metrics, list) or not all(isinstance(m, EvalMetric) for m in metrics):
        expected = "must be an mx.metric.EvalMetric or a list of them"
        raise ArgumentError(f"Estimator: metrics={shown(metrics)}: {expected}")
    return metrics


def _suggest_metric_for_loss(loss: Any) -> EvalMetric | None:
    """A metric that people look at with such a loss."""
    return Accuracy() if isinstance(loss, SoftmaxCrossEntropyLoss) else None


def _check_handler_metric_ref(handler: Any, known_metrics: Sequence[EvalMetric]) -> None:
    """Raises unless the metrics that a handler looks at are those of its estimator."""
    for name, value in vars(handler).items():
        if "metric" in name or "monitor" in name:
            references = value if isinstance(value, (list, tuple)) else [value]
            for metric in references:
                _check_metric_known(handler, metric, known_metrics)


def _check_metric_known(handler: Any, metric: Any, known_metrics: Iterable[EvalMetric]) -> None:
    if isinstance(metric, EvalMetric) and all(metric is not known for known in known_metrics):
        raise ArgumentError(
            f"Estimator: {type(handler).__name__} has a metric of its own, {metric.name!r}, which "
            "nothing updates: take it from train_metrics or val_metrics of the estimator"
        )
