# SPDX-License-Identifier: Apache-2.0
"""The base of metrics: local and global sums, names, configuration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from .. import ndarray as nd
from ..core.base.errors import ArgumentError, ArgumentTypeError, AssertedError, shown
from ..core.base.html import table
from ..core.nd.base_array import BaseArray
from ..core.nd.interop import tensor_from
from ..registry import get_alias_func, get_register_func

__all__ = [
    "ARRAYS",
    "EvalMetric",
    "MeanMetric",
    "alias",
    "argument",
    "check_label_shapes",
    "check_sizes",
    "register",
    "tensor_of",
]


class EvalMetric:
    """The base of metrics; the value is `sum_metric` / `num_inst`.

    Subclasses override `update`, which adds to these two, and to `global_sum_metric` and
    `global_num_inst` where there is ``has_global_stats=True`` among the arguments.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.
        kwargs: arguments of the subclass, for `get_config`.

    Example:
        >>> mx.metric.create("acc").name
        'accuracy'
    """

    num_inst: float
    sum_metric: float
    global_num_inst: float
    global_sum_metric: float

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self.name = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = kwargs.pop("has_global_stats", False)
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def _repr_html_(self) -> str:
        return table(type(self).__name__, ["metric", "value"], self.get_name_value())

    def get_config(self) -> dict[str, Any]:
        """Return the configuration from which `create` makes an equal metric."""
        return {
            **self._kwargs,
            "metric": self.__class__.__name__,
            "name": self.name,
            "output_names": self.output_names,
            "label_names": self.label_names,
        }

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """Update the metric with a batch, given by names.

        Args:
            label: labels by name; `label_names` says which, and in which order.
            pred: predictions by name; `output_names` says which, and in which order.
        """
        preds = _picked(pred, self.output_names, "pred")
        self.update(_picked(label, self.label_names, "label"), preds)

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with a batch.

        Args:
            labels: what is true, a list of arrays.
            preds: what is predicted, an array for each of them.
        """
        raise NotImplementedError(f"{type(self).__name__}: has no update")

    def reset(self) -> None:
        """Reset all statistics."""
        self.num_inst = 0
        self.sum_metric = 0.0
        self.global_num_inst = 0
        self.global_sum_metric = 0.0

    def reset_local(self) -> None:
        """Reset the local statistics of `get`, but not the global ones of `get_global`."""
        self.num_inst = 0
        self.sum_metric = 0.0

    def get(self) -> tuple[Any, Any]:
        """(name, value) since the last reset of either kind; NaN where nothing was seen."""
        return self.name, self._value(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, Any]:
        """(name, value) since `reset`."""
        if not self._has_global_stats:
            return self.get()
        return self.name, self._value(self.global_sum_metric, self.global_num_inst)

    def _value(self, total: float, count: float) -> float:
        return total / count if count else math.nan

    def get_name_value(self) -> list[tuple[str, Any]]:
        """Return the result of `get` as (name, value) pairs."""
        return _pairs(*self.get())

    def get_global_name_value(self) -> list[tuple[str, Any]]:
        """Return the result of `get_global` as (name, value) pairs."""
        return _pairs(*self.get_global())

    def _add(self, total: float, count: float) -> None:
        self.sum_metric += total
        self.global_sum_metric += total
        self.num_inst += count
        self.global_num_inst += count


def _picked(arrays: Mapping[str, Any], names: Sequence[str] | None, argument: str) -> list[Any]:
    if names is None:
        return list(arrays.values())
    missing = [n for n in names if n not in arrays]
    if missing:
        what = f"{argument}: has no {', '.join(map(repr, missing))}, only {', '.join(arrays)}"
        raise MissingArrayError(f"update_dict: {what}")
    return [arrays[n] for n in names]


class MissingArrayError(ArgumentError, KeyError):
    """A batch without an array that a metric is to take by its name."""

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0])


def _pairs(names: Any, values: Any) -> list[tuple[str, Any]]:
    names = names if isinstance(names, list) else [names]
    values = values if isinstance(values, list) else [values]
    return list(zip(names, values, strict=False))


class MeanMetric(EvalMetric):
    """A metric that is summed up over pairs of a label and a prediction."""

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with a batch: lists of arrays, or a single pair.

        Raises:
            ArgumentError: shapes do not fit; nothing of the batch is taken then.
        """
        labels, preds = check_label_shapes(labels, preds, True)
        total, count = 0.0, 0
        for label, pred in zip(labels, preds, strict=True):
            tensor = tensor_of(pred)
            part, number = self._measured(tensor_of(label).to(tensor.device), tensor)
            total += part
            count += number
        self._add(total, count)

    def _measured(self, label: Tensor, pred: Tensor) -> tuple[float, int]:
        """The sum for one pair, and the number of what was summed up."""
        raise NotImplementedError


register = get_register_func(EvalMetric, "metric")
alias = get_alias_func(EvalMetric, "metric")
_EXAMPLE = """

Example:
    >>> @mx.metric.{decorator}
    ... class Seen(mx.metric.EvalMetric):
    ...     def __init__(self, name="seen"):
    ...         super().__init__(name)
    ...     def update(self, labels, preds):
    ...         self.sum_metric += labels[0].size
    ...         self.num_inst = 1
    >>> metric = mx.metric.create("{name}")
    >>> metric.update([mx.nd.zeros(3)], [mx.nd.zeros((3, 2))])
    >>> metric.get()
    ('seen', 3.0)
"""
register.__doc__ = (register.__doc__ or "") + _EXAMPLE.format(decorator="register", name="seen")
alias.__doc__ = (alias.__doc__ or "") + _EXAMPLE.format(
    decorator='alias("samples_seen")', name="samples_seen"
)


def check_label_shapes(
    labels: Any, preds: Any, wrap: bool = False, shape: bool = False
) -> tuple[Any, Any]:
    """Check that there are as many labels as predictions.

    Args:
        labels: a list of arrays, or an array.
        preds: likewise.
        wrap: whether arrays become lists of one.
        shape: whether to compare shapes and not lengths.

    Returns:
        Labels and predictions.

    Raises:
        ArgumentError: they differ.

    Example:
        >>> mx.metric.check_label_shapes([1, 2], [3, 4])
        ([1, 2], [3, 4])
    """
    found = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if found[0] != found[1]:
        what = "shapes" if shape else "lengths"
        reason = f"labels and predictions are of different {what}"
        raise AssertedError(f"check_label_shapes: {reason}, {found[0]} and {found[1]}")
    if wrap:
        labels = [labels] if isinstance(labels, ARRAYS) else labels
        preds = [preds] if isinstance(preds, ARRAYS) else preds
    return labels, preds


ARRAYS = (nd.NDArray, np.ndarray)


def tensor_of(array: Any) -> Tensor:
    """The elements of an array, where they are; for a NumPy array over its memory."""
    if isinstance(array, BaseArray):
        return array._tensor
    if isinstance(array, (np.ndarray, np.generic, float, int, list, tuple)):
        return tensor_from(np.asarray(array))
    raise ArgumentTypeError(f"metric: {shown(array)}: must be an array")


def argument(metric: object, reason: str) -> ArgumentError:
    """Return the error for an argument that `metric` cannot use."""
    return ArgumentError(f"{type(metric).__name__}.update: {reason}")


def check_sizes(metric: object, label: Tensor, pred: Tensor) -> None:
    """Raise an error unless there are as many labels as (rows of) predictions."""
    if len(label) != len(pred):
        reason = f"{len(label)} labels do not match {len(pred)} predictions"
        raise argument(metric, reason)
