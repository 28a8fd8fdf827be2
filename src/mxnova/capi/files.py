# SPDX-License-Identifier: Apache-2.0
"""Arrays in files and in bytes."""

from __future__ import annotations

from typing import Any

from ..core.base.handles import give
from ..core.base.scopes import is_np_shape
from ..core.nd.array import NDArray
from ..core.nd.files import array_of_record, dumps_array, loads_array, record_of_array
from ..formats import params
from .arguments import found, text, texts
from .entry_points import extern
from .interface import NULL, ffi
from .ndarray import array_at, empty_array, with_memory
from .returns import keep, return_handles, return_texts

__all__: list[str] = []


@extern
def MXNDArraySave(fname: Any, num_args: int, args: Any, keys: Any) -> None:
    arrays = [with_memory(array) for array in found(num_args, args, NDArray)]
    names = [] if keys == NULL else texts(num_args, keys)
    records = [record_of_array(array) for array in arrays]
    params.write(text(fname), records, names, np_shape=is_np_shape())


def _return(
    file: params.ParamsFile, out_size: Any, out_arr: Any, out_name_size: Any, out_names: Any
) -> None:
    arrays = [empty_array() if r is None else array_of_record(r) for r in file.records]
    return_handles(out_size, out_arr, arrays)
    return_texts(out_name_size, out_names, file.names)


@extern
def MXNDArrayLoad(
    fname: Any, out_size: Any, out_arr: Any, out_name_size: Any, out_names: Any
) -> None:
    file = params.read(text(fname), np_shape=is_np_shape())
    _return(file, out_size, out_arr, out_name_size, out_names)


@extern
def MXNDArrayLoadFromBuffer(
    ndarray_buffer: Any, size: int, out_size: Any, out_arr: Any, out_name_size: Any, out_names: Any
) -> None:
    file = params.read(_bytes(ndarray_buffer, size), np_shape=is_np_shape())
    _return(file, out_size, out_arr, out_name_size, out_names)


@extern
def MXNDArrayLoadFromRawBytes(buf: Any, size: int, out: Any) -> None:
    out[0] = give(loads_array(_bytes(buf, size)))


def _bytes(buffer: Any, size: int) -> bytes:
    return bytes(ffi.buffer(ffi.cast("char *", buffer), size)) if size and buffer != NULL else b""


@extern
def MXNDArraySaveRawBytes(handle: int, out_size: Any, out_buf: Any) -> None:
    data = bytes(dumps_array(array_at(handle)))
    out_size[0] = len(data)
    out_buf[0] = keep("bytes", ffi.new("char[]", data))
