# SPDX-License-Identifier: Apache-2.0
"""The end of a training that no longer gets better."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....metric import EvalMetric
from .events import EpochEnd, TrainBegin, TrainEnd
from .improvement import check_monitor, comparison, current_value, worst

__all__ = ["EarlyStoppingHandler"]


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Ends a training when a metric has not become better for some epochs.

    Args:
        monitor: the metric, one of the estimator's.
        min_delta: by how much it has to become better.
        patience: how many epochs may pass without that.
        mode: ``max`` or ``min`` says what is better; ``auto`` goes by the metric's name.
        baseline: value to be better than at first.
    """

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        check_monitor("EarlyStoppingHandler", monitor)
        self.monitor = monitor
        self.baseline = baseline
        self.patience = patience
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False
        self.monitor_op = comparison("EarlyStoppingHandler", mode, monitor)
        self.min_delta = min_delta if self.monitor_op is np.greater else -min_delta

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Starts to count."""
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False
        self.best = worst(self.monitor_op) if self.baseline is None else self.baseline

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        """Whether patience is at its end."""
        value = current_value("EarlyStoppingHandler", self.monitor)
        if value is not None:
            self._compare(value)
        self.current_epoch += 1
        return self.stop_training

    def _compare(self, value: float) -> None:
        if self.monitor_op(value - self.min_delta, self.best):
            self.best = value
            self.wait = 0
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = self.current_epoch
            self.stop_training = True

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Logs that it has ended the training, if it has."""
        if self.stop_training:
            # MXNet's spelling, which programs look for
            text = "[Epoch %d] EarlyStoppingHanlder: early stopping due to %s not improving"
            estimator.logger.info(text, self.stopped_epoch, self.monitor.name)
