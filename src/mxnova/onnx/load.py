# SPDX-License-Identifier: Apache-2.0
"""From ONNX files to symbols."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from ..core.graph.symbol import Symbol
from ..core.nd.array import NDArray
from .package import require_onnx

if TYPE_CHECKING:
    from .importer import ModelFile

__all__ = ["get_model_metadata", "import_model", "metadata_of", "symbol_of"]


def import_model(
    model_file: str | os.PathLike[str],
    input_shapes: Mapping[str, Sequence[Any]] | None = None,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Reads an ONNX file: (symbol, arguments, auxiliary states).

    Variables have the names of the file's inputs and initializers, operators those of its nodes.
    Nothing is made for one size where the file leaves sizes open. Arrays without axes have the
    shape (1,).

    Args:
        model_file: its path. Numbers that lie in other files must do so within its folder.
        input_shapes: shapes of inputs by name, instead of those in the file: for networks that can
            only be said for known sizes. A name or None instead of a size leaves it open.

    Raises:
        FileError: the file cannot be read.
        FormatError: it is no ONNX model, or its sizes contradict each other.
        MXNetError: the package onnx is not installed; operators, attributes or inputs that MXNet's
            operators cannot say, with their node.
    """
    require_onnx("import_model")
    from .importer import read_model

    return _symbol_of(read_model(model_file), input_shapes or {})


def symbol_of(model: Any) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Like `import_model`, for an onnx.ModelProto.

    Args:
        model: the model, whose numbers lie in it.
    """
    from .importer import ModelFile

    return _symbol_of(ModelFile(model, "<ModelProto>", model.ByteSize()), {})


def _symbol_of(
    file: ModelFile, input_shapes: Mapping[str, Sequence[Any]]
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    from .importer import Imported

    imported = Imported(file, input_shapes)
    symbol = imported.symbol
    arrays = {name: _array(numbers) for name, numbers in imported.parameters.items()}
    states = {name: arrays.pop(name) for name in symbol.list_auxiliary_states() if name in arrays}
    return symbol, arrays, states


def _array(numbers: Any) -> NDArray:
    return NDArray(torch.from_numpy(numbers.copy()))


def get_model_metadata(model_file: str | os.PathLike[str]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the inputs and outputs that an ONNX file declares.

    Args:
        model_file: its path.

    Returns:
        ``input_tensor_data``: (name, shape, ONNX's number of the element type) of each input that
        is no parameter; ``output_tensor_data``: (name, shape) of each output. Sizes that the file
        leaves open are 0.

    Raises:
        FileError: the file cannot be read.
        FormatError: it is no ONNX model.
        MXNetError: the package onnx is not installed.
    """
    require_onnx("get_model_metadata")
    from .importer import read_model

    return metadata_of(read_model(model_file).model.graph)


def metadata_of(graph: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Like `get_model_metadata`, for an onnx.GraphProto.

    Args:
        graph: the graph.
    """
    parameters = {tensor.name for tensor in graph.initializer}
    inputs = [
        (entry.name, _shape_of(entry), entry.type.tensor_type.elem_type)
        for entry in graph.input
        if entry.name not in parameters
    ]
    outputs = [(entry.name, _shape_of(entry)) for entry in graph.output]
    return {"input_tensor_data": inputs, "output_tensor_data": outputs}


def _shape_of(entry: Any) -> tuple[int, ...]:
    return tuple(size.dim_value for size in entry.type.tensor_type.shape.dim)
