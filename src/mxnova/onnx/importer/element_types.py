# SPDX-License-Identifier: Apache-2.0
"""ONNX's numbers for element types."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto

from ...core.base.errors import MXNetError

__all__ = ["ELEMENT_TYPES", "element_type", "type_name"]

ELEMENT_TYPES: dict[int, np.dtype[Any]] = {
    TensorProto.FLOAT: np.dtype("float32"), TensorProto.DOUBLE: np.dtype("float64"),
    TensorProto.FLOAT16: np.dtype("float16"), TensorProto.BOOL: np.dtype("bool"),
    TensorProto.INT8: np.dtype("int8"), TensorProto.UINT8: np.dtype("uint8"),
    TensorProto.INT16: np.dtype("int16"), TensorProto.UINT16: np.dtype("uint16"),
    TensorProto.INT32: np.dtype("int32"), TensorProto.UINT32: np.dtype("uint32"),
    TensorProto.INT64: np.dtype("int64"), TensorProto.UINT64: np.dtype("uint64"),
}  # fmt: skip


def element_type(number: int | str) -> np.dtype[Any]:
    """The element type that ONNX has a number for, or in its first files a name.

    Raises:
        MXNetError: there are no such arrays here.
    """
    if isinstance(number, str):
        number = int(dict(TensorProto.DataType.items()).get(number, 0))
    dtype = ELEMENT_TYPES.get(number)
    if dtype is None:
        raise MXNetError(f"elements of type {type_name(number)}: there are no such arrays here")
    return dtype


def type_name(number: int) -> str:
    """ONNX's name of an element type."""
    known = TensorProto.DataType.values()
    return str(TensorProto.DataType.Name(number)) if number in known else str(number)
