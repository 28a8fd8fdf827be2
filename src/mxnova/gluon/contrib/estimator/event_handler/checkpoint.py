# SPDX-License-Identifier: Apache-2.0
"""Files of parameters and states, to go on from."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

from ..... import checkpoint
from .....core.base.errors import ArgumentError
from .....metric import EvalMetric
from .events import BatchEnd, EpochEnd, TrainBegin, TrainEnd
from .improvement import check_monitor, comparison, current_value, worst

__all__ = ["CheckpointHandler"]


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd, TrainEnd):
    """Save parameters and trainer states every `epoch_period` epochs or `batch_period` batches.

    Files are ``<prefix>-epoch<E>batch<B>.params`` and ``.states``, ``<prefix>-best`` likewise, and
    ``<prefix>-symbol.json`` of a network that is hybridized. With `shards` they are folders of
    `mx.checkpoint.save`, ``<prefix>`` and ``<prefix>-best``, numbered by batches.

    Args:
        model_dir: folder of the files.
        model_prefix: start of their names.
        monitor: the metric that `save_best` goes by, one of the estimator's.
        verbose: whether to log what is written.
        save_best: whether to keep what was best, too.
        mode: ``max`` or ``min`` says what is better; ``auto`` goes by the metric's name.
        epoch_period: how many epochs there are from one checkpoint to the next; None: none.
        batch_period: how many batches there are from one checkpoint to the next; None: none.
        max_checkpoints: how many to keep; the oldest are removed.
        resume_from_checkpoint: whether to go on from the last checkpoint in the folder; of what
            `fit` is to train, what that was trained is taken off.
        shards: whether each worker writes its part, while training goes on.
    """

    def __init__(
        self,
        model_dir: str,
        model_prefix: str = "model",
        monitor: EvalMetric | None = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
        shards: bool = False,
    ) -> None:
        self.monitor = monitor
        self.verbose = verbose
        self.model_dir = model_dir
        self.model_prefix = model_prefix
        self.save_best = save_best
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.current_batch = 0
        self.current_epoch = 0
        self.max_checkpoints = max_checkpoints
        self.resume_from_checkpoint = resume_from_checkpoint
        self.shards = shards
        self.saved_checkpoints: list[str] = []
        self.trained_epoch = self.trained_batch = -1  # the last ones of what it goes on from
        if save_best:
            check_monitor("CheckpointHandler", monitor)
            self.monitor_op = comparison("CheckpointHandler", mode, monitor)  # type: ignore[arg-type]
            self.best = worst(self.monitor_op)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Create the directory, or resume from the checkpoint in it."""
        self.current_batch = 0
        self.current_epoch = 0
        self.trained_epoch = self.trained_batch = -1
        if self.save_best:
            self.best = worst(self.monitor_op)
        os.makedirs(self.model_dir, exist_ok=True)
        if self.resume_from_checkpoint:
            self._resume(estimator)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Writes, if it is time."""
        if self.current_batch == 0:
            self._save_symbol(estimator)
        if self.batch_period and (self.current_batch + 1) % self.batch_period == 0:
            self._save(
                estimator, self.trained_batch + 1 + self.current_batch, self.current_batch + 1
            )
        self.current_batch += 1

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Writes, if it is time."""
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            # MXNet names files after the batches of a training, and after the last one of a
            # training that was gone on with.
            before = self.trained_batch if self.resume_from_checkpoint else 0
            self._save(estimator, before + self.current_batch, self.current_batch)
        self.current_epoch += 1

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Returns when all is written."""
        if self.shards:
            for name in (self.model_prefix, f"{self.model_prefix}-best"):
                checkpoint.wait(os.path.join(self.model_dir, name))

    def _save(self, estimator: Any, batch: int, trained: int) -> None:
        epoch = self.trained_epoch + 1 + self.current_epoch
        name = f"{self.model_prefix}-epoch{epoch}batch{batch}"
        if self.shards:
            self._save_shards(estimator, self.model_prefix, trained, max(self.max_checkpoints, 1))
        else:
            self._save_params_and_trainer(estimator, name)
        text = "trained total %d batches, saving model at %s with prefix: %s"
        self._log_verbose(estimator, text, trained, self.model_dir, name)
        if not self.shards:
            self._keep(name)
        if self.save_best:
            self._save_best(estimator, trained)

    def _keep(self, name: str) -> None:
        """Notes a checkpoint, and removes the oldest where there are too many."""
        if name in self.saved_checkpoints:
            self.saved_checkpoints.remove(name)
        self.saved_checkpoints.append(name)
        while len(self.saved_checkpoints) > max(self.max_checkpoints, 1):
            self._remove(self.saved_checkpoints.pop(0))

    def _remove(self, name: str) -> None:
        for ending in ("params", "states"):
            with contextlib.suppress(FileNotFoundError):  # somebody else has removed it
                os.remove(self._path(name, ending))

    def _save_shards(self, estimator: Any, name: str, trained: int, keep: int) -> None:
        epoch = self.trained_epoch + 1 + self.current_epoch
        step = self.trained_batch + 1 + trained
        folder, extra = os.path.join(self.model_dir, name), {"epoch": epoch}
        checkpoint.save(folder, step, estimator.net, estimator.trainer, extra=extra, keep=keep)

    def _save_best(self, estimator: Any, trained: int) -> None:
        value = current_value("CheckpointHandler", self.monitor)  # type: ignore[arg-type]
        if value is None:
            return
        metric = self.monitor.name  # type: ignore[union-attr]
        if not self.monitor_op(value, self.best):
            text = "%s did not improve from %.5f, skipping updating best model"
            self._log_verbose(estimator, text, metric, self.best)
            return
        name = f"{self.model_prefix}-best"
        if self.shards:
            self._save_shards(estimator, name, trained, keep=1)
        else:
            self._save_params_and_trainer(estimator, name)
        text = "%s improved from %.5f to %.5f, updating best model at %s with prefix: %s"
        self._log_verbose(estimator, text, metric, self.best, value, self.model_dir, name)
        self.best = value

    def _log_verbose(self, estimator: Any, text: str, *args: Any) -> None:
        if self.verbose:
            line = f"[Epoch %d] CheckpointHandler: {text}"
            estimator.logger.info(line, self.current_epoch, *args)

    def _save_symbol(self, estimator: Any) -> None:
        path = self._path(self.model_prefix, "json", "-symbol")
        graph = getattr(estimator.net, "_cached_graph", None)
        if graph:
            graph[1].save(path)
        else:
            text = (
                "Model architecture(symbol file) is not saved, please use HybridBlock to construct "
                "your model, and call net.hybridize() before passing to Estimator in order to save "
                "model architecture as %s."
            )
            estimator.logger.info(text, path)

    def _save_params_and_trainer(self, estimator: Any, name: str) -> None:
        estimator.net.save_parameters(self._path(name, "params"))
        estimator.trainer.save_states(self._path(name, "states"))

    def _path(self, name: str, ending: str, kind: str = "") -> str:
        return os.path.join(self.model_dir, f"{name}{kind}.{ending}")

    # Going on ------------------------------------------------------------------------------------

    def _resume(self, estimator: Any) -> None:
        found = self._last_checkpoint()
        if found is None:
            text = "CheckpointHandler: No checkpoint found, training from scratch for %s"
            estimator.logger.info(text, _amount(estimator))
            return
        self.trained_epoch, self.trained_batch = found
        name = f"{self.model_prefix}-epoch{self.trained_epoch}batch{self.trained_batch}"
        epochs = self._left(estimator.max_epoch, self.trained_epoch, "epochs", name)
        batches = self._left(estimator.max_batch, self.trained_batch, "batches", name)
        if self.shards:
            folder = os.path.join(self.model_dir, self.model_prefix)
            checkpoint.load(folder, estimator.net, estimator.trainer, step=self.trained_batch + 1)
        else:
            estimator.net.load_parameters(self._path(name, "params"), ctx=estimator.context)
            estimator.trainer.load_states(self._path(name, "states"))
        estimator.max_epoch, estimator.max_batch = epochs, batches
        text = "Checkpoint resumed from epoch %d batch %d, continue to train for %s "
        estimator.logger.warning(f"CheckpointHandler: {text}", *found, _amount(estimator))

    @staticmethod
    def _left(wanted: int | None, last: int, unit: str, name: str) -> int | None:
        if wanted and last >= wanted - 1:
            reason = f"{name} has been trained for the {wanted} {unit} already"
            raise ArgumentError(f"CheckpointHandler: resume_from_checkpoint=True: {reason}")
        return wanted and wanted - last - 1

    def _last_checkpoint(self) -> tuple[int, int] | None:
        """(epoch, batch) of the last checkpoint that is complete."""
        if self.shards:
            folder = os.path.join(self.model_dir, self.model_prefix)
            steps = checkpoint.steps(folder)
            return (checkpoint.read(folder).extra["epoch"], steps[-1] - 1) if steps else None
        name = re.compile(re.escape(self.model_prefix) + r"-epoch(\d+)batch(\d+)\.params")
        fits = [name.fullmatch(path.name) for path in Path(self.model_dir).iterdir()]
        numbers = [(int(fit[1]), int(fit[2])) for fit in fits if fit and self._has_states(fit[0])]
        return max(numbers, default=None)

    def _has_states(self, file: str) -> bool:
        return Path(self.model_dir, file).with_suffix(".states").exists()


def _amount(estimator: Any) -> str:
    epochs, batches = estimator.max_epoch, estimator.max_batch
    return f"{epochs} epochs" if epochs else f"{batches} batches"
