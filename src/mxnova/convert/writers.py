# SPDX-License-Identifier: Apache-2.0
"""How models are written: one function for each kind of file."""

from __future__ import annotations

import glob
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from ..core.base.dtypes import BFLOAT16, dtype_of
from ..core.base.errors import MXNetError
from ..core.base.packages import missing_package
from ..core.op.dtypes import torch_dtype
from ..formats import params, safetensors
from ..formats.atomic import replacing
from ..formats.checkpoint_files import CheckpointFiles
from ..formats.params import ArrayRecord, ParamsFile
from ..formats.safetensors_params import from_params
from .request import Request

__all__ = ["WRITERS", "Writer"]


@dataclass(frozen=True)
class Writer:
    """A kind of file.

    Attributes:
        write: writes a model to a path; the folder holds nothing else.
        files: paths of all files of a model at a path; those that it may lack come last.
        is_network: whether it holds the network, which can be proved to compute the same.
        finish: tells the file, once it is there, how the proof went.
    """

    write: Callable[[Request, str], None]
    files: Callable[[Request, str], list[str]]
    is_network: bool = True
    finish: Callable[[str, str], None] = lambda path, line: None


# -- Parameters ------------------------------------------------------------------------------------


def _anything(name: str) -> bool:
    return True


def _cast(request: Request, is_cast: Callable[[str], bool] = _anything) -> ParamsFile:
    """The parameters as they are saved, those of float32 in the element type that is asked for."""
    saved, dtype = request.model.saved, request.dtype
    if dtype is None:
        return saved
    pairs = zip(saved.names or [""] * len(saved.records), saved.records, strict=True)
    made = [r and (_cast_record(r, dtype) if is_cast(name) else r) for name, r in pairs]
    return replace(saved, records=made)


def _cast_record(record: ArrayRecord, dtype: str) -> ArrayRecord:
    if record.dtype.name != "float32":
        return record
    with np.errstate(over="ignore"):  # what is too large becomes infinite; a proof tells
        half = dtype == "float16"
        data = np.asarray(record.data).astype(np.float16) if half else _bits(record.data)
    return replace(record, dtype=dtype_of(dtype), data=data)


def _bits(values: np.ndarray) -> np.ndarray:
    """`values` in bfloat16, the nearest ones."""
    import torch

    halves = torch.from_numpy(np.array(values)).to(torch.bfloat16).view(torch.uint16)
    return halves.numpy().view(BFLOAT16)


def _to_safetensors(request: Request, path: str) -> None:
    made = from_params(_cast(request), request.model.np_shape, request.model.facts)
    safetensors.write(path, made.arrays, made.metadata)


def _to_params(request: Request, path: str, is_cast: Callable[[str], bool] = _anything) -> None:
    file = _cast(request, is_cast)
    params.write(path, file.records, file.names, np_shape=request.model.np_shape)


# -- MXNet -----------------------------------------------------------------------------------------


def _mxnet_files(request: Request, path: str) -> list[str]:
    files = CheckpointFiles.of(path, request.model.epoch)
    return [files.params] if request.model.symbol is None else [files.symbol, files.params]


def _to_mxnet(request: Request, path: str) -> None:
    files = CheckpointFiles.of(path, request.model.epoch)
    if request.model.symbol is None:
        _to_params(request, files.params)
        return
    cast: set[str] = set()
    if request.dtype is not None:  # some operators keep float32
        mine = request.model.arrays
        cast = {name for name, array in request.typed[0].items() if array is not mine[name]}
    _to_params(request, files.params, lambda name: name.partition(":")[2] in cast)
    with replacing(files.symbol) as file:
        file.write(request.with_target_dtypes(request.model.network).tojson().encode())


# -- Networks --------------------------------------------------------------------------------------


def _to_onnx(request: Request, path: str, for_runtime: bool = False) -> None:
    from ..onnx.export import export_for_runtime, export_model
    from ..onnx.package import require_onnx
    from .open_states import with_open_states

    require_onnx("convert")
    from onnx.checker import ValidationError

    arrays, types = request.typed
    shapes = list(request.shapes.values())
    export: Callable[..., Any] = export_for_runtime if for_runtime else export_model
    try:
        export(
            with_open_states(request),
            arrays,
            list(request.examples[0].values()),
            [types[name] for name in request.shapes],
            path,
            dynamic=request.has_open_sizes,
            dynamic_input_shapes=shapes if request.has_open_sizes else None,
            metadata={**request.model.facts, **request.model.input_attributes, **_noted(request)},
            opset_version=request.opset,
        )
    except ValidationError as error:  # what the package onnx finds wrong with what was made
        raise MXNetError(f"convert: ONNX refuses the model: {_first_line(error)}") from error


