# SPDX-License-Identifier: Apache-2.0
"""Functions of MXNet's C library that programs call through ctypes, by their names there.

Each takes ctypes values and gives 0, or -1 after an error, which `MXGetLastError` tells.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from .core.base.errors import ArgumentError, MXNetError, candidates
from .core.base.handles import handle_to_keep, object_of
from .core.base.shapes import shape_text
from .core.exec.bind import subgraph_backends
from .core.graph.symbol import Symbol
from .core.nd.array import NDArray
from .core.nd.creation import from_dlpack
from .core.op.schema import REGISTRY
from .core.runtime.threads import limit_process, thread_count

__all__ = ["LIBRARY", "set_threads"]


class _Library:
    """Functions as attributes."""

    def __init__(self) -> None:
        self._error = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in _FUNCTIONS:
            hint = candidates(name, _FUNCTIONS)
            raise AttributeError(f"mxnova has no C library, and no function {name!r} for one{hint}")

        def call(*args: Any) -> int:
            try:
                _FUNCTIONS[name](*args)
            except MXNetError as error:
                self._error = str(error)
                return -1
            return 0

        return call

    def MXGetLastError(self) -> bytes:  # noqa: N802 - the name in C
        """What went wrong last."""
        return self._error.encode()

    def omp_get_max_threads(self) -> int:
        """How many threads a kernel uses on the CPU."""
        return thread_count()


# Programs that call this one themselves rely on MXNet having said that it gives an address.
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p

_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))


def _array_from_dlpack(tensor: ctypes.c_void_p, out: Any) -> None:
    capsule = _new_capsule(tensor, b"dltensor", None)
    out._obj.value = handle_to_keep(from_dlpack(capsule)).value


def _copy_to_memory(handle: Any, memory: Any, size: Any) -> None:
    values = np.ascontiguousarray(_sized(handle, size).asnumpy())
    ctypes.memmove(memory, values.ctypes.data, values.nbytes)


def _copy_from_memory(handle: Any, memory: Any, size: Any) -> None:
    array = _sized(handle, size)
    values = np.empty(array.shape, array.dtype)
    ctypes.memmove(values.ctypes.data, memory, values.nbytes)
    array[...] = values


def _sized(handle: Any, size: Any) -> NDArray:
    """The array of a handle, which `size` elements are copied from or to."""
    array = object_of(handle, NDArray)
    elements = getattr(size, "value", size)
    if array.size != elements:
        raise MXNetError(
            f"{elements} elements are copied, and the array's shape is {shape_text(array.shape)}"
        )
    return array


@runtime_checkable
class RecordFile(Protocol):
    """What has a handle as a RecordIO file has."""

    def position(self) -> int:
        """Where the next record begins."""


def _tell_record(handle: Any, position: Any) -> None:
    record_file: RecordFile = object_of(handle, cast(type[Any], RecordFile))
    position._obj.value = record_file.position()


_MOST_THREADS = 4096


def set_threads(count: int) -> None:
    """How many threads a kernel uses on the CPU from now on.

    Raises:
        ArgumentError: `count` is below 1, or absurd.
    """
    if not 1 <= count <= _MOST_THREADS:
        raise ArgumentError(f"thread_num={count}: must be from 1 to {_MOST_THREADS}")
    limit_process(count)


def _set_threads(count: Any) -> None:
    set_threads(getattr(count, "value", count))


def _symbol_with_subgraphs(handle: Any, backend: Any, count: Any, names: Any, out: Any) -> None:
    symbol = object_of(handle, Symbol)
    made = subgraph_backends.with_operators(symbol, _text(backend), _texts(count, names))
    out._obj.value = handle_to_keep(made).value


def _set_operators(must_exist: bool) -> Callable[..., None]:
    return lambda backend, count, names: subgraph_backends.set_operators(
        _text(backend), _texts(count, names), must_exist
    )


def _remove_operators(must_exist: bool) -> Callable[..., None]:
    return lambda backend: subgraph_backends.remove_operators(_text(backend), must_exist)


def _text(text: Any) -> str:
    return str((text if isinstance(text, bytes) else text.value).decode())


def _texts(count: Any, names: Any) -> list[str]:
    return [_text(name) for name in names[: getattr(count, "value", count)]]


@cache
def _names_of_operators() -> ctypes.Array[ctypes.c_char_p]:
    names = sorted(REGISTRY)
    return (ctypes.c_char_p * len(names))(*(name.encode() for name in names))


def _list_operators(count: Any, names: Any) -> None:
    found = _names_of_operators()
    count._obj.value = len(found)
    names._obj.contents = ctypes.c_char_p.from_buffer(found)


_FUNCTIONS: dict[str, Callable[..., None]] = {
    "MXListAllOpNames": _list_operators,
    "MXNDArrayFromDLPack": _array_from_dlpack,
    "MXNDArraySyncCopyFromCPU": _copy_from_memory,
    "MXNDArraySyncCopyToCPU": _copy_to_memory,
    "MXRecordIOReaderTell": _tell_record,
    "MXRecordIOWriterTell": _tell_record,
    "MXSetNumOMPThreads": _set_threads,
    "MXBuildSubgraphByOpNames": _symbol_with_subgraphs,
    "MXSetSubgraphPropertyOpNames": _set_operators(must_exist=False),
    "MXSetSubgraphPropertyOpNamesV2": _set_operators(must_exist=True),
    "MXRemoveSubgraphPropertyOpNames": _remove_operators(must_exist=False),
    "MXRemoveSubgraphPropertyOpNamesV2": _remove_operators(must_exist=True),
}

LIBRARY = _Library()
