# SPDX-License-Identifier: Apache-2.0
"""Operators written in Python.

MXNet's way: subclass CustomOp and CustomOpProp, and `register` the latter; its operators are run by
``Custom``. mxnova's own way: `function_operator` and `operator` declare one as mxnova declares its
own, on tensors; it is then a function of `mx.nd` and `mx.sym` like any other
(docs/design/add-an-operator.md).

Callbacks of monitors take ``ctypes``, ``py_str``, ``NDArray`` and its handle from here, by
``import *``.
"""

from __future__ import annotations

import ctypes
import itertools
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from .base import NDArrayHandle, py_str
from .core.base import params as parameters
from .core.base.doors import facade
from .core.base.errors import ArgumentError
from .core.base.scopes import NameManager
from .core.base.user_warnings import warn_user
from .core.exec.calls.custom import register_custom
from .core.graph.functions import function_of
from .core.nd.array import NDArray
from .core.op.declaration import elementwise_shape, function_operator, operator
from .core.op.infer import DTypes, Shapes
from .core.op.kernel import kernel
from .core.op.schema import REGISTRY, Op, find

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "DTypes",
    "NDArray",
    "NDArrayHandle",
    "NDArrayOp",
    "NumpyOp",
    "Op",
    "OperatorArguments",
    "PythonOp",
    "Shapes",
    "ctypes",
    "elementwise_shape",
    "function_operator",
    "get_all_registered_operators",
    "get_operator_arguments",
    "kernel",
    "operator",
    "parameters",
    "py_str",
    "register",
]


