# SPDX-License-Identifier: Apache-2.0
"""BaseModule: what all modules can do, out of the steps that each has of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .. import metric as metrics
from .. import ndarray as nd
from ..base import _as_list  # noqa: F401 - a name that packages use
from ..callback import call_each
from ..checkpoint import BatchEndParam, joined_params, split_params
from ..checkpoint.checkpoints import Checkpoints
from ..core.base.doors import facade
from ..core.base.errors import ArgumentError, AssertedError, shown
from ..io import DataBatch, DataIter
from .descriptions import (  # noqa: F401 - names that packages use
    _check_input_names,
    _check_names_match,
    _parse_data_desc,
)
from .progress import fit_progress
from .steps import SGD, UNIFORM, Steps

__all__ = ["BaseModule"]

NDArray = nd.NDArray


class BaseModule(Steps):
    """Something that computes, and learns, by batches.

    A subclass defines the steps: `bind`, `init_params`, `init_optimizer`, `forward`, `backward`,
    `update`, `update_metric`, `get_outputs`, `get_params` and what they need; `fit`, `score` and
    `predict` are made of them.

    Args:
        logger: what tells of progress.

    Attributes:
        binded: whether `bind` was called.
        for_training: whether it was for training.
        inputs_need_grad: whether gradients of the data are computed.
        params_initialized: whether parameters have values.
        optimizer_initialized: whether `init_optimizer` was called.

    Example:
        >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2)
        >>> module = mx.mod.Module(net, label_names=None)
        >>> module.bind([("data", (4, 3))], for_training=False)
        >>> module.init_params()
        >>> module.forward(mx.io.DataBatch([mx.nd.ones((4, 3))]))
        >>> module.get_outputs()[0].shape
        (4, 2)
    """

    # Training ------------------------------------------------------------------------------------

    def forward_backward(self, data_batch: Any) -> None:
        """Computes outputs, and then gradients."""
        self.forward(data_batch, is_train=True)
        self.backward()

    def fit(
        self,
        train_data: Any,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = SGD,
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        initializer: Any = UNIFORM,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: int | None = None,
        validation_metric: Any = None,
        monitor: Any = None,
        sparse_row_id_fn: Callable[[Any], Mapping[str, NDArray]] | None = None,
        checkpoint: Checkpoints | str | os.PathLike[str] | None = None,
    ) -> None:
        """Trains.

        Args:
            train_data: iterator over batches to train with.
            eval_data: iterator over batches to measure with after each epoch.
            eval_metric: metric of training: one, or its name.
            epoch_end_callback: called after each epoch with its number, the symbol, parameters and
                auxiliary states; a list of such is called in turn.
            batch_end_callback: called after each batch with a `BatchEndParam`, or a list of such.
            kvstore: the store that sums up over devices, or the name of one.
            optimizer: an optimizer, or the name of one.
            optimizer_params: arguments of an optimizer that is given by name.
            eval_end_callback: called after each measurement, or a list of such.
            eval_batch_end_callback: called after each of its batches, or a list of such.
            initializer: fills the parameters that `arg_params` and `aux_params` do not have.
            arg_params: first values of parameters.
            aux_params: first values of auxiliary states.
            allow_missing: whether they may lack some.
            force_rebind: whether to bind again where it is bound already.
            force_init: whether to set parameters again that are set already.
            begin_epoch: number of the first epoch.
            num_epoch: number of that after the last.
            validation_metric: metric of measurements; default: `eval_metric`.
            monitor: a `Monitor` to install.
            sparse_row_id_fn: gives for a batch the rows of sparse parameters that it needs.
            checkpoint: a folder, or `mx.checkpoint.Checkpoints`: what was trained is saved there
                after each epoch, and what was saved there before is gone on with.

        Raises:
            AssertedError: `num_epoch` is not given.
        """
        if num_epoch is None:
            raise AssertedError(f"{type(self).__name__}.fit: num_epoch must be given")
        self.bind(
            data_shapes=train_data.provide_data,
            label_shapes=train_data.provide_label,
            for_training=True,
            force_rebind=force_rebind,
        )
        if monitor is not None:
            self.install_monitor(monitor)
        self.init_params(
            initializer=initializer,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
        )
        saved = None if checkpoint is None else Checkpoints.of(checkpoint)
        done = 0 if saved is None else saved.load_parameters(self)
        self.init_optimizer(kvstore=kvstore, optimizer=optimizer, optimizer_params=optimizer_params)
        if saved is not None:
            saved.load_states(self, done, train_data)
        validation_metric = validation_metric or eval_metric
        eval_metric = metrics.create(eval_metric)
        given = locals()
        with fit_progress(num_epoch, batch_end_callback) as given["batch_done"]:
            for epoch in range(max(begin_epoch, done), num_epoch):
                started = time.time()
                self._fit_epoch(epoch, given)
                self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - started)
                self._end_epoch(epoch, given)
        if saved is not None:
            saved.wait()

    def _end_epoch(self, epoch: int, given: Mapping[str, Any]) -> None:
        """What `fit`, whose arguments are `given`, does after an epoch."""
        arg_params, aux_params = self.get_params()
        self.set_params(arg_params, aux_params)
        call_each(given["epoch_end_callback"], epoch, self.symbol, arg_params, aux_params)
        if given["eval_data"] is not None:
            measured = self.score(
                given["eval_data"],
                given["validation_metric"],
                score_end_callback=given["eval_end_callback"],
                batch_end_callback=given["eval_batch_end_callback"],
                epoch=epoch,
            )
            for name, value in measured:
                self.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, value)
        given["train_data"].reset()
        if given["saved"] is not None:
            given["saved"].save(self, self, epoch + 1, given["train_data"])

    def _fit_epoch(self, epoch: int, given: Mapping[str, Any]) -> None:
        """One epoch of `fit`, whose arguments are `given`."""
        eval_metric, monitor = given["eval_metric"], given["monitor"]
        callbacks = given["batch_end_callback"]
        eval_metric.reset()
        batches = iter(given["train_data"])
        data_batch, nbatch = next(batches, None), 0
        if data_batch is None:
            raise ArgumentError("fit: train_data has no batch; reset() starts it again")
        values: list[tuple[str, float]] = []
        while data_batch is not None:
            if monitor is not None:
                monitor.tic()
            self.forward_backward(data_batch)
            self.update()
            self._measure(eval_metric, data_batch)
            upcoming = next(batches, None)  # an iterator may reuse the memory of the last batch
            if upcoming is not None:
                self.prepare(upcoming, sparse_row_id_fn=given["sparse_row_id_fn"])
            else:
                values = eval_metric.get_global_name_value()
            if monitor is not None:
                monitor.toc_print()
            if callbacks:
                seen = {**given, "epoch": epoch, "nbatch": nbatch, "data_batch": data_batch}
                parameters = BatchEndParam(epoch, nbatch, eval_metric, seen)
                call_each(callbacks, parameters)
            data_batch, nbatch = upcoming, nbatch + 1
            if given["batch_done"] is not None:
                given["batch_done"](epoch, nbatch, eval_metric)
        for name, value in values:
            self.logger.info("Epoch[%d] Train-%s=%f", epoch, name, value)

    def _measure(self, eval_metric: Any, batch: Any) -> None:
        if isinstance(batch, list):
            self.update_metric(eval_metric, [part.label for part in batch], pre_sliced=True)
        else:
            self.update_metric(eval_metric, batch.label)

    # Measuring and predicting --------------------------------------------------------------------

    def _batches(
        self, eval_data: Any, num_batch: int | None, reset: bool, sparse_row_id_fn: Any
    ) -> Iterator[tuple[int, Any]]:
        """Number and batch of each batch, after its forward."""
        if reset:
            eval_data.reset()
        for number, batch in enumerate(eval_data):
            if number == num_batch:
                return
            self.prepare(batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(batch, is_train=False)
            yield number, batch

    def score(
        self,
        eval_data: Any,
        eval_metric: Any,
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        score_end_callback: Any = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: Callable[[Any], Mapping[str, NDArray]] | None = None,
    ) -> list[tuple[str, float]]:
        """Return names and values of a metric over batches, padding samples included.

        Args:
            eval_data: iterator over the batches.
            eval_metric: the metric, or its name.
            num_batch: how many batches are taken; default: all.
            batch_end_callback: called after each batch with a `BatchEndParam`, or a list of such.
            score_end_callback: called at the end, or a list of such.
            reset: whether the iterator starts from the beginning.
            epoch: the number of the epoch, for callbacks.
            sparse_row_id_fn: gives for a batch the rows of sparse parameters that it needs.
        """
        self._require("score", "binded", "params_initialized")
        eval_metric = metrics.create(eval_metric)
        eval_metric.reset()
        count = 0
        for nbatch, eval_batch in self._batches(eval_data, num_batch, reset, sparse_row_id_fn):
            self._measure(eval_metric, eval_batch)
            if batch_end_callback is not None:
                call_each(batch_end_callback, BatchEndParam(epoch, nbatch, eval_metric, locals()))
            count += 1
        if score_end_callback is not None:
            call_each(score_end_callback, BatchEndParam(epoch, count, eval_metric, locals()))
        return eval_metric.get_global_name_value()  # type: ignore[no-any-return]

    def iter_predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        reset: bool = True,
        sparse_row_id_fn: Callable[[Any], Mapping[str, NDArray]] | None = None,
    ) -> Iterator[tuple[list[NDArray], int, Any]]:
        """Outputs without padded samples, number and batch of each batch.

        Args:
            eval_data: iterator over the batches.
            num_batch: how many batches are taken; default: all.
            reset: whether the iterator starts from the beginning.
            sparse_row_id_fn: gives for a batch the rows of sparse parameters that it needs.
        """
        self._require("iter_predict", "binded", "params_initialized")
        for number, batch in self._batches(eval_data, num_batch, reset, sparse_row_id_fn):
            yield self._unpadded(batch), number, batch

    def _unpadded(self, batch: Any) -> list[NDArray]:
        pad = getattr(batch, "pad", None) or 0
        return [output[0 : output.shape[0] - pad] for output in self.get_outputs()]

    def predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: Callable[[Any], Mapping[str, NDArray]] | None = None,
    ) -> Any:
        """Outputs for an array or for the batches of an iterator, without padded samples.

        Args:
            eval_data: an array, or an iterator over batches.
            num_batch: how many batches are taken; default: all.
            merge_batches: whether the batches' outputs are put together; else they are a list for
                each batch.
            reset: whether the iterator starts from the beginning.
            always_output_list: whether a single output is in a list, too.
            sparse_row_id_fn: gives for a batch the rows of sparse parameters that it needs.

        Raises:
            ArgumentError: `eval_data` is neither an array nor a DataIter.
        """
        self._require("predict", "binded", "params_initialized")
        if isinstance(eval_data, (NDArray, np.ndarray)):
            array = eval_data if isinstance(eval_data, NDArray) else nd.array(eval_data)
            self.forward(DataBatch([array]), is_train=False)
            return self.get_outputs()[0]
        if not isinstance(eval_data, DataIter):
            text = f"eval_data={shown(eval_data)}: must be an NDArray or a DataIter"
            raise ArgumentError(f"predict: {text}")
        outputs = [
            [output.copy() for output in self._unpadded(batch)]
            for _, batch in self._batches(eval_data, num_batch, reset, sparse_row_id_fn)
        ]
        if not outputs or not merge_batches:
            return outputs
        if len({len(of_batch) for of_batch in outputs}) > 1:
            text = "batches have different numbers of outputs, which merge_batches=True cannot join"
            raise AssertedError(f"predict: {text}")
        merged = [nd.concat(*parts, dim=0) for parts in zip(*outputs, strict=True)]
        return merged if always_output_list or len(merged) > 1 else merged[0]

    # Files ---------------------------------------------------------------------------------------

    def save_params(self, fname: str) -> None:
        """Writes parameters and auxiliary states to a file, as MXNet does."""
        nd.save(fname, joined_params(*self.get_params()))

    def load_params(self, fname: str) -> None:
        """Load parameters and auxiliary states from a file of `save_params`."""
        self.set_params(*split_params(nd.load(fname), fname))

    def _checkpoint_parameters(self) -> tuple[dict[str, NDArray], set[str]]:
        """What `save_params` writes, for `checkpoint.save`; and what is not learned."""
        arguments, auxiliary = self.get_params()
        return joined_params(arguments, auxiliary), {f"aux:{name}" for name in auxiliary}

    def _load_checkpoint_parameters(self, arrays: dict[str, NDArray], source: str) -> None:
        """Takes the parameters of a checkpoint, for `checkpoint.load`.

        Those of other programs have names without ``arg:`` and ``aux:``.
        """
        if not any(name.startswith(("arg:", "aux:")) for name in arrays):
            auxiliary = self.get_params()[1]
            arrays = {f"{'aux' if n in auxiliary else 'arg'}:{n}": a for n, a in arrays.items()}
        self.set_params(*split_params(arrays, source))


facade(__name__)
