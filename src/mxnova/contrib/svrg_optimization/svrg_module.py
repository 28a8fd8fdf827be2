# SPDX-License-Identifier: Apache-2.0
"""A Module that learns by stochastic variance reduced gradients."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from ... import ndarray as nd
from ...context import cpu
from ...core.base.errors import ArgumentTypeError, argument_error, shown
from ...initializer import Uniform
from ...kvstore.updates import create_optimizer, initialize_kvstore, total_batch_size
from ...module import Module
from ...module.steps import SGD
from .svrg_optimizer import FULL, _SVRGOptimizer

__all__ = ["SVRGModule"]

NDArray = nd.NDArray
_CPU = cpu()
_UNIFORM = Uniform(0.01)


class SVRGModule(Module):
    """A Module whose gradients have less variance: SVRG (Johnson and Zhang, NIPS 2013).

    From time to time it takes a snapshot of its parameters, and their gradient over all data. The
    gradient of a batch is then corrected by how far that of the snapshot is from its mean.

    Args:
        symbol: the network, with its loss.
        data_names: names of the data.
        label_names: names of the labels.
        logger: told of the progress.
        context: a device, or a list of devices.
        work_load_list: how much of a batch each device gets.
        fixed_param_names: parameters that do not learn.
        state_names: inputs that are states.
        group2ctxs: devices by context group.
        compression_params: how gradients are compressed.
        update_freq: after how many epochs of `fit` the snapshot is taken again.
    """

    def __init__(
        self,
        symbol: Any,
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Any = _CPU,
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Mapping[str, Any] | None = None,
        update_freq: int | None = None,
    ) -> None:
        if not isinstance(update_freq, int):
            what = "must be a number of epochs"
            raise ArgumentTypeError(f"SVRGModule: update_freq={shown(update_freq)}: {what}")
        if update_freq < 1:
            raise argument_error("SVRGModule", "update_freq", update_freq, "must be positive")
        given = (
            symbol,
            data_names,
            label_names,
            logger,
            context,
            work_load_list,
            fixed_param_names,
            state_names,
            group2ctxs,
            compression_params,
        )
        super().__init__(*given)
        self.update_freq = update_freq
        self._mod_aux = Module(*given)  # the snapshot
        self._ctx_len = len(self._context)
        # Means of its gradients, by device.
        self._param_dict: list[dict[str, NDArray]] | None = None

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
        """Create the executors, including those of the snapshot; arguments as of `Module.bind`."""
        super().bind(
            data_shapes,
            label_shapes,
            for_training,
            inputs_need_grad,
            force_rebind,
            shared_module,
            grad_req,
        )
        if for_training:
            self._mod_aux.bind(data_shapes, label_shapes, force_rebind=force_rebind)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Change the batch shape."""
        super().reshape(data_shapes, label_shapes)
        if self._mod_aux.binded:
            self._mod_aux.reshape(data_shapes, label_shapes)

    def init_params(
        self,
        initializer: Any = _UNIFORM,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Initialize the parameters; arguments as of `Module.init_params`."""
        super().init_params(
            initializer, arg_params, aux_params, allow_missing, force_init, allow_extra
        )
        if self._mod_aux.binded and not self._mod_aux.params_initialized:
            self._mod_aux.set_params(*self.get_params())

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = SGD,
        force_init: bool = False,
    ) -> None:
        """Create the optimizer; arguments as of `Module.init_optimizer`.

        A store gets a key for the mean of each parameter's gradients, too.
        """
        there = self.optimizer_initialized and not force_init
        super().init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        if there:
            return
        self._param_dict = self._zeros()
        if self._kvstore is not None:
            names = self._param_names
            arrays = [[means[name] for means in self._param_dict] for name in names]
            zeros = {name + FULL: own[0] for name, own in zip(names, arrays, strict=True)}
            initialize_kvstore(self._kvstore, arrays, zeros, list(zeros), False)

    def _made_optimizer(self, optimizer: Any, arguments: Any, store: Any, on_store: bool) -> Any:
        names = [*self._param_names, *(name + FULL for name in self._param_names)]
        options = {**dict(arguments), "default_optimizer": optimizer}
        size = total_batch_size(self._exec_group.batch_size, store)
        kind = _SVRGOptimizer.__name__
        return create_optimizer(kind, options, names, size, self._ctx_len, on_store)

    def _zeros(self) -> list[dict[str, NDArray]]:
        """For each device, zeros for each parameter."""
        params, _ = self.get_params()
        return [
            {name: nd.zeros(value.shape, ctx, value.dtype) for name, value in params.items()}
            for ctx in self._context
        ]

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs for a batch; in training the snapshot's, too."""
        super().forward(data_batch, is_train)
        if is_train and self._mod_aux.binded:
            self._mod_aux.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradients, and those of the snapshot."""
        super().backward(out_grads)
        if self._mod_aux.binded:
            self._mod_aux.backward(out_grads)

    def update(self) -> None:
        """Updates the parameters by the gradients, which are corrected first."""
        self._require("update", "binded", "params_initialized", "optimizer_initialized")
        self._update_svrg_gradients()
        super().update()

    def _update_svrg_gradients(self) -> None:
        """Corrects the gradients on every device."""
        own, snapshot = self._exec_group.grad_arrays, self._mod_aux._exec_group.grad_arrays
        for name, grads, others in zip(self._param_names, own, snapshot, strict=True):
            for means, grad, other in zip(self._param_dict or (), grads, others, strict=True):
                if grad is not None:
                    self._svrg_grads_update_rule(grad, other, means[name])

    def _svrg_grads_update_rule(
        self,
        g_curr_batch_curr_weight: NDArray,
        g_curr_batch_special_weight: NDArray,
        g_special_weight_all_batch: NDArray,
    ) -> NDArray:
        """Corrects a gradient in place, by the snapshot's and by the mean of that; gives it."""
        g_curr_batch_curr_weight -= g_curr_batch_special_weight
        g_curr_batch_curr_weight += g_special_weight_all_batch
        return g_curr_batch_curr_weight

    def update_full_grads(self, train_data: Any) -> None:
        """Takes a snapshot of the parameters, and the mean of its gradients over all batches.

        A last batch that is padded counts as the part of a batch that it is.

        Args:
            train_data: iterator over all batches.
        """
        snapshot = self._mod_aux
        snapshot.set_params(*self.get_params())
        self._param_dict = self._zeros()
        train_data.reset()
        count = 0.0
        for batch in train_data:
            snapshot.forward(batch, is_train=True)
            snapshot.backward()
            self._add_gradients()
            count += 1 - (batch.pad / train_data.batch_size if batch.pad else 0)
        if not count:
            raise argument_error(
                "SVRGModule.update_full_grads", "train_data", train_data, "has no batch"
            )
        for name in self._param_names:
            for means in self._param_dict:
                means[name] /= count
            if self._kvstore is not None:
                self._accumulate_kvstore(name, [means[name] for means in self._param_dict])

    def _add_gradients(self) -> None:
        """Adds the snapshot's gradients to the sums on every device."""
        snapshot = self._mod_aux._exec_group.grad_arrays
        for name, grads in zip(self._param_names, snapshot, strict=True):
            for sums, grad in zip(self._param_dict or (), grads, strict=True):
                if grad is not None:
                    sums[name] += grad

    def _accumulate_kvstore(self, key: str, value: list[NDArray]) -> None:
        """Shares the mean of all devices and workers.

        Args:
            key: the parameter's name.
            value: the mean on each device, which becomes the sum of all.
        """
        self._kvstore.pushpull(key + FULL, value, out=value)
        self._allocate_gradients(key, value)

    def _allocate_gradients(self, key: str, value: list[NDArray]) -> None:
        """Gives every device its part of a sum, so that theirs add up to the mean of all workers.

        Args:
            key: the parameter's name.
            value: the sum on each device.
        """
        workers = 1 if self._kvstore is None else self._kvstore.num_workers
        for means, total in zip(self._param_dict or (), value, strict=False):
            means[key] = total / (self._ctx_len * workers)

    def _fit_epoch(self, epoch: int, given: Mapping[str, Any]) -> None:
        if epoch % self.update_freq == 0:
            self.update_full_grads(given["train_data"])
            given["train_data"].reset()
        super()._fit_epoch(epoch, given)
