# SPDX-License-Identifier: Apache-2.0
"""Curves of a training in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....notebook import LivePlot
from .events import BatchEnd, EpochEnd

__all__ = ["LivePlotHandler"]


class LivePlotHandler(BatchEnd, EpochEnd):
    """Gives the metrics of a training to a `mx.notebook.LivePlot`.

    Args:
        plot: draws them; default: a new one.
        priority: its place among handlers; after those that update metrics.
    """

    def __init__(self, plot: LivePlot | None = None, priority: float = np.inf) -> None:
        self.plot = plot if plot is not None else LivePlot()
        self.priority = priority
        self._n_batches = 0

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Takes the metrics of training, after every so many batches."""
        self._n_batches += 1
        if self._n_batches % self.plot.frequent == 0:
            self._add(estimator.train_metrics)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Takes the metrics of validation, and draws."""
        self._add(estimator.val_metrics)
        self.plot.draw()

    def _add(self, metrics: Any) -> None:
        values = dict(pair for metric in metrics for pair in metric.get_name_value())
        self.plot.add(self._n_batches, **{n: v for n, v in values.items() if not np.isnan(v)})
