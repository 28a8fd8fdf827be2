# SPDX-License-Identifier: Apache-2.0
"""Tensors of the Open Inference Protocol: data types, JSON numbers, bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.base.errors import candidates, shown
from .errors import Refused

__all__ = [
    "DATATYPES",
    "datatype_of",
    "dtype_of",
    "encode",
    "encode_json",
    "from_bytes",
    "from_json",
    "to_json",
]

Array = np.ndarray[Any, Any]

DATATYPES = {
    "BOOL": np.dtype("bool"),
    "UINT8": np.dtype("uint8"),
    "UINT16": np.dtype("<u2"),
    "UINT32": np.dtype("<u4"),
    "UINT64": np.dtype("<u8"),
    "INT8": np.dtype("int8"),
    "INT16": np.dtype("<i2"),
    "INT32": np.dtype("<i4"),
    "INT64": np.dtype("<i8"),
    "FP16": np.dtype("<f2"),
    "FP32": np.dtype("<f4"),
    "FP64": np.dtype("<f8"),
}
_NAMES = {dtype: name for name, dtype in DATATYPES.items()}
BF16 = np.dtype([("bfloat16", "<u2")])  # NumPy lacks it; its numbers are read as FP32
_CHUNK = 1 << 13  # Elements that are converted in 1 ms, without releasing the GIL.
encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def datatype_of(dtype: np.dtype[Any]) -> str:
    """The protocol's name of an element type."""
    name = _NAMES.get(dtype.newbyteorder("<"))
    return str(dtype) if name is None else name


def dtype_of(name: str, datatype: object) -> np.dtype[Any]:
    """The element type that the protocol calls `datatype`, given for tensor `name`."""
    if isinstance(datatype, str) and datatype in DATATYPES:
        return DATATYPES[datatype]
    if datatype == "BF16":
        return BF16
    if datatype == "BYTES":
        raise Refused(
            400, f"tensor {name!r} has datatype BYTES; models take BF16, {', '.join(DATATYPES)}"
        )
    hint = candidates(datatype, DATATYPES) if isinstance(datatype, str) else ""
    raise Refused(400, f"tensor {name!r} has datatype {shown(datatype)}, which is unknown{hint}")


def from_bytes(name: str, data: memoryview, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
    """A tensor of little-endian elements, row by row."""
    wanted = math.prod(shape) * dtype.itemsize
    if len(data) != wanted:
        raise Refused(
            400, f"tensor {name!r} has {len(data)} bytes, and its shape and datatype {wanted}"
        )
    if dtype == np.bool_:
        return np.frombuffer(data, np.uint8).astype(bool).reshape(shape)
    if dtype == BF16:  # the upper half of FP32
        return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape)


def from_json(
    name: str, data: object, dtype: np.dtype[Any], shape: Sequence[int] | None = None
) -> Array:
    """Return a tensor of JSON numbers.

    The strings NaN, Infinity and -Infinity stand for numbers that JSON lacks, as in the JSON of
    Protocol Buffers, which the protocol's gRPC side uses.

    Args:
        name: Of the tensor, for errors.
        data: A flat list, or lists nested as the shape.
        dtype: Of the tensor.
        shape: Of the tensor; None: the shape of the nested lists.

    Raises:
        Refused: The data is not a regular array of numbers of this dtype and shape.
    """
    if dtype == BF16:
        raise Refused(400, f"tensor {name!r} of BF16 must be binary data")
    if not isinstance(data, list):
        raise Refused(400, f"tensor {name!r} has data of {shown(data, 40)}, expected a list")
    nested = _nested_shape(data)
    wanted = nested if shape is None else tuple(shape)
    values = np.concatenate([_convert_chunk(name, c, dtype) for c in _chunks(name, data, nested)])
    if values.size != math.prod(wanted):
        raise Refused(
            400, f"tensor {name!r} has {values.size} elements, and its shape {math.prod(wanted)}"
        )
    if len(nested) > 1 and nested != wanted:
        raise Refused(400, f"tensor {name!r} is nested as {nested}, not as its shape")
    return values.reshape(wanted)