def _noted(request: Request) -> dict[str, str]:
    """How an image becomes an input, for metadata."""
    if request.picture is None:
        return {}
    return {"mxnet.preprocessing": json.dumps(asdict(request.picture))}


@contextmanager
def _through_onnx(request: Request, path: str, for_runtime: bool = False) -> Iterator[str]:
    """The path of an ONNX file beside `path` that others are made of, until the block ends."""
    from ..onnx.signed_weights import make_weights_signed

    between = f"{path}.onnx"
    try:
        _to_onnx(request, between, for_runtime)
        make_weights_signed(between)
        yield between
    finally:
        for file in glob.glob(f"{glob.escape(between)}*"):  # its arrays may be in another file
            os.unlink(file)


def _to_openvino(request: Request, path: str) -> None:
    try:
        import openvino
    except ImportError:
        raise MXNetError(f"convert: {missing_package('openvino', 'openvino,onnx')}") from None
    with _through_onnx(request, path) as between:
        try:
            openvino.save_model(openvino.convert_model(between), path, compress_to_fp16=False)
        except RuntimeError as error:
            raise MXNetError(f"convert: OpenVINO refuses the model: {_first_line(error)}") from None


def _to_compiled(request: Request, path: str) -> None:
    from ..predictor.building import write_compiled

    with _through_onnx(request, path, for_runtime=True) as between:
        write_compiled(
            between,
            path,
            request.runtime,
            request.model.graph.list_outputs(),
            sources=request.model.hashes,
            preprocessing=None if request.picture is None else asdict(request.picture),
            labels=request.labels or request.model.labels,
        )


def _to_exported(request: Request, path: str) -> None:
    import torch

    from ..torch_module import to_torch

    arrays, types = request.typed
    module = to_torch(request.graph, arrays, shapes=request.examples[0])
    keys = dict(zip(module.input_names, signature(module.forward).parameters, strict=True))
    given = {
        keys[name]: torch.zeros(shape, dtype=torch_dtype(types[name]))
        for name, shape in request.examples[0].items()
    }
    sizes = {keys[name]: _open_axes(shape) for name, shape in request.shapes.items()}
    inputs = {name: keys[name] for name in request.shapes}
    facts = {**request.model.facts, "mxnet.inputs": json.dumps(inputs)}
    try:
        program = torch.export.export(module, (), given, dynamic_shapes=sizes, strict=False)
    except Exception as error:
        raise MXNetError(f"convert: {_export_refusal(str(error), inputs)}") from error
    content = io.BytesIO()  # PyTorch ends the process when it cannot write to a disk
    torch.export.save(program, content, extra_files=facts)
    with replacing(path) as file:
        file.write(content.getbuffer())


_FIXED = re.compile(r"You marked L\['(\w+)'\]\.size\(\)\[(\d+)\] as dynamic but .*?\((\d+)\)")


def _export_refusal(text: str, inputs: Mapping[str, str]) -> str:
    """Why torch.export refuses a model, and what to give instead."""
    found = _FIXED.search(text)
    if found is None:
        return f"torch.export refuses the model: {_first_line(text)}"
    name = next((n for n, key in inputs.items() if key == found[1]), found[1])
    return (
        f"the operators of the model fix axis {found[2]} of {name} when they are traced; "
        "give a number for it by --shape"
    )


def _first_line(text: object) -> str:
    return str(text).partition("\n")[0]


def _open_axes(shape: Sequence[int | str]) -> dict[int, Any]:
    import torch

    dynamic: Any = torch.export.Dim.DYNAMIC  # equal sizes and bounds are found, constants refused
    return {axis: dynamic for axis, size in enumerate(shape) if isinstance(size, str)}


def _to_python(request: Request, path: str) -> None:
    from .python import write

    write(request, path)


def _tell_python(path: str, line: str) -> None:
    from .python import tell_proof

    tell_proof(path, line)


def _alone(request: Request, path: str) -> list[str]:
    return [path]


def _with_weights(ending: str) -> Callable[[Request, str], list[str]]:
    def files(request: Request, path: str) -> list[str]:
        return [path, f"{os.path.splitext(path)[0]}{ending}"]

    return files


def _with_data(request: Request, path: str) -> list[str]:
    return [path, f"{path}.data"]


WRITERS: Mapping[str, Writer] = {
    "mxnet": Writer(_to_mxnet, _mxnet_files),
    "params": Writer(_to_params, _alone, is_network=False),
    "safetensors": Writer(_to_safetensors, _alone, is_network=False),
    "onnx": Writer(_to_onnx, _with_data),
    "export": Writer(_to_exported, _alone),
    "python": Writer(_to_python, _with_weights(".safetensors"), finish=_tell_python),
    "compiled": Writer(_to_compiled, _alone),
    "openvino": Writer(_to_openvino, _with_weights(".bin")),
}
