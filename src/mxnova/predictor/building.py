# SPDX-License-Identifier: Apache-2.0
"""Compiled models made of ONNX files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..core.base.inference_runtimes import SLOWER_FUSIONS, onnxruntime_options
from ..core.base.packages import require_package
from ..formats import compiled_model
from ..formats.compiled_model import CompiledModel, Port
from .engines import ENGINES
from .network import Array

__all__ = ["write_compiled"]

_SMALL = 1 << 10  # bytes; constants that stay in the graph
_LARGEST = (1 << 31) - (1 << 20)  # bytes of a file that ONNX Runtime can write


def write_compiled(
    onnx_file: str,
    path: str | os.PathLike[str],
    runtime: str,
    output_names: Sequence[str],
    *,
    sources: Mapping[str, str] | None = None,
    preprocessing: Mapping[str, Any] | None = None,
    labels: Sequence[str] = (),
    openvino_file: str | None = None,
) -> None:
    """Writes the compiled model of an ONNX file; files may be left beside `onnx_file`.

    Args:
        onnx_file: path of the ONNX file.
        path: of the file to write.
        runtime: onnxruntime or openvino.
        output_names: MXNet's names of its outputs.
        sources: SHA-256 of the files that the model was read from, by name.
        preprocessing: how an image file becomes an input.
        labels: names of the scores.
        openvino_file: path of OpenVINO's .xml file that runs in place of the ONNX file.

    Raises:
        MXNetError: the runtime is not installed, or refuses the model.
        FileError: the file cannot be written.
    """
    if runtime not in ENGINES:
        hint = candidates(runtime, ENGINES)
        raise ArgumentError(
            f"compile: no runtime {runtime!r}{hint}; known are {', '.join(ENGINES)}"
        )
    package = require_package(runtime, "compile")
    try:
        if openvino_file is not None:
            arrays = _openvino_files(os.path.splitext(openvino_file)[0])
        else:
            arrays = _MAKERS[runtime](package, onnx_file)
    except MXNetError:
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise MXNetError(f"compile: {runtime} refuses the model: {reason}") from error
    inputs, outputs = _ports(onnx_file, output_names)
    made = CompiledModel(
        runtime,
        arrays,
        inputs,
        outputs,
        {"mxnova": __version__, runtime: package.__version__},
        dict(sources or {}),
        dict(preprocessing or {}),
        tuple(labels),
    )
    compiled_model.write(path, made)


def _of_onnxruntime(package: Any, onnx_file: str) -> dict[str, Array]:
    """The graph as ONNX Runtime rewrites it, and its weights."""
    import onnx

    size = sum(p.stat().st_size for p in Path(onnx_file).parent.glob(f"{Path(onnx_file).name}*"))
    if size < _LARGEST:
        options = onnxruntime_options(1)
        options.graph_optimization_level = package.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = rewritten = f"{onnx_file}.rewritten"
        package.InferenceSession(
            onnx_file,
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=[*SLOWER_FUSIONS],
        )
        onnx_file = rewritten
    model = onnx.load(onnx_file)
    weights = {}
    for tensor in model.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.nbytes > _SMALL and values.dtype.kind in "fiub":
            weights[tensor.name] = values
            _move_out(tensor)
    graph = np.frombuffer(model.SerializeToString(), np.uint8)
    return {"model": graph, **dict(sorted(weights.items()))}  # the runtime's order is any


def _move_out(tensor: Any) -> None:
    """Has an initializer say that its values are elsewhere."""
    for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data"):
        tensor.ClearField(field)
    tensor.data_location = tensor.EXTERNAL
    tensor.external_data.add(key="location", value=tensor.name)


def _of_openvino(package: Any, onnx_file: str) -> dict[str, Array]:
    """The two files of OpenVINO's representation."""
    stem = f"{onnx_file}.openvino"
    package.save_model(package.convert_model(onnx_file), f"{stem}.xml", compress_to_fp16=False)
    return _openvino_files(stem)


def _openvino_files(stem: str) -> dict[str, Array]:
    files = {f"model{ending}": f"{stem}{ending}" for ending in (".xml", ".bin")}
    return {name: np.fromfile(file, np.uint8) for name, file in files.items()}


_MAKERS = {"onnxruntime": _of_onnxruntime, "openvino": _of_openvino}


def _ports(
    onnx_file: str, output_names: Sequence[str]
) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    import onnx

    graph = onnx.load(onnx_file, load_external_data=False).graph
    inputs = tuple(_port(entry.name, entry) for entry in graph.input)
    outputs = tuple(map(_port, output_names, graph.output))
    return inputs, outputs


def _port(name: str, entry: Any) -> Port:
    import onnx

    kind = entry.type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type).name
    if not kind.HasField("shape"):
        return Port(name, entry.name, None, dtype)
    sizes = [
        d.dim_param or (d.dim_value if d.HasField("dim_value") else "?") for d in kind.shape.dim
    ]
    return Port(name, entry.name, None if "?" in sizes else tuple(sizes), dtype)
