# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import MXNetError as MXNetError

CachedOpHandle: type[Any]
CudaKernelHandle: type[Any]
CudaModuleHandle: type[Any]
DLPackHandle: type[Any]
DataIterCreatorHandle: type[Any]
DataIterHandle: type[Any]
ExecutorHandle: type[Any]
FunctionHandle: type[Any]
KVStoreHandle: type[Any]
from mxnova.ndarray.ndarray import MXNetError as MXNetError
NDArrayHandle: type[Any]
from mxnova.symbol.symbol import NotImplementedForSymbol as NotImplementedForSymbol
class NotSupportedForSparseNDArray(MXNetError):
    def __init__(self, function: Any, alias: str | None = None, *args: Any) -> None: ...
    alias: Any
    function: str
OpHandle: type[Any]
ProfileHandle: type[Any]
RecordIOHandle: type[Any]
RtcHandle: type[Any]
SymbolHandle: type[Any]
_LIB: Any
_Null: Any
def _as_list(obj: Any) -> Any: ...
def build_param_doc(arg_names: Sequence[str], arg_types: Sequence[str], arg_descs: Sequence[str], remove_dup: bool = True) -> str: ...
def c2pyerror(err_msg: str) -> tuple[str, str | None]: ...
from mxnova.ndarray.ndarray import c_array as c_array
from mxnova.ndarray.ndarray import c_array_buf as c_array_buf
from mxnova.ndarray.ndarray import c_handle_array as c_handle_array
from mxnova.ndarray.ndarray import c_str as c_str
from mxnova.symbol.symbol import c_str_array as c_str_array
from mxnova.ndarray.ndarray import check_call as check_call
class classproperty:
    def __init__(self, func: Callable[[Any], Any]) -> None: ...
from mxnova.ndarray.ndarray import ctypes2buffer as ctypes2buffer
def ctypes2numpy_shared(cptr: Any, shape: Sequence[int]) -> Any: ...
def data_dir() -> str: ...
def data_dir_default() -> str: ...
error_types: dict[Any, Any]
def get_last_ffi_error() -> BaseException: ...
integer_types: tuple[Any, ...]
mx_float: type[Any]
mx_int: type[Any]
mx_int64: type[Any]
mx_real_t: type[Any]
mx_uint: type[Any]
numeric_types: tuple[Any, ...]
from mxnova.ndarray.ndarray import py_str as py_str
def register_error(func_name: Any = None, cls: Any = None) -> Any: ...
string_types: tuple[Any, ...]
def with_metaclass(meta: type, *bases: type) -> type: ...
