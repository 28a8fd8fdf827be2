# SPDX-License-Identifier: Apache-2.0
"""Modules whose computation is written in Python."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import ndarray as nd
from ..core.base.doors import facade
from ..core.base.errors import AssertedError, shown
from .base_module import BaseModule
from .steps import SGD, UNIFORM, Params

__all__ = ["PythonLossModule", "PythonModule"]

NDArray = nd.NDArray


class PythonModule(BaseModule):
    """A module without parameters; subclasses define its computation.

    They define `_compute_output_shapes`, `forward`, `backward`, `get_outputs` and
    `get_input_grads`.

    Args:
        data_names: names of the data.
        label_names: names of the labels, or None.
        output_names: names of the outputs.
        logger: what tells of progress.

    Example:
        >>> module = mx.mod.PythonLossModule()
        >>> module.data_names
        ['data']
    """

    def __init__(
        self,
        data_names: Sequence[str],
        label_names: Sequence[str] | None,
        output_names: Sequence[str],
        logger: Any = logging,
    ) -> None:
        super().__init__(logger=logger)
        self._data_names = list(data_names)
        self._label_names = None if label_names is None else list(label_names)
        self._output_names = list(output_names)
        self._data_shapes: Any = None
        self._label_shapes: Any = None
        self._output_shapes: Any = None

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        return self._data_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> Any:
        """Descriptions of the data."""
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        """Descriptions of the labels."""
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """Names and shapes of the outputs."""
        return self._output_shapes

    def get_params(self) -> tuple[Params, Params]:
        """Nothing: there are no parameters."""
        return {}, {}

    def init_params(
        self,
        initializer: Any = UNIFORM,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Does nothing: there are no parameters."""
        self.params_initialized = True

    def update(self) -> None:
        """Does nothing: there are no parameters."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Has a metric take labels and outputs, where there are labels."""
        if self._label_shapes is None:
            return
        if pre_sliced:
            raise AssertedError("update_metric: pre_sliced=True: a PythonModule has one device")
        eval_metric.update(labels, self.get_outputs())

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
        """Set the batch shapes; can be called again to change them.

        Args:
            data_shapes: descriptions of the data, in the order of their names.
            label_shapes: descriptions of the labels, likewise.
            for_training: whether gradients are computed.
            inputs_need_grad: whether those of the data are, too.
            force_rebind: not used.
            shared_module: not used.
            grad_req: must be write.
        """
        if grad_req != "write":
            text = "a PythonModule writes gradients, and adds none up"
            raise AssertedError(f"bind: grad_req={shown(grad_req)}: {text}")
        _check_order("data", self._data_names, data_shapes)
        if self._label_names is not None and label_shapes is not None:
            _check_order("label", self._label_names, label_shapes)
        self._data_shapes, self._label_shapes = data_shapes, label_shapes
        self._output_shapes = self._compute_output_shapes()
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self.binded = True

    def _compute_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs, for `_data_shapes` and `_label_shapes`."""
        raise self._missing("_compute_output_shapes")

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = SGD,
        force_init: bool = False,
    ) -> None:
        """Does nothing: there are no parameters."""
        self.optimizer_initialized = True


class PythonLossModule(PythonModule):
    """A loss whose gradient is a function in Python; its output is its data.

    Args:
        name: start of the output's name.
        data_names: the name of its data: scores.
        label_names: the name of the labels.
        logger: what tells of progress.
        grad_func: (scores, labels) to the gradient of the scores, as an array of MXNet or NumPy.
            Subclasses may define `_backward_impl` instead, which sets `_scores_grad`.

    Example:
        >>> module = mx.mod.PythonLossModule()
        >>> module.data_names
        ['data']
    """

    def __init__(
        self,
        name: str = "pyloss",
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] = ("softmax_label",),
        logger: Any = logging,
        grad_func: Callable[[NDArray, Any], Any] | None = None,
    ) -> None:
        super().__init__(data_names, label_names, [f"{name}_output"], logger=logger)
        self._name = name
        for kind, names in (("data", data_names), ("label", label_names)):
            if len(names) != 1:
                text = f"{kind}_names={shown(names)}: must be one name"
                raise AssertedError(f"PythonLossModule: {text}")
        if grad_func is not None and not callable(grad_func):
            raise AssertedError(f"PythonLossModule: grad_func={shown(grad_func)}: must be callable")
        self._grad_func = grad_func
        self._scores: Any = None
        self._labels: Any = None
        self._scores_grad: Any = None

    def _compute_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(self._output_names[0], self._data_shapes[0][1])]

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Store the scores, and the labels in training.

        Args:
            data_batch: the batch.
            is_train: whether as in training; default: what it is bound for.
        """
        self._scores = data_batch.data[0]
        if self.for_training if is_train is None else is_train:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The scores."""
        _check_merged("get_outputs", merge_multi_context)
        return [self._scores]

    def backward(self, out_grads: Any = None) -> None:
        """Computes the gradient of the scores.

        Args:
            out_grads: must be None.
        """
        if out_grads is not None:
            raise AssertedError("backward: out_grads: a loss has none")
        self._require("backward", "for_training")
        self._backward_impl()

    def _backward_impl(self) -> None:
        """Computes `_scores_grad` from `_scores` and `_labels`."""
        if self._grad_func is None:
            raise self._missing("_backward_impl, and has no grad_func")
        gradient = self._grad_func(self._scores, self._labels)
        self._scores_grad = gradient if isinstance(gradient, NDArray) else nd.array(gradient)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """The gradient of the scores."""
        _check_merged("get_input_grads", merge_multi_context)
        return [self._scores_grad]

    def install_monitor(self, mon: Any) -> None:
        """Not for this kind of module: raises."""
        raise NotImplementedError("PythonLossModule has nothing that a monitor could watch")


def _check_order(kind: str, names: Sequence[str], shapes: Sequence[Any]) -> None:
    described = [desc[0] for desc in shapes]
    if described != list(names):
        text = f"{kind}_shapes describe {described}, {kind}_names are {list(names)}"
        raise AssertedError(f"bind: {text}")


def _check_merged(call: str, merged: bool) -> None:
    if not merged:
        raise AssertedError(f"{call}: merge_multi_context=False: a PythonModule has one device")


facade(__name__)