class CustomOp:
    """The computation of a custom operator."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Writes the outputs.

        Args:
            is_train: whether a training pass runs.
            req: how each output is to be written; see `assign`.
            in_data: arrays of the arguments.
            out_data: arrays of the outputs.
            aux: arrays of the auxiliary states, which may be written to.
        """

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Writes the gradients.

        Args:
            req: how the gradient of each argument is to be written; see `assign`.
            out_grad: gradients of the outputs.
            in_data: arrays of the arguments.
            out_data: arrays of the outputs.
            in_grad: arrays for the gradients of the arguments.
            aux: arrays of the auxiliary states, which may be written to.
        """

    def assign(self, dst: Any, req: str, src: Any) -> None:
        """Writes `src` into `dst`.

        Args:
            dst: an array.
            req: write or inplace: as they say; add: onto what is there; null: not at all.
            src: an array or a number.
        """
        everything = slice(None) if dst.ndim else ()
        if req in ("write", "inplace"):
            dst[everything] = src
        elif req == "add":
            dst[everything] = dst + src
        elif req != "null":
            raise ArgumentError(f"assign: req={req!r}: must be null, write, inplace or add")


class CustomOpProp:
    """The properties of a custom operator: its arrays, their shapes and types.

    Args:
        need_top_grad: whether backward reads the gradients of the outputs; losses do not.
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def list_arguments(self) -> list[str]:
        """Names of the arguments."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Names of the outputs."""
        return ["output"]

    def list_auxiliary_states(self) -> list[str]:
        """Names of the auxiliary states."""
        return []

    def infer_shape(self, in_shape: Any) -> Any:
        """Shapes of arguments, outputs and (they may be left out) auxiliary states.

        Args:
            in_shape: what is known of the arguments' shapes, as lists; nothing: an empty one.
        """
        return in_shape, [in_shape[0]] * len(self.list_outputs()), []

    def infer_type(self, in_type: Any) -> Any:
        """Element types of arguments, outputs and (they may be left out) auxiliary states.

        Args:
            in_type: NumPy types of the arguments; None where unknown.
        """
        first = in_type[0]
        n_outputs, n_states = len(self.list_outputs()), len(self.list_auxiliary_states())
        return in_type, [first] * n_outputs, [first] * n_states

    def infer_storage_type(self, in_stype: Any) -> Any:
        """Storage types of arguments, outputs and auxiliary states: all default, unless overridden.

        Args:
            in_stype: storage types of the arguments.
        """
        self._refuse_sparse("infer_storage_type", in_stype)
        n_outputs, n_states = len(self.list_outputs()), len(self.list_auxiliary_states())
        return in_stype, ["default"] * n_outputs, ["default"] * n_states

    def infer_storage_type_backward(
        self, ograd_stype: Any, in_stype: Any, out_stype: Any, igrad_stype: Any, aux_stype: Any
    ) -> Any:
        """Storage types in backward, of five groups of arrays: all default, unless overridden.

        Args:
            ograd_stype: of the gradients of the outputs.
            in_stype: of the arguments.
            out_stype: of the outputs.
            igrad_stype: of the gradients of the arguments; undefined where nothing is asked for.
            aux_stype: of the auxiliary states.
        """
        self._refuse_sparse("infer_storage_type_backward", ograd_stype)
        self._refuse_sparse(
            "infer_storage_type_backward", [s for s in igrad_stype if s != "undefined"]
        )
        groups = (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)
        return tuple(["default"] * len(group) for group in groups)

    @staticmethod
    def _refuse_sparse(method: str, stypes: Sequence[str]) -> None:
        for i, stype in enumerate(stypes):
            if stype != "default":
                raise ArgumentError(
                    f"array {i} is stored as {stype}: override {method} to take such arrays"
                )

    def declare_backward_dependency(self, out_grad: Any, in_data: Any, out_data: Any) -> Any:
        """Which arrays backward reads; it gets empty ones for the rest.

        Args:
            out_grad: numbers of the gradients of the outputs.
            in_data: numbers of the arguments.
            out_data: numbers of the outputs.
        """
        return [*(out_grad if self.need_top_grad_ else ()), *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """The operator that does the work.

        Args:
            ctx: where.
            in_shapes: shapes of arguments and auxiliary states.
            in_dtypes: type flags of the same.
        """
        return CustomOp()


Prop = TypeVar("Prop", bound=Callable[..., Any])


def register(reg_name: str) -> Callable[[Prop], Prop]:
    """A decorator that registers a CustomOpProp, for ``Custom(..., op_type=reg_name)``.

    Args:
        reg_name: the name; what was registered under it before is replaced.
    """

    def declare(prop_cls: Prop) -> Prop:
        register_custom(reg_name, prop_cls)
        return prop_cls

    return declare


register("custom_op")(CustomOpProp)


# What is registered -------------------------------------------------------------------------------

OperatorArguments = namedtuple("OperatorArguments", ["narg", "names", "types"])


def get_all_registered_operators() -> list[str]:
    """Names of all operators, aliases included."""
    return list(REGISTRY)


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """Names and types of an operator's arguments: arrays, then parameters."""
    type_ = find(op_name)
    signature = type_.signature
    types = dict.fromkeys(signature.inputs, "NDArray-or-Symbol")
    if signature.variadic is not None:
        types[signature.variadic] = "NDArray-or-Symbol[]"
    types.update({field.name: field.type_text for field in type_.fields})
    return OperatorArguments(len(types), list(types), list(types.values()))


# Before CustomOp ----------------------------------------------------------------------------------


class PythonOp:
    """The first form of operators in Python: calling one with symbols gives a symbol.

    Args:
        need_top_grad: what `need_top_grad()` gives.
    """

    _numbers = itertools.count()

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad
        warn_user(
            f"{type(self).__name__}: PythonOp has been deprecated. Please use CustomOp",
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`get_symbol`."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """The symbol of this operator on symbols, given by position or name."""
        raise NotImplementedError(f"{type(self).__name__}: use NumpyOp or NDArrayOp")

    def forward(self, in_data: Any, out_data: Any) -> None:
        """Writes the outputs."""
        out_data[0][:] = in_data[0]

    def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
        """Writes the gradients of the arguments."""
        in_grad[0][:] = 1.0

    def infer_shape(self, in_shape: Any) -> Any:
        """Shapes of arguments and outputs, for what is known of the arguments'."""
        return in_shape, [in_shape[0]]

    def list_outputs(self) -> list[str]:
        """Names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Names of the arguments."""
        return ["data"]

    def need_top_grad(self) -> bool:
        """Whether backward reads the gradients of the outputs; losses do not."""
        return self.need_top_grad_

    def _symbol(self, operator: CustomOp, hint: str, args: Any, kwargs: Any) -> Any:
        """`operator` on symbols: a Custom node, which lives as long as the process, as in MXNet."""
        op_type = f"{type(self).__name__}-{next(self._numbers)}"
        register_custom(op_type, lambda: _PropOf(self, operator))
        name = NameManager.get_current().get(kwargs.pop("name", None), hint)
        return function_of("Custom")(*args, op_type=op_type, name=name, **kwargs)


class NumpyOp(PythonOp):
    """An operator on NumPy arrays."""

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """The symbol of this operator on symbols, given by position or name."""
        return self._symbol(_OnNumpy(self), "_native", args, kwargs)


class NDArrayOp(PythonOp):
    """An operator on NDArrays."""

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """The symbol of this operator on symbols, given by position or name."""
        return self._symbol(_OnArrays(self), "_ndarray", args, kwargs)

    def declare_backward_dependency(self, out_grad: Any, in_data: Any, out_data: Any) -> Any:
        """Which arrays backward reads, by their numbers; it gets empty ones for the rest."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]


class _PropOf(CustomOpProp):
    """A CustomOpProp with the properties of a PythonOp."""

    def __init__(self, op: PythonOp, operator: CustomOp) -> None:
        super().__init__(op.need_top_grad())
        self._operator = operator
        self.list_arguments = op.list_arguments  # type: ignore[method-assign]
        self.list_outputs = op.list_outputs  # type: ignore[method-assign]
        self.infer_shape = op.infer_shape  # type: ignore[method-assign]
        if isinstance(op, NDArrayOp):
            self.declare_backward_dependency = (  # type: ignore[method-assign]
                op.declare_backward_dependency
            )

    def infer_type(self, in_type: Any) -> Any:
        return [np.float32] * len(in_type), [np.float32] * len(self.list_outputs())

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        return self._operator


class _OnArrays(CustomOp):
    """A CustomOp that runs an NDArrayOp."""

    def __init__(self, op: PythonOp) -> None:
        self._op = op

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self._op.forward(in_data=in_data, out_data=out_data)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self._op.backward(out_grad=out_grad, in_data=in_data, out_data=out_data, in_grad=in_grad)


class _OnNumpy(_OnArrays):
    """A CustomOp that runs a NumpyOp."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        results = _values(out_data)
        self._op.forward(in_data=_values(in_data), out_data=results)
        _store(out_data, results)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        results = _values(in_grad)
        self._op.backward(
            out_grad=_values(out_grad),
            in_data=_values(in_data),
            out_data=_values(out_data),
            in_grad=results,
        )
        _store(in_grad, results)


def _values(arrays: Sequence[NDArray]) -> list[np.ndarray[Any, Any]]:
    return [a.asnumpy() for a in arrays]


def _store(arrays: Sequence[NDArray], values: Sequence[np.ndarray[Any, Any]]) -> None:
    for array, value in zip(arrays, values, strict=True):
        array[:] = value


facade(__name__)
