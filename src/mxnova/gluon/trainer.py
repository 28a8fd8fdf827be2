# SPDX-License-Identifier: Apache-2.0
"""Trainer: applies an optimizer to parameters, on one device or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import optimizer as opt
from ..core.base.doors import facade
from ..core.base.errors import (
    ArgumentError,
    AssertedError,
    MXNetError,
    argument_error,
    shown,
)
from ..core.base.html import fact_table
from ..core.nd.array import NDArray
from ..core.runtime.context import Context
from ..formats.atomic import replacing
from ..formats.source import named, read_file
from ..formats.states import StatesFile, read_states
from ..kvstore import KVStore, KVStoreBase
from ..kvstore.choice import dense_store, reason_to_update, sparse_store
from ..optimizer.base import arguments_by_name, optimizer_facts
from ..optimizer.states import described
from .overlap import Overlap
from .parameter import Parameter

__all__ = ["Trainer"]


class StaleGradientError(MXNetError, UserWarning):
    """A gradient that no backward pass has computed since the last step; MXNet's UserWarning."""


class Trainer:
    """Updates parameters by their gradients, after each backward pass.

    Args:
        params: a ParameterDict or dict, of which the parameters are taken in the order of their
            names, or a list of parameters.
        optimizer: an optimizer, or the name of one.
        optimizer_params: arguments of an optimizer that is given by name.
        kvstore: the store that sums up over devices, the name of one, or None: then every device
            is updated by its own gradients. One device needs none.
        compression_params: how gradients are compressed; see `KVStore.set_gradient_compression`.
        update_on_kvstore: whether the store updates the parameters, instead of every device; None:
            what suits them, see MXNET_UPDATE_ON_KVSTORE.
        overlap: whether gradients leave for a store of several processes while the backward pass
            goes on, which then sums them up only. What a program does to gradients between
            `backward` and `step` is lost.

    Example:
        >>> net = mx.gluon.nn.Dense(1, in_units=2)
        >>> net.initialize(mx.init.One())
        >>> trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        >>> with mx.autograd.record(): loss = net(mx.nd.ones((1, 2))).sum()
        >>> loss.backward()
        >>> trainer.step(1)
        >>> net.weight.data().asnumpy()
        array([[0.9, 0.9]], dtype=float32)
    """

    _files_hold_optimizer = True  # see `checkpoint.content.Learner`
    _amp_loss_scaler: Any = None  # set by mixed precision: finds gradients that overflow
    _amp_original_scale: float  # `_scale` before the losses were scaled

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: Mapping[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: Mapping[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
        *,
        overlap: bool = False,
    ) -> None:
        if overlap and update_on_kvstore:
            reason = "must be False with overlap, where the store sums up only"
            raise argument_error("Trainer", "update_on_kvstore", update_on_kvstore, reason)
        self._overlaps = bool(overlap)
        self._params = _listed(params)
        self._param2idx = {param.name: i for i, param in enumerate(self._params)}
        self._contains_sparse_weight = any(param._stype != "default" for param in self._params)
        self._contains_sparse_grad = any(param._grad_stype != "default" for param in self._params)
        self._compression_params = compression_params
        self._contexts = self._check_contexts()
        self._init_optimizer(optimizer, optimizer_params)
        self._scale = self._optimizer.rescale_grad
        updates = False if overlap else update_on_kvstore
        self._kvstore_params = {"kvstore": kvstore, "update_on_kvstore": updates}
        self._forget_kvstore()
        for param in self._params:
            param._set_trainer(self)

    def _repr_html_(self) -> str:
        optimizer, store = self._optimizer, self._kvstore_params["kvstore"]
        facts = {
            "optimizer": type(optimizer).__name__,
            **optimizer_facts(optimizer),
            "parameters": len(self._params),
            "contexts": ", ".join(map(str, self._contexts)),
            "store": self._kvstore.type if self._kvstore is not None else store,
        }
        return fact_table("Trainer", facts)

    def _check_contexts(self) -> list[Context]:
        """The contexts that all parameters are on."""
        contexts: list[Context] | None = None
        for param in self._params:
            have = param.list_ctx()
            if contexts is not None and contexts != have:
                raise AssertedError(
                    f"Trainer: parameter {param.name!r} is on {have}, those before it on "
                    f"{contexts}: all must be on the same contexts"
                )
            contexts = have
        return contexts or []

    def _init_optimizer(self, optimizer: Any, optimizer_params: Mapping[str, Any] | None) -> None:
        by_index = dict(enumerate(self._params))
        if isinstance(optimizer, opt.Optimizer):
            if optimizer_params:
                raise AssertedError(
                    f"Trainer: optimizer_params={shown(optimizer_params)}: must be None where "
                    "optimizer is no name"
                )
            self._optimizer = optimizer
            self._optimizer.param_dict = by_index
        else:
            arguments = arguments_by_name("Trainer", optimizer_params)
            self._optimizer = opt.create(optimizer, param_dict=by_index, **arguments)
        self._updaters: list[Any] = [opt.get_updater(self._optimizer) for _ in self._contexts]

    # The store -----------------------------------------------------------------------------------

    def _forget_kvstore(self) -> None:
        self._kv_initialized = False
        self._kvstore: KVStoreBase | None = None
        self._distributed: bool | None = None
        self._update_on_kvstore: bool | None = None
        self._overlap: Overlap | None = None
        self._params_to_init = list(self._params)

    def _reset_kvstore(self) -> None:
        """Takes a new store at the next step, which begins with what the parameters are then."""
        if self._distributed:
            raise MXNetError("Trainer: a store that other machines use cannot be made anew")
        self._forget_kvstore()

    def _init_kvstore(self) -> None:
        """Makes or takes the store, and decides who updates."""
        store, suits = self._chosen_store(self._kvstore_params["kvstore"])
        if store is None:
            self._distributed, self._update_on_kvstore = False, None
        else:
            updates = self._decided(store, suits)
            if self._compression_params:
                store.set_gradient_compression(self._compression_params)  # type: ignore[attr-defined]
            if updates:
                store.set_optimizer(self._optimizer)
            self._distributed, self._update_on_kvstore = "dist" in store.type, updates
        self._kvstore = store
        self._kv_initialized = True
        is_fit = self._distributed and len(self._contexts) == 1 and not self._contains_sparse_grad
        if self._overlaps and is_fit and isinstance(store, KVStore):
            self._overlap = Overlap(store)

    def _chosen_store(self, kvstore: Any) -> tuple[KVStoreBase | None, bool]:
        """The store, and whether it suits the parameters that it updates them."""
        if self._contains_sparse_weight:
            return sparse_store(kvstore), True
        shapes = [param._sizes for param in self._params]
        store, suits = dense_store(kvstore, len(self._contexts), shapes)
        return store, suits and not self._contains_sparse_grad  # every device is quicker

    def _decided(self, store: KVStoreBase, suits: bool) -> bool:
        """Whether a store updates the parameters: what a program asked for, or what suits them."""
        asked = self._kvstore_params["update_on_kvstore"]
        reason = reason_to_update(store, self._contains_sparse_weight, self._contains_sparse_grad)
        if asked is False and reason:
            name, value = ("overlap", True) if self._overlaps else ("update_on_kvstore", asked)
            raise argument_error("Trainer", name, value, reason)
        updates = bool(suits or reason) if asked is None else asked
        if updates and not store.is_capable(KVStoreBase.OPTIMIZER):
            reason = f"a {store.type} store updates nothing"
            raise argument_error("Trainer", "update_on_kvstore", asked, reason)
        return updates

    def _init_params(self) -> None:
        """Gives the store the parameters that it lacks, and the devices the same values."""
        waiting = []
        wanted = {id(param) for param in self._params_to_init} if self._kvstore else ()
        for i, param in enumerate(self._params):
            if id(param) not in wanted:
                continue
            if param._deferred_init:
                waiting.append(param)
                continue
            arrays = param._check_and_get(param._data, list)
            if param._stype == "default":
                self._kvstore.broadcast(i, arrays[0], arrays)  # type: ignore[union-attr]
            else:
                self._kvstore.init(i, arrays[0])  # type: ignore[union-attr]
        self._params_to_init = waiting

    def _prepare(self) -> None:
        if not self._kv_initialized:
            self._init_kvstore()
        if self._params_to_init:
            self._init_params()

    def _row_sparse_pull(
        self, parameter: Parameter, out: Any, row_id: NDArray, full_idx: bool = False
    ) -> None:
        """Brings rows of a sparse parameter up to date.

        Args:
            parameter: the parameter.
            out: its arrays.
            row_id: numbers of the rows.
            full_idx: whether these are all rows.
        """
        self._prepare()
        store: Any = self._kvstore
        index = self._param2idx[parameter.name]
        if full_idx and not self._distributed:
            store.pull(index, out=out, priority=-index, ignore_sparse=False)
        else:
            store.row_sparse_pull(index, out=out, row_ids=row_id, priority=-index)

    # Steps ---------------------------------------------------------------------------------------

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Sums up gradients over devices and updates the parameters, after a backward pass.

        Args:
            batch_size: what gradients are divided by.
            ignore_stale_grad: whether to leave parameters as they are that have no new gradient.

        Raises:
            UserWarning: a parameter has no new gradient. Nothing has changed then.
        """
        self._check_and_rescale_grad(self._scale / batch_size)
        self._prepare()
        if self._kvstore and not ignore_stale_grad:  # before gradients are summed up
            _check_fresh(self._learning())
        self._allreduce_grads()
        self._update(ignore_stale_grad)

    def _step_without_samples(self, batch_size: float) -> None:
        """Takes part in a step of all workers by gradients of zero, for `mx.elastic`."""
        for _, param, arrays, _ in self._learning():
            param.zero_grad()
            for array in arrays:
                array._fresh_grad = True
        if self._amp_loss_scaler is not None and self._scale != 1.0:  # no loss was scaled here
            self._scale = self._amp_original_scale / self._amp_loss_scaler.loss_scale
        self.step(batch_size)

    def allreduce_grads(self) -> None:
        """Sums up gradients over devices, for a program that looks at them before `update`.

        Raises:
            MXNetError: the store updates the parameters.
        """
        self._prepare()
        self._check_updates_here("allreduce_grads")
        self._allreduce_grads()

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """Updates the parameters, after `allreduce_grads`; arguments as those of `step`.

        Raises:
            MXNetError: the store updates the parameters.
            UserWarning: a parameter has no new gradient. Nothing has changed then.
        """
        self._prepare()
        self._check_updates_here("update")
        self._check_and_rescale_grad(self._scale / batch_size)
        self._update(ignore_stale_grad)

    def _check_updates_here(self, call: str) -> None:
        if self._kvstore and self._update_on_kvstore:
            raise AssertedError(
                f"Trainer.{call}: the store updates the parameters, in step(); a Trainer with "
                "update_on_kvstore=False has this method"
            )

    def _learning(self) -> list[tuple[int, Parameter, list[NDArray], list[NDArray]]]:
        """Return index, parameter, arrays and gradients of each parameter that learns.

        Raises:
            MXNetError: a parameter is not initialized.
        """
        return [
            (
                i,
                param,
                param._arrays or param._check_and_get(None, list),
                param._grad or param.list_grad(),
            )
            for i, param in enumerate(self._params)
            if param.grad_req != "null"
        ]

    def _check_and_rescale_grad(self, scale: float) -> None:
        self._optimizer.rescale_grad = scale

    def _allreduce_grads(self) -> None:
        """Sums up gradients; where the store updates, the parameters get what came of it.

        Subclasses that sum up by other means replace it.
        """
        store: Any = self._kvstore
        if not store:
            return
        if self._overlap is not None:
            self._overlap.finish(self._learning())
            return
        keys, pushed, pulled = [], [], []
        for i, param, arrays, grads in self._learning():
            out = arrays if self._update_on_kvstore else grads
            if grads[0].stype == "default":
                keys.append(i)
                pushed.append(grads)
                pulled.append(out)
                continue
            store.push(i, grads, priority=-i)
            if param._stype == "default":
                store.pull(i, out, priority=-i, ignore_sparse=self._distributed)
        if isinstance(store, KVStore):  # all at once: sums are on their way before updates begin
            store.pushpull(keys, pushed, out=pulled)
            return
        for i, grads, out in zip(keys, pushed, pulled, strict=True):
            store.pushpull(i, grads, out=None if out is grads else out, priority=-i)

    def _update(self, ignore_stale_grad: bool = False) -> None:
        """Updates the parameters on every device, unless the store has done it."""
        learning = self._learning()
        if not ignore_stale_grad:
            _check_fresh(learning)
        if self._kvstore and self._update_on_kvstore:
            return
        scaler = self._amp_loss_scaler
        if scaler is not None and scaler.has_overflow(self._params):
            return
        for device, updater in enumerate(self._updaters):
            indices, gradients, weights = [], [], []
            for i, _, arrays, grads in learning:
                weight = arrays[device]
                if ignore_stale_grad and not weight._node.is_fresh:
                    continue
                weight._node.is_fresh = False
                indices.append(i)
                gradients.append(grads[device])
                weights.append(weight)
            updater(indices, gradients, weights)

    # The optimizer -------------------------------------------------------------------------------

    @property
    def optimizer(self) -> opt.Optimizer:
        """The optimizer."""
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step, before multipliers."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Sets the learning rate.

        Raises:
            UserWarning: there is a scheduler, which decides it.
        """
        self._optimizer.set_learning_rate(lr)

    # Files ---------------------------------------------------------------------------------------

    def save_states(self, fname: str) -> None:
        """Writes the optimizer and its states to a file, which MXNet's Trainer loads, too."""
        self._prepare()
        if self._update_on_kvstore:
            self._check_all_have_values()
            self._kvstore.save_optimizer_states(fname, dump_optimizer=True)  # type: ignore[union-attr]
            return
        states = self._updaters[0].get_states(dump_optimizer=True)
        with replacing(fname) as file:
            file.write(states)

    def load_states(self, fname: str) -> None:
        """Reads the optimizer and its states from a file of `save_states`, or of MXNet.

        The file is read as data: nothing in it is run.

        Raises:
            FormatError: the file holds no such states.
        """
        self._prepare()
        if self._update_on_kvstore:
            store: Any = self._kvstore
            store.load_optimizer_states(fname)
            self._take_optimizer(store._updater.optimizer)
        else:
            with named(fname):
                self._set_states(read_file(fname))

    def _set_states(self, states: bytes) -> None:
        for updater in self._updaters:
            updater.set_states(states)
            updater.optimizer = self._updaters[0].optimizer
        self._take_optimizer(self._updaters[0].optimizer)

    def _take_optimizer(self, optimizer: opt.Optimizer) -> None:
        self._optimizer = optimizer
        self._optimizer.param_dict = dict(enumerate(self._params))

    def _check_all_have_values(self) -> None:
        if self._params_to_init:
            names = [param.name for param in self._params_to_init]
            raise AssertedError(
                f"Trainer.save_states: parameters {shown(names)} have no values before the first "
                "forward"
            )

    def _checkpoint_store(self) -> KVStoreBase | None:
        """The store that tells workers apart, for `checkpoint.save` and `load`."""
        self._prepare()
        return self._kvstore

    def _checkpoint_states(self) -> StatesFile:
        """The states and the optimizer, for `checkpoint.save`."""
        self._prepare()
        if not self._update_on_kvstore:
            return described(self._updaters[0].states, self._optimizer)
        self._check_all_have_values()
        return read_states(_bytes_store(self._kvstore).optimizer_states(dump_optimizer=True))

    def _load_checkpoint_states(self, states: bytes) -> None:
        """Takes the bytes of a file of states, for `checkpoint.load`."""
        self._prepare()
        if not self._update_on_kvstore:
            self._set_states(states)
            return
        store = _bytes_store(self._kvstore)
        store.set_optimizer_states(states)
        self._take_optimizer(store._updater.optimizer)  # type: ignore[union-attr]


def _bytes_store(store: KVStoreBase | None) -> KVStore:
    if not isinstance(store, KVStore):
        kind = getattr(store, "type", None)
        raise MXNetError(f"Trainer: a {kind} store does not give its states for a checkpoint")
    return store


def _check_fresh(learning: Sequence[Any]) -> None:
    for _, param, arrays, _ in learning:
        for array in arrays:
            if not array._node.is_fresh:
                raise StaleGradientError(
                    f"Gradient of Parameter `{param.name}` on context {array.context} has not been "
                    "updated by backward since last `step`. Maybe the model used only some of its "
                    "parameters; ignore_stale_grad=True then updates only those"
                )


def _listed(params: Any) -> list[Parameter]:
    """The parameters, in the order in which they are numbered."""
    if hasattr(params, "keys"):
        params = [params[name] for name in sorted(params.keys())]
    if not isinstance(params, (list, tuple)):
        raise ArgumentError(
            "First argument must be a list or dict of Parameters, got "
            f"{type(params).__name__} as params of Trainer; collect_params() gives those of a block"
        )
    for param in params:
        if not isinstance(param, Parameter):
            raise ArgumentError(
                f"Trainer: params: must be Parameters; one is a {type(param).__name__}"
            )
    return list(params)


facade(__name__)
