# SPDX-License-Identifier: Apache-2.0
"""Tensors of the Open Inference Protocol: data types, JSON numbers, bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.base.errors import candidates, shown
from .errors import Refused

__all__ = ["DATATYPES", "datatype_of", "dtype_of", "from_bytes", "from_json", "to_json"]

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
    """A tensor of JSON numbers, flat or nested as its shape; without a shape, as it is nested.

    Numbers that JSON lacks are the strings NaN, Infinity and -Infinity, as in the JSON of Protocol
    Buffers, which the protocol's gRPC side uses.
    """
    if dtype == BF16:
        raise Refused(400, f"tensor {name!r} of BF16 must be binary data")
    if not isinstance(data, list):
        raise Refused(400, f"tensor {name!r} has data of {shown(data, 40)}, expected a list")
    values = _array(name, data)
    shape = values.shape if shape is None else shape
    if values.size != math.prod(shape):
        raise Refused(
            400, f"tensor {name!r} has {values.size} elements, and its shape {math.prod(shape)}"
        )
    if values.ndim > 1 and values.shape != tuple(shape):
        raise Refused(400, f"tensor {name!r} is nested as {values.shape}, not as its shape")
    if dtype.kind in "iu" and values.dtype.kind == "f":  # NumPy's choice for some large integers
        values = np.array(data, object)
    return _converted(name, values, dtype).reshape(shape)


def _array(name: str, data: list[Any]) -> Array:
    try:
        values = np.array(data)
        if values.dtype.kind == "U":
            values = _with_words(data)
    except (ValueError, TypeError, OverflowError, RecursionError, KeyError):
        raise Refused(400, f"tensor {name!r} has data that is no array of numbers") from None
    if values.size and values.dtype.kind not in "biuf":
        raise Refused(400, f"tensor {name!r} has data that is no array of numbers")
    return values


def _with_words(data: list[Any]) -> Array:
    """An array of numbers, some of which are words."""
    values = np.array(data, object)
    flat = [_WORDS[v] if isinstance(v, str) else v for v in values.ravel()]
    return np.array(flat).reshape(values.shape)


def _converted(name: str, values: Array, dtype: np.dtype[Any]) -> Array:
    """`values` in an element type that can hold them."""
    if (values.dtype.kind == "b") != (dtype.kind == "b") and values.size:
        kind = "booleans" if dtype.kind == "b" else "numbers"
        raise Refused(400, f"tensor {name!r} of {datatype_of(dtype)} takes {kind}")
    try:
        with np.errstate(all="ignore"):
            made = values.astype(dtype)
        fits = dtype.kind not in "iu" or np.array_equal(made, values)
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise Refused(400, f"tensor {name!r} has numbers that are not {datatype_of(dtype)}")
    return made


def to_json(values: Array) -> list[Any]:
    """The elements, row by row; what JSON lacks as the words that `from_json` takes."""
    flat: list[Any] = values.ravel().tolist()
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return [v if math.isfinite(v) else _word(v) for v in flat]
    return flat


def _word(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
