# SPDX-License-Identifier: Apache-2.0
"""Module: a symbol with parameters, trained on one device or on several."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from .. import ndarray as nd
from ..checkpoint import load_checkpoint
from ..context import Context, cpu
from ..core.base.doors import facade
from ..core.base.errors import AssertedError, AssertedTypeError, MXNetError, shown
from ..core.base.mismatches import Mismatches
from ..core.base.user_warnings import warn_user
from ..core.graph.serialize import saving
from ..initializer import InitDesc
from ..io import DataDesc
from ..symbol import Symbol
from .descriptions import (
    _check_input_names,
    _descriptions_of,
    _parse_data_desc,
    _shapes_of_data,
)
from .executor_group import DataParallelExecutorGroup
from .optimized_module import OptimizedModule
from .steps import UNIFORM, Params
from .values import check_values

__all__ = ["Module"]

NDArray = nd.NDArray
_CPU = cpu(0)


class Module(OptimizedModule):
    """A symbol with parameters.

    Args:
        symbol: what to compute.
        data_names: arguments that are data.
        label_names: arguments that are labels.
        logger: what tells of progress.
        context: a device, or a list of devices that share each batch.
        work_load_list: for each device, its share.
        fixed_param_names: parameters that do not learn.
        state_names: arguments that are states, which `set_states` sets.
        group2ctxs: contexts of groups of nodes: a dict for each device, or one.
        compression_params: how gradients are compressed; see `KVStore.set_gradient_compression`.

    Example:
        >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2)
        >>> module = mx.mod.Module(net, label_names=None)
        >>> module.bind([("data", (4, 3))], for_training=False)
        >>> module.init_params()
        >>> module.forward(mx.io.DataBatch([mx.nd.ones((4, 3))]))
        >>> module.get_outputs()[0].shape
        (4, 2)
    """

    def __init__(
        self,
        symbol: Symbol,
        data_names: Sequence[str] | None = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Any = _CPU,
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(logger, compression_params)
        self._context = [context] if isinstance(context, Context) else list(context)
        self._work_load_list = work_load_list or [1] * len(self._context)
        if len(self._work_load_list) != len(self._context):
            text = f"must hold a number for each of {len(self._context)} contexts"
            raise AssertedError(f"Module: work_load_list={shown(work_load_list)}: {text}")
        self._group2ctxs = group2ctxs
        self._symbol = symbol
        self._take_names(data_names, label_names, state_names, fixed_param_names)
        self._arg_params: Params | None = None
        self._aux_params: Params | None = None
        self._params_dirty = False  # whether the devices have newer parameters than these
        self._grad_req: Any = None
        self._reset_bind()

    def _take_names(
        self,
        data: Sequence[str] | None,
        labels: Sequence[str] | None,
        states: Sequence[str] | None,
        fixed: Sequence[str] | None,
    ) -> None:
        """Sorts the symbol's arguments by what they are."""
        symbol = self._symbol
        self._data_names = list(data or ())
        self._label_names = list(labels or ())
        self._state_names = list(states or ())
        self._fixed_param_names = list(fixed or ())
        for names, kind, throw in (
            (self._data_names, "data", True),
            (self._label_names, "label", False),
            (self._state_names, "state", True),
            (self._fixed_param_names, "fixed_param", True),
        ):
            _check_input_names(symbol, names, kind, throw)
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [name for name in symbol.list_arguments() if name not in inputs]
        self._aux_names = symbol.list_auxiliary_states()
        self._output_names = symbol.list_outputs()

    # What it is ----------------------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """Names of the labels."""
        return self._label_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        names: list[str] = self._output_names
        return names

    @property
    def data_shapes(self) -> list[DataDesc]:
        """Descriptions of the data."""
        self._require("data_shapes", "binded")
        shapes: list[DataDesc] = self._data_shapes
        return shapes

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        """Descriptions of the labels, None without."""
        self._require("label_shapes", "binded")
        shapes: list[DataDesc] | None = self._label_shapes
        return shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs."""
        self._require("output_shapes", "binded")
        shapes: list[tuple[str, tuple[int, ...]]] = self._exec_group.get_output_shapes()
        return shapes

    # Parameters ----------------------------------------------------------------------------------

    def get_params(self) -> tuple[Params, Params]:
        """Parameters and auxiliary states by name, on the CPU; averaged over devices."""
        self._require("get_params", "params_initialized")
        if self._params_dirty:
            self._sync_params_from_devices()
        return self._arg_params, self._aux_params  # type: ignore[return-value]

    def _sync_params_from_devices(self) -> None:
        """Brings what `get_params` gives up to date."""
        self._exec_group.get_params(self._arg_params, self._aux_params)
        if self._kvstore and self._update_on_kvstore:
            for name, array in sorted(self._arg_params.items()):  # type: ignore[union-attr]
                if array.stype == "row_sparse":  # devices have some of its rows only
                    rows = nd.arange(0, array.shape[0], dtype="int64")
                    self._kvstore.row_sparse_pull(name, array, row_ids=rows)
        self._params_dirty = False

    def init_params(
        self,
        initializer: Any = UNIFORM,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize parameters and auxiliary states.

        Args:
            initializer: fills those that have no value here; None: they stay as they are.
            arg_params: values of parameters.
            aux_params: values of auxiliary states.
            allow_missing: whether these may lack some.
            force_init: whether to set them where they are set already.
            allow_extra: whether somebody may have added names to the dicts that `get_params` gave;
                other names in `arg_params` and `aux_params` are ignored, as in MXNet.

        Raises:
            MXNetError: a value is missing, or has another shape. Nothing has changed then.
        """
        if self.params_initialized and not force_init:
            _warn_ignored("init_params")
            return
        self._require("init_params", "binded")
        attributes = self._symbol.attr_dict()
        told = Mismatches()
        for own, given in ((self._arg_params, arg_params), (self._aux_params, aux_params)):
            if given is not None:
                check_values(own, given, allow_missing, told)
        told.check()
        for own, given in ((self._arg_params, arg_params), (self._aux_params, aux_params)):
            for name in sorted(own):  # type: ignore[arg-type]
                array = own[name]  # type: ignore[index]
                if given is not None and name in given:
                    if given[name] is not array:
                        given[name].copyto(array)
                elif initializer is not None:
                    initializer(InitDesc(name, attributes.get(name)), array)
        self.params_initialized = True
        self._params_dirty = False
        self._exec_group.set_params(self._arg_params, self._aux_params, allow_extra=allow_extra)

    def set_params(
        self,
        arg_params: Mapping[str, NDArray] | None,
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Sets parameters and auxiliary states.

        Args:
            arg_params: values of parameters.
            aux_params: values of auxiliary states.
            allow_missing: whether these may lack some, which stay as they are.
            force_init: whether to set them where they are set already.
            allow_extra: with `allow_missing`, whether there may be values of other names; without,
                these are ignored, as in MXNet.
        """
        if not allow_missing:
            super().set_params(arg_params, aux_params, False, force_init, allow_extra)
            return
        if self.params_initialized and not force_init:
            _warn_ignored("set_params")
            return
        self._require("set_params", "binded")
        self._exec_group.set_params(arg_params or {}, aux_params, allow_extra=allow_extra)
        self._params_dirty = True
        self.params_initialized = True

    # Binding -------------------------------------------------------------------------------------

    def _reset_bind(self) -> None:
        """Forgets what `bind` made."""
        self.binded = False
        self._exec_group: Any = None
        self._data_shapes: Any = None
        self._label_shapes: Any = None

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
        """Create the executors, for batches of the given shapes.

        Args:
            data_shapes: descriptions of the data, or pairs of names and shapes.
            label_shapes: descriptions of the labels.
            for_training: whether gradients are computed.
            inputs_need_grad: whether those of the data are, too.
            force_rebind: whether to bind again where it is bound already.
            shared_module: a module whose parameters, optimizer and memory this one uses.
            grad_req: null, write or add: one, or for each argument, by name or in order.

        Raises:
            MXNetError: the shapes do not fit the symbol or each other.
        """
        if force_rebind:
            if self.binded and self._params_dirty:
                self._sync_params_from_devices()
            self._reset_bind()
        if self.binded:
            self.logger.warning("bind: it is bound already; force_rebind=True binds it again")
            return
        if inputs_need_grad and not for_training:
            raise AssertedError("bind: inputs_need_grad=True needs for_training=True")
        shared_group = _group_of(shared_module, len(self._context))
        data, labels = _parse_data_desc(
            self._data_names, self._label_names, data_shapes, label_shapes
        )
        self._exec_group = DataParallelExecutorGroup(
            self._symbol,
            self._context,
            self._work_load_list,
            data,
            labels,
            self._param_names,
            for_training,
            inputs_need_grad,
            shared_group,
            self.logger,
            self._fixed_param_names,
            grad_req,
            self._state_names,
            self._group2ctxs,
        )
        self._data_shapes, self._label_shapes = data, labels
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._grad_req = grad_req
        self.binded = True
        self._take_params(shared_module)

    def _take_params(self, shared_module: Module | None) -> None:
        """Gives the executors the parameters that there are."""
        group = self._exec_group
        if shared_module is not None:
            self.params_initialized = True
            self._arg_params = shared_module._arg_params
            self._aux_params = shared_module._aux_params
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self.params_initialized:  # they were loaded, or it was bound before
            group.set_params(self._arg_params, self._aux_params)
        else:
            params, aux = zip(self._param_names, group.param_arrays, strict=True), group.aux_arrays
            self._arg_params = {name: _zeros_like(arrays[0]) for name, arrays in params}
            self._aux_params = {
                name: _zeros_like(arrays[0])
                for name, arrays in zip(self._aux_names, aux, strict=True)
            }

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Change the batch shape.

        Args:
            data_shapes: descriptions of the data, or pairs of names and shapes.
            label_shapes: descriptions of the labels.
        """
        self._require("reshape", "binded")
        data, labels = _parse_data_desc(
            self._data_names, self._label_names, data_shapes, label_shapes
        )
        self._exec_group.reshape(data, labels)
        self._data_shapes, self._label_shapes = data, labels

    def _fit_shapes(self, batch: Any) -> None:
        """Takes the shapes of a batch where they are other than before."""
        have = [desc.shape for desc in self._data_shapes]
        given = _shapes_of_data(batch)
        if have == given:
            return
        data, labels = _descriptions_of(batch, given, self._data_shapes, self._label_shapes)
        try:
            self.reshape(data, labels)
        except MXNetError as error:
            raise MXNetError(
                f"Module.forward: the batch has data of shapes {given}, the module is bound for "
                f"{have}: only the number of samples may change, unless all parameters fit: {error}"
            ) from error

    # Steps ---------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs for a batch.

        Args:
            data_batch: the batch, or a list with one for each device; its shapes may be other than
                those that were bound.
            is_train: whether as in training; default: what it is bound for.
        """
        self._require("forward", "binded", "params_initialized")
        self._fit_shapes(data_batch)
        self._exec_group.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradients.

        Args:
            out_grads: gradients of the outputs; none where the outputs are losses.
        """
        self._require("backward", "binded", "params_initialized")
        self._exec_group.backward(out_grads=out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Outputs of the last forward; for each a list of the devices', unless they are merged."""
        self._require("get_outputs", "binded", "params_initialized")
        outputs: list[Any] = self._exec_group.get_outputs(merge_multi_context)
        return outputs

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Gradients of the data, as `get_outputs` gives outputs."""
        self._require("get_input_grads", "binded", "params_initialized", "inputs_need_grad")
        gradients: list[Any] = self._exec_group.get_input_grads(merge_multi_context)
        return gradients

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The states: for each, its array on every device; `merge_multi_context` must be False."""
        self._require("get_states", "binded", "params_initialized")
        states: list[Any] = self._exec_group.get_states(merge_multi_context)
        return states

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Sets the states.

        Args:
            states: for each, its values on every device, as `get_states` gives them, and
                `get_outputs` with ``merge_multi_context=False``.
            value: a number for all, instead.
        """
        self._require("set_states", "binded", "params_initialized")
        self._exec_group.set_states(states, value)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Has a metric take labels and the outputs of the last forward.

        Args:
            eval_metric: the metric.
            labels: of the batch; for each device, where `pre_sliced`.
            pre_sliced: whether labels are split already.
        """
        self._exec_group.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Has a `Monitor` watch the executors."""
        self._require("install_monitor", "binded")
        self._exec_group.install_monitor(mon)

    # Files ---------------------------------------------------------------------------------------

    def save_checkpoint(
        self,
        prefix: str,
        epoch: int,
        save_optimizer_states: bool = False,
        remove_amp_cast: bool = True,
    ) -> None:
        """Writes ``prefix-symbol.json``, ``prefix-<epoch>.params`` and ``prefix-<epoch>.states``.

        Args:
            prefix: start of the files' names.
            epoch: number of the epoch.
            save_optimizer_states: whether to write the states.
            remove_amp_cast: whether the symbol loses the casts of mixed precision.
        """
        with saving(self._symbol, f"{prefix}-symbol.json", remove_amp_cast):
            self.save_params(f"{prefix}-{epoch:04d}.params")
        self.logger.info('Saved checkpoint to "%s-%04d.params"', prefix, epoch)
        if save_optimizer_states:
            self.save_optimizer_states(f"{prefix}-{epoch:04d}.states")
            self.logger.info('Saved optimizer state to "%s-%04d.states"', prefix, epoch)

    @staticmethod
    def load(prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any) -> Module:
        """A module from the files of `save_checkpoint`, not bound.

        Args:
            prefix: start of the files' names.
            epoch: number of the epoch.
            load_optimizer_states: whether `init_optimizer` is to read the states.
            kwargs: further arguments of `Module`.
        """
        symbol, arg_params, aux_params = load_checkpoint(prefix, epoch)
        module = Module(symbol, **kwargs)
        module._arg_params, module._aux_params = arg_params, aux_params
        module.params_initialized = True
        if load_optimizer_states:
            module._preload_opt_states = f"{prefix}-{epoch:04d}.states"
        return module


def _warn_ignored(call: str) -> None:
    text = "parameters have values already; force_init=True sets them again"
    warn_user(f"{call}: {text}", UserWarning)


def _group_of(module: Module | None, n_contexts: int) -> Any:
    """The executors of a module whose memory is shared."""
    if module is None:
        return None
    if not isinstance(module, Module):
        raise AssertedTypeError(f"bind: shared_module={shown(module)}: must be a Module")
    module._require("bind(shared_module=...)", "binded", "params_initialized")
    if len(module._exec_group.execs) < n_contexts:
        text = f"has {len(module._exec_group.execs)} devices, {n_contexts} are needed"
        raise AssertedError(f"bind: shared_module {text}")
    return module._exec_group


def _zeros_like(array: NDArray) -> NDArray:
    return nd.zeros(array.shape, dtype=array.dtype, stype=array.stype)


facade(__name__)
