# SPDX-License-Identifier: Apache-2.0
"""Python's operators on arrays: ``a + b``, ``a += 1``, ``a < b``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsFloat, cast

import torch

from ..base.errors import ArgumentError, ArgumentTypeError, MXNetError, argument_error
from ..base.python_operators import PythonOperators
from ..op import arithmetic as operators
from ..op.dtypes import dtype_name
from ..op.record import OpType, find
from ..runtime.attention import ATTENTION
from .base_array import BaseArray
from .exchange import Number
from .recording import STATE, recorded_write
from .shortcuts import alone, pairwise, with_number
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
    of_number = with_number(operators.with_number(row.function, row.reflected))

    def with_other(self: BaseArray, other: Any) -> Any:
        if not isinstance(other, Number):
            raise ArgumentTypeError(f"{name}: an array and a {type(other).__name__}")
        try:
            number = float(cast(SupportsFloat, other))
        except OverflowError:
            raise too_large(name, other) from None
        return of_number(self, number)

    of_arrays = pairwise(operators.of_arrays(row.function), with_other)

    def reversed_(self: BaseArray, other: Any) -> Any:
        return of_arrays(other, self) if isinstance(other, BaseArray) else with_other(self, other)

    commutes = row.function in ("add", "multiply")
    method = reversed_ if row.reflected and not commutes else of_arrays
    method.__name__ = method.__qualname__ = name
    return method


def _in_place(name: str, type_: OpType, binary: Callable[..., Any]) -> Callable[..., Any]:
    """The method for ``self <op>= other``, `type_` on two arrays; the element type stays."""

    def method(self: BaseArray, other: Any) -> Any:
        kind = type(other)
        if (kind is type(self) or kind is float or kind is int) and _overwrites(type_, self, other):
            return self
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

    method.__name__ = method.__qualname__ = name
    return method


def _overwrites(type_: OpType, array: BaseArray, other: Any) -> bool:
    """Whether the operator could run in the memory of `array`, and has.

    It could on real numbers, and equal ones of another array or a number.
    """
    run = type_.in_place
    if run is None or ATTENTION or STATE.recording or array.stype != "default":
        return False
    mine = array._raw
    if not mine.dtype.is_floating_point or not array._chunk.writable:
        return False
    try:
        if isinstance(other, BaseArray):
            given = other._raw
            if mine.dtype is not given.dtype or mine.shape != given.shape:
                return False
            run(mine, given)
        else:
            run(mine, float(other))
    except (RuntimeError, OverflowError):  # memory that overlaps; a number beyond all others
        return False
    return True


_TYPES = {row.name: operators.of_arrays(row.function) for row in operators.PYTHON_METHODS}
for _row in operators.PYTHON_METHODS:
    setattr(Arithmetic, _row.name, _binary(_row))
for _name in ("add", "sub", "mul", "truediv", "div", "mod"):
    _type = _TYPES[f"__{_name}__"]
    _method = _in_place(f"__i{_name}__", _type, vars(Arithmetic)[f"__{_name}__"])
    setattr(Arithmetic, f"__i{_name}__", _method)


def negation(negative: str, product: str, **settings: Any) -> Callable[[Any], Any]:
    """``-array`` by the operator `negative`; of truth values by `product`, as integers."""
    of_numbers, times = alone(find(negative)), with_number(find(product), **settings)

    def negate(array: BaseArray) -> Any:
        return times(array, -1.0) if array._raw.dtype is torch.bool else of_numbers(array)

    return negate


setattr(Arithmetic, "__neg__", negation("negative", "_mul_scalar"))  # noqa: B010
setattr(Arithmetic, "__abs__", alone(find("abs")))  # noqa: B010
