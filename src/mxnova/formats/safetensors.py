# SPDX-License-Identifier: Apache-2.0
"""Safetensors files: named arrays, with a header of JSON.

    length  8 bytes   uint64, little-endian: bytes of the header
    header  JSON      {"__metadata__": {text: text, ...},
                       name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
    data    the rest  arrays, little-endian; offsets count from here

Every byte of the data belongs to exactly one array. That is all of the format, so that reading
needs no package: arrays are views of the mapped file, bfloat16 included. Equal arrays and metadata
make equal bytes, which the package safetensors does not promise: it shuffles metadata.
"""

from __future__ import annotations

import errno
import json
import math
import os
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from mxnova.core.base.aligned import VECTOR
from mxnova.core.base.credentials import without_credentials
from mxnova.core.base.dtypes import DType, dtype_of
from mxnova.core.base.errors import ArgumentError, FileError, FormatError, shown

from . import bounded_json
from .atomic import replacing
from .params import ArrayRecord, bytes_of
from .source import (
    Buffer,
    Path,
    Readable,
    Slice,
    Source,
    read_aligned,
    require_little_endian,
)

__all__ = [
    "FACTOR",
    "Layout",
    "Place",
    "SafetensorsFile",
    "dumps",
    "layout",
    "layout_of",
    "parts",
    "read",
    "read_arrays",
    "read_layout",
    "write",
]

METADATA = "__metadata__"
FACTOR = 32  # bytes of memory that one of the file may take, as in files of MXNet's
_LENGTH = struct.Struct("<Q")
_MAX_HEADER = 100_000_000  # bytes; what the package safetensors reads
_MAX_NDIM = 32  # what NumPy 1.26 can show
_MAX_EMPTY = 1 << 24  # of other dimensions beside a 0: programs make arrays of their product
_ARRAY_COST, _DIMENSION_COST = 950, 28  # bytes of memory that objects take beside the data
_DEPTH = 3  # brackets: header, array, shape
_FIELDS = {"dtype", "shape", "data_offsets"}

# fmt: off
_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16",
    "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
    "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}
# fmt: on
_DTYPES = {name: dtype_of(ours) for ours, name in _NAMES.items()}


@dataclass(frozen=True, slots=True, eq=False)
class SafetensorsFile:
    """Dense arrays by name, in the order of the header, and texts by name."""

    arrays: dict[str, ArrayRecord]
    metadata: dict[str, str]


# -- Reading ---------------------------------------------------------------------------------------


def read(source: Readable) -> SafetensorsFile:
    """The arrays and metadata that `source` holds: a path, bytes or a binary stream.

    A path is mapped copy-on-write and arrays are views of the map; where one is not aligned it is
    a copy.

    Raises:
        FormatError: the bytes break the format, or hold an element type that MXNet lacks.
        FileError: the path cannot be read.
    """
    require_little_endian()
    file = Source(source, factor=FACTOR)
    found = layout(file)
    return SafetensorsFile(_arrays(file, file.view[found.start :], found), found.metadata)


def read_layout(
    file: BinaryIO, path: Path, largest: int = _MAX_HEADER, most: int | None = None
) -> Layout:
    """What the header says of an open file, of which no more is read; see `layout`.

    Args:
        file: the file.
        path: of the file, for messages.
        largest: bytes of a header that is read.
        most: arrays that are read; None: any number.

    Raises:
        FormatError: as for `layout`.
        FileError: the file cannot be read, or is cut off meanwhile.
    """
    require_little_endian()
    name = without_credentials(os.fsdecode(path))
    try:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        head = file.read(_LENGTH.size)
        length = int.from_bytes(head, "little")
        if length > largest and len(head) == _LENGTH.size:
            raise FormatError(f"{name}: {_too_long(length, largest)}")
        head += file.read(min(length, size))
    except OSError as error:
        raise FileError.of(error, name) from None
    _check_read(head, min(_LENGTH.size + length, size), name)
    return _layout_of_head(head, name, size, most)


def read_arrays(file: BinaryIO, path: Path, found: Layout) -> dict[str, ArrayRecord]:
    """The arrays of an open file, views of one copy of its data, which begins where vectors do.

    Args:
        file: as `read_layout` left it.
        path: of the file, for messages.
        found: what `read_layout` has found.

    Raises:
        FileError: it cannot be read, or has been cut off since.
        MXNetError: there is no memory for the data.
    """
    name = without_credentials(os.fsdecode(path))
    size = max((place.end for place in found.places.values()), default=0)
    data = Source(read_aligned(file, size, path), factor=FACTOR)
    data.name = name
    _check_read(data.view, size, name)
    return _arrays(data, data.view, found)


