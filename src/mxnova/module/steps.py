# SPDX-License-Identifier: Apache-2.0
"""Steps: what every kind of module has of its own, and what it needs to be done before."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.base.errors import AssertedError
from ..initializer import Uniform
from ..ndarray import NDArray

__all__ = ["SGD", "UNIFORM", "Params", "Steps"]

Params = dict[str, NDArray]
UNIFORM = Uniform(0.01)  # what initializers and optimizers are unless they are given
SGD = (("learning_rate", 0.01),)


class Steps:
    """The interface of modules: binding, parameters, forward, backward, updates.

    Args:
        logger: what tells of progress.
    """

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = False
        self.for_training = False
        self.inputs_need_grad = False
        self.params_initialized = False
        self.optimizer_initialized = False
        self._symbol: Any = None
        self._total_exec_bytes = 0

    def _require(self, call: str, *states: str) -> None:
        """Raises unless what `call` needs was done before."""
        for state in states:
            if not getattr(self, state):
                lacking, step = _STEPS[state]
                text = f"the module is not {lacking}: needs {step} first"
                raise AssertedError(f"{type(self).__name__}.{call}: {text}")

    # What it is ----------------------------------------------------------------------------------

    @property
    def symbol(self) -> Any:
        """The symbol, None where there is none."""
        return self._symbol

    @property
    def data_names(self) -> Sequence[str]:
        """Names of the data."""
        raise self._missing("data_names")

    @property
    def output_names(self) -> Sequence[str]:
        """Names of the outputs."""
        raise self._missing("output_names")

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the data."""
        raise self._missing("data_shapes")

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels."""
        raise self._missing("label_shapes")

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        raise self._missing("output_shapes")

    def _missing(self, name: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} defines no {name}")

    # Parameters ----------------------------------------------------------------------------------

    def get_params(self) -> tuple[Params, Params]:
        """Parameters and auxiliary states, by name."""
        raise self._missing("get_params")

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
            initializer: fills those that have no value here.
            arg_params: values of parameters.
            aux_params: values of auxiliary states.
            allow_missing: whether these may lack some.
            force_init: whether to set them where they are set already.
            allow_extra: whether there may be values of names that the module does not have.
        """
        raise self._missing("init_params")

    def set_params(
        self,
        arg_params: Mapping[str, NDArray] | None,
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Sets parameters and auxiliary states; arguments as those of `init_params`."""
        self.init_params(
            initializer=None,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
            allow_extra=allow_extra,
        )

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """States, of which this kind of module has none."""
        self._require("get_states", "binded", "params_initialized")
        if merge_multi_context:
            text = "merge_multi_context=True: states of several devices are not merged"
            raise AssertedError(f"get_states: {text}")
        return []

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Sets states, of which this kind of module has none."""
        self._require("set_states", "binded", "params_initialized")
        if states or value:
            raise AssertedError(f"set_states: {type(self).__name__} has no states")

    # Steps ---------------------------------------------------------------------------------------

    def install_monitor(self, mon: Any) -> None:
        """Install a `Monitor` for the arrays of the computation."""
        raise self._missing("install_monitor")

    def prepare(
        self,
        data_batch: Any,
        sparse_row_id_fn: Callable[[Any], Mapping[str, NDArray]] | None = None,
    ) -> None:
        """Gets ready for a batch before its forward.

        Args:
            data_batch: the batch.
            sparse_row_id_fn: gives for it the rows of sparse parameters that it needs, by name.
        """
        if sparse_row_id_fn is not None:
            text = "sparse_row_id_fn is not used: %s has no sparse parameters"
            self.logger.warning(text, type(self).__name__)

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Computes the outputs for a batch.

        Args:
            data_batch: the batch.
            is_train: whether as in training; default: what it is bound for.
        """
        raise self._missing("forward")

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradients.

        Args:
            out_grads: gradients of the outputs; none where the outputs are losses.
        """
        raise self._missing("backward")

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Outputs of the last forward; for each a list of the devices', unless they are merged."""
        raise self._missing("get_outputs")

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Gradients of the data, as `get_outputs` gives outputs."""
        raise self._missing("get_input_grads")

    def update(self) -> None:
        """Updates the parameters by the gradients."""
        raise self._missing("update")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Has a metric take labels and the outputs of the last forward.

        Args:
            eval_metric: the metric.
            labels: of the batch; for each device, where `pre_sliced`.
            pre_sliced: whether labels are split already.
        """
        raise self._missing("update_metric")

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Steps | None = None,
        grad_req: Any = "write",
    ) -> None:
        """Prepare the computation for batches of the given shapes.

        Args:
            data_shapes: descriptions of the data, or pairs of names and shapes.
            label_shapes: descriptions of the labels.
            for_training: whether gradients are computed.
            inputs_need_grad: whether those of the data are, too.
            force_rebind: whether to bind again where it is bound already.
            shared_module: a module whose parameters and memory this one uses.
            grad_req: null, write or add: one, or for each argument, by name or in order.
        """
        raise self._missing("bind")

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
            optimizer: an optimizer, or the name of one.
            optimizer_params: arguments of an optimizer that is given by name.
            force_init: whether to make it anew where there is one.
        """
        raise self._missing("init_optimizer")


_STEPS = {  # what is lacking, and what makes it so
    "binded": ("bound", "bind()"),
    "params_initialized": ("given parameters", "init_params() or set_params()"),
    "optimizer_initialized": ("given an optimizer", "init_optimizer()"),
    "for_training": ("bound for training", "bind(for_training=True)"),
    "inputs_need_grad": ("bound for gradients of inputs", "bind(inputs_need_grad=True)"),
}
