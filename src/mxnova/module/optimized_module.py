# SPDX-License-Identifier: Apache-2.0
"""Updates of a module's parameters: an optimizer, on the devices or in a store, and its states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import optimizer as opt
from ..core.base.errors import AssertedError, AssertedTypeError, MXNetError, shown
from ..core.base.user_warnings import warn_user
from ..formats.atomic import replacing
from ..formats.source import named, read_file
from ..formats.states import StatesFile, read_states
from ..kvstore.updates import (
    create_kvstore,
    create_optimizer,
    initialize_kvstore,
    total_batch_size,
    update_params,
    update_params_on_kvstore,
)
from ..ndarray import NDArray
from ..optimizer.base import arguments_by_name
from ..optimizer.states import described
from .base_module import BaseModule
from .steps import SGD

__all__ = ["OptimizedModule"]


class OptimizedModule(BaseModule):
    """A module with a group of executors, whose parameters an optimizer updates.

    Args:
        logger: what tells of progress.
        compression_params: how gradients are compressed; see `KVStore.set_gradient_compression`.
    """

    _exec_group: Any
    _context: list[Any]
    _param_names: list[str]
    _arg_params: dict[str, NDArray] | None
    _params_dirty: bool
    _files_hold_optimizer = False  # see `checkpoint.content.Learner`

    def __init__(self, logger: Any, compression_params: Mapping[str, Any] | None) -> None:
        super().__init__(logger=logger)
        self._compression_params = compression_params
        self._optimizer: Any = None
        self._kvstore: Any = None
        self._update_on_kvstore: bool | None = None
        self._updater: Any = None
        self._preload_opt_states: str | None = None

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = SGD,
        force_init: bool = False,
    ) -> None:
        """Create the optimizer.

        Args:
            kvstore: the store that sums up over devices, or the name of one.
            optimizer: an optimizer, or the name of one, which then divides gradients by the number
                of samples in a batch.
            optimizer_params: arguments of an optimizer that is given by name.
            force_init: whether to make it anew where there is one.
        """
        self._require("init_optimizer", "binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("init_optimizer: there is one; force_init=True makes another")
            return
        if self._params_dirty:
            self._sync_params_from_devices()  # type: ignore[attr-defined]
        store, on_store = create_kvstore(kvstore, len(self._context), self._arg_params or {})
        made = self._made_optimizer(optimizer, optimizer_params, store, bool(store and on_store))
        if store is not None:
            if self._compression_params:
                store.set_gradient_compression(self._compression_params)  # type: ignore[attr-defined]
            if on_store:
                store.set_optimizer(made)
            arrays, names = self._exec_group.param_arrays, self._param_names
            initialize_kvstore(store, arrays, self._arg_params or {}, names, on_store)
        self._optimizer, self._kvstore, self._update_on_kvstore = made, store, on_store
        self._updater = None if on_store else opt.get_updater(made)
        self.optimizer_initialized = True
        if self._preload_opt_states is not None:
            self.load_optimizer_states(self._preload_opt_states)
            self._preload_opt_states = None

    def _made_optimizer(self, optimizer: Any, arguments: Any, store: Any, on_store: bool) -> Any:
        size = total_batch_size(self._exec_group.batch_size, store)
        options = {}
        if isinstance(optimizer, str):
            options = {"sym": self._symbol, **arguments_by_name("init_optimizer", arguments)}
        elif not isinstance(optimizer, opt.Optimizer):
            text = f"optimizer={shown(optimizer)}: must be an Optimizer or the name of one"
            raise AssertedTypeError(f"init_optimizer: {text}")
        elif optimizer.rescale_grad != 1.0 / size:
            text = f"rescale_grad={optimizer.rescale_grad} is not 1 / {size}, the size of a batch"
            warn_user(f"init_optimizer: {text}", UserWarning)
        devices = len(self._context)
        return create_optimizer(optimizer, options, self._param_names, size, devices, on_store)

    def borrow_optimizer(self, shared_module: OptimizedModule) -> None:
        """Uses the optimizer of another module, with its states."""
        shared_module._require("borrow_optimizer", "optimizer_initialized")
        self._optimizer = shared_module._optimizer
        self._kvstore = shared_module._kvstore
        self._update_on_kvstore = shared_module._update_on_kvstore
        self._updater = shared_module._updater
        self.optimizer_initialized = True

    def prepare(
        self,
        data_batch: Any,
        sparse_row_id_fn: Callable[[Any], Mapping[str, NDArray]] | None = None,
    ) -> None:
        """Gets ready for a batch before its forward: pulls rows of sparse parameters.

        Args:
            data_batch: the batch.
            sparse_row_id_fn: gives for it the rows of sparse parameters that it needs, by name.
        """
        self._require("prepare", "binded")
        if sparse_row_id_fn is None:
            return
        if not self._kvstore or not self._update_on_kvstore:
            text = "sparse_row_id_fn is not used: no store updates the parameters"
            warn_user(f"prepare: {text}", UserWarning)
            return
        row_ids = sparse_row_id_fn(data_batch)
        if not isinstance(row_ids, Mapping):
            text = f"sparse_row_id_fn gave {shown(row_ids)}: must give rows by parameter"
            raise AssertedError(f"prepare: {text}")
        for name, rows in row_ids.items():
            position = self._param_names.index(name)
            arrays = self._exec_group.param_arrays[position]
            self._kvstore.row_sparse_pull(name, arrays, priority=-position, row_ids=rows)

    def update(self) -> None:
        """Updates the parameters by the gradients, which are summed up over devices first."""
        self._require("update", "binded", "params_initialized", "optimizer_initialized")
        self._params_dirty = True
        group = self._exec_group
        arrays, grads, names = group.param_arrays, group.grad_arrays, self._param_names
        if self._update_on_kvstore:
            update_params_on_kvstore(arrays, grads, self._kvstore, names)
        else:
            n = len(self._context)
            update_params(arrays, grads, self._updater, n, self._kvstore, names)

    def save_optimizer_states(self, fname: str) -> None:
        """Writes the states of the optimizer to a file, which MXNet's Module loads, too."""
        self._require("save_optimizer_states", "optimizer_initialized")
        if self._update_on_kvstore:
            self._kvstore.save_optimizer_states(fname)
            return
        states = self._updater.get_states()
        with replacing(fname) as file:
            file.write(states)

    def load_optimizer_states(self, fname: str) -> None:
        """Reads states from a file of `save_optimizer_states`, or of MXNet, as data.

        Raises:
            FormatError: the file holds no states.
        """
        self._require("load_optimizer_states", "optimizer_initialized")
        if self._update_on_kvstore:
            self._kvstore.load_optimizer_states(fname)
        else:
            with named(fname):
                self._updater.set_states(read_file(fname))

    def _load_checkpoint_parameters(self, arrays: dict[str, NDArray], source: str) -> None:
        """Takes the parameters of a checkpoint, for `checkpoint.load`."""
        if self.optimizer_initialized and self._update_on_kvstore:
            text = "the store has begun with other values: load them before init_optimizer"
            raise MXNetError(f"checkpoint.load: {source}: {text}")
        super()._load_checkpoint_parameters(arrays, source)

    def _checkpoint_store(self) -> Any:
        """The store that tells workers apart, for `checkpoint.save` and `load`."""
        return self._kvstore

    def _checkpoint_states(self) -> StatesFile:
        """The states and the optimizer, for `checkpoint.save`."""
        self._require("save_optimizer_states", "optimizer_initialized")
        if self._update_on_kvstore:
            return read_states(self._kvstore.optimizer_states(dump_optimizer=True))
        return described(self._updater.states, self._optimizer)

    def _load_checkpoint_states(self, states: bytes) -> None:
        """Takes the bytes of a file of states with the optimizer, for `checkpoint.load`."""
        self._require("load_optimizer_states", "optimizer_initialized")
        if self._update_on_kvstore:
            self._kvstore.set_optimizer_states(states)
            self._optimizer = self._kvstore._updater.optimizer
        else:
            self._updater.set_states(states)
            self._optimizer = self._updater.optimizer
