# SPDX-License-Identifier: Apache-2.0
"""Symbols as functions of arrays."""

from __future__ import annotations

from typing import Any

from ..core.base.handles import find, free, give
from ..core.exec.bind.cached_op import CachedOp
from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from .arguments import found, pairs
from .entry_points import call_back, extern
from .enums import stype_number
from .interface import NULL, ffi
from .operators import become
from .returns import keep, return_handles, text_memory

__all__: list[str] = []


@extern
def MXCreateCachedOp(handle: int, out: Any) -> None:
    out[0] = give(CachedOp(find(handle, Symbol)))


@extern
def MXCreateCachedOpEx(handle: int, num_flags: int, keys: Any, vals: Any, out: Any) -> None:
    flags = pairs(num_flags, keys, vals)
    out[0] = give(CachedOp(find(handle, Symbol), flags.items()))


@extern
def MXCreateCachedOpEX(
    handle: int, num_flags: int, keys: Any, vals: Any, out: Any, thread_safe: bool
) -> None:
    MXCreateCachedOpEx(handle, num_flags, keys, vals, out)


@extern
def MXFreeCachedOp(handle: int) -> None:
    free(handle, CachedOp)


@extern
def MXInvokeCachedOp(
    handle: int, num_inputs: int, inputs: Any, num_outputs: Any, outputs: Any
) -> None:
    _invoke(handle, num_inputs, inputs, num_outputs, outputs)


@extern
def MXInvokeCachedOpEx(
    handle: int, num_inputs: int, inputs: Any, num_outputs: Any, outputs: Any, out_stypes: Any
) -> None:
    results = _invoke(handle, num_inputs, inputs, num_outputs, outputs)
    stypes = [stype_number(array) for array in results]
    out_stypes[0] = keep("stypes", ffi.new("int[]", stypes or 1))


def _invoke(
    handle: int, num_inputs: int, inputs: Any, num_outputs: Any, outputs: Any
) -> list[NDArray]:
    function, arrays = find(handle, CachedOp), found(num_inputs, inputs, NDArray)
    given = [] if outputs[0] == NULL else found(num_outputs[0], outputs[0], NDArray)
    if given and all(hasattr(out, "_raw") for out in given):
        function(*arrays, out=given)
        return given
    results = function(*arrays)
    results = results if isinstance(results, list) else [results]
    if given:
        for out, result in zip(given, results, strict=True):
            become(out, result)
    else:
        return_handles(num_outputs, outputs, results, "outputs")
    return results


@extern
def MXCachedOpRegisterOpHook(handle: int, callback: Any, monitor_all: bool) -> None:
    def tell(name: str, operator: str, array: NDArray) -> None:
        call_back(callback, text_memory(name), text_memory(operator), give(array))

    find(handle, CachedOp)._register_op_hook(None if callback == NULL else tell, monitor_all)
