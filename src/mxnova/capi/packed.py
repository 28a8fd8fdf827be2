# SPDX-License-Identifier: Apache-2.0
"""Packed functions, which take and give values with type codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..core.base.errors import ArgumentTypeError, MXNetError
from ..core.base.handles import find, free, give
from ..core.nd.array import NDArray
from ..core.nd.calls.dispatch import invoke
from ..core.op.schema import find as find_operator
from .arguments import numbers, text
from .entry_points import extern
from .interface import ffi
from .returns import texts_memory

__all__: list[str] = []

# MXNet's type codes.
_INT, _FLOAT, _HANDLE, _NULL, _OBJECT, _STR, _ARRAY = 0, 2, 3, 4, 8, 11, 14


class Container:
    """A tuple of packed values; its handle is one of an object."""

    noun = "object"

    def __init__(self, value: Any) -> None:
        self.value = value


class PackedFunction:
    """A function of packed values."""

    noun = "packed function"

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


# Functions ----------------------------------------------------------------------------------------


def _nop(*_values: Any) -> None:
    return None


def _tuple_of(*items: Any) -> Container:
    return Container(tuple(_plain(item) for item in items))


def _integer(value: int) -> Container:
    return Container(int(value))


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Container) else value


def _zeros(shape: Any, dtype: Any = None, ctx: Any = None) -> NDArray:
    attrs = {"shape": _sizes(shape), "dtype": dtype or "float32", "ctx": ctx or ""}
    made: NDArray = invoke(find_operator("_npi_zeros").of(attrs), ())
    return made


def _sizes(shape: Any) -> tuple[int, ...]:
    plain = _plain(shape)
    return (plain,) if isinstance(plain, int) else tuple(plain)


def _tensordot(a: NDArray, b: NDArray, axes: Any = 2) -> NDArray:
    plain = _plain(axes)
    if isinstance(plain, int):
        op = find_operator("_npi_tensordot_int_axes").of({"axes": plain})
    else:
        a_axes, b_axes = (_sizes(part) for part in plain)
        attrs = {"a_axes_summed": a_axes, "b_axes_summed": b_axes}
        op = find_operator("_npi_tensordot").of(attrs)
    made: NDArray = invoke(op, (a, b))
    return made


_GLOBAL: dict[str, Callable[..., Any]] = {
    "_nop": _nop,
    "_ADT": _tuple_of,
    "_Integer": _integer,
    "_npi.zeros": _zeros,
    "_npi.tensordot": _tensordot,
}

# Values -------------------------------------------------------------------------------------------


def _value(value: Any, code: int) -> Any:
    if code == _INT:
        return value.v_int64
    if code == _FLOAT:
        return value.v_float64
    if code == _NULL:
        return None
    if code == _STR:
        return text(value.v_str)
    number = int(ffi.cast("uintptr_t", value.v_handle))
    if code == _ARRAY:
        return find(number, NDArray)
    if code == _OBJECT:
        return find(number, Container)
    if code == _HANDLE:
        return number
    raise ArgumentTypeError(f"a packed value with type code {code} cannot be read")


def _return(result: Any, ret_val: Any, ret_type_code: Any) -> None:
    if result is None:
        ret_type_code[0] = _NULL
    elif isinstance(result, float):
        ret_val.v_float64, ret_type_code[0] = result, _FLOAT
    elif isinstance(result, int):
        ret_val.v_int64, ret_type_code[0] = result, _INT
    else:
        ret_val.v_handle = ffi.cast("void *", give(result))
        ret_type_code[0] = _ARRAY if isinstance(result, NDArray) else _OBJECT


@extern
def MXNetFuncCall(
    func: int, arg_values: Any, type_codes: Any, num_args: int, ret_val: Any, ret_type_code: Any
) -> None:
    codes = numbers(num_args, type_codes)
    values: Sequence[Any] = [_value(arg_values[i], code) for i, code in enumerate(codes)]
    try:
        result = find(func, PackedFunction).function(*values)
    except TypeError as error:
        raise MXNetError(f"a packed function: {error}") from None
    _return(result, ret_val, ret_type_code)


@extern
def MXNetFuncFree(func: int) -> None:
    free(func, PackedFunction)


@extern
def MXNetFuncGetGlobal(name: Any, out: Any) -> None:
    """Gives a null pointer for a name that no function has."""
    function = _GLOBAL.get(text(name))
    out[0] = 0 if function is None else give(PackedFunction(function))


@cache
def _names() -> tuple[int, Any, Any]:
    return len(_GLOBAL), *texts_memory(_GLOBAL)


@extern
def MXNetFuncListGlobalNames(out_size: Any, out_array: Any) -> None:
    out_size[0], out_array[0], _ = _names()


@extern
def MXNetObjectFree(obj: int) -> None:
    free(obj, Container)
