# SPDX-License-Identifier: Apache-2.0
"""``mxnova inspect`` of other programs' models: ONNX files and torch.export's archives."""

from __future__ import annotations

import importlib.util
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ..core.base.errors import FormatError, MXNetError, shown
from ..core.base.packages import missing_package
from ..formats import bounded_json
from ..formats.archives import unpacking
from ..formats.source import read_file
from .inspected_path import InspectedPath
from .report import Report, Rows

__all__ = ["describe_exported", "describe_onnx"]


# ONNX ---------------------------------------------------------------------------------------------


def describe_onnx(path: InspectedPath, *, nodes: bool) -> Report:
    """Describe an ONNX file, and name the files of its external data.

    Raises:
        FormatError: it is no ONNX model.
        MXNetError: the package onnx is not installed.
    """
    if importlib.util.find_spec("onnx") is None:
        raise MXNetError(f"{path}: {missing_package('onnx')}")
    model = _parsed(path)
    graph = model.graph
    known = {tensor.name for tensor in graph.initializer}
    counts = Counter(_operator(node) for node in graph.node)
    facts: dict[str, Any] = {
        "inputs": [_value(entry) for entry in graph.input if entry.name not in known],
        "outputs": [_value(entry) for entry in graph.output],
        "operators": [{"operator": op, "count": count} for op, count in counts.most_common()],
        "arrays": [_tensor(tensor) for tensor in graph.initializer],
        "opsets": {entry.domain or "ai.onnx": entry.version for entry in model.opset_import},
        "ir_version": model.ir_version,
        "producer": f"{model.producer_name} {model.producer_version}".strip(),
        "metadata": {entry.key: entry.value for entry in model.metadata_props},
    }
    if nodes:
        facts["nodes"] = _nodes(graph)
    return Report(str(path), f"{len(graph.node):,} nodes", facts)


def _parsed(path: InspectedPath) -> Any:
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    model = ModelProto()
    try:
        model.ParseFromString(read_file(path))
    except (DecodeError, ValueError) as error:  # ValueError: text that is no UTF-8
        raise FormatError(f"{path}: this is no ONNX model: {error}") from None
    if not model.graph.output or not model.opset_import:
        raise FormatError(f"{path}: this is no ONNX model: it has no outputs, or no opset")
    return model


def _operator(node: Any) -> str:
    return f"{node.domain}.{node.op_type}" if node.domain else str(node.op_type)


def _value(entry: Any) -> dict[str, Any]:
    kind = entry.type.tensor_type
    sizes = [size.dim_param or size.dim_value or "?" for size in kind.shape.dim]
    return {"name": entry.name, "shape": tuple(sizes), "dtype": _element_type(kind.elem_type)}


def _tensor(tensor: Any) -> dict[str, Any]:
    places = {entry.key: entry.value for entry in tensor.external_data}
    return {
        "name": tensor.name,
        "shape": tuple(tensor.dims),
        "dtype": _element_type(tensor.data_type),
        "file": places.get("location", ""),
    }


def _element_type(number: int) -> str:
    from onnx import TensorProto

    names = {value: name for name, value in TensorProto.DataType.items()}
    return str(names.get(number, number)).lower()


def _nodes(graph: Any) -> Rows:
    return [
        {
            "#": number,
            "operator": _operator(node),
            "name": node.name,
            "inputs": list(node.input),
            "outputs": list(node.output),
        }
        for number, node in enumerate(graph.node)
    ]


# torch.export -------------------------------------------------------------------------------------

_MAX_DEPTH = 200  # brackets
_SCALARS = (  # the numbers that torch's archives have for element types
    "", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32",
    "complex64", "complex128", "bool", "bfloat16",
)  # fmt: skip


def describe_exported(path: InspectedPath, *, nodes: bool) -> Report:
    """Describe an archive of torch.export, without PyTorch; nothing is unpickled.

    Raises:
        FormatError: it is no such archive.
    """
    with unpacking(str(path)), zipfile.ZipFile(path) as archive:
        program = _program(path, archive)
        extra = {
            name.partition("/extra/")[2]: archive.getinfo(name).file_size
            for name in archive.namelist()
            if "/extra/" in name
        }
    try:
        return Report(str(path), *_exported(program, extra, nodes))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise FormatError(f"{path}: no program of torch.export: {shown(error)}") from None


def _program(path: InspectedPath, archive: zipfile.ZipFile) -> dict[str, Any]:
    ends = ("models/model.json", "serialized_exported_program.json")
    names = [name for name in archive.namelist() if name.endswith(ends)]
    if not names:
        raise FormatError(f"{path}: no program of torch.export: it has no models/model.json")
    member = archive.getinfo(names[0])
    if member.compress_type != zipfile.ZIP_STORED:  # as PyTorch has it: no larger than the file
        raise FormatError(f"{path}: {names[0]} is compressed")
    program = bounded_json.loads(archive.read(member), max_depth=_MAX_DEPTH)
    if not isinstance(program, dict):
        raise FormatError(f"{path}: {names[0]} is no object")
    return program


def _exported(
    program: Mapping[str, Any], extra: Mapping[str, int], nodes: bool
) -> tuple[str, dict[str, Any]]:
    module = program["graph_module"]
    graph, signature = module["graph"], module["signature"]
    values = graph["tensor_values"]
    counts = Counter(str(node["target"]) for node in graph["nodes"])
    facts: dict[str, Any] = {
        "inputs": [_argument(n, values) for n in _named(signature["input_specs"], "user_input")],
        "outputs": [_argument(n, values) for n in _named(signature["output_specs"], "user_output")],
        "operators": [{"operator": op, "count": count} for op, count in counts.most_common()],
        "arrays": list(_arrays(signature["input_specs"], values)),
        "opsets": program.get("opset_version", {}),
        "torch": str(program.get("torch_version", "")),
        "extra_files": dict(extra),
    }
    if nodes:
        facts["nodes"] = [_node(number, node) for number, node in enumerate(graph["nodes"])]
    return f"{len(graph['nodes']):,} nodes", facts


def _named(specs: Any, kind: str) -> list[str]:
    found = (spec[kind]["arg"] for spec in specs if kind in spec)
    return [str(kind["name"]) for arg in found for kind in arg.values()]


def _argument(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    kind = values.get(name, {"sizes": [], "dtype": 0})
    number = kind["dtype"]
    dtype = _SCALARS[number] if 0 <= number < len(_SCALARS) else str(number)
    return {"name": name, "shape": tuple(map(_size, kind["sizes"])), "dtype": dtype}


def _size(size: Mapping[str, Any]) -> int | str:
    if "as_int" in size:
        return int(size["as_int"])
    text = str(size["as_expr"]["expr_str"])
    return text.split("'")[1] if text.startswith("Symbol('") else text


def _arrays(specs: Any, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for spec in specs:
        for kind, key in (("parameter", "parameter_name"), ("buffer", "buffer_name")):
            if kind in spec:
                row = _argument(str(spec[kind]["arg"]["name"]), values)
                yield {**row, "name": str(spec[kind][key]), "kind": kind}


def _node(number: int, node: Mapping[str, Any]) -> dict[str, Any]:
    return {"#": number, "operator": str(node["target"]), "name": str(node.get("name", ""))}
