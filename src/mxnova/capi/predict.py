# SPDX-License-Identifier: Apache-2.0
"""The predict interface: saved models, fed and run, and files of arrays."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.base import env
from ..core.base.errors import ArgumentError, MXNetError
from ..core.base.handles import find, free, give
from ..core.base.shapes import shape_text
from ..predictor import NDList, Predictor, Session
from .arguments import element_type, numbers, shapes_by_name, text, texts
from .entry_points import call_back, extern
from .interface import NULL, ffi
from .returns import text_memory

_log = logging.getLogger("mxnova")
_GPU = 2  # device type


class _Predictor:
    """A session of a predictor, and the memory of what was told of its outputs.

    Attributes:
        session: what was set and computed.
        shapes: shapes of outputs that were asked for, by number, in C's memory.
    """

    noun = "predictor"

    def __init__(self, session: Session) -> None:
        self.session = session
        self.shapes: dict[int, Any] = {}


# Made ---------------------------------------------------------------------------------------------


def _memory(pointer: Any, size: int) -> bytes:
    """A copy of memory of C's."""
    if size < 0:
        raise ArgumentError(f"memory of {size} bytes is given")
    if size and pointer == NULL:
        raise ArgumentError(f"memory of {size} bytes is given as a null pointer")
    return bytes(ffi.buffer(pointer, size)) if size else b""


def _create(
    symbol: Any,
    params: tuple[Any, int],
    place: tuple[int, int],
    shapes: Mapping[str, Sequence[int]],
    outputs: Sequence[str] | None = None,
    types: Mapping[str, str] | None = None,
) -> Predictor:
    content, graph = _memory(*params), text(symbol)
    if env.get("MXNOVA_COMPILED") and place[0] != _GPU and graph.lstrip().startswith("{"):
        try:
            return Predictor(
                graph, content or {}, shapes, None, outputs, types, "onnxruntime", cache=True
            )
        except MXNetError as reason:
            _log.warning("MXNOVA_COMPILED: the model is not compiled: %s", reason)
    from ..core.graph.serialize import from_json
    from .enums import context_at

    context = context_at(*place)
    # MXPredSetInput may still set what is missing; MXPredForward checks that it did.
    return Predictor(
        from_json(graph), content or {}, shapes, context, outputs, types, allow_missing=True
    )


def _give(predictor: Predictor) -> int:
    return give(_Predictor(predictor.session()))


@extern
def MXPredCreate(
    symbol_json_str: Any,
    param_bytes: Any,
    param_size: int,
    dev_type: int,
    dev_id: int,
    num_input_nodes: int,
    input_keys: Any,
    input_shape_indptr: Any,
    input_shape_data: Any,
    out: Any,
) -> None:
    shapes = shapes_by_name(num_input_nodes, input_keys, input_shape_indptr, input_shape_data)
    place = (dev_type, dev_id)
    out[0] = _give(_create(symbol_json_str, (param_bytes, param_size), place, shapes))


@extern
def MXPredCreateEx(
    symbol_json_str: Any,
    param_bytes: Any,
    param_size: int,
    dev_type: int,
    dev_id: int,
    num_input_nodes: int,
    input_keys: Any,
    input_shape_indptr: Any,
    input_shape_data: Any,
    num_provided_arg_dtypes: int,
    provided_arg_dtype_names: Any,
    provided_arg_dtypes: Any,
    out: Any,
) -> None:
    shapes = shapes_by_name(num_input_nodes, input_keys, input_shape_indptr, input_shape_data)
    names = texts(num_provided_arg_dtypes, provided_arg_dtype_names)
    flags = numbers(num_provided_arg_dtypes, provided_arg_dtypes)
    types = {name: element_type(flag).name for name, flag in zip(names, flags, strict=True)}
    place = (dev_type, dev_id)
    params = (param_bytes, param_size)
    out[0] = _give(_create(symbol_json_str, params, place, shapes, types=types))


@extern
def MXPredCreatePartialOut(
    symbol_json_str: Any,
    param_bytes: Any,
    param_size: int,
    dev_type: int,
    dev_id: int,
    num_input_nodes: int,
    input_keys: Any,
    input_shape_indptr: Any,
    input_shape_data: Any,
    num_output_nodes: int,
    output_keys: Any,
    out: Any,
) -> None:
    shapes = shapes_by_name(num_input_nodes, input_keys, input_shape_indptr, input_shape_data)
    outputs = texts(num_output_nodes, output_keys) or None
    place = (dev_type, dev_id)
    params = (param_bytes, param_size)
    out[0] = _give(_create(symbol_json_str, params, place, shapes, outputs))


_MOST_THREADS = 1 << 12


@extern
def MXPredCreateMultiThread(
    symbol_json_str: Any,
    param_bytes: Any,
    param_size: int,
    dev_type: int,
    dev_id: int,
    num_input_nodes: int,
    input_keys: Any,
    input_shape_indptr: Any,
    input_shape_data: Any,
    num_threads: int,
    out: Any,
) -> None:
    if not 1 <= num_threads <= _MOST_THREADS:
        raise ArgumentError(f"num_threads={num_threads}: must be from 1 to {_MOST_THREADS}")
    shapes = shapes_by_name(num_input_nodes, input_keys, input_shape_indptr, input_shape_data)
    place = (dev_type, dev_id)
    predictor = _create(symbol_json_str, (param_bytes, param_size), place, shapes)
    for i in range(num_threads):
        out[i] = _give(predictor)


