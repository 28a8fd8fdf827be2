# SPDX-License-Identifier: Apache-2.0
"""Arrays over the memory of others, parts of sparse ones, gradients of arrays."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..core.base.errors import MXNetError, OutOfRangeError
from ..core.base.handles import find, give
from ..core.base.scopes import is_np_shape
from ..core.nd.array import NDArray
from ..core.nd.creation import zeros
from ..core.nd.sparse import BaseSparseNDArray
from ..core.nd.wrapping import empty_sparse, receive, wrap
from ..core.op.sparse.storage import sparse_of
from .arguments import numbers
from .entry_points import extern
from .enums import context_at, dtype_at, flag_of, is_open, stype_at
from .ndarray import array_at, empty_array
from .operators import become

__all__: list[str] = []

# Views --------------------------------------------------------------------------------------------


def _slice(handle: int, begin: int, end: int) -> int:
    array = array_at(handle)
    rows = array.shape[0] if array.shape else 0
    if not 0 <= begin <= end <= rows:
        raise OutOfRangeError(f"rows {begin} to {end} of an array with {rows}")
    return give(
        array.detach() if (begin, end) == (0, rows) and not _flows(array) else array[begin:end]
    )


def _flows(array: NDArray) -> bool:
    return array._tracked is not None


@extern
def MXNDArraySlice(handle: int, slice_begin: int, slice_end: int, out: Any) -> None:
    out[0] = _slice(handle, slice_begin, slice_end)


@extern
def MXNDArraySlice64(handle: int, slice_begin: int, slice_end: int, out: Any) -> None:
    out[0] = _slice(handle, slice_begin, slice_end)


def _at(handle: int, idx: int) -> int:
    array = array_at(handle)
    rows = array.shape[0] if array.shape else 0
    if not 0 <= idx < rows:
        raise OutOfRangeError(f"row {idx} of an array with {rows}")
    row = array[idx : idx + 1]
    sizes = array.shape[1:]
    if array.stype != "default" or (not sizes and not is_np_shape()):
        return give(row)
    # To Reshape, 0 is an axis as it was: -3 joins two axes, -2 keeps the rest.
    return give(row.reshape((-3, -2) if 0 in sizes else sizes))


@extern
def MXNDArrayAt(handle: int, idx: int, out: Any) -> None:
    out[0] = _at(handle, idx)


@extern
def MXNDArrayAt64(handle: int, idx: int, out: Any) -> None:
    out[0] = _at(handle, idx)


def _reshaped(array: NDArray, sizes: list[int]) -> NDArray:
    """The elements in another shape; one for fewer has the first of them, as in MXNet."""
    count = math.prod(sizes)
    if min(sizes, default=0) > 0 and count < array.size and not is_np_shape():
        array = array.reshape((-1,))[:count]
    made: NDArray = array.reshape(sizes)
    return made


@extern
def MXNDArrayReshape(handle: int, ndim: int, dims: Any, out: Any) -> None:
    out[0] = give(_reshaped(array_at(handle), numbers(ndim, dims)))


@extern
def MXNDArrayReshape64(handle: int, ndim: int, dims: Any, reverse: bool, out: Any) -> None:
    array, sizes = array_at(handle), numbers(ndim, dims)
    made = array.reshape(shape=sizes, reverse=True) if reverse else _reshaped(array, sizes)
    out[0] = give(made)


@extern
def MXNDArrayDetach(handle: int, out: Any) -> None:
    out[0] = give(array_at(handle).detach())


# Gradients ----------------------------------------------------------------------------------------


@extern
def MXNDArrayGetGrad(handle: int, out: Any) -> None:
    gradient = find(handle, NDArray).grad
    out[0] = 0 if gradient is None else give(gradient)


@extern
def MXNDArraySetGradState(handle: int, state: int) -> None:
    array_at(handle)._fresh_grad = bool(state)


@extern
def MXNDArrayGetGradState(handle: int, out: Any) -> None:
    out[0] = array_at(handle)._fresh_grad


# Sparse arrays ------------------------------------------------------------------------------------


def _sparse_at(handle: int) -> BaseSparseNDArray:
    array = array_at(handle)
    if not isinstance(array, BaseSparseNDArray):
        raise MXNetError("a dense array has no parts")
    return array


@extern
def MXNDArrayCreateSparseEx(
    storage_type: int,
    shape: Any,
    ndim: int,
    dev_type: int,
    dev_id: int,
    delay_alloc: int,
    dtype: int,
    num_aux: int,
    aux_type: Any,
    aux_ndims: Any,
    aux_shape: Any,
    out: Any,
) -> None:
    sizes, context = numbers(ndim, shape), context_at(dev_type, dev_id)
    if is_open(sizes):
        out[0] = give(empty_array())
        return
    out[0] = give(empty_sparse(stype_at(storage_type), tuple(sizes), context, dtype_at(dtype)))


MXNDArrayCreateSparseEx64 = extern(MXNDArrayCreateSparseEx, "MXNDArrayCreateSparseEx64")


@extern
def MXNDArrayGetAuxType(handle: int, i: int, out_type: Any) -> None:
    out_type[0] = flag_of(_part(_sparse_at(handle), i).dtype)


MXNDArrayGetAuxType64 = extern(MXNDArrayGetAuxType, "MXNDArrayGetAuxType64")


@extern
def MXNDArrayGetAuxNDArray(handle: int, i: int, out: Any) -> None:
    array = _sparse_at(handle)
    out[0] = give(wrap(_part(array, i).clone(), array.context))


MXNDArrayGetAuxNDArray64 = extern(MXNDArrayGetAuxNDArray, "MXNDArrayGetAuxNDArray64")


def _part(array: BaseSparseNDArray, i: int) -> torch.Tensor:
    parts = array._value.aux
    if not 0 <= i < len(parts):
        raise OutOfRangeError(f"part {i} of a {array.stype} array, which has {len(parts)}")
    part: torch.Tensor = parts[i]
    return part


@extern
def MXNDArrayGetDataNDArray(handle: int, out: Any) -> None:
    array = array_at(handle)
    is_sparse = isinstance(array, BaseSparseNDArray)
    out[0] = give(wrap(array._value.data, array.context) if is_sparse else array)


@extern
def MXNDArraySyncCopyFromNDArray(handle_dst: int, handle_src: int, i: int) -> None:
    target, source = array_at(handle_dst), array_at(handle_src)
    if isinstance(target, BaseSparseNDArray):
        _set_part(target, source, i)
        return
    if i != -1:
        raise OutOfRangeError(f"part {i} of a dense array, which has none")
    if target.shape != source.shape:  # it takes the other one's shape
        become(target, zeros(source.shape, target.context, target.dtype))
    receive(target, source._value, "a copy")


_PARTS = {"csr": ("data", "indptr", "indices"), "row_sparse": ("data", "indices")}


def _set_part(target: BaseSparseNDArray, source: NDArray, i: int) -> None:
    """Makes part `i` of an array, or its data for -1, a copy of `source`."""
    if source.stype != "default":
        raise MXNetError(f"a part of a {target.stype} array is copied from a dense one")
    record, names = target._value, _PARTS[target.stype]
    if not -1 <= i < len(names) - 1:
        raise OutOfRangeError(f"part {i} of a {target.stype} array, which has {len(names) - 1}")
    parts = [getattr(record, name) for name in names]
    old = parts[i + 1]
    parts[i + 1] = source._tensor.to(old.device, old.dtype, copy=True)
    target._target = sparse_of(target.stype, parts[0], parts[1:], record.shape)


@extern
def MXNDArraySyncCheckFormat(handle: int, full_check: bool) -> None:
    array = array_at(handle)
    if isinstance(array, BaseSparseNDArray):
        array.check_format(full_check)
