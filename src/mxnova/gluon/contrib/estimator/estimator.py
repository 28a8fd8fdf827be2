# SPDX-License-Identifier: Apache-2.0
"""A training loop: networks, losses, metrics and a trainer, with handlers of its events."""

from __future__ import annotations

import copy
import logging
import sys
from collections.abc import Iterable
from typing import Any

from ....core.base.errors import ArgumentError, AssertedError, shown
from ....core.base.user_warnings import warn_user
from ....core.runtime.context import Context, cpu, gpu, num_gpus
from ....metric import EvalMetric
from ....metric import Loss as LossMetric
from ...data import DataLoader
from ...loss import Loss
from ...trainer import Trainer
from ...utils import split_and_load
from .batch_processor import BatchProcessor
from .event_handler import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
    StoppingHandler,
    TrainBegin,
    TrainEnd,
    ValidationHandler,
    _check_event_handlers,
)
from .utils import _check_handler_metric_ref, _check_metrics, _suggest_metric_for_loss

__all__ = ["Estimator"]

_EVENTS = (TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd)


class Estimator:
    """Trains a network, and validates it.

    Args:
        net: the network.
        loss: its loss.
        train_metrics: metrics of the training; by default the loss, and the accuracy where that
            suits the loss.
        val_metrics: metrics of validations; by default those of the training once more.
        initializer: fills the parameters, where that has not been done.
        trainer: updates the parameters; by default by SGD with a learning rate of 0.001.
        context: where to train, one context or several; by default the first GPU if there is one.
        val_net: the network to validate; by default `net`.
        val_loss: the loss of validations; by default `loss`.
        batch_processor: what is done with a batch.
    """

    logger: logging.Logger

    def __init__(
        self,
        net: Any,
        loss: Loss,
        train_metrics: Any = None,
        val_metrics: Any = None,
        initializer: Any = None,
        trainer: Trainer | None = None,
        context: Any = None,
        val_net: Any = None,
        val_loss: Loss | None = None,
        batch_processor: Any = None,
    ) -> None:
        self.net = net
        self.loss = self._check_loss(loss)
        self._train_metrics = _check_metrics(train_metrics)
        self._val_metrics = _check_metrics(val_metrics)
        self._add_default_training_metrics()
        self._add_validation_metrics()
        self.val_loss = self._check_loss(val_loss) if val_loss is not None else self.loss
        self.val_net = val_net if val_net is not None else self.net
        self.logger = logging.Logger("Estimator", logging.INFO)
        self.logger.addHandler(logging.StreamHandler(sys.stdout))
        self.context = self._check_context(context)
        self._initialize(initializer)
        self.trainer = self._check_trainer(trainer)
        self.batch_processor = self._check_batch_processor(batch_processor)
        self.max_epoch: int | None = None
        self.max_batch: int | None = None
        self.batch_axis = 0

    # What it is made of --------------------------------------------------------------------------

    def _check_loss(self, loss: Any) -> Loss:
        if not isinstance(loss, Loss):
            raise ArgumentError(f"Estimator: loss={shown(loss)}: must be a gluon.loss.Loss")
        return loss

    def _check_context(self, context: Any) -> list[Context]:
        contexts = [context] if isinstance(context, Context) else context or _default_context()
        if not isinstance(contexts, list) or not all(isinstance(c, Context) for c in contexts):
            expected = "must be a Context, such as mx.cpu(), or a list of them"
            raise ArgumentError(f"Estimator: context={shown(context)}: {expected}")
        for each in contexts:
            if each.device_type == "gpu" and each.device_id >= num_gpus():
                raise AssertedError(f"Estimator: context={each}: there are {num_gpus()} GPUs")
        return contexts

    def _check_trainer(self, trainer: Any) -> Trainer:
        if trainer is None:
            text = "No trainer specified, default SGD optimizer with learning rate 0.001 is used."
            warn_user(text, UserWarning)
            return Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.001})
        if not isinstance(trainer, Trainer):
            raise ArgumentError(f"Estimator: trainer={shown(trainer)}: must be a gluon.Trainer")
        return trainer

    def _check_batch_processor(self, batch_processor: Any) -> Any:
        if batch_processor is None:
            return BatchProcessor()
        for method in ("fit_batch", "evaluate_batch"):
            if not callable(getattr(batch_processor, method, None)):
                reason = f"must have a method {method}"
                raise ArgumentError(
                    f"Estimator: batch_processor={shown(batch_processor)}: {reason}"
                )
        return batch_processor

    def _initialize(self, initializer: Any) -> None:
        if not self._is_initialized():
            given = {} if initializer is None else {"init": initializer}
            self.net.initialize(ctx=self.context, **given)
        elif initializer is not None:
            text = "Network already fully initialized, skipping initialization."
            hint = "net.initialize(init=…, force_reinit=True) initializes it again."
            warn_user(f"{text} {hint}", UserWarning)

    def _is_initialized(self) -> bool:
        parameters = self.net.collect_params().values()
        return all(p._data is not None or p._deferred_init for p in parameters)

    def _add_default_training_metrics(self) -> None:
        if not self._train_metrics:
            suggested = _suggest_metric_for_loss(self.loss)
            loss_metric = LossMetric(self.loss.name.rstrip("0123456789"))
            self._train_metrics = [*([suggested] if suggested else []), loss_metric]
        for metric in self._train_metrics:
            _name_for(metric, "training")

    def _add_validation_metrics(self) -> None:
        if not self._val_metrics:
            self._val_metrics = [copy.deepcopy(metric) for metric in self._train_metrics]
        for metric in self._val_metrics:
            _name_for(metric, "validation")

    @property
    def train_metrics(self) -> list[EvalMetric]:
        """Metrics of the training."""
        return self._train_metrics

    @property
    def val_metrics(self) -> list[EvalMetric]:
        """Metrics of validations."""
        return self._val_metrics

    # What it does --------------------------------------------------------------------------------

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[Any, Any]:
        """Data and labels of a batch, a slice of each for every context."""
        data, label = batch[0], batch[1]
        return split_and_load(data, ctx, batch_axis), split_and_load(label, ctx, batch_axis)

    def evaluate(
        self, val_data: DataLoader, batch_axis: int = 0, event_handlers: Any = None
    ) -> None:
        """Validates; `val_metrics` then tell the result.

        Args:
            val_data: batches of data and labels.
            batch_axis: the axis of samples.
            event_handlers: handlers of epochs and batches, besides those of metrics and logs.

        Raises:
            ArgumentError: `val_data` is no DataLoader, or something is no handler.
        """
        _check_loader("evaluate", "val_data", val_data)
        for metric in self.val_metrics:
            metric.reset()
        handlers = self._prepare_default_validation_handlers(event_handlers)
        _, epoch_begin, batch_begin, batch_end, epoch_end, _ = self._categorize_handlers(handlers)
        for handler in epoch_begin:
            handler.epoch_begin(self)
        for batch in val_data:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            processor = self.batch_processor
            _, label, pred, loss = processor.evaluate_batch(self, batch, batch_axis)
            for handler in batch_end:
                handler.batch_end(self, batch=batch, pred=pred, label=label, loss=loss)
        for handler in epoch_end:
            handler.epoch_end(self)

    def fit(
        self,
        train_data: DataLoader,
        val_data: DataLoader | None = None,
        epochs: int | None = None,
        event_handlers: Any = None,
        batches: int | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Trains for a number of epochs or of batches.

        Args:
            train_data: batches of data and labels.
            val_data: batches to validate with after each epoch.
            epochs: how many epochs to train, or
            event_handlers: handlers of events; those that every training has are added.
            batches: how many batches to train.
            batch_axis: the axis of samples.

        Raises:
            ArgumentError: of `epochs` and `batches` not exactly one is given, data are no
                DataLoader, or something is no handler.
        """
        _check_loader("fit", "train_data", train_data)
        if (not epochs) == (not batches):
            given = f"epochs={epochs}, batches={batches}"
            raise ArgumentError(f"Estimator.fit: {given}: exactly one of them must be given")
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        handlers = self._prepare_default_handlers(val_data, event_handlers)
        train_begin, *within, train_end = self._categorize_handlers(handlers)
        for handler in train_begin:
            handler.train_begin(self)
        while not self._fit_epoch(train_data, batch_axis, *within):
            pass
        for handler in train_end:
            handler.train_end(self)

    def _fit_epoch(
        self,
        train_data: DataLoader,
        batch_axis: int,
        epoch_begin: list[Any],
        batch_begin: list[Any],
        batch_end: list[Any],
        epoch_end: list[Any],
    ) -> bool:
        """One epoch; whether it was the last one."""
        for handler in epoch_begin:
            handler.epoch_begin(self)
        ends = None
        for batch in train_data:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.fit_batch(self, batch, batch_axis)
            told = {"batch": batch, "pred": pred, "label": label, "loss": loss}
            ends = [handler.batch_end(self, **told) for handler in batch_end]  # all are called
            if any(ends):
                break
        if ends is None and self.max_batch:
            raise ArgumentError("Estimator.fit: train_data: has no batch, so that none is the last")
        ends = [handler.epoch_end(self) for handler in epoch_end]
        return any(ends)

    # Handlers ------------------------------------------------------------------------------------

    def _prepare_default_handlers(self, val_data: Any, event_handlers: Any) -> list[EventHandler]:
        """Handlers of a training in their order, with those that every training has."""
        if val_data is not None:
            _check_loader("fit", "val_data", val_data)
        handlers = list(_check_event_handlers(event_handlers))
        added: list[EventHandler] = [StoppingHandler(self.max_epoch, self.max_batch)]
        if not _has(handlers, GradientUpdateHandler):
            added.append(GradientUpdateHandler())
        if not _has(handlers, MetricHandler):
            added.append(MetricHandler(self.train_metrics))
        if val_data is not None and not _has(handlers, ValidationHandler):
            added.append(ValidationHandler(val_data, self.evaluate))
        if not _has(handlers, LoggingHandler):
            added.append(LoggingHandler(metrics=self.train_metrics))
        known = [*self.train_metrics, *self.val_metrics]
        return _in_order([*handlers, *added], known)

    def _prepare_default_validation_handlers(self, event_handlers: Any) -> list[EventHandler]:
        """Handlers of a validation in their order, with those that every validation has."""
        handlers = list(_check_event_handlers(event_handlers))
        added: list[EventHandler] = []
        if not _has(handlers, MetricHandler):
            added.append(MetricHandler(self.val_metrics))
        if not _has(handlers, LoggingHandler):
            added.append(LoggingHandler(metrics=self.val_metrics))
        return _in_order([*handlers, *added], self.val_metrics)

    def _categorize_handlers(self, event_handlers: Iterable[Any]) -> tuple[list[Any], ...]:
        """Handlers by events: begin of training, epoch, batch, end of batch, epoch, training."""
        handlers = list(event_handlers)
        return tuple([h for h in handlers if isinstance(h, event)] for event in _EVENTS)


def _default_context() -> list[Context]:
    return [gpu(0)] if num_gpus() else [cpu()]


def _name_for(metric: EvalMetric, use: str) -> None:
    """Puts what a metric is used for before its name."""
    name = metric.name
    for known in ("training ", "validation "):
        name = name.removeprefix(known)
    metric.name = f"{use} {name}"


def _check_loader(function: str, name: str, data: Any) -> None:
    if not isinstance(data, DataLoader):
        expected = "must be a gluon.data.DataLoader"
        raise ArgumentError(f"Estimator.{function}: {name}={shown(data)}: {expected}")


def _has(handlers: Iterable[EventHandler], kind: type) -> bool:
    return any(isinstance(handler, kind) for handler in handlers)


def _in_order(handlers: list[EventHandler], known: list[EvalMetric]) -> list[EventHandler]:
    for handler in handlers:
        _check_handler_metric_ref(handler, known)
    return sorted(handlers, key=lambda handler: getattr(handler, "priority", 0))
