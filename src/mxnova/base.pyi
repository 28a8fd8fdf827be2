# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np


class MXNetError(RuntimeError):
    ...
class NotImplementedForSymbol(MXNetError):
    def __init__(self, function: Any, alias: str | None = None, *args: Any) -> None: ...
    alias: Any
    function: str
class NotSupportedForSparseNDArray(MXNetError):
    def __init__(self, function: Any, alias: str | None = None, *args: Any) -> None: ...
    alias: Any
    function: str
_Null: Any
from mxnova.ndarray.ndarray import c_array as c_array
from mxnova.ndarray.ndarray import c_array_buf as c_array_buf
from mxnova.ndarray.ndarray import c_handle_array as c_handle_array
from mxnova.ndarray.ndarray import c_str as c_str
from mxnova.symbol.symbol import c_str_array as c_str_array
from mxnova.ndarray.ndarray import check_call as check_call
from mxnova.ndarray.ndarray import ctypes2buffer as ctypes2buffer
integer_types: tuple[Any, ...]
mx_real_t: type[Any]
mx_uint: type[Any]
numeric_types: tuple[Any, ...]
from mxnova.symbol.symbol import py_str as py_str
string_types: tuple[Any, ...]
