# SPDX-License-Identifier: Apache-2.0
"""Handlers of a training loop's events: what happens around batches, epochs and the whole."""

from .checkpoint import CheckpointHandler
from .early_stopping import EarlyStoppingHandler
from .events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
    _check_event_handlers,
)
from .live_plot import LivePlotHandler
from .progress import LoggingHandler
from .training import (
    GradientUpdateHandler,
    MetricHandler,
    StoppingHandler,
    ValidationHandler,
)

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "CheckpointHandler",
    "EarlyStoppingHandler",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "GradientUpdateHandler",
    "LivePlotHandler",
    "LoggingHandler",
    "MetricHandler",
    "StoppingHandler",
    "TrainBegin",
    "TrainEnd",
    "ValidationHandler",
    "_check_event_handlers",
]
