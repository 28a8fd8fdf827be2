# SPDX-License-Identifier: Apache-2.0
"""Memory shared with other libraries, by DLPack, and with other processes."""

from __future__ import annotations

import ctypes
import os
import stat
from typing import Any

from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.handles import give
from ..core.nd.creation import from_dlpack
from ..core.nd.sharing import rebuild_array, reduce_array
from ..core.runtime.context import cpu_shared
from ..core.runtime.shared_memory import block_ids
from .arguments import numbers
from .entry_points import call_back, extern
from .enums import dtype_at
from .interface import ffi
from .ndarray import array_at

__all__: list[str] = []

# DLPack -------------------------------------------------------------------------------------------

_TENSOR_WORDS = 8  # a DLManagedTensor is six words of the tensor, its context, its deleter
_DELETER = 7
_NAME, _USED = b"dltensor", b"used_dltensor"  # a capsule keeps a pointer to its name

_python = ctypes.pythonapi
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", _python))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _python)
)
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", _python)
)


@extern
def MXNDArrayToDLPack(handle: int, out_dlpack: Any) -> None:
    capsule = array_at(handle).to_dlpack_for_write()
    out_dlpack[0] = _pointer_of(capsule, _NAME)
    _rename(capsule, _USED)  # the tensor is C's from here on


@extern
def MXNDArrayFromDLPack(dlpack: int, out_handle: Any) -> None:
    MXNDArrayFromDLPackEx(dlpack, False, out_handle)


@extern
def MXNDArrayFromDLPackEx(dlpack: int, transient_handle: bool, out_handle: Any) -> None:
    if not dlpack:
        raise ArgumentError("from_dlpack: the tensor is a null pointer")
    pointer = _kept_copy(dlpack) if transient_handle else dlpack
    _name_truth_values(pointer)
    out_handle[0] = give(from_dlpack(_new_capsule(pointer, _NAME, None)))


# Where a tensor's element type is: a byte for its code, one for its bits.
_TYPE = 20
_TRUTH_OF_MXNET, _TRUTH = (1, 1), (6, 8)  # an unsigned integer of one bit; DLPack's own


def _name_truth_values(pointer: int) -> None:
    kind = ffi.cast("unsigned char *", pointer) + _TYPE
    if (kind[0], kind[1]) == _TRUTH_OF_MXNET:
        kind[0], kind[1] = _TRUTH


_copies: dict[int, tuple[Any, int]] = {}  # address of a copy -> it, the deleter


def _kept_copy(pointer: int) -> int:
    """A copy of a tensor whose own memory will not last, until its deleter is called."""
    words = ffi.new("uintptr_t[]", _TENSOR_WORDS)
    ffi.memmove(words, ffi.cast("void *", pointer), ffi.sizeof(words))
    address = int(ffi.cast("uintptr_t", words))
    _copies[address] = words, words[_DELETER]
    words[_DELETER] = int(ffi.cast("uintptr_t", _forget_copy))
    return address


@ffi.callback("void(*)(uintptr_t)")  # type: ignore[untyped-decorator]
def _forget_copy(address: int) -> None:
    words, deleter = _copies.pop(address)
    words[_DELETER] = deleter
    _delete(address)


def _delete(pointer: int) -> None:
    words = ffi.cast("uintptr_t *", pointer)
    if words[_DELETER]:
        call_back(ffi.cast("void(*)(uintptr_t)", words[_DELETER]), pointer)


@extern
def MXNDArrayCallDLPackDeleter(dlpack: int) -> None:
    if dlpack:
        _delete(dlpack)


# Other processes ----------------------------------------------------------------------------------

_COOKIE, _HEADER, _SENT = 16, os.sysconf("SC_PAGE_SIZE"), 1  # see core.runtime.memfd


@extern
def MXNDArrayGetSharedMemHandle(handle: int, shared_pid: Any, shared_id: Any) -> None:
    array = array_at(handle)
    if array.context.device_type != "cpu_shared" or not array.size:
        raise MXNetError("arrays on cpu_shared that have elements are shared between processes")
    (pid, number, _, _), _, _, _, offset = reduce_array(array)
    if offset:
        raise MXNetError("a view that starts inside an array's memory is not shared: copy it")
    shared_pid[0], shared_id[0] = pid, number


def _receive(pid: int, number: int, shape: list[int], dtype: int) -> int:
    """The array in a block that process `pid` has sent, once for each receiver.

    The number is that of a file: here, if multiprocessing has brought it, which ends then, as in
    MXNet; else one of the sender's.
    """
    is_given = (
        pid != os.getpid()
        and number not in block_ids()
        and _sent_header(f"/proc/self/fd/{number}") is not None
    )
    holder = os.getpid() if is_given else pid
    header = _sent_header(f"/proc/{holder}/fd/{number}")
    if header is None:
        raise MXNetError(f"process {pid} shares no array as {number}, or it is gone")
    address = (holder, number, header[:_COOKIE], header.index(_SENT, _COOKIE))
    made = give(rebuild_array(address, cpu_shared(), dtype_at(dtype), tuple(shape), 0))
    if is_given:
        os.close(number)
    return made


def _sent_header(path: str) -> bytes | None:
    """The beginning of a block that was sent; None where there is none."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # reading a pipe would wait
            return None
        with open(path, "rb") as file:
            header = file.read(_HEADER)
    except OSError:
        return None
    return header if len(header) == _HEADER and header.find(_SENT, _COOKIE) > 0 else None


@extern
def MXNDArrayCreateFromSharedMem(
    shared_pid: int, shared_id: int, shape: Any, ndim: int, dtype: int, out: Any
) -> None:
    out[0] = _receive(shared_pid, shared_id, numbers(ndim, shape), dtype)


extern(MXNDArrayCreateFromSharedMem, "MXNDArrayCreateFromSharedMemEx")
