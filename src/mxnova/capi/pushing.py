# SPDX-License-Identifier: Apache-2.0
"""The engine: functions of C run when what they read and write is ready.

Programs that push were compiled with MXNet's C++ headers: what they hand over and get by pointer
are structs of these, which ctypes describes here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.handles import find, free, give
from ..core.nd.access import var_of
from ..core.nd.array import NDArray
from ..core.runtime.context import Context, cpu
from ..core.runtime.engine import Completion, FnProperty, Var, engine
from .arguments import found, optional_text
from .entry_points import call_back, extern
from .enums import context_at
from .interface import NULL, ffi
from .ndarray import with_memory


class _Context(ctypes.Structure):
    _fields_ = (("dev_type", ctypes.c_int32), ("dev_id", ctypes.c_int32))


class _RunContext(ctypes.Structure):
    _fields_ = (
        ("ctx", _Context),
        ("stream", ctypes.c_void_p),
        ("aux_stream", ctypes.c_void_p),
        ("is_bulk", ctypes.c_bool),
    )


_Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class _OnComplete(ctypes.Structure):
    """What an asynchronous function calls when it is done; programs copy it."""

    _fields_ = (("callback", _Callback), ("engine", ctypes.c_void_p), ("param", ctypes.c_void_p))


@_Callback  # type: ignore[untyped-decorator]  # ctypes has no types for it
def _completed(_engine: int | None, param: int, error: int | None) -> None:
    completion = find(param, Completion)
    free(param, Completion)
    completion(None if not error else MXNetError("the operation said that it failed"))


class _Function:
    """A function of C with what it is called with, which is deleted when nobody can call it."""

    def __init__(self, function: Any, param: Any, deleter: Any) -> None:
        if function == NULL:
            raise ArgumentError("engine: the function is a null pointer")
        self._function, self._param, self._deleter = function, param, deleter

    def call(self, *args: int) -> None:
        """Calls it with addresses, and with what is its own."""
        call_back(self._function, *(ffi.cast("void *", a) for a in args), self._param)

    def __del__(self) -> None:
        if getattr(self, "_deleter", NULL) != NULL:
            call_back(self._deleter, self._param)


def _run_context(context: Context) -> _RunContext:
    return _RunContext(_Context(context.device_typeid, context.device_id))


def _asynchronous(function: _Function, context: Context) -> Callable[[Completion], None]:
    def run(completion: Completion) -> None:
        place = _run_context(context)
        done = _OnComplete(_completed, None, give(completion))
        function.call(ctypes.addressof(place), ctypes.addressof(done))

    return run


def _synchronous(function: _Function, context: Context) -> Callable[[], None]:
    def run() -> None:
        place = _run_context(context)
        function.call(ctypes.addressof(place))

    return run


def _push(
    function: _Function,
    is_async: bool,
    place: int,
    vars: tuple[Sequence[Var], Sequence[Var]],
    kind: int,
    priority: int,
    name: Any,
) -> None:
    at = _Context.from_address(place) if place else None
    context = cpu() if at is None else context_at(at.dev_type, at.dev_id)
    made = _asynchronous(function, context) if is_async else _synchronous(function, context)
    number = ctypes.c_int.from_address(kind).value if kind else 0
    if number not in FnProperty.__members__.values():
        raise ArgumentError(f"engine: {number} is no property of a function")
    label = optional_text(name) or "a function of C"
    operation = engine().new_operator(made, *vars, FnProperty(number), label, is_async)
    engine().push(operation, context, priority)


def _vars(count: int, handles: int) -> list[Var]:
    return found(count, ffi.cast("uintptr_t *", handles), Var)


def _vars_of(count: int, handles: Any) -> list[Var]:
    return [var_of(with_memory(array)) for array in found(count, handles, NDArray)]


def _pushing(name: str, is_async: bool, vars_of: Callable[[int, Any], list[Var]]) -> None:
    """Makes one of the four functions that push."""

    def push(
        function: Any,
        param: Any,
        deleter: Any,
        place: int,
        reads: Any,
        n_reads: int,
        writes: Any,
        n_writes: int,
        kind: int,
        priority: int,
        label: Any,
        _wait: bool = False,
    ) -> None:
        made = _Function(function, param, deleter)
        vars = vars_of(n_reads, reads), vars_of(n_writes, writes)
        _push(made, is_async, place, vars, kind, priority, label)

    push.__name__ = name
    extern(push)


_pushing("MXEnginePushAsync", True, _vars)
_pushing("MXEnginePushSync", False, _vars)
_pushing("MXEnginePushAsyncND", True, _vars_of)
_pushing("MXEnginePushSyncND", False, _vars_of)
