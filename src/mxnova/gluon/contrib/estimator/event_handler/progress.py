# SPDX-License-Identifier: Apache-2.0
"""A log of a training: progress, throughput, metrics."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .....core.base.errors import ArgumentError, shown
from ..utils import _check_metrics
from .events import BatchBegin, BatchEnd, EpochBegin, EpochEnd, TrainBegin, TrainEnd

__all__ = ["LoggingHandler"]


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Logs begin and end of trainings, epochs and intervals, with times and metrics.

    The lines are MXNet's, such as ``[Epoch 0][Batch 0][Samples 8] time/interval: 0.010s training
    accuracy: 0.5000``.

    Args:
        log_interval: ``epoch``, or how many batches there are from one log to the next.
        metrics: what to log.
        priority: its place among handlers; after those that update metrics.
    """

    def __init__(
        self, log_interval: int | str = "epoch", metrics: Any = None, priority: float = np.inf
    ) -> None:
        if log_interval != "epoch" and (not isinstance(log_interval, int) or log_interval < 1):
            expected = "must be 'epoch' or a number of batches"
            raise ArgumentError(f"LoggingHandler: log_interval={shown(log_interval)}: {expected}")
        self.metrics = _check_metrics(metrics)
        self.batch_index = 0
        self.current_epoch = 0
        self.processed_samples = 0
        self.priority = priority
        self.log_interval = log_interval
        self.log_interval_time = 0.0
        self._start = self._epoch_start = self._batch_start = 0.0

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Logs the optimizer, and how long it will take."""
        self._start = time.time()
        trainer = estimator.trainer
        optimizer, rate = type(trainer.optimizer).__name__, trainer.learning_rate
        estimator.logger.info(
            "Training begin: using optimizer %s with current learning rate %.4f ", optimizer, rate
        )
        if estimator.max_epoch:
            estimator.logger.info("Train for %d epochs.", estimator.max_epoch)
        else:
            estimator.logger.info("Train for %d batches.", estimator.max_batch)
        self.batch_index = self.current_epoch = self.processed_samples = 0
        self.log_interval_time = 0.0

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Logs how long it took."""
        took = time.time() - self._start
        head = f"Train finished using total {int(took)}s with {self.current_epoch} epochs."
        estimator.logger.info(" ".join([head, *self._values()]))

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Starts the clock."""
        self._batch_start = time.time()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Logs, if it is time."""
        self.processed_samples += _samples(kwargs["batch"])
        if self.log_interval != "epoch":
            self.log_interval_time += time.time() - self._batch_start
            if self.batch_index % int(self.log_interval) == 0:
                self._log_interval(estimator)
        self.batch_index += 1

    def _log_interval(self, estimator: Any) -> None:
        at = f"{self._epoch()}[Batch {self.batch_index}][Samples {self.processed_samples}]"
        head = f"{at} time/interval: {self.log_interval_time:.3f}s"
        estimator.logger.info(" ".join([head, *self._values()]))
        self.log_interval_time = 0.0

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Logs that a training's epoch, or a validation, begins."""
        self._epoch_start = time.time()
        if self._is_training():
            rate = estimator.trainer.learning_rate
            estimator.logger.info("%s Begin, current learning rate: %.4f", self._epoch(), rate)
        else:
            estimator.logger.info("Validation Begin")

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the metrics of the epoch."""
        took = time.time() - self._epoch_start
        head = f"{self._epoch()} Finished in {took:.3f}s"
        estimator.logger.info(", ".join([head, *self._values()]))
        self.current_epoch += 1
        self.batch_index = 0

    def _is_training(self) -> bool:
        return any("training" in metric.name for metric in self.metrics)

    def _epoch(self) -> str:
        return f"[Epoch {self.current_epoch}]"

    def _values(self) -> list[str]:
        """All metrics and their values as one text; no text where there are none."""
        pairs = (pair for metric in self.metrics for pair in metric.get_name_value())
        text = ", ".join(f"{name}: {value:.4f}" for name, value in pairs)
        return [text] if text else []


def _samples(batch: Any) -> int:
    """How many samples a batch has: by its first array, 0 where that cannot be told."""
    while isinstance(batch, (list, tuple)) and batch:
        batch = batch[0]
    shape = getattr(batch, "shape", ())
    return int(shape[0]) if shape else 0
