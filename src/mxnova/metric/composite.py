# SPDX-License-Identifier: Apache-2.0
"""Several metrics as one; metrics by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.base.doors import door
from ..core.base.errors import OutOfRangeError
from ..registry import get_create_func
from .base import EvalMetric, alias, register
from .custom import CustomMetric

__all__ = ["CompositeEvalMetric", "create"]

_create = get_create_func(EvalMetric, "metric")


@door
def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """Create a metric.

    Args:
        metric: a name, a description (`EvalMetric.get_config`, or JSON), a function of labels and
            predictions, a metric, or a list of such, which becomes a `CompositeEvalMetric`.
        args: its further arguments.
        kwargs: likewise.

    Raises:
        AssertedError: there is no such metric.

    Example:
        >>> mx.metric.create(["acc", "ce"]).get()[0]
        ['accuracy', 'cross-entropy']
    """
    if isinstance(metric, EvalMetric):
        return metric
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    if isinstance(metric, (list, tuple)):
        return CompositeEvalMetric([create(m, *args, **kwargs) for m in metric])
    made: EvalMetric = _create(metric, *args, **kwargs)
    return made


@register
@alias("composite")
class CompositeEvalMetric(EvalMetric):
    """Several metrics, which get the same batches.

    Args:
        metrics: the metrics, or what `create` makes them of.
        name: of them all.
        output_names: which predictions `update_dict` hands on; None: all.
        label_names: which labels `update_dict` hands on; None: all.

    Example:
        >>> metric = mx.metric.CompositeEvalMetric(["acc", "mse"])
        >>> len(metric.metrics)
        2
    """

    def __init__(
        self,
        metrics: Sequence[Any] | None = None,
        name: str = "composite",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        self.metrics = [create(m) for m in metrics or ()]
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def add(self, metric: Any) -> None:
        """Add a metric, or the arguments from which `create` makes one."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        """The metric at `index`.

        Raises:
            OutOfRangeError: there are fewer.
        """
        try:
            return self.metrics[index]
        except IndexError:
            count = len(self.metrics)
            raise OutOfRangeError(f"get_metric: index={index}: there are {count}") from None

    def update_dict(self, labels: Mapping[str, Any], preds: Mapping[str, Any]) -> None:
        """Update each metric with a batch by names, filtered by its own names."""
        if self.label_names is not None:
            labels = {n: a for n, a in labels.items() if n in self.label_names}
        if self.output_names is not None:
            preds = {n: a for n, a in preds.items() if n in self.output_names}
        for metric in self.metrics:
            metric.update_dict(labels, preds)

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metrics with a batch."""
        for metric in self.metrics:
            metric.update(labels, preds)

    def reset(self) -> None:
        """Reset all statistics."""
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        """Reset the local statistics of `get`."""
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[list[str], list[Any]]:
        """Return names and values since the last local or global reset."""
        return self._gathered(lambda metric: metric.get_name_value())

    def get_global(self) -> tuple[list[str], list[Any]]:
        """Return names and values since `reset`."""
        return self._gathered(lambda metric: metric.get_global_name_value())

    def _gathered(
        self, pairs: Callable[[EvalMetric], list[tuple[str, Any]]]
    ) -> tuple[list[str], list[Any]]:
        found = [pair for metric in self.metrics for pair in pairs(metric)]
        return [name for name, _ in found], [value for _, value in found]

    def get_config(self) -> dict[str, Any]:
        """Return the configuration from which `create` makes an equal metric."""
        return {**super().get_config(), "metrics": [m.get_config() for m in self.metrics]}
