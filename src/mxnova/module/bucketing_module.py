# SPDX-License-Identifier: Apache-2.0
"""BucketingModule: a module for each shape of input, with the same parameters."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from .. import ndarray as nd
from ..checkpoint import load_params
from ..context import cpu
from ..core.base.doors import facade
from ..core.base.errors import ArgumentTypeError, AssertedError, shown
from ..core.graph.serialize import saving
from ..formats.states import StatesFile
from ..name import NameManager
from ..symbol import Symbol
from .base_module import BaseModule
from .bucket_files import numeric_keys, read_symbols
from .descriptions import _check_input_names
from .module import Module
from .steps import SGD, UNIFORM, Params
from .values import BucketError

__all__ = ["BucketingModule"]

NDArray = nd.NDArray
SymGen = Callable[[Any], tuple[Symbol, Sequence[str] | None, Sequence[str] | None]]
_CPU = cpu(0)


class BucketingModule(BaseModule):
    """Modules by bucket, such as the length of sequences; all have the same parameters and memory.

    Args:
        sym_gen: gives for the key of a bucket its symbol, names of data and names of labels.
        default_bucket_key: key of the bucket that takes most memory.
        logger: what tells of progress.
        context: a device, or a list of devices that share each batch.
        work_load_list: for each device, its share.
        fixed_param_names: parameters that do not learn.
        state_names: arguments that are states, which `set_states` sets.
        group2ctxs: contexts of groups of nodes: a dict for each device, or one.
        compression_params: how gradients are compressed; see `KVStore.set_gradient_compression`.

    Raises:
        AssertedError: there is no `default_bucket_key`.
        ArgumentError: the symbol has no arguments of the names given.

    Example:
        >>> make = lambda length: (mx.sym.sum(mx.sym.var("data"), axis=1), ["data"], None)
        >>> module = mx.mod.BucketingModule(make, default_bucket_key=10)
        >>> module.bind([("data", (4, 10))], for_training=False)
        >>> module.output_names
        ['sum0_output']
    """

    _files_hold_optimizer = False  # see `checkpoint.content.Learner`

    def __init__(
        self,
        sym_gen: SymGen,
        default_bucket_key: Any = None,
        logger: Any = logging,
        context: Any = _CPU,
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(logger=logger)
        if default_bucket_key is None:
            raise AssertedError("BucketingModule: default_bucket_key must be given")
        self._default_bucket_key = default_bucket_key
        self._sym_gen = sym_gen
        self._fixed_param_names = list(fixed_param_names or ())
        self._state_names = list(state_names or ())
        self._context = context
        self._work_load_list = work_load_list
        self._group2ctxs = group2ctxs
        self._compression_params = compression_params
        self._params_dirty = False
        self._loaded_params: tuple[Params, Params] = ({}, {})
        self._monitor: Any = None
        self._grad_req: Any = None
        self._check_default_bucket()
        self._reset_bind()

    def _check_default_bucket(self) -> None:
        symbol, data_names, label_names = self._call_sym_gen(self._default_bucket_key)
        for names, kind, throw in (
            (data_names or (), "data", True),
            (label_names or (), "label", False),
            (self._state_names, "state", True),
            (self._fixed_param_names, "fixed_param", True),
        ):
            _check_input_names(symbol, names, kind, throw)

    def _call_sym_gen(self, *args: Any, **kwargs: Any) -> tuple[Symbol, Any, Any]:
        """The symbol of a bucket, and names of its data and labels.

        Every bucket counts names from 0, so that parameters without names are the same in all.
        """
        with NameManager():
            made = self._sym_gen(*args, **kwargs)
        if not isinstance(made, (tuple, list)) or len(made) != 3:
            text = f"sym_gen gave {shown(made)}: must give (symbol, data_names, label_names)"
            raise ArgumentTypeError(f"BucketingModule: {text}")
        return made

    def _new_module(self, key: Any) -> Module:
        symbol, data_names, label_names = self._call_sym_gen(key)
        return Module(
            symbol,
            data_names,
            label_names,
            logger=self.logger,
            context=self._context,
            work_load_list=self._work_load_list,
            fixed_param_names=self._fixed_param_names,
            state_names=self._state_names,
            group2ctxs=self._group2ctxs,
            compression_params=self._compression_params,
        )

    # What it is ----------------------------------------------------------------------------------

    @property
    def data_names(self) -> Sequence[str]:
        """Names of the data."""
        if self.binded:
            names: Sequence[str] = self._curr_module.data_names
            return names
        return self._call_sym_gen(self._default_bucket_key)[1]  # type: ignore[no-any-return]

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        if self.binded:
            names: list[str] = self._curr_module.output_names
            return names
        return self._call_sym_gen(self._default_bucket_key)[0].list_outputs()

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the data of this bucket."""
        self._require("data_shapes", "binded")
        return self._curr_module.data_shapes

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels of this bucket."""
        self._require("label_shapes", "binded")
        return self._curr_module.label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs of this bucket."""
        self._require("output_shapes", "binded")
        return self._curr_module.output_shapes

    @property
    def symbol(self) -> Symbol:
        """The symbol of this bucket."""
        self._require("symbol", "binded")
        return self._curr_module.symbol  # type: ignore[no-any-return]

    # Parameters ----------------------------------------------------------------------------------

    def get_params(self) -> tuple[Params, Params]:
        """Parameters and auxiliary states, by name."""
        self._require("get_params", "params_initialized")
        if not self.binded:
            return self._loaded_params
        self._curr_module._params_dirty = self._params_dirty
        params: tuple[dict[str, NDArray], dict[str, NDArray]] = self._curr_module.get_params()
        self._params_dirty = False
        return params

    def init_params(
        self,
        initializer: Any = UNIFORM,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize parameters and auxiliary states; see `Module.init_params`."""
        if self.params_initialized and not force_init:
            return
        self._require("init_params", "binded")
        self._curr_module.init_params(
            initializer, arg_params, aux_params, allow_missing, force_init, allow_extra
        )
        self._params_dirty = False
        self.params_initialized = True

    def set_params(
        self,
        arg_params: Mapping[str, NDArray] | None,
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Sets parameters and auxiliary states; see `Module.set_params`."""
        self._require("set_params", "binded")
        self._curr_module.set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
        # Of what is missing only the devices know the values.
        self._params_dirty = self._curr_module._params_dirty
        self.params_initialized = True

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The states of this bucket; see `Module.get_states`."""
        self._require("get_states", "binded", "params_initialized")
        states: list[Any] = self._curr_module.get_states(merge_multi_context)
        return states

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Sets the states of this bucket; see `Module.set_states`."""
        self._require("set_states", "binded", "params_initialized")
        self._curr_module.set_states(states, value)

    # Binding -------------------------------------------------------------------------------------

    def _reset_bind(self) -> None:
        """Forgets what `bind` made."""
        self.binded = False
        self._buckets: dict[Any, Module] = {}
        self._curr_module: Any = None
        self._curr_bucket_key: Any = None

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Create the executors of the default bucket; those of other buckets are created on demand.

        Args:
            data_shapes: descriptions of the data, or pairs of names and shapes.
            label_shapes: descriptions of the labels.
            for_training: whether gradients are computed.
            inputs_need_grad: whether those of the data are, too.
            force_rebind: whether to bind again where it is bound already.
            shared_module: must be None.
            grad_req: null, write or add: one, or for each argument, by name or in order.
        """
        if shared_module is not None:
            raise AssertedError("bind: a BucketingModule takes no shared_module")
        if self.binded and not force_rebind:
            self.logger.warning("bind: it is bound already; force_rebind=True binds it again")
            return
        params = self.get_params() if self.params_initialized else None
        before = self._curr_module
        self._reset_bind()
        module = self._new_module(self._default_bucket_key)
        module.bind(data_shapes, label_shapes, for_training, inputs_need_grad, grad_req=grad_req)
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._grad_req = grad_req
        self._curr_module, self._curr_bucket_key = module, self._default_bucket_key
        self._buckets[self._default_bucket_key] = module
        self.binded = True
        if params is not None:
            self.set_params(*params)
        if self.optimizer_initialized:
            module.borrow_optimizer(before)

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Switch to a bucket.

        Args:
            bucket_key: its key.
            data_shapes: descriptions of its data, for the first time.
            label_shapes: descriptions of its labels, for the first time.
        """
        self._require("switch_bucket", "binded")
        default = self._buckets[self._default_bucket_key]
        if bucket_key not in self._buckets:
            module = self._new_module(bucket_key)
            module.bind(
                data_shapes,
                label_shapes,
                self._curr_module.for_training,
                self._curr_module.inputs_need_grad,
                shared_module=default,
                grad_req=self._grad_req,
            )
            if self._monitor is not None:
                module.install_monitor(self._monitor)
            self._buckets[bucket_key] = module
        self._curr_module = self._buckets[bucket_key]
        self._curr_bucket_key = bucket_key
        if self.optimizer_initialized and not self._curr_module.optimizer_initialized:
            self._curr_module.borrow_optimizer(default)

    def _switch_to(self, batch: Any) -> None:
        key = getattr(batch, "bucket_key", None)
        if key is None:
            raise BucketError("BucketingModule: the batch has no bucket_key")
        self.switch_bucket(key, batch.provide_data, batch.provide_label)

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = SGD,
        force_init: bool = False,
    ) -> None:
        """Create the optimizer for the parameters of all buckets; see `Module.init_optimizer`."""
        self._require("init_optimizer", "binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("init_optimizer: there is one; force_init=True makes another")
            return
        module = self._curr_module
        module._params_dirty |= self._params_dirty
        module.init_optimizer(kvstore, optimizer, optimizer_params, force_init=force_init)
        for other in self._buckets.values():
            if other is not module:
                other.borrow_optimizer(module)
        self.optimizer_initialized = True

    def _checkpoint_store(self) -> Any:
        """The store that tells workers apart, for `checkpoint.save` and `load`."""
        return self._curr_module._kvstore

    def _checkpoint_states(self) -> StatesFile:
        """The states and the optimizer of all buckets, for `checkpoint.save`."""
        self._require("save_optimizer_states", "optimizer_initialized")
        states: StatesFile = self._curr_module._checkpoint_states()
        return states

    def _load_checkpoint_states(self, states: bytes) -> None:
        """Takes the bytes of a file of states with the optimizer, for `checkpoint.load`."""
        self._require("load_optimizer_states", "optimizer_initialized")
        self._curr_module._load_checkpoint_states(states)
        for module in self._buckets.values():
            if module.optimizer_initialized:
                module._optimizer = self._curr_module._optimizer

    # Steps ---------------------------------------------------------------------------------------

    def prepare(
        self,
        data_batch: Any,
        sparse_row_id_fn: Callable[[Any], Mapping[str, NDArray]] | None = None,
    ) -> None:
        """Gets ready for a batch before its forward: binds its bucket, pulls rows of parameters.

        Args:
            data_batch: the batch.
            sparse_row_id_fn: gives for it the rows of sparse parameters that it needs, by name.
        """
        self._require("prepare", "binded", "params_initialized")
        module, key = self._curr_module, self._curr_bucket_key
        self._switch_to(data_batch)
        self._curr_module.prepare(data_batch, sparse_row_id_fn=sparse_row_id_fn)
        self._curr_module, self._curr_bucket_key = module, key

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs for a batch, in its bucket.

        Args:
            data_batch: the batch, with `bucket_key`, `provide_data` and `provide_label`.
            is_train: whether as in training; default: what it is bound for.
        """
        self._require("forward", "binded", "params_initialized")
        self._switch_to(data_batch)
        self._curr_module.forward(data_batch, is_train=is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradients.

        Args:
            out_grads: gradients of the outputs; none where the outputs are losses.
        """
        self._require("backward", "binded", "params_initialized")
        self._curr_module.backward(out_grads=out_grads)

    def update(self) -> None:
        """Updates the parameters by the gradients of this bucket."""
        self._require("update", "binded", "params_initialized", "optimizer_initialized")
        self._params_dirty = True
        self._curr_module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Outputs of the last forward; for each a list of the devices', unless they are merged."""
        self._require("get_outputs", "binded", "params_initialized")
        outputs: list[Any] = self._curr_module.get_outputs(merge_multi_context)
        return outputs

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Gradients of the data, as `get_outputs` gives outputs."""
        self._require("get_input_grads", "binded", "params_initialized", "inputs_need_grad")
        gradients: list[Any] = self._curr_module.get_input_grads(merge_multi_context)
        return gradients

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Has a metric take labels and the outputs of the last forward."""
        self._require("update_metric", "binded", "params_initialized")
        self._curr_module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Has a `Monitor` watch the executors of all buckets."""
        self._require("install_monitor", "binded")
        self._monitor = mon
        for module in self._buckets.values():
            module.install_monitor(mon)

    # Files ---------------------------------------------------------------------------------------

    def save_checkpoint(self, prefix: str, epoch: int, remove_amp_cast: bool = False) -> None:
        """Writes the parameters, a symbol for each bucket, and the buckets' keys.

        The files are ``prefix-<epoch>.params``, ``prefix-<key>-symbol.json`` and
        ``prefix.buckets``.

        Args:
            prefix: start of the files' names.
            epoch: number of the epoch.
            remove_amp_cast: whether symbols lose the casts of mixed precision.
        """
        self._require("save_checkpoint", "binded", "params_initialized")
        keys = numeric_keys(self._buckets)
        with ExitStack() as symbols:
            for key, module in self._buckets.items():
                path = f"{prefix}-{key}-symbol.json"
                symbols.enter_context(saving(module.symbol, path, remove_amp_cast))
            self.save_params(f"{prefix}-{epoch:04d}.params")
        nd.save(f"{prefix}.buckets", nd.array(keys, dtype="int32"))

    @staticmethod
    def load(
        prefix: str,
        epoch: int,
        sym_gen: SymGen | None = None,
        default_bucket_key: Any = None,
        **kwargs: Any,
    ) -> BucketingModule:
        """A module from the files of `save_checkpoint`, not bound.

        Args:
            prefix: start of the files' names.
            epoch: number of the epoch.
            sym_gen: as for `BucketingModule`.
            default_bucket_key: as for `BucketingModule`.
            kwargs: further arguments of `BucketingModule`.
        """
        if sym_gen is None or default_bucket_key is None:
            raise AssertedError(
                "BucketingModule.load: sym_gen and default_bucket_key must be given"
            )
        symbols, params = read_symbols(prefix), load_params(prefix, epoch)
        return BucketingModule.load_dict(symbols, sym_gen, default_bucket_key, *params, **kwargs)

    @staticmethod
    def load_dict(
        sym_dict: Mapping[Any, Symbol] | None = None,
        sym_gen: SymGen | None = None,
        default_bucket_key: Any = None,
        arg_params: Params | None = None,
        aux_params: Params | None = None,
        **kwargs: Any,
    ) -> BucketingModule:
        """A module of symbols and parameters, not bound.

        Args:
            sym_dict: symbols of buckets, by key.
            sym_gen: gives those of other buckets, and the names of data and labels of all.
            default_bucket_key: as for `BucketingModule`.
            arg_params: parameters.
            aux_params: auxiliary states.
            kwargs: further arguments of `BucketingModule`.
        """
        if sym_dict is None or sym_gen is None or default_bucket_key is None:
            text = "sym_dict, sym_gen and default_bucket_key must be given"
            raise AssertedError(f"BucketingModule.load_dict: {text}")

        def saved(key: Any) -> tuple[Symbol, Any, Any]:
            symbol, data_names, label_names = sym_gen(key)
            return sym_dict.get(key, symbol), data_names, label_names

        module = BucketingModule(saved, default_bucket_key, **kwargs)
        module._loaded_params = (arg_params or {}, aux_params or {})
        module.params_initialized = True
        return module


facade(__name__)
