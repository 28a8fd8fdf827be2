# SPDX-License-Identifier: Apache-2.0
"""The training loop of FeedForward: batches that several devices share."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import optimizer as opt
from .callback import call_each
from .checkpoint import BatchEndParam
from .context import Context
from .core.base.errors import ArgumentError
from .executor_manager import DataParallelExecutorManager
from .kvstore.updates import initialize_kvstore, update_params, update_params_on_kvstore
from .ndarray import NDArray
from .symbol import Symbol

__all__ = ["train_multi_device"]

Params = dict[str, NDArray]


def train_multi_device(
    symbol: Symbol,
    ctx: Sequence[Context],
    arg_names: Sequence[str],
    param_names: Sequence[str],
    aux_names: Sequence[str],
    arg_params: Params,
    aux_params: Params,
    begin_epoch: int,
    end_epoch: int,
    epoch_size: int | None,
    optimizer: Any,
    kvstore: Any,
    update_on_kvstore: bool,
    train_data: Any,
    eval_data: Any = None,
    eval_metric: Any = None,
    epoch_end_callback: Any = None,
    batch_end_callback: Any = None,
    logger: Any = None,
    work_load_list: Sequence[float] | None = None,
    monitor: Any = None,
    eval_end_callback: Any = None,
    eval_batch_end_callback: Any = None,
    sym_gen: Callable[[Any], Symbol] | None = None,
) -> None:
    """Trains on several devices; what is learned goes to `arg_params` and `aux_params`.

    Args:
        symbol: what to compute.
        ctx: the devices.
        arg_names: the symbol's arguments.
        param_names: those that are parameters.
        aux_names: its auxiliary states.
        arg_params: values of parameters.
        aux_params: values of auxiliary states.
        begin_epoch: number of the first epoch.
        end_epoch: number of that after the last.
        epoch_size: batches in an epoch; None: as many as `train_data` has.
        optimizer: the optimizer.
        kvstore: the store, or None.
        update_on_kvstore: whether the store updates the parameters.
        train_data: iterator over batches to train with.
        eval_data: iterator over batches to measure with after each epoch.
        eval_metric: the metric.
        epoch_end_callback: called after each epoch, or a list of such.
        batch_end_callback: called after each batch, or a list of such.
        logger: what tells of progress.
        work_load_list: for each device, its share.
        monitor: a `Monitor` to install.
        eval_end_callback: called after each measurement, or a list of such.
        eval_batch_end_callback: called after each of its batches, or a list of such.
        sym_gen: gives for the key of a bucket its symbol.
    """
    logger = logger or logging
    manager = DataParallelExecutorManager(
        symbol, ctx, train_data, arg_names, param_names, aux_names, work_load_list, logger, sym_gen
    )
    if monitor is not None:
        manager.install_monitor(monitor)
    manager.set_params(arg_params, aux_params)
    updater = None if update_on_kvstore else opt.get_updater(optimizer)
    if kvstore is not None:
        if update_on_kvstore:
            kvstore.set_optimizer(optimizer)
        names = manager.execgrp.param_names
        initialize_kvstore(kvstore, manager.param_arrays, arg_params, names, update_on_kvstore)
    step = _Step(manager, kvstore, updater, monitor)
    train_data.reset()
    for epoch in range(begin_epoch, end_epoch):
        started, nbatch = time.time(), 0
        eval_metric.reset()
        for data_batch in _epoch_of(train_data, epoch_size, epoch, logger):
            step(data_batch, eval_metric)
            nbatch += 1  # noqa: SIM113 - callbacks count from 1
            end = BatchEndParam(epoch, nbatch, eval_metric, locals())
            call_each(batch_end_callback, end)
        logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - started)
        if epoch_end_callback is not None or epoch + 1 == end_epoch:
            manager.copy_to(arg_params, aux_params)
        call_each(epoch_end_callback, epoch, symbol, arg_params, aux_params)
        if eval_data is not None:
            eval_metric.reset()
            nbatch = 0
            for data_batch in _fresh(eval_data):
                step.measure(data_batch, eval_metric)
                end = BatchEndParam(epoch, nbatch, eval_metric, locals())
                call_each(eval_batch_end_callback, end)
                nbatch += 1
            end = BatchEndParam(epoch, nbatch, eval_metric, locals())
            call_each(eval_end_callback, end)


class _Step:
    """A batch of training, or of measuring."""

    def __init__(self, manager: Any, kvstore: Any, updater: Any, monitor: Any) -> None:
        self._manager, self._kvstore = manager, kvstore
        self._updater, self._monitor = updater, monitor
        self._names = manager.execgrp.param_names

    def __call__(self, batch: Any, metric: Any) -> None:
        manager = self._manager
        manager.load_data_batch(batch)
        if self._monitor is not None:
            self._monitor.tic()
        manager.forward(is_train=True)
        manager.backward()
        arrays, grads = manager.param_arrays, manager.grad_arrays
        if self._updater is None:
            update_params_on_kvstore(arrays, grads, self._kvstore, self._names)
        else:
            n = len(manager.ctx)
            update_params(arrays, grads, self._updater, n, self._kvstore, self._names)
        if self._monitor is not None:
            self._monitor.toc_print()
        manager.update_metric(metric, batch.label)

    def measure(self, batch: Any, metric: Any) -> None:
        """Computes the outputs, for the metric alone."""
        self._manager.load_data_batch(batch)
        self._manager.forward(is_train=False)
        self._manager.update_metric(metric, batch.label)


def _epoch_of(data: Any, size: int | None, epoch: int, logger: Any) -> Iterator[Any]:
    """Batches of an epoch: all that there are, or `size`, for which the data may start again."""
    count = 0
    while True:
        before = count
        for batch in data:
            yield batch
            count += 1
            if count == size:
                return
        logger.info("Epoch[%d] Resetting Data Iterator", epoch)
        data.reset()
        if size is None:
            return
        if count == before:
            raise ArgumentError(f"FeedForward: epoch_size={size}: the iterator has no batch")


def _fresh(data: Any) -> Any:
    data.reset()
    return data