def _check_read(content: Slice, n: int, name: str) -> None:
    """Refuses a file that has been cut off since its size was asked for."""
    if len(content) < n:
        reason = f"was cut off while open: {len(content)} bytes of {n}"
        raise FileError(errno.EIO, reason, name)


def layout_of(content: Buffer, name: str) -> Layout:
    """What the header says of a file that is read in slices; see `layout`.

    Args:
        content: of the file.
        name: of the file, for messages.
    """
    length = int.from_bytes(content[: _LENGTH.size], "little")
    head = content[: _LENGTH.size + min(length, _MAX_HEADER)]
    return _layout_of_head(head, name, len(content))


def _layout_of_head(head: Slice, name: str, n_bytes: int, most: int | None = None) -> Layout:
    file = Source(memoryview(head), factor=FACTOR)
    file.name = name
    return layout(file, n_bytes, most)


def layout(file: Source, n_bytes: int | None = None, most: int | None = None) -> Layout:
    """What the header of `file` says, once it agrees with itself and the file's size.

    Args:
        file: which holds the header, at least.
        n_bytes: in all, where there are more.
        most: arrays that are read; None: any number.

    Raises:
        FormatError: it does not, breaks the format, or has more arrays.
    """
    n_bytes = len(file.view) if n_bytes is None else n_bytes
    try:
        header, start = _header(file, n_bytes)
        size = n_bytes - start
        metadata = _metadata(header.pop(METADATA, {}))
        if most is not None and len(header) > most:
            raise FormatError(f"{len(header)} arrays: at most {most} are read")
        places = {name: _place(file, name, entry, size) for name, entry in header.items()}
        _check_cover(places, size)
    except FormatError as error:
        raise FormatError(f"{file.name}: {error}") from None
    return Layout(start, places, metadata)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an array lies among the data.

    Attributes:
        dtype: its element type.
        shape: its shape.
        begin: its first byte, from where the data begin.
        end: one beyond its last.
    """

    dtype: DType
    shape: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The header of a file: where the data begin, arrays by name, texts by name."""

    start: int
    places: dict[str, Place]
    metadata: dict[str, str]


def _header(file: Source, n_bytes: int) -> tuple[dict[str, Any], int]:
    """The header's object, and where the data begin."""
    if n_bytes < _LENGTH.size:
        raise FormatError(f"{n_bytes} bytes, fewer than the 8 of the header's length")
    (length,) = _LENGTH.unpack_from(file.view)
    left = n_bytes - _LENGTH.size
    if length > _MAX_HEADER:
        raise FormatError(_too_long(length, _MAX_HEADER))
    if length > left:
        raise FormatError(f"a header of {length} bytes: {left} are left")
    start = _LENGTH.size + int(length)
    text = bytes(file.view[_LENGTH.size : start])
    if not text.startswith(b"{"):
        raise FormatError("the header does not begin with '{'")
    file.charge(bounded_json.FACTOR * len(text), "header")
    try:
        header = bounded_json.loads(text, max_depth=_DEPTH, unique=True)
    except FormatError as error:
        raise FormatError(f"header: {error}") from None
    return header, start


def _too_long(length: int, most: int) -> str:
    return f"a header of {length} bytes: at most {most:,} are read"


