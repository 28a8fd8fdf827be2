# SPDX-License-Identifier: Apache-2.0
"""Compiled models made of ONNX files."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..core.base.errors import ArgumentError, MXNetError, candidates
from ..core.base.inference_runtimes import DISABLED_PASSES, onnxruntime_options
from ..core.base.packages import require_package
from ..formats import compiled_model
from ..formats.compiled_model import Blocked, CompiledModel, Port
from .blocks import found_in, runtime_block
from .engines import BLOCKED_GRAPH, ENGINES
from .network import Array

__all__ = ["write_compiled"]

_SMALL = 1 << 10  # bytes; constants that stay in the graph
_LARGEST = (1 << 31) - (1 << 20)  # bytes of a file that ONNX Runtime can write


@dataclass
class _Parts:
    """Fields of a `CompiledModel` that its runtime makes."""

    arrays: dict[str, Array]
    block: int = 0
    blocked: Mapping[str, Blocked] = field(default_factory=dict)


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
            parts = _openvino_files(os.path.splitext(openvino_file)[0])
        else:
            parts = _MAKERS[runtime](package, onnx_file)
    except MXNetError:
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise MXNetError(f"compile: {runtime} refuses the model: {reason}") from error
    inputs, outputs = _ports(onnx_file, output_names)
    made = CompiledModel(
        runtime,
        parts.arrays,
        inputs,
        outputs,
        {"mxnova": __version__, runtime: package.__version__},
        dict(sources or {}),
        dict(preprocessing or {}),
        tuple(labels),
        parts.block,
        parts.blocked,
    )
    compiled_model.write(path, made)


def _of_onnxruntime(package: Any, onnx_file: str) -> _Parts:
    """The graph as ONNX Runtime rewrites it, for any processor and for this one, and weights."""
    import onnx

    size = sum(p.stat().st_size for p in Path(onnx_file).parent.glob(f"{Path(onnx_file).name}*"))
    if size >= _LARGEST:
        model = onnx.load(onnx_file)
        weights = _large(model)
        return _Parts({"model": _without(model, weights), **weights})
    levels = package.GraphOptimizationLevel
    plain_file = _rewritten(package, onnx_file, levels.ORT_ENABLE_EXTENDED)
    plain = onnx.load(plain_file)
    block = runtime_block(package)
    blocked = onnx.load(_rewritten(package, plain_file, levels.ORT_ENABLE_ALL)) if block else plain
    return _parts(plain, blocked, block)


def _rewritten(package: Any, onnx_file: str, level: Any) -> str:
    """The path of the ONNX file that ONNX Runtime makes of one."""
    options = onnxruntime_options(1)
    options.graph_optimization_level = level
    options.optimized_model_filepath = path = f"{onnx_file}.rewritten"
    package.InferenceSession(
        onnx_file,
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=[*DISABLED_PASSES],
    )
    return path


def _parts(plain: Any, blocked: Any, block: int) -> _Parts:
    """Both graphs, if weights of one are in blocks in the other; each weight once."""
    weights, others = _large(plain), _large(blocked)
    shared = {n: v for n, v in weights.items() if n in others and _is_same(v, others[n])}
    made = {name: values for name, values in others.items() if name not in weights}
    found = found_in(made, {n: v for n, v in weights.items() if n not in shared}, block)
    if not found:
        return _Parts({"model": _without(plain, weights), **weights})
    arrays = shared | {kept.array: made[kept.array] for kept in found.values()}
    graphs = {
        "model": _without(plain, {*shared, *found}),
        BLOCKED_GRAPH: _without(blocked, {*arrays}),
    }
    return _Parts({**graphs, **arrays}, block, found)


def _is_same(one: Array, other: Array) -> bool:
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


def _large(model: Any) -> dict[str, Array]:
    """Weights that are not left in the graph, by name: the runtime's order is any.

    What is named like a graph stays: the file has one array of a name.
    """
    import onnx

    arrays = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    graphs = ENGINES["onnxruntime"].graphs
    large = {
        name: values
        for name, values in arrays.items()
        if values.nbytes > _SMALL and values.dtype.kind in "fiub" and name not in graphs
    }
    return dict(sorted(large.items()))


def _without(model: Any, names: Collection[str]) -> Array:
    """The graph without initializers of these names."""
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in names]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    return np.frombuffer(model.SerializeToString(), np.uint8)


def _of_openvino(package: Any, onnx_file: str) -> _Parts:
    """The two files of OpenVINO's representation."""
    stem = f"{onnx_file}.openvino"
    package.save_model(package.convert_model(onnx_file), f"{stem}.xml", compress_to_fp16=False)
    return _openvino_files(stem)


def _openvino_files(stem: str) -> _Parts:
    files = {f"model{ending}": f"{stem}{ending}" for ending in (".xml", ".bin")}
    return _Parts({name: np.fromfile(file, np.uint8) for name, file in files.items()})


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
