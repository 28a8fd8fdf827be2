# SPDX-License-Identifier: Apache-2.0
"""What other modules build on: the error that everything raises, number types, C values."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .core.base.errors import MXNetError, NotImplementedForSymbol, NotSupportedForSparseNDArray
from .core.base.params import NOT_GIVEN as _Null  # noqa: N811 - MXNet's name

__all__ = [
    "MXNetError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "_Null",
    "c_array",
    "c_array_buf",
    "c_handle_array",
    "c_str",
    "c_str_array",
    "check_call",
    "ctypes2buffer",
    "data_dir",
    "data_dir_default",
    "integer_types",
    "mx_real_t",
    "mx_uint",
    "numeric_types",
    "py_str",
    "string_types",
]

mx_real_t = np.float32
mx_uint = ctypes.c_uint
integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)
string_types = (str,)


def c_str(string: str) -> ctypes.c_char_p:
    """`string` as C text."""
    return ctypes.c_char_p(string.encode())


def c_str_array(strings: Sequence[str]) -> Any:
    """A C array of texts."""
    return (ctypes.c_char_p * len(strings))(*(s.encode() for s in strings))


def c_array(ctype: Any, values: Sequence[Any]) -> Any:
    """A C array of `values`."""
    return (ctype * len(values))(*values)


def c_array_buf(ctype: Any, buf: Any) -> Any:
    """A C array over the memory of the Python array `buf`."""
    return (ctype * len(buf)).from_buffer(buf)


def c_handle_array(objs: Iterable[Any]) -> Any:
    """A C array of the objects' handles."""
    handles = [o.handle for o in objs]
    return (ctypes.c_void_p * len(handles))(*handles)


def ctypes2buffer(cptr: Any, length: int) -> bytearray:
    """A copy of `length` bytes from a pointer to chars."""
    if not isinstance(cptr, ctypes.POINTER(ctypes.c_char)):
        raise TypeError(f"ctypes2buffer: a {type(cptr).__name__} is no pointer to chars")
    return bytearray(ctypes.string_at(cptr, length))


def py_str(x: bytes) -> str:
    """C text as Python's."""
    return x.decode()


def data_dir_default() -> str:
    """Where data sets and models are kept unless MXNET_HOME says otherwise."""
    if platform.system() == "Windows":
        return os.path.join(os.environ.get("APPDATA", os.path.expanduser("~")), "mxnet")
    return os.path.join(os.path.expanduser("~"), ".mxnet")


def data_dir() -> str:
    """Where data sets and models are kept: MXNET_HOME, or `data_dir_default`."""
    return os.environ.get("MXNET_HOME") or data_dir_default()


def check_call(ret: int) -> None:
    """Raises MXNetError unless a C function returned 0."""
    if ret != 0:
        raise MXNetError(f"a C function returned {ret}")