def _nested_shape(data: list[Any]) -> tuple[int, ...]:
    """Return the shape of nested lists, of which only the first ones are looked at."""
    sizes = []
    first: Any = data
    while isinstance(first, list):
        sizes.append(len(first))
        first = first[0] if first else None
    return tuple(sizes)


def _chunks(name: str, data: list[Any], shape: Sequence[int]) -> Iterator[list[Any]]:
    """Yield the elements of nested lists in chunks, between which other threads can run."""
    size_of_row = math.prod(shape[1:])
    n_rows = max(1, _CHUNK // max(1, size_of_row))
    for start in range(0, len(data) or 1, n_rows):
        rows = data[start : start + n_rows]
        if size_of_row > _CHUNK:
            _check_rows(name, rows, shape[1])
            yield from _chunks(name, rows[0], shape[1:])
            continue
        for size in shape[1:]:
            _check_rows(name, rows, size)
            rows = list(chain.from_iterable(rows))
        yield rows


def _check_rows(name: str, rows: list[Any], size: int) -> None:
    if set(map(type, rows)) != {list} or set(map(len, rows)) != {size}:
        raise _no_array(name)


def _no_array(name: str) -> Refused:
    return Refused(400, f"tensor {name!r} has data that is no array of numbers")


def _convert_chunk(name: str, chunk: list[Any], dtype: np.dtype[Any]) -> Array:
    """Return elements as an array of a dtype that can hold them."""
    kinds = set(map(type, chunk))
    if not kinds <= {int, float, bool, str}:
        raise _no_array(name)
    if str in kinds:  # NumPy would give each element the size of the longest string.
        if not all(v in _WORDS for v in chunk if isinstance(v, str)):
            raise _no_array(name)
        chunk = [_WORDS[v] if isinstance(v, str) else v for v in chunk]
    if bool in kinds if dtype.kind != "b" else kinds != {bool}:
        kind = "booleans" if dtype.kind == "b" else "numbers"
        raise Refused(400, f"tensor {name!r} of {datatype_of(dtype)} takes {kind}")
    try:
        values = np.array(chunk)
        if dtype.kind in "iu" and values.dtype.kind == "f":  # NumPy's choice for large integers.
            values = np.array(chunk, object)
        with np.errstate(all="ignore"):
            made = values.astype(dtype)
        fits = dtype.kind not in "iu" or np.array_equal(made, values)
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise Refused(400, f"tensor {name!r} has numbers that are not {datatype_of(dtype)}")
    return made


def to_json(values: Array) -> list[Any]:
    """Return the elements row by row, with the words of `from_json` for infinities and NaN."""
    flat: list[Any] = values.ravel().tolist()
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return [v if math.isfinite(v) else _word(v) for v in flat]
    return flat


def encode_json(values: Array, hold: Callable[[int], None]) -> list[bytes]:
    """Return the pieces of JSON lists that are nested as the shape.

    Args:
        values: The elements.
        hold: Called with the size of each piece of many elements, before the next one is made.
    """
    if values.size <= _CHUNK:
        return [encode(_nest_lists(values)).encode()]
    pieces = []
    for piece in _encode_chunks(values):
        hold(len(piece))
        pieces.append(piece)
    return pieces


def _encode_chunks(values: Array) -> Iterator[bytes]:
    """Yield pieces of some thousand elements, between which other threads can run."""
    size_of_row = math.prod(values.shape[1:])
    n_rows = max(1, _CHUNK // size_of_row)
    before = b"["
    for start in range(0, len(values), n_rows):
        rows = values[start : start + n_rows]
        if size_of_row > _CHUNK:
            yield before
            yield from _encode_chunks(rows[0])
        else:
            yield before + encode(_nest_lists(rows))[1:-1].encode()
        before = b","
    yield b"]"


def _nest_lists(values: Array) -> Any:
    """Return lists that are nested as the shape, with words for numbers that JSON lacks."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return np.array(to_json(values), object).reshape(values.shape).tolist()
    return values.tolist()


def _word(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
