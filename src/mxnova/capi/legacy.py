# SPDX-License-Identifier: Apache-2.0
"""Functions on arrays from before operators; each is the operator of its name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from ..core.base.handles import find, give
from ..core.nd.array import NDArray
from ..core.op.schema import find as find_operator
from .arguments import found, numbers, pairs, text
from .entry_points import extern
from .interface import NULL, ffi
from .operators import run_into
from .returns import text_memory, texts_memory

__all__: list[str] = []

_ARRAYS_FIRST, _MAY_BE_EMPTY = 1, 4  # bits of a function's kind: order of arguments, of outputs


@dataclass(frozen=True)
class _Function:
    """What a function takes, and how MXNet words it; it writes one array."""

    name: str
    arrays: tuple[str, ...]
    scalars: tuple[str, ...]
    kind: int
    array_text: str = "NDArray"
    scalar_text: str = "real_t"

    noun: ClassVar[str] = "function"


_FUNCTIONS = {
    function.name: function
    for function in (
        _Function("_set_value", (), ("src",), 0),
        _Function("_onehot_encode", ("lhs", "rhs"), (), _ARRAYS_FIRST | _MAY_BE_EMPTY),
        _Function("fill_element_0index", ("lhs", "mhs", "rhs"), (), _ARRAYS_FIRST | _MAY_BE_EMPTY),
        _Function(
            "_imdecode",
            ("mean",),
            ("index", "x0", "y0", "x1", "y1", "c", "size"),
            _ARRAYS_FIRST | _MAY_BE_EMPTY,
            "NDArray-or-Symbol",
            "int",
        ),
    )
}


@cache
def _handle(name: str) -> int:
    return give(_FUNCTIONS[name])


@cache
def _handles() -> Any:
    return ffi.new("uintptr_t[]", [_handle(name) for name in _FUNCTIONS])


@extern
def MXListFunctions(out_size: Any, out_array: Any) -> None:
    out_size[0], out_array[0] = len(_FUNCTIONS), _handles()


@extern
def MXGetFunction(name: Any, out: Any) -> None:
    """Gives a null pointer for a name that no function has."""
    wanted = text(name)
    out[0] = _handle(wanted) if wanted in _FUNCTIONS else 0


_EMPTY = text_memory("")


@cache
def _description(handle: int) -> tuple[Any, ...]:
    function = find(handle, _Function)
    names = [*function.arrays, *function.scalars]
    kinds = [function.array_text] * len(function.arrays)
    kinds += [function.scalar_text] * len(function.scalars)
    return (
        text_memory(function.name),
        _EMPTY,
        len(names),
        *(texts_memory(column) for column in (names, kinds, [""] * len(names))),
    )


@extern
def MXFuncGetInfo(
    fun: int,
    name: Any,
    description: Any,
    num_args: Any,
    arg_names: Any,
    arg_type_infos: Any,
    arg_descriptions: Any,
    return_type: Any,
) -> None:
    name[0], description[0], num_args[0], names, kinds, docs = _description(fun)
    arg_names[0], arg_type_infos[0], arg_descriptions[0] = names[0], kinds[0], docs[0]
    if return_type != NULL:
        return_type[0] = _EMPTY


@extern
def MXFuncDescribe(
    fun: int, num_use_vars: Any, num_scalars: Any, num_mutate_vars: Any, type_mask: Any
) -> None:
    function = find(fun, _Function)
    num_use_vars[0], num_scalars[0] = len(function.arrays), len(function.scalars)
    num_mutate_vars[0], type_mask[0] = 1, function.kind


@extern
def MXFuncInvokeEx(
    fun: int,
    use_vars: Any,
    scalar_args: Any,
    mutate_vars: Any,
    num_params: int,
    param_keys: Any,
    param_vals: Any,
) -> None:
    function = find(fun, _Function)
    scalars = numbers(len(function.scalars), scalar_args)
    attrs = pairs(num_params, param_keys, param_vals)
    attrs |= {n: str(v) for n, v in zip(function.scalars, scalars, strict=True)}
    arrays = found(len(function.arrays), use_vars, NDArray)
    run_into(find_operator(function.name), arrays, attrs, found(1, mutate_vars, NDArray))


@extern
def MXFuncInvoke(fun: int, use_vars: Any, scalar_args: Any, mutate_vars: Any) -> None:
    MXFuncInvokeEx(fun, use_vars, scalar_args, mutate_vars, 0, NULL, NULL)
