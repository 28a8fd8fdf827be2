# SPDX-License-Identifier: Apache-2.0
"""The rule by which a metric counts as improved."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....core.base.errors import ArgumentError, shown
from .....core.base.user_warnings import warn_user
from .....metric import CompositeEvalMetric, EvalMetric

__all__ = ["check_monitor", "comparison", "current_value", "worst"]


def check_monitor(handler: str, monitor: Any) -> None:
    """Raises ArgumentError unless `monitor` is a metric with one value."""
    if not isinstance(monitor, EvalMetric) or isinstance(monitor, CompositeEvalMetric):
        expected = "must be one of train_metrics or val_metrics of the estimator"
        raise ArgumentError(f"{handler}: monitor={shown(monitor)}: {expected}")


def comparison(handler: str, mode: str, monitor: EvalMetric) -> Any:
    """``np.greater`` or ``np.less``: what a better value is than the best one.

    Args:
        handler: who asks, for messages.
        mode: ``max``, ``min``, or ``auto``, which goes by the metric's name; so do others.
        monitor: the metric.
    """
    if mode not in ("auto", "min", "max"):
        text = f"{handler}: mode={shown(mode)}: is none of auto, min, max; auto is taken"
        warn_user(text, RuntimeWarning)
        mode = "auto"
    if mode != "auto":
        return np.greater if mode == "max" else np.less
    more_is_better = any(part in monitor.name.lower() for part in ("acc", "f1"))
    better, kind = ("greater", "max") if more_is_better else ("less", "min")
    text = f"{handler}: {monitor.name}: a {better} value is taken for better; mode={kind!r} says so"
    warn_user(text, UserWarning)
    return getattr(np, better)


def worst(better: Any) -> float:
    """Return the value that every other one improves on."""
    return -np.inf if better is np.greater else np.inf


def current_value(handler: str, monitor: EvalMetric) -> float | None:
    """The metric's value; None, with a warning, where nothing was seen."""
    name, value = monitor.get()
    if np.isnan(value):
        text = f"{handler}: {name} has no value yet: are there a handler and data that update it?"
        warn_user(text, RuntimeWarning)
        return None
    return float(value)
