# SPDX-License-Identifier: Apache-2.0
"""Arrays of values that are there, and values put into arrays, whatever the storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast, overload

import torch
from torch import Tensor

from ..base.errors import MXNetError, from_foreign
from ..base.shapes import shape_text
from ..kernels.copying import copy
from ..kernels.transpose import contiguous
from ..op.sparse import storage
from ..op.sparse.storage import Sparse, Value, dense_of, sparse_of
from ..op.zeros import zeros
from ..runtime.context import Context
from ..runtime.torch_api import base_of
from .base_array import CLASSES, BaseArray
from .chunk import Chunk, new_chunk

__all__ = [
    "clear",
    "empty_sparse",
    "owned",
    "receive",
    "sparse_array",
    "view_of",
    "viewed_as",
    "wrap",
    "wrap_sparse",
    "wrap_value",
    "zeros_stored",
]

A = TypeVar("A", bound=BaseArray)

_new: Any = object.__new__
_is_checked = new_chunk is not Chunk


# Making -------------------------------------------------------------------------------------------


@overload
def wrap(tensor: Tensor, context: Context, cls: type[A], node: Any = None) -> A: ...
@overload
def wrap(tensor: Tensor, context: Context, cls: None = None, node: Any = None) -> Any: ...
def wrap(
    tensor: Tensor, context: Context, cls: type[BaseArray] | None = None, node: Any = None
) -> Any:
    """The array, of class `cls`, of a tensor that nobody else writes to.

    Args:
        tensor: its values.
        context: where they are.
        cls: default: the class of dense arrays.
        node: its place on the tape, of the result of a recorded operator; then the array keeps the
            graph of `tensor`, also where no gradient flows: it has the gradient zero, not none.
    """
    array = _new(cls or CLASSES["default"])
    if node is None:
        array._raw = tensor
        array._tracked = array._node = array._grad = None
    else:
        array._raw = tensor.data
        array._tracked, array._node, array._grad = tensor, node, None
    if _is_checked:
        array._chunk = new_chunk(context)
        return array
    # As a call of the class makes it, in half the time.
    chunk: Chunk = _new(Chunk)
    chunk.context, chunk.foreign, chunk._var = context, False, None
    array._chunk = chunk
    return array


def wrap_sparse(record: Sparse, context: Context) -> Any:
    """The array of a record that nobody else writes to."""
    return wrap(cast(Any, record), context, CLASSES[record.stype])


def wrap_value(value: Value, context: Context, cls: type[BaseArray] | None = None) -> Any:
    """The array of a tensor or record that nobody else writes to."""
    if isinstance(value, Tensor):
        return wrap(value.detach(), context, cls)
    return wrap_sparse(value, context)


def view_of(array: A, tensor: Tensor) -> A:
    """An array of the same memory and class."""
    view: A = _new(type(array))
    view._raw = tensor
    view._chunk = array._chunk
    view._tracked = view._node = view._grad = None
    return view


def viewed_as(array: BaseArray, cls: type[A]) -> A:
    """An array of another class over the same memory, gradients included."""
    view: A = _new(cls)
    view._raw, view._chunk = array._raw, array._chunk
    view._tracked, view._node, view._grad = array._tracked, array._node, array._grad
    return view


def sparse_array(
    stype: str, shape: tuple[int, ...], values: Tensor, aux: Sequence[Tensor], context: Context
) -> Any:
    """The sparse array of these parts; aux is (indptr, indices) or, for row_sparse, (indices,)."""
    return wrap_sparse(sparse_of(stype, values, aux, tuple(shape)), context)


def empty_sparse(stype: str, shape: tuple[int, ...], context: Context, dtype: torch.dtype) -> Any:
    """A sparse array of zeros."""
    try:
        record = storage.empty_sparse(stype, shape, dtype, context.device)
    except (RuntimeError, TypeError) as error:
        if isinstance(error, MXNetError):
            raise
        raise from_foreign(error, f"a {stype} array of shape {shape_text(shape)}") from error
    return wrap_sparse(record, context)


def zeros_stored(stype: str, shape: tuple[int, ...], context: Context, dtype: torch.dtype) -> Any:
    """An array of zeros stored as `stype`; OutOfMemoryError where there is no memory for it."""
    if stype != "default":
        return empty_sparse(stype, shape, context, dtype)
    try:
        return wrap(zeros(shape, dtype, context.device), context)
    except (RuntimeError, MemoryError) as error:
        raise from_foreign(error, f"an array of shape {shape_text(shape)}") from None


def owned(result: Tensor, inputs: Sequence[Tensor]) -> Tensor:
    """`result` as an array holds it: in the order of its axes, and in no input's memory.

    Operators may return views, which graphs like; arrays of different operators share nothing.
    """
    if not result.is_contiguous():
        return contiguous(result)
    base = base_of(result)
    for tensor in inputs:
        if result is tensor or (base is not None and (base is tensor or base is base_of(tensor))):
            return result.clone()
    return result


# Writing ------------------------------------------------------------------------------------------


def clear(array: BaseArray) -> None:
    """Sets all elements to zero; sparse arrays then store nothing."""
    target = array._target
    if isinstance(target, Tensor):
        target.zero_()
    else:
        place = (tuple(target.shape), target.dtype, target.data.device)
        array._raw = storage.empty_sparse(array.stype, *place)


def receive(array: BaseArray, value: Any, giver: str, owned: bool = False) -> None:
    """Puts the values of a result, in whatever storage, into `array`; its element type stays.

    Args:
        array: where they go.
        value: a tensor or a record of sparse storage.
        giver: what to call the one who gives, in an error.
        owned: nobody else holds `value`, so that its memory can change hands.
    """
    mine = array._target
    if value is mine:
        return
    if tuple(value.shape) != tuple(mine.shape):
        raise MXNetError(
            f"{giver}: out has shape {shape_text(tuple(mine.shape))}, "
            f"the result {shape_text(tuple(value.shape))}"
        )
    if isinstance(mine, Tensor):
        copy(mine, dense_of(value))
        return
    cast: Any = storage.cast_storage(value, array.stype)
    device = array._chunk.context.device
    if cast.dtype is mine.dtype and cast.data.device == device:
        array._raw = cast.clone() if cast is value and not owned else cast
    else:
        array._raw = cast.to(device, mine.dtype)
