# SPDX-License-Identifier: Apache-2.0
"""Arrays in files: `save`, `load`, `load_frombuffer`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...formats import params
from ...formats.params import ArrayRecord, ParamsFile
from ..base.doors import door
from ..base.errors import ArgumentError, ArgumentTypeError, FormatError, shown
from ..base.scopes import is_np_shape
from ..op.dtypes import mx_dtype
from ..runtime.context import Context, context_of, cpu, gpu, is_there
from .base_array import CLASSES, BaseArray
from .interop import numpy_of, tensor_from
from .wrapping import sparse_array, wrap

__all__ = [
    "array_of_record",
    "dumps_array",
    "load",
    "load_frombuffer",
    "loads_array",
    "record_of_array",
    "save",
]

Arrays = list[BaseArray | None] | dict[str, BaseArray | None]


@door
def save(fname: str | os.PathLike[str], data: Any) -> None:
    """Writes an array, a list of arrays or a dict of arrays, in the bytes MXNet 1.9.1 writes.

    The file is replaced only when all is written.

    Args:
        fname: the name of the file.
        data: an array, a list of arrays, or arrays by name.

    Raises:
        ArgumentError: `data` is none of these.
        ArgumentTypeError: something in it is no array, or a name no text.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "a.params")
        >>> mx.nd.save(path, [mx.nd.ones(2)])
        >>> os.path.getsize(path) > 0
        True
    """
    if isinstance(data, BaseArray):
        data = [data]
    if isinstance(data, str) or not isinstance(data, Iterable):
        raise ArgumentError(f"save: data={shown(data)}: must be an array, a list or a dict of them")
    names = list(data) if isinstance(data, Mapping) else []
    arrays = list(data.values()) if isinstance(data, Mapping) else list(data)
    for name, array in zip(names or range(len(arrays)), arrays, strict=True):
        if not isinstance(array, BaseArray):
            raise ArgumentTypeError(
                f"save: data[{shown(name)}] is a {type(array).__name__}, not an NDArray; "
                "mx.nd.array(x) makes one"
            )
    if not all(isinstance(n, str) for n in names):
        raise ArgumentTypeError("save: the keys of a dict of arrays must be strings")
    records = [record_of_array(a) for a in arrays]
    params.write(fname, records, names, np_shape=is_np_shape())


@door
def load(fname: str | os.PathLike[str], *, mmap: bool = True) -> dict[str, BaseArray] | Any:
    """The arrays in a file, as a list or, where they have names, a dict.

    Those that were saved on a GPU come back there if this machine has it, others on the CPU. In a
    process forked from one that uses a GPU, as workers of a DataLoader are, all are on the CPU.

    Args:
        fname: path of the file.
        mmap: map the file: an array is read when it is first used. Whoever then cuts the file off
            in place, instead of replacing it as `save` does, ends this process. False: read it all.

    Raises:
        FileError: the file cannot be read, or is no regular file.
        FormatError: it breaks its format; the text tells where.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "a.params")
        >>> mx.nd.save(path, {"w": mx.nd.ones(2)})
        >>> mx.nd.load(path)["w"].asnumpy()
        array([1., 1.], dtype=float32)
    """
    if not isinstance(fname, (str, os.PathLike)):
        raise ArgumentTypeError(f"load: fname is a {type(fname).__name__}, not a path")
    return _arrays(params.read(fname, np_shape=is_np_shape(), mapped=mmap))


@door
def load_frombuffer(buf: bytes) -> Arrays:
    """`load` from the bytes of a file.

    Args:
        buf: the bytes of a file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "a.params")
        >>> mx.nd.save(path, [mx.nd.ones(2)])
        >>> with open(path, "rb") as file:
        ...     arrays = mx.nd.load_frombuffer(file.read())
        >>> len(arrays)
        1
    """
    if not isinstance(buf, (bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"load_frombuffer: buf is a {type(buf).__name__}, not bytes")
    return _arrays(params.read(bytes(buf), np_shape=is_np_shape()))


def _arrays(file: ParamsFile) -> Arrays:
    arrays = [None if r is None else _brought_back(r) for r in file.records]
    return dict(zip(file.names, arrays, strict=True)) if file.names else arrays


def dumps_array(array: BaseArray) -> bytearray:
    """The bytes of one array, as MXNet pickles it."""
    np_shape = array.stype == "default" and (is_np_shape() or not array.shape)
    return bytearray(params.dumps_array(record_of_array(array), np_shape=np_shape))


def loads_array(data: bytes | bytearray) -> BaseArray:
    """The array of such bytes, dense, on the context it was on if that is there."""
    record = params.loads_array(bytearray(data))
    if record is None:
        raise FormatError("a pickled array without shape and values")
    array = _brought_back(record)
    kind, number = record.context
    of_cpu = record.stype == "default" and Context.devtype2str.get(kind) == "cpu"
    context = context_of(f"cpu({number})") if of_cpu else array.context
    return wrap(array._tensor, context, CLASSES["default"])


def _brought_back(record: ArrayRecord) -> BaseArray:
    """The array of a record: on the GPU it was on where that can be used, else on cpu(0)."""
    array: Any = array_of_record(record)
    kind, number = record.context
    was_on_gpu = Context.devtype2str.get(kind) == "gpu" and is_there(Context("gpu", number))
    found: BaseArray = array.as_in_context(gpu(number)) if was_on_gpu else array
    return found


def array_of_record(record: ArrayRecord) -> BaseArray:
    """The array of a record, on its memory, of the CPU."""
    context = cpu(0)
    values = tensor_from(record.data)
    if record.stype == "default":
        return wrap(values, context, CLASSES["default"])
    aux = tuple(tensor_from(a) for a in record.aux)
    sparse: BaseArray = sparse_array(record.stype, record.shape, values, aux, context)
    return sparse


def record_of_array(array: BaseArray) -> ArrayRecord:
    """The record that stores `array`."""
    context = (array.context.device_typeid, array.context.device_id)
    if array.stype != "default":
        values = array._value.data
        aux = tuple(np.ascontiguousarray(numpy_of(a, copy=False)) for a in array._value.aux)
    else:
        values, aux = array._tensor, ()
    data = np.asarray(numpy_of(values, copy=False), order="C")
    return ArrayRecord(array.stype, array.shape, mx_dtype(values.dtype), data, aux, context)
