# SPDX-License-Identifier: Apache-2.0
"""NDArray-list files (`.params`): the list or dictionary of arrays that `mx.nd.save` writes.

One layout, little-endian throughout (`i` int32, `I` uint32, `q` int64, `Q` uint64):

    list    Q magic 0x112, Q reserved, Q count, arrays, Q count of names (0 or as arrays), names
    name    Q length, UTF-8 bytes
    shape   i ndim, ndim × q
    array   V2/V3: I magic, i storage type, [shape of the stored values], shape, context, i dtype
            flag, [i dtype flag, shape] of each index array, stored values, index arrays
            V1: I magic, shape, context, i dtype flag, values
            V0: I ndim, ndim × I, context, i dtype flag, values
    context i device type (1 cpu, 2 gpu, 3 pinned, 5 shared), i device id

The parts in brackets belong to sparse arrays only. An array without dimensions is the empty
handle ("none") and ends after its shape, except in V3, the form of NumPy shape semantics, where
it is a scalar.
"""

from __future__ import annotations

import math
import os
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from mxnova.core.base.dtypes import DType, dtype_of, dtype_of_flag
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, FormatError, shown

from .atomic import replacing
from .source import Readable, Source, require_little_endian

__all__ = ["ArrayRecord", "ParamsFile", "dumps", "dumps_array", "loads_array", "read", "write"]

Array: TypeAlias = npt.NDArray[Any]

_LIST_MAGIC = 0x112
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_STORAGE_TYPES = ("default", "row_sparse", "csr")
_N_AUX = {"default": 0, "row_sparse": 1, "csr": 2}
_INDEX_DTYPE = dtype_of("int64")  # the only one that MXNet's sparse kernels take
_MAX_NDIM = 32  # what NumPy 1.26 can show

_MAX_NAME = 1 << 16  # bytes; MXNet has no limit

_MAX_EMPTY = 1 << 24  # of other dimensions beside a 0: programs make arrays of their product

# Memory is bounded by 16 MiB and this many bytes for each byte of the file. The smallest array that
# MXNet 1.9.1 writes has 36 bytes, and its objects about 900; so everything that it writes is read.
FACTOR = 32
# Bytes of memory that Python objects take beside the data, those of the NDArray included that is
# made of a record: resident memory, measured, rounded up.
_EMPTY_COST, _DENSE_COST, _SPARSE_COST, _DIMENSION_COST, _NAME_COST = 16, 950, 2400, 28, 150

_U32, _I32, _U64 = struct.Struct("<I"), struct.Struct("<i"), struct.Struct("<Q")
_LIST_HEADER = struct.Struct("<QQQ")
_PLACEMENT = struct.Struct("<iii")  # device type, device id, dtype flag
_DIMENSIONS = {
    code: [struct.Struct(f"<{ndim}{code}") for ndim in range(_MAX_NDIM + 1)] for code in "Iq"
}


@dataclass(frozen=True, slots=True, eq=False)
class ArrayRecord:
    """One stored array.

    Attributes:
        stype: "default", "row_sparse" or "csr".
        shape: The shape of the array.
        dtype: Its element type; `data.dtype` is `dtype.numpy`, so bfloat16 data has the one-field
            dtype `dtypes.BFLOAT16`, and `data.view(np.uint16)` gives its bits.
        data: The whole array in `shape`, or the stored values: `(n,)` of csr, `(n, *shape[1:])`
            of row_sparse.
        aux: int64 index arrays: `(indptr, indices)` of csr, `(indices,)` of row_sparse.
        context: Device type and id that the array was saved from.
    """

    stype: str
    shape: tuple[int, ...]
    dtype: DType
    data: Array
    aux: tuple[Array, ...] = ()
    context: tuple[int, int] = (1, 0)


@dataclass(frozen=True, slots=True, eq=False)
class ParamsFile:
    """The arrays of a file in order (None: an empty handle) and their names (empty: a list)."""

    records: list[ArrayRecord | None]
    names: list[str]


