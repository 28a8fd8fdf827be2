# SPDX-License-Identifier: Apache-2.0
"""FeedForward: the model of MXNet's first years, which `Module` replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import metric as metrics
from . import ndarray as nd
from .base import _as_list
from .callback import LogValidationMetricsCallback, call_each
from .checkpoint import BatchEndParam, load_checkpoint, save_checkpoint
from .context import Context, current_context
from .core.base.doors import facade
from .core.base.errors import ArgumentError, ArgumentTypeError, AssertedError, shown
from .core.base.user_warnings import warn_user
from .device_training import train_multi_device
from .executor_manager import _check_arguments, _load_data
from .initializer import InitDesc, Uniform
from .io import DataIter, NDArrayIter
from .io.batch import described
from .kvstore.updates import create_kvstore, create_optimizer, total_batch_size
from .symbol import Symbol

__all__ = ["FeedForward"]

NDArray = nd.NDArray
Params = dict[str, NDArray]
_UNIFORM = Uniform(0.01)
_LOGGING = LogValidationMetricsCallback()


class FeedForward:
    """A symbol with parameters; `Module` can do more.

    Args:
        symbol: what to compute; or a function that gives for the key of a bucket its symbol.
        ctx: a device, or a list of devices that share each batch.
        num_epoch: number of the epoch after the last.
        epoch_size: batches in an epoch; None: as many as the data have.
        optimizer: an optimizer, or the name of one.
        initializer: fills the parameters that `arg_params` and `aux_params` do not have.
        numpy_batch_size: samples in a batch of data that are arrays.
        arg_params: parameters.
        aux_params: auxiliary states.
        allow_extra_params: whether these may have others than the symbol, which are left out.
        begin_epoch: number of the first epoch.
        kwargs: arguments of an optimizer that is given by name.
    """

    def __init__(
        self,
        symbol: Any,
        ctx: Any = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = _UNIFORM,
        numpy_batch_size: int = 128,
        arg_params: Params | None = None,
        aux_params: Params | None = None,
        allow_extra_params: bool = False,
        begin_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        text = "FeedForward is deprecated: mx.mod.Module takes its place"
        warn_user(text, DeprecationWarning)
        if not isinstance(symbol, Symbol) and not callable(symbol):
            text = f"symbol={shown(symbol)}: must be a Symbol, or a function that gives one"
            raise AssertedError(f"FeedForward: {text}")
        self.symbol: Any = symbol if isinstance(symbol, Symbol) else None
        self.sym_gen: Any = None if isinstance(symbol, Symbol) else symbol
        self.arg_params = arg_params
        self.aux_params = aux_params
        self.allow_extra_params = allow_extra_params
        self.argument_checked = False
        if self.sym_gen is None:
            self._check_arguments()
        self.ctx: list[Context] = [current_context()] if ctx is None else list(_as_list(ctx))
        self.num_epoch = num_epoch
        self.epoch_size = epoch_size
        self.kwargs = dict(kwargs)
        self.optimizer = optimizer
        self.initializer = initializer
        self.numpy_batch_size = numpy_batch_size
        self._pred_exec: Any = None
        self.begin_epoch = begin_epoch

    def _check_arguments(self) -> None:
        """Checks the symbol's names, and leaves out surplus parameters where that is allowed."""
        if self.argument_checked:
            return
        _check_arguments(self.symbol)
        if self.allow_extra_params:
            arguments = set(self.symbol.list_arguments())
            states = set(self.symbol.list_auxiliary_states())
            self.arg_params = {k: v for k, v in (self.arg_params or {}).items() if k in arguments}
            self.aux_params = {k: v for k, v in (self.aux_params or {}).items() if k in states}
        self.argument_checked = True

    @staticmethod
    def _is_data_arg(name: str) -> bool:
        """Whether an argument is data or a label, by its name."""
        return name.endswith(("data", "label"))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pred_exec": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # Parameters and data -------------------------------------------------------------------------

    def _init_params(
        self, inputs: Sequence[Any], overwrite: bool = False
    ) -> tuple[list[str], list[str], list[str]]:
        """Gives values to parameters that have none.

        Args:
            inputs: descriptions of data and labels.
            overwrite: whether also to those that have.

        Returns:
            Names of arguments, of parameters and of auxiliary states.
        """
        symbol, descs = self.symbol, [described(desc) for desc in inputs]
        given = {desc.name: desc.shape for desc in descs}
        types = {desc.name: desc.dtype for desc in descs}
        arg_shapes, _, aux_shapes = symbol.infer_shape(**given)
        if arg_shapes is None:
            raise ArgumentError(f"FeedForward: shapes {shown(given)} are not enough")
        arg_types, _, aux_types = symbol.infer_type(**types)
        names, aux_names = symbol.list_arguments(), symbol.list_auxiliary_states()
        attributes = symbol.attr_dict()

        def filled(own: list[str], shapes: Any, dtypes: Any, old: Params | None) -> Params:
            found = {}
            for name, shape, dtype in zip(own, shapes, dtypes, strict=True):
                if name in given:
                    continue
                found[name] = nd.zeros(shape, dtype=dtype)
                if old and name in old and not overwrite:
                    old[name].copyto(found[name])
                else:
                    self.initializer(InitDesc(name, attributes.get(name)), found[name])
            return found

        self.arg_params = filled(names, arg_shapes, arg_types, self.arg_params)
        self.aux_params = filled(aux_names, aux_shapes, aux_types, self.aux_params)
        return names, list(self.arg_params), aux_names

    def _init_predictor(
        self, input_shapes: Sequence[Any], type_dict: Mapping[str, Any] | None = None
    ) -> None:
        """Binds what predicts, unless there is one for these shapes."""
        shapes = {desc[0]: tuple(desc[1]) for desc in input_shapes}
        if self._pred_exec is not None:
            have = self._pred_exec.arg_dict
            if all(name in have and have[name].shape == s for name, s in shapes.items()):
                return
        executor = self.symbol.simple_bind(
            self.ctx[0], grad_req="null", type_dict=type_dict, **shapes
        )
        executor.copy_params_from(self.arg_params or {}, self.aux_params)
        self._pred_exec = executor

    def _init_iter(self, X: Any, y: Any, is_train: bool) -> Any:  # noqa: N803 - MXNet's name
        """An iterator over arrays; an iterator as it is."""
        if isinstance(X, (np.ndarray, NDArray)):
            if y is None:
                if is_train:
                    raise ArgumentError("FeedForward: y must be given where X is an array")
                y = np.zeros(X.shape[0])
            y = y.asnumpy() if isinstance(y, NDArray) else np.asarray(y)
            if X.shape[0] != y.shape[0]:
                text = f"X has {X.shape[0]} samples, y has {y.shape[0]}"
                raise ArgumentError(f"FeedForward: {text}")
            if y.ndim == 2 and y.shape[1] == 1:
                y = y.flatten()
            if y.ndim != 1:
                text = f"y has shape {y.shape}: must have one axis, or a second of length 1"
                raise ArgumentError(f"FeedForward: {text}")
            size = min(X.shape[0], self.numpy_batch_size)
            handle = "roll_over" if is_train else "pad"
            return NDArrayIter(X, y, size, shuffle=is_train, last_batch_handle=handle)
        if not isinstance(X, DataIter):
            text = f"X={shown(X)}: must be a DataIter, an NDArray or an array of NumPy"
            raise ArgumentTypeError(f"FeedForward: {text}")
        return X

    def _init_eval_iter(self, eval_data: Any) -> Any:
        """An iterator over what is measured with: an iterator, or a pair of arrays."""
        if eval_data is None:
            return None
        if isinstance(eval_data, (tuple, list)) and len(eval_data) == 2:
            data, labels = eval_data
            if data is None:
                raise ArgumentError("FeedForward: eval_data holds None in place of data")
            if labels is None and isinstance(data, DataIter):
                return data
            X, y = (np.array(a) if isinstance(a, list) else a for a in (data, labels))  # noqa: N806
            return self._init_iter(X, y, is_train=True)
        if not isinstance(eval_data, DataIter):
            text = f"eval_data={shown(eval_data)}: must be a DataIter, or a pair of arrays"
            raise ArgumentTypeError(f"FeedForward: {text}")
        return eval_data

    # Predicting ----------------------------------------------------------------------------------

    def _predicted(self, data: Any, num_batch: int | None, reset: bool) -> Iterator[Any]:
        """Batches, each after its forward."""
        if reset:
            data.reset()
        types = {desc[0]: described(desc).dtype for desc in data.provide_data}
        self._init_predictor(data.provide_data, types)
        targets = [self._pred_exec.arg_dict[desc[0]] for desc in data.provide_data]
        for number, batch in enumerate(data):
            if number == num_batch:
                return
            _load_data(batch, targets)
            self._pred_exec.forward(is_train=False)
            yield batch

    def predict(
        self,
        X: Any,  # noqa: N803 - MXNet's name
        num_batch: int | None = None,
        return_data: bool = False,
        reset: bool = True,
    ) -> Any:
        """Outputs, as arrays of NumPy: one, or a list of several.

        Args:
            X: an array, or an iterator over batches.
            num_batch: how many batches are taken; default: all.
            return_data: whether to give (outputs, data, labels).
            reset: whether the iterator starts from the beginning.
        """
        data = self._init_iter(X, None, is_train=False)
        columns: tuple[list[Any], ...] = ([], [], [])
        for batch in self._predicted(data, num_batch, reset):
            real = data.batch_size - (batch.pad or 0)
            groups = (self._pred_exec.outputs, batch.data, batch.label)
            for column, arrays in zip(columns, groups if return_data else groups[:1], strict=False):
                column.append([array[0:real].asnumpy() for array in arrays])
        joined = tuple(_joined(column) for column in columns)
        return joined if return_data else joined[0]

    def score(
        self,
        X: Any,  # noqa: N803 - MXNet's name
        eval_metric: Any = "acc",
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        reset: bool = True,
    ) -> Any:
        """The value of a metric.

        Args:
            X: an iterator over batches.
            eval_metric: the metric, or its name.
            num_batch: how many batches are taken; default: all.
            batch_end_callback: called after each batch, or a list of such.
            reset: whether the iterator starts from the beginning.
        """
        eval_metric = metrics.create(eval_metric)
        eval_metric.reset()
        data = self._init_iter(X, None, is_train=False)
        for nbatch, batch in enumerate(self._predicted(data, num_batch, reset)):
            eval_metric.update(batch.label, self._pred_exec.outputs)
            end = BatchEndParam(0, nbatch, eval_metric, locals())
            call_each(batch_end_callback, end)
        return eval_metric.get()[1]

    # Training ------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,  # noqa: N803 - MXNet's name
        y: Any = None,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Sequence[float] | None = None,
        monitor: Any = None,
        eval_end_callback: Any = _LOGGING,
        eval_batch_end_callback: Any = None,
    ) -> None:
        """Trains.

        Args:
            X: an array, or an iterator over batches.
            y: labels, where `X` is an array.
            eval_data: what to measure with after each epoch: an iterator, or a pair of arrays.
            eval_metric: the metric, or its name.
            epoch_end_callback: called after each epoch, or a list of such.
            batch_end_callback: called after each batch, or a list of such.
            kvstore: the store that sums up over devices, or the name of one.
            logger: what tells of progress.
            work_load_list: for each device, its share.
            monitor: a `Monitor` to install.
            eval_end_callback: called after each measurement, or a list of such.
            eval_batch_end_callback: called after each of its batches, or a list of such.
        """
        if self.num_epoch is None:
            raise NoEpochError("FeedForward.fit: num_epoch must be given")
        data = self._init_iter(X, y, is_train=True)
        eval_data = self._init_eval_iter(eval_data)
        if self.sym_gen is not None:
            self.symbol = self.sym_gen(data.default_bucket_key)
            self._check_arguments()
        names, params, states = self._init_params([*data.provide_data, *data.provide_label])
        store, on_store = create_kvstore(kvstore, len(self.ctx), self.arg_params or {})
        options = {**self.kwargs, "sym": self.symbol}
        size = total_batch_size(data.batch_size, store)
        optimizer = create_optimizer(self.optimizer, options, params, size, len(self.ctx), on_store)
        self._pred_exec = None
        train_multi_device(
            self.symbol,
            self.ctx,
            names,
            params,
            states,
            self.arg_params or {},
            self.aux_params or {},
            begin_epoch=self.begin_epoch,
            end_epoch=self.num_epoch,
            epoch_size=self.epoch_size,
            optimizer=optimizer,
            kvstore=store,
            update_on_kvstore=on_store,
            train_data=data,
            eval_data=eval_data,
            eval_metric=metrics.create(eval_metric),
            epoch_end_callback=epoch_end_callback,
            batch_end_callback=batch_end_callback,
            logger=logger,
            work_load_list=work_load_list,
            monitor=monitor,
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
            sym_gen=self.sym_gen,
        )

    # Files ---------------------------------------------------------------------------------------

    def save(self, prefix: str, epoch: int | None = None, remove_amp_cast: bool = True) -> None:
        """Writes a checkpoint; see `mx.model.save_checkpoint`.

        Args:
            prefix: start of the files' names.
            epoch: number of the epoch; default: `num_epoch`.
            remove_amp_cast: whether the symbol loses the casts of mixed precision.
        """
        epoch = self.num_epoch if epoch is None else epoch
        if epoch is None:
            raise AssertedError("FeedForward.save: epoch must be given, as there is no num_epoch")
        params, states = self.arg_params or {}, self.aux_params or {}
        save_checkpoint(prefix, epoch, self.symbol, params, states, remove_amp_cast)

    @staticmethod
    def load(prefix: str, epoch: int, ctx: Any = None, **kwargs: Any) -> FeedForward:
        """A model from a checkpoint.

        Args:
            prefix: start of the files' names.
            epoch: number of the epoch, from which training goes on.
            ctx: a device, or a list of such.
            kwargs: further arguments of `FeedForward`.
        """
        symbol, params, states = load_checkpoint(prefix, epoch)
        return FeedForward(
            symbol, ctx=ctx, arg_params=params, aux_params=states, begin_epoch=epoch, **kwargs
        )

    @staticmethod
    def create(
        symbol: Any,
        X: Any,  # noqa: N803 - MXNet's name
        y: Any = None,
        ctx: Any = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = _UNIFORM,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Sequence[float] | None = None,
        eval_end_callback: Any = _LOGGING,
        eval_batch_end_callback: Any = None,
        **kwargs: Any,
    ) -> FeedForward:
        """A model that is trained; arguments as those of `FeedForward` and `fit`."""
        model = FeedForward(
            symbol,
            ctx=ctx,
            num_epoch=num_epoch,
            epoch_size=epoch_size,
            optimizer=optimizer,
            initializer=initializer,
            **kwargs,
        )
        model.fit(
            X,
            y,
            eval_data=eval_data,
            eval_metric=eval_metric,
            epoch_end_callback=epoch_end_callback,
            batch_end_callback=batch_end_callback,
            kvstore=kvstore,
            logger=logger,
            work_load_list=work_load_list,
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
        )
        return model


class NoEpochError(AssertedError, ArgumentTypeError):
    """Training without an end, for which MXNet raises TypeError."""


def _joined(batches: Sequence[Sequence[Any]]) -> Any:
    """For each array its batches in one; the array itself where there is only one."""
    joined = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
    return joined[0] if len(joined) == 1 else joined


facade(__name__)