def _metadata(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise FormatError(f"{METADATA}: must be an object of texts")
    return value


def _place(file: Source, name: str, entry: Any, size: int) -> Place:
    """Where an array of a header lies, once all that is said of it agrees."""
    place = f"array {shown(name)}"
    if not isinstance(entry, dict) or set(entry) != _FIELDS:
        raise FormatError(f"{place}: must have the fields dtype, shape and data_offsets, no others")
    dtype = _DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None:
        raise FormatError(f"{place}: MXNet has no element type {shown(entry['dtype'])}")
    shape = _numbers(entry["shape"], f"{place}: shape")
    offsets = _numbers(entry["data_offsets"], f"{place}: data_offsets")
    file.charge(_ARRAY_COST + _DIMENSION_COST * len(shape), place)
    if len(shape) > _MAX_NDIM or math.prod(n or 1 for n in shape) >= 1 << 60:
        raise FormatError(f"{place}: shape {shown(shape)} is too large")
    if 0 in shape and math.prod(n or 1 for n in shape) > _MAX_EMPTY:
        raise FormatError(f"{place}: shape {shown(shape)} without elements is too large")
    if len(offsets) != 2 or not offsets[0] <= offsets[1] <= size:
        raise FormatError(f"{place}: data_offsets {shown(offsets)} do not lie in {size} bytes")
    needed = math.prod(shape) * dtype.numpy.itemsize
    if offsets[1] - offsets[0] != needed:
        given = offsets[1] - offsets[0]
        raise FormatError(f"{place}: {given} bytes for {dtype.name} {shape}, which takes {needed}")
    return Place(dtype, shape, *offsets)


def _numbers(value: Any, what: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(n) is int and n >= 0 for n in value):
        raise FormatError(f"{what}: {shown(value)} must be an array of numbers from 0 on")
    return tuple(value)


def _check_cover(places: Mapping[str, Place], size: int) -> None:
    """Refuses arrays that overlap, and bytes of none."""
    end = 0
    for name, place in sorted(places.items(), key=lambda item: (item[1].begin, item[1].end)):
        if place.begin != end:
            fault = "overlaps the one before it" if place.begin < end else "leaves a gap before it"
            raise FormatError(f"array {shown(name)} at {place.begin} {fault}, which ends at {end}")
        end = place.end
    if end != size:
        raise FormatError(f"{size - end} bytes after the last array")


def _arrays(file: Source, data: memoryview, found: Layout) -> dict[str, ArrayRecord]:
    return {name: _array(file, data, place) for name, place in found.places.items()}


def _array(file: Source, data: memoryview, place: Place) -> ArrayRecord:
    dtype = place.dtype.numpy
    raw = np.frombuffer(data[place.begin : place.end], np.uint8)
    if raw.ctypes.data % dtype.itemsize:
        file.charge(raw.nbytes, "arrays that are not aligned")
        raw = raw.copy()
    view: np.ndarray[Any, Any] = np.ndarray(place.shape, dtype, raw)
    return ArrayRecord("default", place.shape, place.dtype, view)


# -- Writing ---------------------------------------------------------------------------------------


def write(
    path: str | os.PathLike[str],
    arrays: Mapping[str, ArrayRecord],
    metadata: Mapping[str, str] | None = None,
    largest: int = _MAX_HEADER,
) -> None:
    """Writes dense arrays, replacing the file as a whole.

    Arrays lie in the order given, those of wide elements first: so all are aligned.

    Args:
        path: of the file.
        arrays: by name.
        metadata: texts by name.
        largest: bytes of a header that is read.

    Raises:
        ArgumentError: a name or an array that the format cannot hold, or too many of them; nothing
            was written.
        FileError: the file cannot be written; what stood at the path is as it was.
    """
    written = parts(arrays, metadata or {}, largest)
    with replacing(path, sum(map(len, written))) as file:
        for part in written:
            file.write(part)


def dumps(arrays: Mapping[str, ArrayRecord], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes that `write` writes."""
    return b"".join(parts(arrays, metadata or {}))


def parts(
    arrays: Mapping[str, ArrayRecord], metadata: Mapping[str, str], largest: int = _MAX_HEADER
) -> list[bytes | memoryview]:
    """The bytes that `write` writes, one after the other; arrays are not copied.

    Raises:
        ArgumentError: a name or an array that the format cannot hold.
    """
    require_little_endian()
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    order = sorted(arrays, key=lambda name: -arrays[name].dtype.numpy.itemsize)
    header.update(_entries(arrays, order))
    try:
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"safetensors: a name is no text in UTF-8: {error.reason}") from None
    text += b" " * (-(_LENGTH.size + len(text)) % VECTOR)  # kernels may read data in the file
    if len(text) > largest:
        raise ArgumentError(f"safetensors: {_too_long(len(text), largest)}")
    return [_LENGTH.pack(len(text)), text, *(bytes_of(arrays[name].data) for name in order)]


def _entries(
    arrays: Mapping[str, ArrayRecord], order: Iterable[str]
) -> Iterable[tuple[str, dict[str, Any]]]:
    end = 0
    for name in order:
        array = arrays[name]
        if name == METADATA or array.stype != "default" or array.data.shape != array.shape:
            raise ArgumentError(f"safetensors: {shown(name)}: a dense array of another name")
        begin, end = end, end + array.data.nbytes
        dtype, shape = _NAMES[array.dtype.name], list(array.shape)
        yield name, {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