# -- reading


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
    >>> file = dumps([ArrayRecord("default", w.shape, dtype_of("float32"), w)], ["arg:w"])
    >>> read(file).names
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
        magic, _reserved, n_arrays = self.unpack(_LIST_HEADER, "a list of arrays")
        if magic != _LIST_MAGIC:
            raise self.error(f"magic number {magic:#x}, expected {_LIST_MAGIC:#x}", back=24)
        if n_arrays * _U32.size > self.end - self.offset:
            raise self.short(n_arrays * _U32.size, f"a list of {n_arrays} arrays")
        return n_arrays  # type: ignore[no-any-return]

    def array(self, number: int) -> ArrayRecord | None:
        """The array that stands here, in whichever version; its indices are not yet checked."""
        self.place = f"array {number}"
        (magic,) = self.unpack(_U32, "a magic number")
        if self.np_shape is not None and self.np_shape != (magic == _V3):
            raise self.error(_SEMANTICS[self.np_shape], back=4)
        if magic in (_V2, _V3):
            return self._array_with_storage_type(number, magic == _V3)
        return self._dense_array(self.shape() if magic == _V1 else self.dimensions(magic, "I"))

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
        (storage_type,) = self.unpack(_I32, "a storage type")
        if not 0 <= storage_type < (1 if np_shape else len(_STORAGE_TYPES)):
            allowed = "0 (dense), as V3 is" if np_shape else "0 (dense), 1 (row_sparse) or 2 (csr)"
            raise self.error(f"storage type {storage_type}, expected {allowed}", back=4)
        if not storage_type:
            return self._dense_array(self.shape(), scalars=np_shape)
        return self._sparse_array(number, _STORAGE_TYPES[storage_type])

    def _sparse_array(self, number: int, stype: str) -> ArrayRecord | None:
        self.charge(_SPARSE_COST)
        stored_shape, shape = self.shape(), self.shape()
        if not shape:
            return None
        self.check_empty(shape)
        context, dtype = self.placement()
        n_aux = [self._aux_length() for _ in range(_N_AUX[stype])]
        data_shape = self._sparse_data_shape(stype, shape, stored_shape, n_aux)
        data = self.values(data_shape, dtype)
        offset = self.offset
        aux = [self.values((n,), _INDEX_DTYPE, copy=True) for n in n_aux]
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
        self.charge(length * _INDEX_DTYPE.numpy.itemsize)
        return np.zeros(length, _INDEX_DTYPE.numpy)

    def _aux_length(self) -> int:
        (flag,) = self.unpack(_I32, "the dtype of an index array")
        if flag != _INDEX_DTYPE.flag:
            raise self.error(f"index arrays of dtype flag {flag}, expected 6 (int64)", back=4)
        shape = self.shape()
        if len(shape) != 1:
            raise self.error(f"index array of shape {shape}, expected one dimension")
        return shape[0]

    def shape(self) -> tuple[int, ...]:
        """A shape with its number of dimensions before it."""
        (ndim,) = self.unpack(_I32, "a number of dimensions")
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
        device_type, device_id, flag = self.unpack(_PLACEMENT, "context and dtype")
        dtype = dtype_of_flag(flag)
        if dtype is None:
            raise self.error(f"unknown dtype flag {flag}", back=4)
        return (device_type, device_id), dtype

    def values(self, shape: tuple[int, ...], dtype: DType, copy: bool = False) -> Array:
        """The values that stand here: a view, or a copy where they are not aligned."""
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
        (n_names,) = self.unpack(_U64, "the number of names")
        if n_names not in (0, n_arrays):
            raise self.error(f"{n_names} names for {n_arrays} arrays", back=8)
        return [self._name(i) for i in range(n_names)]

    def _name(self, index: int) -> str:
        self.place = f"name {index}"
        (length,) = self.unpack(_U64, "a length")
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
        return self.error(f"{what} needs {n_bytes} bytes, {self.end - self.offset} are left")

    def charge(self, n_bytes: int) -> None:
        """Takes `n_bytes` from the memory budget."""
        self.source.charge(n_bytes, self.place, self.offset)

    def error(self, reason: str, back: int = 0) -> FormatError:
        """The error for what stands `back` bytes before this position."""
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


# -- writing


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
    parts: list[bytes | memoryview] = [_LIST_HEADER.pack(_LIST_MAGIC, 0, len(records))]
    for i, record in enumerate(records):
        place = f"array {i} ({names[i]!r})" if names else f"array {i}"
        parts.extend(_array_parts(place, record, np_shape))
    parts.append(_U64.pack(len(names)))
    parts.extend(part for i, name in enumerate(names) for part in _name_parts(i, name))
    return parts


def _name_parts(index: int, name: str) -> tuple[bytes, bytes]:
    try:
        encoded = name.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"name {index} {name!r}: not UTF-8: {error.reason}") from None
    if b"\0" in encoded:
        raise ArgumentError(f"name {index} {name!r}: MXNet would cut it at the NUL character")
    return _U64.pack(len(encoded)), encoded


def _array_parts(
    place: str, record: ArrayRecord | None, np_shape: bool
) -> Iterator[bytes | memoryview]:
    if record is None:
        if np_shape:
            raise ArgumentError(f"{place}: an empty handle has no form under np_shape")
        yield struct.pack("<Iii", _V2, 0, 0)
        return
    _check_record(place, record, np_shape)
    header = struct.pack("<Ii", _V3 if np_shape else _V2, _STORAGE_TYPES.index(record.stype))
    if record.aux:
        header += _shape_bytes(record.data.shape)
    header += _shape_bytes(record.shape) + _PLACEMENT.pack(*record.context, record.dtype.flag)
    for array in record.aux:
        header += _I32.pack(_INDEX_DTYPE.flag) + _shape_bytes(array.shape)
    yield header
    for array in (record.data, *record.aux):
        if array.size:
            yield _bytes_of(array)


def _bytes_of(array: Array) -> memoryview:
    """The bytes of an array's elements, in order; those of a contiguous array where they lie."""
    return memoryview(np.ndarray(array.nbytes, np.uint8, np.ascontiguousarray(array)))


def _shape_bytes(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def _check_record(place: str, record: ArrayRecord, np_shape: bool) -> None:
    """Refuses a record that does not describe its arrays, or that the form cannot hold."""
    if record.stype not in _N_AUX or len(record.aux) != _N_AUX[record.stype]:
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
        _check_array(place, array, (rows,), _INDEX_DTYPE)


def _check_array(place: str, array: Array, shape: tuple[int, ...], dtype: DType) -> None:
    if array.shape != shape or array.dtype != dtype.numpy:
        raise ArgumentError(
            f"{place}: array of shape {array.shape} and {array.dtype}, "
            f"expected {shape} and {dtype.numpy}"
        )
