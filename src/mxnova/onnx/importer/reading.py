# SPDX-License-Identifier: Apache-2.0
"""The bytes of ONNX files, which nobody trusts: sizes are compared before memory is taken."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from onnx import AttributeProto, ModelProto, TensorProto

from ...core.base.errors import FormatError, shown
from ...core.base.printable import printable
from ...formats.source import map_file, read_file
from ..wire import without_arrays
from .budget import Budget
from .element_types import ELEMENT_TYPES, type_name
from .values import MOST_AXES

__all__ = ["ModelFile", "all_nodes", "parsed", "read_model", "read_skeleton"]

_FIELDS = {  # where numbers lie that are no bytes, and whose bits they have there
    TensorProto.FLOAT: ("float_data", np.float32), TensorProto.DOUBLE: ("double_data", np.float64),
    TensorProto.INT64: ("int64_data", np.int64), TensorProto.UINT64: ("uint64_data", np.uint64),
    TensorProto.UINT32: ("uint64_data", np.uint64), TensorProto.FLOAT16: ("int32_data", np.uint16),
}  # fmt: skip
_OTHERS = ("int32_data", np.int32)
_LARGE = 1 << 12  # bytes of an array that can stay in the file
_MOST_BYTES = 1 << 60  # that an array without elements would have if no size were 0


@dataclass
class ModelFile:
    """The content of a model file.

    Attributes:
        model: the ModelProto.
        path: of the file; external data lie in its folder.
        size: in bytes.
        budget: what may be made of it, and of the files that it reads.
    """

    model: Any
    path: str
    size: int

    def __post_init__(self) -> None:
        self.budget = Budget(self.size, sum(1 for _ in all_nodes(self.model.graph)))
        self._files: dict[str, memoryview] = {}

    def array(self, tensor: Any) -> np.ndarray:
        """The numbers of a TensorProto.

        Raises:
            FormatError: they are not as many as its sizes say, lie outside of the model's folder,
                or are of a type that MXNet has no arrays of.
        """
        dtype = ELEMENT_TYPES.get(tensor.data_type)
        shape = tuple(tensor.dims)
        if dtype is None:
            raise self._error(tensor, f"elements of type {type_name(tensor.data_type)}")
        if len(shape) > MOST_AXES or any(size < 0 for size in shape):
            raise self._error(tensor, f"shape {shown(shape)}")
        if 0 in shape and prod(filter(None, shape)) * dtype.itemsize > _MOST_BYTES:
            raise self._error(tensor, f"shape {shown(shape)}: too many elements")
        count = prod(shape)
        if tensor.data_location == TensorProto.EXTERNAL:
            numbers = np.frombuffer(self._external(tensor, count * dtype.itemsize), dtype)
        elif tensor.HasField("raw_data"):
            self._expect(tensor, len(tensor.raw_data), count * dtype.itemsize, "bytes")
            numbers = np.frombuffer(tensor.raw_data, dtype)
        else:
            field, kind = _FIELDS.get(tensor.data_type, _OTHERS)
            self._expect(tensor, len(getattr(tensor, field)), count, "numbers")
            numbers = np.array(getattr(tensor, field), kind)
            numbers = numbers.view(dtype) if dtype == np.float16 else numbers.astype(dtype)
        return numbers.reshape(shape)

    def _external(self, tensor: Any, n_bytes: int) -> memoryview:
        facts = {entry.key: entry.value for entry in tensor.external_data}
        view = self._mapped(self._beside(tensor, str(facts.get("location", ""))))
        try:
            offset, length = (int(facts.get(k, d)) for k, d in (("offset", 0), ("length", n_bytes)))
        except ValueError:
            raise self._error(tensor, f"external data {shown(facts)}") from None
        self._expect(tensor, length, n_bytes, "bytes")
        if offset < 0 or offset + length > len(view):
            raise self._error(tensor, f"bytes {offset} to {offset + length} of {len(view)}")
        return view[offset : offset + length]

    def _mapped(self, path: str) -> memoryview:
        if path not in self._files:
            self._files[path] = map_file(path)
            self.budget.grow(len(self._files[path]))
        return self._files[path]

    def _beside(self, tensor: Any, location: str) -> str:
        """The path of external data, which must lie in the model's folder, links followed."""
        folder = os.path.realpath(os.path.dirname(self.path))
        parts = location.replace("\\", "/").split("/")
        within = bool(location) and "\0" not in location and ".." not in parts
        path = os.path.realpath(os.path.join(folder, location)) if within else ""
        if os.path.isabs(location) or not path.startswith(os.path.join(folder, "")):
            raise self._error(
                tensor, f"location {shown(location)}: it must lie in the model's folder"
            )
        return path

    def _expect(self, tensor: Any, found: int, wanted: int, things: str) -> None:
        if found != wanted:
            raise self._error(
                tensor, f"shape {tuple(tensor.dims)} needs {wanted} {things}, but there are {found}"
            )

    def _error(self, tensor: Any, reason: str) -> FormatError:
        return FormatError(f"{printable(self.path)}: tensor {shown(tensor.name)}: {reason}")


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Read the model in a file, without its external data.

    Raises:
        FileError: it cannot be read.
        FormatError: it is no ONNX model.
    """
    return parsed(read_file(path), os.fsdecode(path))


def read_skeleton(path: str | os.PathLike[str]) -> ModelFile:
    """Read the model in a file, whose large initializers become external data in the file itself.

    Raises:
        FileError: it cannot be read.
        FormatError: it is no ONNX model.
    """
    name = os.fsdecode(path)
    content = map_file(path)
    try:
        skeleton = without_arrays(content, os.path.basename(os.path.realpath(path)), _LARGE)
    except (DecodeError, ValueError) as error:
        raise FormatError(f"{name}: this is no ONNX model: {error}") from None
    made = parsed(skeleton, name)
    made.size = len(content)
    made.budget.grow(len(content))
    return made


def parsed(content: bytes, name: str) -> ModelFile:
    """The model in a file of these bytes.

    Raises:
        FormatError: it is no ONNX model.
    """
    model = ModelProto()
    try:
        model.ParseFromString(content)
    except (DecodeError, ValueError) as error:  # ValueError: text that is no UTF-8
        raise FormatError(f"{name}: this is no ONNX model: {error}") from None
    if not all(isinstance(known, str) for known in _names_in(model.graph)):
        raise FormatError(f"{name}: a name in the graph is no UTF-8")  # protobuf leaves bytes
    if not model.graph.output or not model.opset_import:
        raise FormatError(f"{name}: this is no ONNX model: it has no outputs, or no opset")
    return ModelFile(model, name, len(content))


def all_nodes(graph: Any) -> Iterator[Any]:
    """Nodes of a graph and of those inside of it."""
    waiting = [graph]
    while waiting:
        for node in waiting.pop().node:
            yield node
            waiting.extend(a.g for a in node.attribute if a.type == AttributeProto.GRAPH)


def _names_in(graph: Any) -> Iterator[Any]:
    for thing in (*graph.input, *graph.output, *graph.initializer):
        yield thing.name
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        for attribute in node.attribute:
            yield attribute.name
            if attribute.type == AttributeProto.GRAPH:
                yield from _names_in(attribute.g)
