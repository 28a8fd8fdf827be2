# SPDX-License-Identifier: Apache-2.0
"""Files of arrays read, with bounds for what may be allocated."""

from __future__ import annotations

import math
import struct
import sys
from typing import Any

import numpy as np

from mxnova.core.base.dtypes import DType, dtype_of_flag
from mxnova.core.base.errors import FormatError

from ..kinds import what_it_is
from ..source import Readable, Source, require_little_endian
from .layout import (
    I32,
    INDEX_DTYPE,
    LIST_HEADER,
    LIST_MAGIC,
    N_AUX,
    PLACEMENT,
    STORAGE_TYPES,
    U64,
    V1,
    V2,
    V3,
    Array,
    ArrayRecord,
    ParamsFile,
)

__all__ = ["FACTOR", "loads_array", "read"]

_MAGIC = LIST_MAGIC.to_bytes(2, "little")
_MAX_NDIM = 32  # what NumPy 1.26 can show
_MAX_NAME = 1 << 16  # bytes; MXNet has no limit
_MAX_EMPTY = 1 << 24  # of other dimensions beside a 0: programs make arrays of their product

# Memory is bounded by 16 MiB and this many bytes for each byte of the file. The smallest array that
# MXNet 1.9.1 writes has 36 bytes, and its objects about 900; so everything that it writes is read.
FACTOR = 32
# Bytes of memory that Python objects take beside the data, those of the NDArray included that is
# made of a record: resident memory, measured, rounded up.
_EMPTY_COST, _DENSE_COST, _SPARSE_COST, _DIMENSION_COST, _NAME_COST = 16, 950, 2400, 28, 150

_U32 = struct.Struct("<I")
_DIMENSIONS = {
    code: [struct.Struct(f"<{ndim}{code}") for ndim in range(_MAX_NDIM + 1)] for code in "Iq"
}


def read(source: Readable, *, np_shape: bool = False, mapped: bool = True) -> ParamsFile:
    """The arrays and names that `source` holds: a path, bytes or a binary stream.

    A path is mapped copy-on-write (unless `mapped` is False: then read into memory) and dense data
    are writable views of the map; of other sources they are views of the bytes, read-only if those
    are. Where an element would not be aligned, which only files of mixed dtypes cause, the array is
    a copy: misaligned access is undefined in C++ and 2.3 times slower in NumPy. Index arrays are
    always copies, and in range: each index is below its dimension, `indptr` rises from 0 to the
    number of values. They need not be sorted or unique, as MXNet stores what the user gave.

    As MXNet does, bytes after the names are ignored, the last of equal names would win in a
    dictionary, and V3 arrays need `np_shape` while older ones refuse it. Stricter than MXNet:
    names with NUL (which it cuts there) or beyond 64 KiB are refused, index arrays other than
    int64, and arrays without elements whose other dimensions multiply to more than 2**24. Unlike
    1.9.1, which misreads them, empty handles of V0 and V1 files are read.

    Raises:
        FormatError: the bytes break the format.
        FileError: the path cannot be read.

    >>> w = np.ones((2, 3), np.float32)
    >>> record = params.ArrayRecord("default", w.shape, dtype_of("float32"), w)
    >>> params.read(params.dumps([record], ["arg:w"])).names
    ['arg:w']
    """
    require_little_endian()
    reader = _Reader(Source(source, mapped=mapped, factor=FACTOR), np_shape)
    n_arrays = reader.list_header()
    records = [reader.array(i) for i in range(n_arrays)]
    names = reader.names(n_arrays)
    reader.check_indices(names)
    return ParamsFile(records, names)


def loads_array(source: Readable | Source, *, np_shape: bool | None = None) -> ArrayRecord | None:
    """The one array of `source`, stored without the frame of a list, as in pickled NDArrays.

    Args:
        source: As in `read`, or a source that is already open.
        np_shape: Which arrays to take: V3 (True), older ones (False), or all.

    Raises:
        FormatError: the bytes break the format.
    """
    require_little_endian()
    reader = _Reader(source if isinstance(source, Source) else Source(source), np_shape)
    record = reader.array(0)
    reader.check_indices([])
    return record


