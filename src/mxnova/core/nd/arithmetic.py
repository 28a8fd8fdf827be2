# SPDX-License-Identifier: Apache-2.0
"""Python's operators on arrays: ``a + b``, ``a += 1``, ``a < b``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..base.errors import ArgumentError, ArgumentTypeError, MXNetError, argument_error
from ..base.python_operators import PythonOperators
from ..op import arithmetic as operators
from ..op.dtypes import dtype_name
from ..op.schema import OpType, find
from .base_array import BaseArray
from .calls.fast_calls import binary_call, in_place_call, scalar_call, unary_call
from .interop import Number
from .recording import STATE, recorded_write
from .tape import is_live
from .wrapping import receive

__all__ = ["Arithmetic", "refuse_if_recorded", "too_large"]


class Arithmetic(BaseArray, PythonOperators):
    """Gives arrays Python's operators; the methods are made from the table below."""

    __slots__ = ()


def refuse_if_recorded(array: BaseArray) -> None:
    """Raises where a graph that is being recorded has made `array` or read it."""
    if STATE.recording and is_live(array):
        raise recorded_write()


def too_large(name: str, number: Any) -> ArgumentError:
    """The error of function `name` for a number beyond the range of floating-point numbers."""
    return argument_error(name, "number", number, "is too large")


def _binary(row: operators.Method) -> Callable[..., Any]:
    """The method for ``self <op> other``, or its reverse; `other` is an array or a number."""
    name = row.name

    def no_number(_self: BaseArray, other: Any) -> Any:
        if isinstance(other, Number):
            raise too_large(name, other)
        raise ArgumentTypeError(
            f"{name}: an array and a {type(other).__name__}: the other must be an NDArray or a "
            "number; mx.nd.array(x) makes an array"
        )

    with_number = scalar_call(operators.with_number(row.function, row.reflected), no_number)
    with_array = binary_call(operators.of_arrays(row.function), with_number)

    def reflected(self: BaseArray, other: Any) -> Any:
        return with_array(other, self) if isinstance(other, BaseArray) else with_number(self, other)

    commutes = row.function in ("add", "multiply")
    method = reflected if row.reflected and not commutes else with_array
    method.__name__ = method.__qualname__ = name
    return method


def _in_place(name: str, type_: OpType, binary: Callable[..., Any]) -> Callable[..., Any]:
    """The method for ``self <op>= other``, `type_` on two arrays; the element type stays."""

    def by_copy(self: BaseArray, other: Any) -> Any:
        refuse_if_recorded(self)
        if not self._chunk.writable:
            raise ArgumentError(f"{name}: the array is read-only")
        result = binary(self, other)
        if result._tracked is not None:
            raise recorded_write()
        if result._raw.dtype is not self._raw.dtype:
            given, wanted = dtype_name(result._raw.dtype), dtype_name(self._raw.dtype)
            raise MXNetError(f"{name}: elements of {given} do not fit into an array of {wanted}")
        receive(self, result._value, name)
        return self

    method = in_place_call(type_, by_copy)
    method.__name__ = method.__qualname__ = name
    return method


_TYPES = {row.name: operators.of_arrays(row.function) for row in operators.PYTHON_METHODS}
for _row in operators.PYTHON_METHODS:
    setattr(Arithmetic, _row.name, _binary(_row))
for _name in ("add", "sub", "mul", "truediv", "div", "mod"):
    _type = _TYPES[f"__{_name}__"]
    _method = _in_place(f"__i{_name}__", _type, vars(Arithmetic)[f"__{_name}__"])
    setattr(Arithmetic, f"__i{_name}__", _method)


def negation(negative: str, product: str, **settings: Any) -> Callable[[Any], Any]:
    """``-array`` by the operator `negative`; of truth values by `product`, as integers."""
    of_numbers, times = unary_call(find(negative)), scalar_call(find(product), **settings)

    def negate(array: BaseArray) -> Any:
        return times(array, -1.0) if array._raw.dtype is torch.bool else of_numbers(array)

    return negate


setattr(Arithmetic, "__neg__", negation("negative", "_mul_scalar"))  # noqa: B010
setattr(Arithmetic, "__abs__", unary_call(find("abs")))  # noqa: B010
