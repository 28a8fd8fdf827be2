# SPDX-License-Identifier: Apache-2.0
"""Arrays: made, filled, read, looked at, viewed."""

from __future__ import annotations

from typing import Any

import torch

from ..core.base.errors import MXNetError
from ..core.base.handles import GIVEN, find, free, give
from ..core.base.scopes import is_np_shape
from ..core.base.shapes import shape_text
from ..core.nd.array import NDArray
from ..core.nd.wrapping import wrap
from ..core.runtime.context import waitall
from ..core.runtime.storage import moved
from .arguments import numbers, refuse_null
from .entry_points import extern, status
from .enums import context_at, dtype_at, flag_of, is_open, stype_number
from .interface import NULL, ffi
from .returns import keep

__all__ = ["array_at", "empty_array", "with_memory"]


def array_at(handle: int) -> NDArray:
    """The array of a handle, which has memory."""
    return with_memory(find(handle, NDArray))


def with_memory(array: NDArray) -> NDArray:
    """`array`, unless it is one that an operator is yet to give values to."""
    if not hasattr(array, "_raw"):
        raise MXNetError("the array has no values yet: nothing was written to it")
    return array


def empty_array() -> NDArray:
    """An array that gets shape, type and memory by being written to."""
    return NDArray(None)


# Made ---------------------------------------------------------------------------------------------


def _create(shape: list[int], place: tuple[int, int], dtype: int) -> int:
    context = context_at(*place)
    if is_open(shape):
        return give(empty_array())
    zeros = torch.zeros(shape, dtype=dtype_at(dtype), device=context.device)
    return give(wrap(moved(zeros, context), context))


@extern
def MXNDArrayCreateNone(out: Any) -> None:
    out[0] = give(empty_array())


@extern
def MXNDArrayCreate(
    shape: Any, ndim: int, dev_type: int, dev_id: int, delay_alloc: int, out: Any
) -> None:
    out[0] = _create(numbers(ndim, shape), (dev_type, dev_id), 0)


@extern
def MXNDArrayCreateEx(
    shape: Any, ndim: int, dev_type: int, dev_id: int, delay_alloc: int, dtype: int, out: Any
) -> None:
    out[0] = _create(numbers(ndim, shape), (dev_type, dev_id), dtype)


@extern
def MXNDArrayCreateEx64(
    shape: Any, ndim: int, dev_type: int, dev_id: int, delay_alloc: int, dtype: int, out: Any
) -> None:
    out[0] = _create(numbers(ndim, shape), (dev_type, dev_id), dtype)


@extern
def MXShallowCopyNDArray(src: int, out: Any) -> None:
    out[0] = give(find(src, NDArray))


@status
def MXNDArrayFree(handle: int) -> int:
    if type(GIVEN.get(handle)) is NDArray:
        GIVEN.pop(handle, None)
    elif handle:
        free(handle, NDArray)
    return 0


# Filled and read ----------------------------------------------------------------------------------


def _bytes_of(array: NDArray, size: int) -> tuple[torch.Tensor, int]:
    """The values of an array, and how many bytes `size` elements are, which must be all."""
    tensor = array._target
    if not isinstance(tensor, torch.Tensor):
        raise MXNetError(f"values of {array.stype} arrays are copied part by part")
    if tensor.numel() != size:
        shape = shape_text(tuple(tensor.shape))
        raise MXNetError(f"{size} elements are copied, and the array's shape is {shape}")
    return tensor, size * tensor.element_size()


@extern
def MXNDArraySyncCopyFromCPU(handle: int, data: Any, size: int) -> None:
    array = find(handle, NDArray)
    if not size and not hasattr(array, "_raw"):
        return
    tensor, count = _bytes_of(with_memory(array), size)
    refuse_null(data, count)
    if tensor.is_cuda or not tensor.is_contiguous():
        staged = torch.empty(tensor.shape, dtype=tensor.dtype)
        ffi.memmove(ffi.cast("void *", staged.data_ptr()), data, count)
        tensor.copy_(staged)
    else:
        ffi.memmove(ffi.cast("void *", tensor.data_ptr()), data, count)
        _touch(tensor)


def _touch(tensor: torch.Tensor) -> None:
    """Moves the version counter of a tensor that was written to behind ATen's back."""
    torch.autograd.graph.increment_version(tensor)


@extern
def MXNDArraySyncCopyToCPU(handle: int, data: Any, size: int) -> None:
    array = find(handle, NDArray)
    if not size and not hasattr(array, "_raw"):
        return
    tensor = with_memory(array)._tensor
    if tensor.numel() != size:
        raise MXNetError(
            f"{size} elements are copied, and the array's shape is {shape_text(array.shape)}"
        )
    tensor = tensor.detach().contiguous().cpu()
    refuse_null(data, size)
    ffi.memmove(data, ffi.cast("void *", tensor.data_ptr()), size * tensor.element_size())


@extern
def MXNDArrayGetData(handle: int, out_pdata: Any) -> None:
    array = find(handle, NDArray)
    if not hasattr(array, "_raw"):
        out_pdata[0] = NULL
        return
    array._chunk.foreign = True
    value = array._target
    tensor = value if isinstance(value, torch.Tensor) else value.data
    out_pdata[0] = ffi.cast("void *", tensor.data_ptr())


@extern
def MXNDArrayWaitToRead(handle: int) -> None:
    array = find(handle, NDArray)
    if hasattr(array, "_raw"):
        array.wait_to_read()


@extern
def MXNDArrayWaitToWrite(handle: int) -> None:
    array = find(handle, NDArray)
    if hasattr(array, "_raw"):
        _ = array._target
        array.wait_to_read()


@extern
def MXNDArrayWaitAll() -> None:
    waitall()


# Looked at ----------------------------------------------------------------------------------------


def _return_shape(handle: int, out_dim: Any, out_pdata: Any, kind: str, unknown: int) -> None:
    array = find(handle, NDArray)
    if not hasattr(array, "_raw"):
        out_dim[0], out_pdata[0] = unknown, NULL
        return
    shape = array._raw.shape
    out_dim[0] = len(shape)
    out_pdata[0] = keep(kind, ffi.new(kind, list(shape) or 1))


def _unknown() -> int:
    """The number of axes of an array without memory."""
    return -1 if is_np_shape() else 0


@extern
def MXNDArrayGetShape(handle: int, out_dim: Any, out_pdata: Any) -> None:
    _return_shape(handle, out_dim, out_pdata, "uint32_t[]", 0)


@extern
def MXNDArrayGetShapeEx(handle: int, out_dim: Any, out_pdata: Any) -> None:
    _return_shape(handle, out_dim, out_pdata, "int[]", _unknown())


@extern
def MXNDArrayGetShapeEx64(handle: int, out_dim: Any, out_pdata: Any) -> None:
    _return_shape(handle, out_dim, out_pdata, "int64_t[]", _unknown())


@extern
def MXNDArrayGetDType(handle: int, out_dtype: Any) -> None:
    array = find(handle, NDArray)
    out_dtype[0] = flag_of(array._raw.dtype) if hasattr(array, "_raw") else -1


@extern
def MXNDArrayGetContext(handle: int, out_dev_type: Any, out_dev_id: Any) -> None:
    array = find(handle, NDArray)
    if not hasattr(array, "_raw"):
        out_dev_type[0] = out_dev_id[0] = 0
        return
    context = array._chunk.context
    out_dev_type[0], out_dev_id[0] = context.device_typeid, context.device_id


@extern
def MXNDArrayGetStorageType(handle: int, out_storage_type: Any) -> None:
    out_storage_type[0] = stype_number(find(handle, NDArray))
