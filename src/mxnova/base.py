# SPDX-License-Identifier: Apache-2.0
"""What other modules build on: the error that everything raises, number types, C values."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .core.base import env
from .core.base.doors import door
from .core.base.errors import (
    ArgumentTypeError,
    MXNetError,
    NotImplementedForSymbol,
    NotSupportedForSparseNDArray,
)
from .core.base.mxnet_names import missing_name
from .core.base.parameter_types import NOT_GIVEN as _Null  # noqa: N811 - MXNet's name

__all__ = [
    "_LIB",  # noqa: F822 - see __getattr__
    "CachedOpHandle",
    "CudaKernelHandle",
    "CudaModuleHandle",
    "DLPackHandle",
    "DataIterCreatorHandle",
    "DataIterHandle",
    "ExecutorHandle",
    "FunctionHandle",
    "KVStoreHandle",
    "MXNetError",
    "NDArrayHandle",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "OpHandle",
    "ProfileHandle",
    "RecordIOHandle",
    "RtcHandle",
    "SymbolHandle",
    "_Null",
    "_as_list",
    "build_param_doc",
    "c2pyerror",
    "c_array",
    "c_array_buf",
    "c_handle_array",
    "c_str",
    "c_str_array",
    "check_call",
    "classproperty",
    "ctypes2buffer",
    "ctypes2numpy_shared",
    "data_dir",
    "data_dir_default",
    "error_types",
    "get_last_ffi_error",
    "integer_types",
    "mx_float",
    "mx_int",
    "mx_int64",
    "mx_real_t",
    "mx_uint",
    "numeric_types",
    "py_str",
    "register_error",
    "string_types",
    "with_metaclass",
]

mx_real_t = np.float32
mx_int = ctypes.c_int
mx_uint = ctypes.c_uint
mx_int64 = ctypes.c_int64
mx_float = ctypes.c_float
mx_float_p = ctypes.POINTER(mx_float)
integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)
string_types = (str,)

CachedOpHandle = CudaKernelHandle = CudaModuleHandle = DLPackHandle = ctypes.c_void_p
DataIterCreatorHandle = DataIterHandle = ExecutorHandle = FunctionHandle = ctypes.c_void_p
KVStoreHandle = NDArrayHandle = OpHandle = ProfileHandle = RecordIOHandle = ctypes.c_void_p
RtcHandle = SymbolHandle = ctypes.c_void_p

# C values -----------------------------------------------------------------------------------------


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
        raise ArgumentTypeError(f"ctypes2buffer: a {type(cptr).__name__} is no pointer to chars")
    return bytearray(ctypes.string_at(cptr, length))


def ctypes2numpy_shared(cptr: Any, shape: Sequence[int]) -> Any:
    """A NumPy array of `shape` over the memory that a pointer to floats points to."""
    if not isinstance(cptr, ctypes.POINTER(ctypes.c_float)):
        name = type(cptr).__name__
        raise ArgumentTypeError(f"ctypes2numpy_shared: a {name} is no pointer to floats")
    return np.ctypeslib.as_array(cptr, tuple(shape))


def py_str(x: bytes | str) -> str:
    """C text as Python's; Python's stays what it is."""
    return x if isinstance(x, str) else x.decode()


# Errors -------------------------------------------------------------------------------------------


def check_call(ret: int) -> None:
    """Raises MXNetError unless a C function returned 0.

    Args:
        ret: the value that the function has returned.

    Example:
        >>> mx.base.check_call(0)
    """
    if ret != 0:
        error = get_last_ffi_error()
        raise error if str(error) else MXNetError(f"a C function returned {ret}")


def get_last_ffi_error() -> BaseException:
    """The error that says what went wrong last in a C function."""
    from .c_library import LIBRARY

    text, name = c2pyerror(py_str(LIBRARY.MXGetLastError()))
    return error_types.get(name or "", MXNetError)(text)


def c2pyerror(err_msg: str) -> tuple[str, str | None]:
    """The text of an error, and the name of its class where the text starts with one."""
    name, colon, _ = err_msg.partition(":")
    return err_msg, name if colon and name.replace(".", "_").isidentifier() else None


error_types: dict[str, type[BaseException]] = {
    kind.__name__: kind
    for kind in (
        NotImplementedForSymbol,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        NotImplementedError,
    )
}


def register_error(func_name: Any = None, cls: Any = None) -> Any:
    """Registers a class of errors, by its name or another; decorates it, too.

    Args:
        func_name: the name, or the class.
        cls: the class; None: a decorator is returned.
    """
    if isinstance(func_name, type):
        return register_error(func_name.__name__, func_name)

    def register(kind: type[BaseException]) -> type[BaseException]:
        error_types[func_name or kind.__name__] = kind
        return kind

    return register if cls is None else register(cls)


# Classes, documentation, places -------------------------------------------------------------------


def with_metaclass(meta: type, *bases: type) -> type:
    """A base class that gives what derives from it `meta` as its metaclass.

    Args:
        meta: the metaclass.
        *bases: the bases of the class.

    Example:
        >>> Made = mx.base.with_metaclass(type, dict)
        >>> issubclass(Made, dict)
        True
    """
    return meta("_WithMetaclass", bases, {})  # type: ignore[no-any-return]


class classproperty:  # noqa: N801 - MXNet's name
    """A property of a class.

    Args:
        func: gives its value for the class.

    Example:
        >>> class Layer:
        ...     @mx.base.classproperty
        ...     def kind(cls):
        ...         return cls.__name__.lower()
        >>> Layer.kind
        'layer'
    """

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self._func = func

    def __get__(self, _instance: Any, owner: type) -> Any:
        return self._func(owner)


def _as_list(obj: Any) -> Any:
    """A list or tuple as it is, anything else in a list."""
    return obj if isinstance(obj, (list, tuple)) else [obj]


def build_param_doc(
    arg_names: Sequence[str],
    arg_types: Sequence[str],
    arg_descs: Sequence[str],
    remove_dup: bool = True,
) -> str:
    """A section of documentation about parameters, as NumPy's documentation has it.

    Args:
        arg_names: their names.
        arg_types: their types.
        arg_descs: what they are.
        remove_dup: whether a name is listed once only.
    """
    seen: set[str] = set()
    lines = ["Parameters", "----------"]
    for name, kind, what in zip(arg_names, arg_types, arg_descs, strict=True):
        if name not in seen:
            lines += [f"{name} : {kind}", *([f"    {what}"] if what else [])]
        if remove_dup:
            seen.add(name)
    return "\n".join(lines) + "\n"


def data_dir_default() -> str:
    """Where data sets and models are kept unless MXNET_HOME says otherwise."""
    if platform.system() == "Windows":
        return os.path.join(os.environ.get("APPDATA", ""), "mxnet")
    return os.path.join(os.path.expanduser("~"), ".mxnet")


def data_dir() -> str:
    """Where data sets and models are kept: MXNET_HOME, or `data_dir_default`."""
    return env.get("MXNET_HOME") or data_dir_default()


@door
def __getattr__(name: str) -> Any:
    if name == "_LIB":  # needs torch, which readers of files do without
        from .c_library import LIBRARY

        return LIBRARY
    raise missing_name(__name__, name)
