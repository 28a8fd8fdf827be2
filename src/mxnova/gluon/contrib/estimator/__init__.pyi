# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.gluon import Trainer as Trainer
from mxnova.gluon.contrib.estimator.event_handler import EventHandler as EventHandler
from mxnova.gluon.data import DataLoader as DataLoader
from mxnova.gluon.loss import Loss as Loss
from mxnova.metric import EvalMetric as EvalMetric
from mxnova.notebook import LivePlot as LivePlot

class BatchBegin(EventHandler):
    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any: ...
class BatchEnd(EventHandler):
    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any: ...
class BatchProcessor:
    def evaluate_batch(self, estimator: Any, val_batch: Any, batch_axis: int = 0) -> tuple[list[Any], list[Any], list[Any], list[Any]]: ...
    def fit_batch(self, estimator: Any, train_batch: Any, batch_axis: int = 0) -> tuple[list[Any], list[Any], list[Any], list[Any]]: ...
class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd, TrainEnd):
    def __init__(self, model_dir: str, model_prefix: str = 'model', monitor: EvalMetric | None = None, verbose: int = 0, save_best: bool = False, mode: str = 'auto', epoch_period: int | None = 1, batch_period: int | None = None, max_checkpoints: int = 5, resume_from_checkpoint: bool = False, shards: bool = False) -> None: ...
    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    batch_period: Any
    best: Any
    current_batch: Any
    current_epoch: Any
    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    epoch_period: Any
    max_checkpoints: Any
    model_dir: Any
    model_prefix: Any
    monitor: Any
    monitor_op: Any
    resume_from_checkpoint: Any
    save_best: Any
    saved_checkpoints: list[str]
    shards: Any
    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    trained_batch: Any
    trained_epoch: Any
    verbose: Any
class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    def __init__(self, monitor: EvalMetric, min_delta: float = 0, patience: int = 0, mode: str = 'auto', baseline: float | None = None) -> None: ...
    baseline: Any
    best: Any
    current_epoch: Any
    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool: ...  # type: ignore[override]
    min_delta: Any
    monitor: Any
    monitor_op: Any
    patience: Any
    stop_training: Any
    stopped_epoch: Any
    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    wait: Any
class EpochBegin(EventHandler):
    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any: ...
class EpochEnd(EventHandler):
    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any: ...
class Estimator:
    def __init__(self, net: Any, loss: Loss, train_metrics: Any = None, val_metrics: Any = None, initializer: Any = None, trainer: Trainer | None = None, context: Any = None, val_net: Any = None, val_loss: Loss | None = None, batch_processor: Any = None) -> None: ...
    batch_axis: Any
    batch_processor: Any
    context: Any
    def evaluate(self, val_data: DataLoader, batch_axis: int = 0, event_handlers: Any = None) -> None: ...
    def fit(self, train_data: DataLoader, val_data: DataLoader | None = None, epochs: int | None = None, event_handlers: Any = None, batches: int | None = None, batch_axis: int = 0) -> None: ...
    logger: Any
    loss: Any
    max_batch: int | None
    max_epoch: int | None
    net: Any
    @property
    def train_metrics(self) -> list[EvalMetric]: ...
    trainer: Any
    val_loss: Any
    @property
    def val_metrics(self) -> list[EvalMetric]: ...
    val_net: Any
class GradientUpdateHandler(BatchEnd):
    def __init__(self, priority: float = -2000) -> None: ...
    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    priority: Any
class LivePlotHandler(BatchEnd, EpochEnd):
    def __init__(self, plot: LivePlot | None = None, priority: float = ...) -> None: ...
    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    plot: Any
    priority: Any
class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    def __init__(self, log_interval: int | str = 'epoch', metrics: Any = None, priority: float = ...) -> None: ...
    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    batch_index: Any
    current_epoch: Any
    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    log_interval: Any
    log_interval_time: Any
    metrics: Any
    priority: Any
    processed_samples: Any
    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
class MetricHandler(EpochBegin, BatchEnd):
    def __init__(self, metrics: Any, priority: float = -1000) -> None: ...
    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    metrics: Any
    priority: Any
class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    def __init__(self, max_epoch: int | None = None, max_batch: int | None = None) -> None: ...
    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool: ...  # type: ignore[override]
    current_batch: Any
    current_epoch: Any
    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool: ...  # type: ignore[override]
    max_batch: Any
    max_epoch: Any
    stop_training: Any
    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
class TrainBegin(EventHandler):
    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any: ...
class TrainEnd(EventHandler):
    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any: ...
class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    def __init__(self, val_data: Any, eval_fn: Callable[..., Any], epoch_period: int | None = 1, batch_period: int | None = None, priority: float = -1000, event_handlers: Any = None) -> None: ...
    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    batch_period: Any
    current_batch: Any
    current_epoch: Any
    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    epoch_period: Any
    eval_fn: Any
    event_handlers: Any
    priority: Any
    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    val_data: Any
from mxnova.gluon.contrib.estimator import batch_processor as batch_processor
from mxnova.gluon.contrib.estimator import estimator as estimator
from mxnova.gluon.contrib.estimator import event_handler as event_handler
from mxnova.gluon.contrib.estimator import utils as utils
