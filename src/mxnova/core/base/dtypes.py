# SPDX-License-Identifier: Apache-2.0
"""MXNet's element types: type flag (as written in files) <-> name <-> NumPy dtype."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .errors import ArgumentTypeError, candidates, shown

__all__ = ["BFLOAT16", "DTYPES", "DType", "dtype_of", "dtype_of_flag", "widened"]

# NumPy has no bfloat16; MXNet's Python front end shows it as this one-field record.
BFLOAT16 = np.dtype([("bfloat16", np.uint16)])


class DType(NamedTuple):
    """One element type: MXNet's flag, its name, and the NumPy dtype of the same bytes."""

    flag: int
    name: str
    numpy: np.dtype[Any]

    @property
    def array_dtype(self) -> Any:
        """What arrays of it have as `dtype`: NumPy's scalar type, or BFLOAT16, which has none."""
        return self.numpy if self.numpy is BFLOAT16 else self.numpy.type


# fmt: off
DTYPES: tuple[DType, ...] = (
    DType(0,  "float32",  np.dtype("float32")),
    DType(1,  "float64",  np.dtype("float64")),
    DType(2,  "float16",  np.dtype("float16")),
    DType(3,  "uint8",    np.dtype("uint8")),
    DType(4,  "int32",    np.dtype("int32")),
    DType(5,  "int8",     np.dtype("int8")),
    DType(6,  "int64",    np.dtype("int64")),
    DType(7,  "bool",     np.dtype("bool")),
    DType(8,  "int16",    np.dtype("int16")),
    DType(9,  "uint16",   np.dtype("uint16")),
    DType(10, "uint32",   np.dtype("uint32")),
    DType(11, "uint64",   np.dtype("uint64")),
    DType(12, "bfloat16", BFLOAT16),
)
# fmt: on

_BY_NAME = {d.name: d for d in DTYPES}
_BY_NUMPY = {d.numpy: d for d in DTYPES}
_BY_FLAG = {d.flag: d for d in DTYPES}


def dtype_of(dtype: object) -> DType:
    """The element type that `dtype` is or has.

    Args:
        dtype: a name, a NumPy dtype or scalar type, or a thing with an attribute `dtype`, such as
            an array.

    Raises:
        ArgumentTypeError: MXNet has no such element type.
    """
    if isinstance(dtype, str) and dtype in _BY_NAME:
        return _BY_NAME[dtype]
    carried = None if isinstance(dtype, type) else getattr(dtype, "dtype", None)
    if carried is not None:
        text = str(carried)  # PyTorch's dtypes are known by their text
        dtype = _BY_NAME.get(text.removeprefix("torch."), carried) if "torch." in text else carried
        return dtype if isinstance(dtype, DType) else dtype_of(dtype)
    try:
        return _BY_NUMPY[np.dtype(dtype)]  # type: ignore[call-overload]
    except (TypeError, KeyError, ValueError, RecursionError):
        hint = candidates(dtype, _BY_NAME) if isinstance(dtype, str) else ""
        raise ArgumentTypeError(f"dtype {shown(dtype)} is not one that MXNet has{hint}") from None


def dtype_of_flag(flag: int) -> DType | None:
    """The element type that files store as `flag`, or None."""
    return _BY_FLAG.get(flag)


def widened(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """`values`, as float32 where they are bfloat16, which NumPy does not compute in."""
    if values.dtype != BFLOAT16:
        return values
    bits = np.ascontiguousarray(values).view(np.uint16).astype(np.uint32) << 16
    return bits.view(np.float32)
