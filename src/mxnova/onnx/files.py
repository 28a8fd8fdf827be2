# SPDX-License-Identifier: Apache-2.0
"""ONNX files, which are replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import onnx
from onnx import GraphProto, ModelProto, TensorProto, helper
from torch import Tensor

from .. import __version__
from ..core.base.protobuf import delimited
from ..core.exec.backends.conversion.onnx_tensors import KINDS, describe, raw_bytes
from ..formats.atomic import replacing
from .file_opset import FileOpset

__all__ = ["model_proto", "write"]

_LEAST_IR = 8  # older ones hold all that opset 13 needs, but are not what other exporters write
_LIMIT = (1 << 31) - (1 << 20)  # bytes; what protobuf can write at all, but for some room
_SMALL = 1024  # bytes; constants that always lie in the file itself
_ALIGNMENT = 4096  # of arrays in a file beside it, so that they can be mapped


def write(
    ops: FileOpset,
    path: str,
    infer_shapes: bool = False,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Writes a model; what one file cannot hold goes into ``path.data`` beside it.

    Arrays are written from where they lie, without copies.

    Args:
        ops: what was said of it.
        path: of the file.
        infer_shapes: also note the shapes of all inner values.
        metadata: texts by name.

    Raises:
        FileError: a file cannot be written; what stood there is as it was.
        onnx.checker.ValidationError: it is no valid model.
    """
    model, constants = _skeleton(ops), ops.read_constants()
    helper.set_model_props(model, dict(metadata or {}))
    large = {name: values for name, values in constants.items() if _size(values) > _SMALL}
    _fill(model, {name: values for name, values in constants.items() if name not in large})
    without = _with_inputs(model, large)
    onnx.checker.check_model(without)
    if infer_shapes:
        inferred = onnx.shape_inference.infer_shapes(without).graph
        model.graph.value_info.extend(inferred.value_info)
    if sum(map(_size, constants.values())) < _LIMIT:
        _write_whole(model, large, path)
        return
    _fill_beside(model, large, f"{path}.data")
    content = model.SerializeToString()
    with replacing(path, len(content)) as file:
        file.write(content)


def model_proto(ops: FileOpset) -> Any:
    """A model with all that belongs to it, of less than 2 GB."""
    model = _skeleton(ops)
    _fill(model, ops.read_constants())
    return model


def _skeleton(ops: FileOpset) -> Any:
    """A model without its constants."""
    graph = helper.make_graph(ops.nodes, "mxnet_converted_model", ops.inputs, ops.outputs)
    opsets = [helper.make_opsetid("", ops.version)]
    return helper.make_model(
        graph,
        opset_imports=opsets,
        ir_version=max(_LEAST_IR, helper.find_min_ir_version_for(opsets)),
        producer_name="mxnova",
        producer_version=__version__,
    )


def _fill(model: Any, constants: Mapping[str, Tensor]) -> None:
    for name, values in constants.items():
        describe(model.graph.initializer.add(), name, values).raw_data = bytes(raw_bytes(values))


def _with_inputs(model: Any, constants: Mapping[str, Tensor]) -> Any:
    """A copy of a model with inputs in place of constants, which is as valid as it is."""
    made = ModelProto()
    made.CopyFrom(model)
    made.graph.input.extend(
        helper.make_tensor_value_info(name, KINDS[values.dtype], list(values.shape))
        for name, values in constants.items()
    )
    return made


def _size(values: Tensor) -> int:
    return values.numel() * values.element_size()


# -- Files -----------------------------------------------------------------------------------------


def _fill_beside(model: Any, constants: Mapping[str, Tensor], path: str) -> None:
    """As `_fill`, with the values in a file of their own."""
    with replacing(path) as file:
        for name, values in constants.items():
            file.write(bytes(-file.tell() % _ALIGNMENT))
            made = describe(model.graph.initializer.add(), name, values)
            made.data_location = TensorProto.EXTERNAL
            place = {"location": os.path.basename(path), "offset": file.tell()}
            for key, value in {**place, "length": _size(values)}.items():
                made.external_data.add(key=key, value=str(value))
            file.write(raw_bytes(values))


def _write_whole(model: Any, constants: Mapping[str, Tensor], path: str) -> None:
    """Writes a model and further constants in protobuf's wire format, one after the other."""
    graph = model.graph.SerializeToString()
    model.ClearField("graph")
    heads = [_head(name, values) for name, values in constants.items()]
    sizes = [len(head) + _size(v) for head, v in zip(heads, constants.values(), strict=True)]
    tags = [delimited(GraphProto.INITIALIZER_FIELD_NUMBER, size) for size in sizes]
    length = len(graph) + sum(map(len, tags)) + sum(sizes)
    start = model.SerializeToString() + delimited(ModelProto.GRAPH_FIELD_NUMBER, length) + graph
    with replacing(path, len(start) - len(graph) + length) as file:
        file.write(start)
        for tag, head, values in zip(tags, heads, constants.values(), strict=True):
            file.write(tag + head)
            file.write(raw_bytes(values))


def _head(name: str, values: Tensor) -> bytes:
    """A TensorProto up to its numbers."""
    facts = describe(TensorProto(), name, values).SerializeToString()
    return bytes(facts) + delimited(TensorProto.RAW_DATA_FIELD_NUMBER, _size(values))
