# SPDX-License-Identifier: Apache-2.0
"""Files of arrays written, as MXNet 1.9.1 writes them."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from mxnova.core.base.dtypes import DType
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, shown

from ..atomic import replacing
from ..source import require_little_endian
from .layout import (
    I32,
    INDEX_DTYPE,
    LIST_HEADER,
    LIST_MAGIC,
    N_AUX,
    PLACEMENT,
    STORAGE_TYPES,
    U64,
    V2,
    V3,
    Array,
    ArrayRecord,
)

__all__ = ["bytes_of", "dumps", "dumps_array", "write"]


def write(
    target: str | os.PathLike[str] | BinaryIO,
    records: Sequence[ArrayRecord | None],
    names: Sequence[str] = (),
    *,
    np_shape: bool = False,
) -> None:
    """Writes `records` to a path, atomically, or to a binary stream.

    The bytes are those that MXNet 1.9.1 writes for the same arrays. It can read neither the
    dtypes int16, uint16, uint32 and uint64, which MXNet 2 added, nor write empty handles.

    Args:
        target: A path is replaced as a whole once everything is on the disk.
        records: The arrays; None for an empty handle.
        names: As many as arrays, or none for a list.
        np_shape: Write V3 arrays, which may be scalars but not sparse, instead of V2.

    Raises:
        ArgumentError: a record or name that this form cannot hold; nothing was written.
        FileError: the file cannot be written; what stood at the path is as it was.
    """
    parts = _list_parts(records, names, np_shape)
    if isinstance(target, (str, os.PathLike)):
        with replacing(target, sum(map(len, parts))) as file:
            _write_parts(file, parts)
    elif callable(getattr(target, "write", None)):
        _write_parts(target, parts)
    else:
        raise ArgumentTypeError(f"target={shown(target)}: expected a path or a binary stream")


def dumps(
    records: Sequence[ArrayRecord | None], names: Sequence[str] = (), *, np_shape: bool = False
) -> bytes:
    """The bytes that `write` writes."""
    return b"".join(_list_parts(records, names, np_shape))


def dumps_array(record: ArrayRecord | None, *, np_shape: bool = False) -> bytes:
    """The bytes of one array without the frame of a list, as NDArrays are pickled."""
    require_little_endian()
    return b"".join(_array_parts("array", record, np_shape))


def _write_parts(file: BinaryIO, parts: Iterable[bytes | memoryview]) -> None:
    for part in parts:
        rest = part
        while (n_written := file.write(rest)) < len(rest):  # as raw files may
            rest = memoryview(rest)[n_written:]


def _list_parts(
    records: Sequence[ArrayRecord | None], names: Sequence[str], np_shape: bool
) -> list[bytes | memoryview]:
    """Headers, and views of the arrays: nothing is copied that is contiguous."""
    require_little_endian()
    if names and len(names) != len(records):
        raise ArgumentError(f"{len(names)} names for {len(records)} arrays")
    parts: list[bytes | memoryview] = [LIST_HEADER.pack(LIST_MAGIC, 0, len(records))]
    for i, record in enumerate(records):
        place = f"array {i} ({names[i]!r})" if names else f"array {i}"
        parts.extend(_array_parts(place, record, np_shape))
    parts.append(U64.pack(len(names)))
    parts.extend(part for i, name in enumerate(names) for part in _name_parts(i, name))
    return parts


def _name_parts(index: int, name: str) -> tuple[bytes, bytes]:
    try:
        encoded = name.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"name {index} {name!r}: not UTF-8: {error.reason}") from None
    if b"\0" in encoded:
        raise ArgumentError(f"name {index} {name!r}: MXNet would cut it at the NUL character")
    return U64.pack(len(encoded)), encoded


def _array_parts(
    place: str, record: ArrayRecord | None, np_shape: bool
) -> Iterator[bytes | memoryview]:
    if record is None:
        if np_shape:
            raise ArgumentError(f"{place}: an empty handle has no form under np_shape")
        yield struct.pack("<Iii", V2, 0, 0)
        return
    _check_record(place, record, np_shape)
    header = struct.pack("<Ii", V3 if np_shape else V2, STORAGE_TYPES.index(record.stype))
    if record.aux:
        header += _shape_bytes(record.data.shape)
    header += _shape_bytes(record.shape) + PLACEMENT.pack(*record.context, record.dtype.flag)
    for array in record.aux:
        header += I32.pack(INDEX_DTYPE.flag) + _shape_bytes(array.shape)
    yield header
    for array in (record.data, *record.aux):
        yield bytes_of(array)


def bytes_of(array: Array) -> memoryview:
    """Return the bytes of an array in C order; without a copy if it is contiguous."""
    if not array.size:
        return memoryview(b"")
    return memoryview(np.ndarray(array.nbytes, np.uint8, np.ascontiguousarray(array)))


def _shape_bytes(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def _check_record(place: str, record: ArrayRecord, np_shape: bool) -> None:
    """Refuses a record that does not describe its arrays, or that the form cannot hold."""
    if record.stype not in N_AUX or len(record.aux) != N_AUX[record.stype]:
        raise ArgumentError(f"{place}: storage type {record.stype!r} with {len(record.aux)} aux")
    if record.aux and np_shape:
        raise ArgumentError(f"{place}: {record.stype} arrays have no form under np_shape")
    if not record.shape and not np_shape:
        raise ArgumentError(f"{place}: a scalar is an empty handle unless np_shape is on")
    shape: tuple[int, ...] = record.shape
    if record.aux:
        shape = record.aux[-1].shape + (shape[1:] if record.stype == "row_sparse" else ())
    _check_array(place, record.data, shape, record.dtype)
    for array in record.aux:
        rows = record.shape[0] + 1 if array is not record.aux[-1] else array.size
        _check_array(place, array, (rows,), INDEX_DTYPE)


def _check_array(place: str, array: Array, shape: tuple[int, ...], dtype: DType) -> None:
    if array.shape != shape or array.dtype != dtype.numpy:
        raise ArgumentError(
            f"{place}: array of shape {array.shape} and {array.dtype}, "
            f"expected {shape} and {dtype.numpy}"
        )