class _Reader:
    """A position in a source, and the checks that stand before every step."""

    def __init__(self, source: Source, np_shape: bool | None) -> None:
        self.source = source
        self.np_shape = np_shape
        self.place = "header"
        self.offset = 0
        self.end = len(source.view)
        self.bytes = np.frombuffer(source.view, np.uint8)
        self.address: int = self.bytes.ctypes.data
        self.sparse: list[tuple[int, int, ArrayRecord]] = []  # number, offset of the indices

    def list_header(self) -> int:
        """The number of arrays."""
        magic, _reserved, n_arrays = self.unpack(LIST_HEADER, "a list of arrays")
        if magic != LIST_MAGIC:
            hint = what_it_is(self.source.view)
            raise self.error(
                f"magic number {magic:#x}, expected {LIST_MAGIC:#x}: it is no file of arrays, as "
                f"nd.save writes them, or it was damaged: save or download it again{hint}",
                back=24,
            )
        if n_arrays * _U32.size > self.end - self.offset:
            raise self.short(n_arrays * _U32.size, f"a list of {n_arrays} arrays")
        return n_arrays  # type: ignore[no-any-return]

    def array(self, number: int) -> ArrayRecord | None:
        """Read the array at this position, of any version; its indices are not validated yet."""
        self.place = f"array {number}"
        (magic,) = self.unpack(_U32, "a magic number")
        if self.np_shape is not None and self.np_shape != (magic == V3):
            raise self.error(_SEMANTICS[self.np_shape], back=4)
        if magic in (V2, V3):
            return self._array_with_storage_type(number, magic == V3)
        return self._dense_array(self.shape() if magic == V1 else self.dimensions(magic, "I"))

    def _dense_array(self, shape: tuple[int, ...], scalars: bool = False) -> ArrayRecord | None:
        if not shape and not scalars:
            self.charge(_EMPTY_COST)
            return None
        self.charge(_DENSE_COST)
        self.check_empty(shape)
        context, dtype = self.placement()
        data = self.values(shape, dtype)
        return ArrayRecord("default", shape, dtype, data, (), context)

    def _array_with_storage_type(self, number: int, np_shape: bool) -> ArrayRecord | None:
        (storage_type,) = self.unpack(I32, "a storage type")
        if not 0 <= storage_type < (1 if np_shape else len(STORAGE_TYPES)):
            allowed = "0 (dense), as V3 is" if np_shape else "0 (dense), 1 (row_sparse) or 2 (csr)"
            raise self.error(f"storage type {storage_type}, expected {allowed}", back=4)
        if not storage_type:
            return self._dense_array(self.shape(), scalars=np_shape)
        return self._sparse_array(number, STORAGE_TYPES[storage_type])

    def _sparse_array(self, number: int, stype: str) -> ArrayRecord | None:
        self.charge(_SPARSE_COST)
        stored_shape, shape = self.shape(), self.shape()
        if not shape:
            return None
        self.check_empty(shape)
        context, dtype = self.placement()
        n_aux = [self._aux_length() for _ in range(N_AUX[stype])]
        data_shape = self._sparse_data_shape(stype, shape, stored_shape, n_aux)
        data = self.values(data_shape, dtype)
        offset = self.offset
        aux = [self.values((n,), INDEX_DTYPE, copy=True) for n in n_aux]
        if stype == "csr" and not n_aux[0]:
            aux[0] = self._empty_indptr(shape[0] + 1)
        record = ArrayRecord(stype, shape, dtype, data, tuple(aux), context)
        self.sparse.append((number, offset, record))
        return record

    def _sparse_data_shape(
        self, stype: str, shape: tuple[int, ...], stored: tuple[int, ...], n_aux: list[int]
    ) -> tuple[int, ...]:
        """The shape of the stored values, once all shapes agree.

        The first dimension of `stored` counts for nothing: MXNet leaves it 0 in arrays that
        `tostype` made, and reads as many values as there are indices.
        """
        if stype == "csr":
            if len(shape) != 2 or len(stored) != 1:
                raise self.error(f"csr array of shape {shape} with values {stored}")
            if n_aux[0] != shape[0] + 1 and n_aux != [0, 0]:  # [0, 0]: never written to, all zero
                raise self.error(f"{n_aux[0]} row pointers for {shape[0]} rows")
        elif not shape or len(stored) != len(shape) or stored[1:] != shape[1:]:
            raise self.error(f"row_sparse array of shape {shape} with values {stored}")
        return (n_aux[-1], *stored[1:])

    def _empty_indptr(self, length: int) -> Array:
        self.charge(length * INDEX_DTYPE.numpy.itemsize)
        return np.zeros(length, INDEX_DTYPE.numpy)

    def _aux_length(self) -> int:
        (flag,) = self.unpack(I32, "the dtype of an index array")
        if flag != INDEX_DTYPE.flag:
            raise self.error(f"index arrays of dtype flag {flag}, expected 6 (int64)", back=4)
        shape = self.shape()
        if len(shape) != 1:
            raise self.error(f"index array of shape {shape}, expected one dimension")
        return shape[0]

    def shape(self) -> tuple[int, ...]:
        """A shape with its number of dimensions before it."""
        (ndim,) = self.unpack(I32, "a number of dimensions")
        return self.dimensions(ndim, "q")

    def dimensions(self, ndim: int, code: str) -> tuple[int, ...]:
        """`ndim` dimensions of struct code `code`, small enough to be counted in an int64."""
        if not 0 <= ndim <= _MAX_NDIM:
            raise self.error(f"{ndim} dimensions, expected 0 to {_MAX_NDIM}", back=4)
        self.charge(ndim * _DIMENSION_COST)
        shape = self.unpack(_DIMENSIONS[code][ndim], "the dimensions of a shape")
        if shape and min(shape) < 0:
            raise self.error(f"shape {shape} has a negative dimension")
        if _extent(shape) >= 1 << 60:  # × 8 bytes must stay below 2**63
            raise self.error(f"shape {shape} is too large")
        return shape

    def check_empty(self, shape: tuple[int, ...]) -> None:
        """Refuses an array that has no elements, but rows, say, beyond number."""
        if 0 in shape and _extent(shape) > _MAX_EMPTY:
            raise self.error(f"shape {shape} without elements is too large")

    def placement(self) -> tuple[tuple[int, int], DType]:
        """Context and element type."""
        device_type, device_id, flag = self.unpack(PLACEMENT, "context and dtype")
        dtype = dtype_of_flag(flag)
        if dtype is None:
            raise self.error(f"unknown dtype flag {flag}", back=4)
        return (device_type, device_id), dtype

    def values(self, shape: tuple[int, ...], dtype: DType, copy: bool = False) -> Array:
        """Read the values at this position: as a view, or a copy if they are not aligned."""
        itemsize = dtype.numpy.itemsize
        start, n_bytes = self.offset, math.prod(shape) * itemsize
        if n_bytes > self.end - start:
            raise self.short(n_bytes, f"data of shape {shape}, {dtype.name},")
        self.offset += n_bytes
        view: Array = np.ndarray(shape, dtype.numpy, self.bytes, start)
        if not copy and (self.address + start) % itemsize == 0:
            return view
        self.charge(view.nbytes)
        return np.array(view)

    def names(self, n_arrays: int) -> list[str]:
        """The names of all arrays; empty if the file holds a list."""
        self.place = "names"
        (n_names,) = self.unpack(U64, "the number of names")
        if n_names not in (0, n_arrays):
            raise self.error(f"{n_names} names for {n_arrays} arrays", back=8)
        return [self._name(i) for i in range(n_names)]

    def _name(self, index: int) -> str:
        self.place = f"name {index}"
        (length,) = self.unpack(U64, "a length")
        if length > self.end - self.offset:
            raise self.short(length, f"a name of {length} bytes")
        start = self.offset
        self.offset += length
        if length > _MAX_NAME:
            raise self.error(f"a name of {length} bytes, expected at most {_MAX_NAME}", back=length)
        try:
            name = str(self.source.view[start : start + length], "utf-8")
        except UnicodeDecodeError as error:
            raise self.error(f"not UTF-8: {error.reason}", back=length - error.start) from None
        if "\0" in name:
            raise self.error("a NUL character", back=length)
        self.charge(sys.getsizeof(name) + _NAME_COST)
        return name

    def check_indices(self, names: list[str]) -> None:
        """Refuses indices that point outside of their array."""
        for number, offset, record in self.sparse:
            self.offset = offset
            self.place = f"array {number} ({names[number]!r})" if names else f"array {number}"
            indices, limit = record.aux[-1], record.shape[0]
            if record.stype == "csr":
                indptr, limit = record.aux[0], record.shape[1]
                if indptr[0] != 0 or indptr[-1] != indices.size or not _is_ascending(indptr):
                    raise self.error(f"row pointers do not rise from 0 to {indices.size}")
            if indices.size and not 0 <= indices.min() <= indices.max() < limit:
                lowest, highest = indices.min(), indices.max()
                raise self.error(f"indices from {lowest} to {highest}, expected 0 to {limit - 1}")

    def unpack(self, layout: struct.Struct, what: str) -> tuple[Any, ...]:
        """The fields of `layout`, over which it steps."""
        if layout.size > self.end - self.offset:
            raise self.short(layout.size, what)
        fields = layout.unpack_from(self.source.view, self.offset)
        self.offset += layout.size
        return fields

    def short(self, n_bytes: int, what: str) -> FormatError:
        """The error for `n_bytes` that the source does not have from here on."""
        hint = what_it_is(self.source.view, _MAGIC) if self.offset == 0 else ""
        return self.error(f"{what} needs {n_bytes} bytes, {self.end - self.offset} are left{hint}")

    def charge(self, n_bytes: int) -> None:
        """Takes `n_bytes` from the memory budget."""
        self.source.charge(n_bytes, self.place, self.offset)

    def error(self, reason: str, back: int = 0) -> FormatError:
        """Return the error for the data `back` bytes before this position."""
        return self.source.error(self.place, self.offset - back, reason)


def _extent(shape: tuple[int, ...]) -> int:
    """The product of the dimensions that are not 0."""
    return math.prod(shape) or math.prod(n for n in shape if n)


_SEMANTICS = {
    True: "saved without NumPy shape semantics; turn np_shape off to read it",
    False: "saved with NumPy shape semantics; turn np_shape on to read it",
}


def _is_ascending(indptr: Array, step: int = 1 << 20) -> bool:
    """Whether no element is below its predecessor; in steps, to keep the temporaries small."""
    pieces = (indptr[i : i + step + 1] for i in range(0, indptr.size, step))
    return not any((piece[1:] < piece[:-1]).any() for piece in pieces)
