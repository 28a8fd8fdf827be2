# SPDX-License-Identifier: Apache-2.0
"""A Module that learns by stochastic variance reduced gradients."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from ...context import cpu
from ...core.base.errors import ArgumentTypeError, argument_error, shown
from ...core.nd.array import NDArray
from ...initializer import Uniform
from ...module import Module

__all__ = ["SVRGModule"]

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
        self._means: list[list[NDArray | None]] = []  # of its gradients, as grad_arrays

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Module | None = None,
        grad_req: Any = "write",
    ) -> None:
        """Makes the executors, those of the snapshot too; arguments as of `Module.bind`."""
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
        """Takes batches of other shapes from now on."""
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
        """Gives the parameters their first values; arguments as of `Module.init_params`."""
        super().init_params(
            initializer, arg_params, aux_params, allow_missing, force_init, allow_extra
        )
        if self._mod_aux.binded and not self._mod_aux.params_initialized:
            self._mod_aux.set_params(*self.get_params())

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
        snapshot = self._mod_aux._exec_group.grad_arrays
        for own, others, means in zip(
            self._exec_group.grad_arrays, snapshot, self._means, strict=False
        ):
            for gradient, other, mean in zip(own, others, means, strict=True):
                if gradient is not None:
                    gradient -= other
                    gradient += mean
        super().update()

    def update_full_grads(self, train_data: Any) -> None:
        """Takes a snapshot of the parameters, and the mean of its gradients over all batches.

        Args:
            train_data: iterator over all batches.
        """
        snapshot = self._mod_aux
        snapshot.set_params(*self.get_params())
        train_data.reset()
        count, sums = 0, None
        for batch in train_data:
            snapshot.forward(batch, is_train=True)
            snapshot.backward()
            gradients = snapshot._exec_group.grad_arrays
            sums = _added(sums, gradients)
            count += 1
        if sums is None:
            raise argument_error(
                "SVRGModule.update_full_grads", "train_data", train_data, "has no batch"
            )
        self._means = [[None if g is None else g / count for g in group] for group in sums]

    def _fit_epoch(self, epoch: int, given: Mapping[str, Any]) -> None:
        if epoch % self.update_freq == 0:
            self.update_full_grads(given["train_data"])
            given["train_data"].reset()
        super()._fit_epoch(epoch, given)


def _added(sums: Any, gradients: Any) -> list[list[NDArray | None]]:
    if sums is None:
        return [[None if g is None else g.copy() for g in group] for group in gradients]
    for group, more in zip(sums, gradients, strict=True):
        for total, gradient in zip(group, more, strict=True):
            if total is not None:
                total += gradient
    return sums  # type: ignore[no-any-return]
