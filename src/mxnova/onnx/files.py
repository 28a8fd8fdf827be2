# SPDX-License-Identifier: Apache-2.0
"""ONNX files, which are replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import onnx
from onnx import TensorProto, helper
from torch import Tensor

from .. import __version__
from ..core.exec.backends.conversion.onnx_opset import describe, raw_bytes
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
    fits = sum(t.numel() * t.element_size() for t in constants.values()) < _LIMIT
    if fits:
        _fill(model, constants)
    else:
        _fill_beside(model, constants, f"{path}.data")
    if infer_shapes:
        model = onnx.shape_inference.infer_shapes(model)
    content = model.SerializeToString()
    if fits:
        onnx.checker.check_model(content)
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


def _fill_beside(model: Any, constants: Mapping[str, Tensor], path: str) -> None:
    """As `_fill`, with the values, but for small ones, in a file of their own."""
    with replacing(path) as file:
        for name, values in constants.items():
            numbers = raw_bytes(values)
            if len(numbers) <= _SMALL:
                _fill(model, {name: values})
                continue
            file.write(bytes(-file.tell() % _ALIGNMENT))
            made = describe(model.graph.initializer.add(), name, values)
            made.data_location = TensorProto.EXTERNAL
            place = {"location": os.path.basename(path), "offset": file.tell()}
            for key, value in {**place, "length": len(numbers)}.items():
                made.external_data.add(key=key, value=str(value))
            file.write(numbers)
