# SPDX-License-Identifier: Apache-2.0
"""Callbacks of training loops: checkpoints at the end of epochs, logs at the end of batches."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from .base import _as_list
from .checkpoint import BatchEndParam, save_checkpoint
from .core.base.doors import facade

__all__ = [
    "LogValidationMetricsCallback",
    "ProgressBar",
    "Speedometer",
    "do_checkpoint",
    "log_train_metric",
    "module_checkpoint",
]


def call_each(callbacks: Any, *args: Any) -> None:
    """Calls a callback, or each of a list of such; None is none."""
    for callback in () if callbacks is None else _as_list(callbacks):
        callback(*args)


def module_checkpoint(
    mod: Any, prefix: str, period: int = 1, save_optimizer_states: bool = False
) -> Callable[..., None]:
    """A callback of epochs that lets a module write a checkpoint.

    Args:
        mod: the module.
        prefix: start of the names of files.
        period: how many epochs there are from one checkpoint to the next.
        save_optimizer_states: whether to write the optimizer's states too.
    """
    period = int(max(1, period))

    def callback(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states)

    return callback


def do_checkpoint(prefix: str, period: int = 1) -> Callable[..., None]:
    """A callback of epochs that writes ``prefix-symbol.json`` and ``prefix-<epoch>.params``.

    Args:
        prefix: start of the names of files.
        period: how many epochs there are from one checkpoint to the next.
    """
    period = int(max(1, period))

    def callback(iter_no: int, sym: Any, arg: Mapping[str, Any], aux: Mapping[str, Any]) -> None:
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return callback


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[BatchEndParam], None]:
    """A callback of batches that logs the metric.

    Args:
        period: how many batches there are from one log to the next.
        auto_reset: whether the metric then begins a new stretch.
    """

    def callback(param: BatchEndParam) -> None:
        if param.nbatch % period == 0 and param.eval_metric is not None:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Iter[%d] Batch[%d] Train-%s=%f", *param[:2], name, value)
            if auto_reset:
                param.eval_metric.reset_local()

    return callback


class Speedometer:
    """A callback of batches that logs samples per second, and the metric.

    Args:
        batch_size: samples in a batch.
        frequent: how many batches there are from one log to the next.
        auto_reset: whether the metric then begins a new stretch.
    """

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self.init = False
        self.tic = 0.0
        self.last_count = 0
        self.auto_reset = auto_reset

    def __call__(self, param: BatchEndParam) -> None:
        """Takes the end of a batch."""
        count = param.nbatch
        started = self.init and count >= self.last_count  # a smaller one is of another epoch
        self.last_count = count
        if not started:
            self.init = True
            self.tic = time.time()
        elif count % self.frequent == 0:
            self._log(param)
            self.tic = time.time()

    def _log(self, param: BatchEndParam) -> None:
        elapsed = time.time() - self.tic
        speed = self.frequent * self.batch_size / elapsed if elapsed else math.inf
        metric, count = param.eval_metric, param.nbatch
        if metric is None:
            text, values = f"Iter[{param.epoch}] Batch [{count}]", []
        else:
            first = count - self.frequent if self.auto_reset else 0
            text, values = f"Epoch[{param.epoch}] Batch [{first}-{count}]", metric.get_name_value()
            if self.auto_reset:
                metric.reset_local()
        parts = [text, f"Speed: {speed:.2f} samples/sec", *(f"{n}={v:f}" for n, v in values)]
        logging.info("\t".join(parts))


class ProgressBar:
    """A callback of batches that logs a bar of how much is done.

    Args:
        total: batches in all.
        length: of the bar, in characters.
    """

    def __init__(self, total: int, length: int = 80) -> None:
        self.bar_len = length
        self.total = total

    def __call__(self, param: BatchEndParam) -> None:
        """Takes the end of a batch."""
        filled = round(self.bar_len * param.nbatch / float(self.total))
        bar = "=" * filled + "-" * (self.bar_len - filled)
        logging.info("[%s] %s%%\r", bar, math.ceil(100.0 * param.nbatch / float(self.total)))


class LogValidationMetricsCallback:
    """A callback of epochs that logs the metric of a validation."""

    def __call__(self, param: BatchEndParam) -> None:
        """Takes the end of a validation."""
        if param.eval_metric:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)


facade(__name__)
