# SPDX-License-Identifier: Apache-2.0
"""Means of losses, and of the values of user functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..core.nd.interop import numpy_of
from .base import ARRAYS, EvalMetric, alias, check_label_shapes, register, tensor_of

__all__ = ["Caffe", "CustomMetric", "Loss", "Torch", "np"]


@register
class Loss(EvalMetric):
    """The mean over all elements of the predictions; there need not be labels.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.Loss()
        >>> metric.update(None, [mx.nd.array([1, 3])])
        >>> metric.get()[1]
        2.0
    """

    def __init__(
        self,
        name: str = "loss",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update(self, _: Any, preds: Any) -> None:
        """Update the metric with losses: an array or a list of arrays."""
        tensors = [tensor_of(p) for p in ([preds] if isinstance(preds, ARRAYS) else preds)]
        self._add(sum(map(_sum, tensors)), sum(t.numel() for t in tensors))


def _sum(tensor: torch.Tensor) -> float:
    half = tensor.dtype in (torch.float16, torch.bfloat16)
    return torch.sum(tensor, dtype=torch.float32 if half else None).item()


@register
class Torch(Loss):
    """`Loss` under the name that losses of Torch's layers had.

    Args:
        name: under which it is reported.
        output_names: which outputs it looks at; None: all.
        label_names: which labels it looks at; None: all.

    Example:
        >>> metric = mx.metric.Torch()
        >>> metric.update(None, [mx.nd.array([1, 3])])
        >>> metric.get()[1]
        2.0
    """

    def __init__(
        self,
        name: str = "torch",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """`Loss` under the name that losses of Caffe's layers had.

    Args:
        name: under which it is reported.
        output_names: which outputs it looks at; None: all.
        label_names: which labels it looks at; None: all.

    Example:
        >>> metric = mx.metric.Caffe()
        >>> metric.update(None, [mx.nd.array([1, 3])])
        >>> metric.get()[1]
        2.0
    """

    def __init__(
        self,
        name: str = "caffe",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)


@register
@alias("custom")
class CustomMetric(EvalMetric):
    """The mean of the values that a function returns.

    Args:
        feval: takes a label and a prediction as NumPy arrays and gives a number, or a sum and the
            number of what was summed up.
        name: what is measured; the function's name by default.
        allow_extra_outputs: whether there may be more predictions than labels.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.

    Example:
        >>> metric = mx.metric.CustomMetric(
        ...     lambda label, pred: abs(label - pred).mean(),
        ...     name="off",
        ... )
        >>> metric.update([mx.nd.array([1])], [mx.nd.array([3])])
        >>> metric.get()
        ('off', np.float32(2.0))
    """

    def __init__(
        self,
        feval: Callable[[Any, Any], Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(
            _name_of(feval) if name is None else name,
            output_names,
            label_names,
            feval=feval,
            allow_extra_outputs=allow_extra_outputs,
            has_global_stats=True,
        )
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with a batch: lists of arrays, or a single pair."""
        if self._allow_extra_outputs:
            labels = [labels] if isinstance(labels, ARRAYS) else labels
            preds = [preds] if isinstance(preds, ARRAYS) else preds
        else:
            labels, preds = check_label_shapes(labels, preds, True)
        pairs = zip(labels, preds, strict=False)
        given = [self._feval(_copied(label), _copied(pred)) for label, pred in pairs]
        for part in given:
            self._add(*(part if isinstance(part, tuple) else (part, 1)))

    def get_config(self) -> dict[str, Any]:
        """Raises NotImplementedError: a function is no text."""
        raise NotImplementedError("CustomMetric: a function cannot be described in a configuration")


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return f"custom({name})" if "<" in name else name  # <lambda>


def _copied(array: Any) -> Any:
    return numpy_of(tensor_of(array), copy=True)


def np(
    numpy_feval: Callable[[Any, Any], Any],
    name: str | None = None,
    allow_extra_outputs: bool = False,
) -> CustomMetric:
    """A `CustomMetric` of a function on NumPy arrays.

    Args:
        numpy_feval: takes a label and a prediction, gives a number or (sum, count).
        name: what is measured; the function's name by default.
        allow_extra_outputs: whether there may be more predictions than labels.

    Example:
        >>> metric = mx.metric.np(lambda label, pred: (label == pred).mean(), name="same")
        >>> metric.update([mx.nd.array([1, 2])], [mx.nd.array([1, 3])])
        >>> metric.get()
        ('same', np.float64(0.5))
    """

    def feval(label: Any, pred: Any) -> Any:
        return numpy_feval(label, pred)

    feval.__name__ = getattr(numpy_feval, "__name__", type(numpy_feval).__name__)
    return CustomMetric(feval, name, allow_extra_outputs)