@extern
def MXPredReshape(
    num_input_nodes: int,
    input_keys: Any,
    input_shape_indptr: Any,
    input_shape_data: Any,
    handle: int,
    out: Any,
) -> None:
    session = find(handle, _Predictor).session
    shapes = shapes_by_name(num_input_nodes, input_keys, input_shape_indptr, input_shape_data)
    out[0] = give(_Predictor(session.reshape(shapes)))


@extern
def MXPredFree(handle: int) -> None:
    free(handle, _Predictor)


# Fed and run --------------------------------------------------------------------------------------


@extern
def MXPredSetInput(handle: int, key: Any, data: Any, size: int) -> None:
    session, name = find(handle, _Predictor).session, text(key)
    shape, dtype = session.input_facts(name)
    if size != math.prod(shape):
        raise ArgumentError(
            f"MXPredSetInput: {name} is given {size} elements, its shape is {shape_text(shape)}"
        )
    if size and data == NULL:
        raise ArgumentError(f"MXPredSetInput: {name} is given a null pointer")
    kind = dtype.numpy  # what the pointer says is float may be any type of the model's
    given = ffi.buffer(data, size * kind.itemsize) if size else bytearray()
    session.set_input(name, np.frombuffer(given, kind))


def _find_ready(handle: int) -> Session:
    """Return the session of a predictor whose variables all have values.

    Raises:
        MXNetError: some have none. MXNet computes with uninitialized memory then.
    """
    session = find(handle, _Predictor).session
    unset = session.unset()
    if unset:
        raise MXNetError(
            f"MXPredForward: {', '.join(unset)}: not among the parameters; complete the .params "
            "file, or set the values by MXPredSetInput"
        )
    return session


@extern
def MXPredForward(handle: int) -> None:
    _find_ready(handle).forward()


@extern
def MXPredPartialForward(handle: int, step: int, step_left: Any) -> None:
    step_left[0] = _find_ready(handle).partial_forward(step)


@extern
def MXPredGetOutputShape(handle: int, index: int, shape_data: Any, shape_ndim: Any) -> None:
    predictor = find(handle, _Predictor)
    shape, _ = predictor.session.output_facts(index)
    memory = predictor.shapes[index] = ffi.new("uint32_t[]", list(shape) or 1)
    shape_data[0], shape_ndim[0] = memory, len(shape)


@extern
def MXPredGetOutputType(handle: int, out_index: int, out_dtype: Any) -> None:
    _, dtype = find(handle, _Predictor).session.output_facts(out_index)
    out_dtype[0] = dtype.flag


@extern
def MXPredGetOutput(handle: int, index: int, data: Any, size: int) -> None:
    values = find(handle, _Predictor).session.output(index)
    if size != values.size:
        shape = shape_text(values.shape)
        raise ArgumentError(
            f"MXPredGetOutput: output {index} has the shape {shape}, {size} elements are asked for"
        )
    if not size:
        return
    values = np.ascontiguousarray(values)
    ffi.memmove(data, ffi.cast("void *", values.ctypes.data), values.nbytes)


@extern
def MXPredSetMonitorCallback(
    handle: int, callback: Any, callback_handle: Any, monitor_all: bool
) -> None:
    session = find(handle, _Predictor).session
    if callback == NULL:
        session.monitor = None
        return

    from ..core.exec.program.interpreter import Teller

    def tell(name: str, _operator: str, array: Any) -> None:
        call_back(callback, text_memory(name), give(array), callback_handle)

    session.monitor = Teller(tell, monitor_all, monitor_all)


# Files of arrays ----------------------------------------------------------------------------------


class _List:
    """The arrays of a file, in C's memory: (name, values, shape, number of axes)."""

    noun = "list of arrays"

    def __init__(self, content: bytes) -> None:
        self._kept = [
            (name, np.ascontiguousarray(values, np.float32)) for name, values in NDList(content)
        ]
        self.items = [
            (
                text_memory(name),
                ffi.cast("float *", values.ctypes.data),
                ffi.new("uint32_t[]", values.shape or 1),
                values.ndim,
            )
            for name, values in self._kept
        ]


@extern
def MXNDListCreate(nd_file_bytes: Any, nd_file_size: int, out: Any, out_length: Any) -> None:
    made = _List(_memory(nd_file_bytes, nd_file_size))
    out_length[0] = len(made.items)
    out[0] = give(made)


@extern
def MXNDListGet(
    handle: int, index: int, out_key: Any, out_data: Any, out_shape: Any, out_ndim: Any
) -> None:
    items = find(handle, _List).items
    if index >= len(items):
        raise ArgumentError(f"MXNDListGet: array {index} of {len(items)}")
    out_key[0], out_data[0], out_shape[0], out_ndim[0] = items[index]


@extern
def MXNDListFree(handle: int) -> None:
    free(handle, _List)
