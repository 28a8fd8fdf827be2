# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods
"""ONNX files, run by ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.base.errors import ArgumentError
from .runner import Array, CannotRunError, Take, given_name
from .target_process import ProcessRunner, Value

__all__ = ["ONNXRunner"]


class ONNXRunner(ProcessRunner):
    """An ONNX file, run by ONNX Runtime in a fresh process, in a session with default options.

    Values of nodes are outputs of a copy of the model that puts them out.

    Args:
        path: of the file.
    """

    def __init__(self, path: str) -> None:
        from ...onnx.importer import read_skeleton

        file = read_skeleton(path)
        for tensor in file.model.graph.initializer:  # refuses numbers outside of the folder
            if tensor.external_data:
                file.array(tensor)
        nodes = file.model.graph.node
        self._quantized = {n.output[0] for n in nodes if n.op_type == "QuantizeLinear"}
        super().__init__("onnx", path)
        self._types: dict[str, str] = dict(self.process.facts["inputs"])

    def prepare_feed(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        """Return the inputs of the model in its dtypes."""
        missing = [name for name in self._types if name not in feed]
        if missing:
            raise ArgumentError(f"verify: {self.path}: nobody feeds its input {missing[0]!r}")
        if "tensor(bfloat16)" in self._types.values():
            raise CannotRunError(f"{self.path}: ONNX Runtime takes no arrays of bfloat16")
        return {name: feed[name].astype(_numpy_type(kind)) for name, kind in self._types.items()}

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
        model = self._skeleton()
        wanted = [name for node in model.graph.node for name in node.output if name]
        profile = os.path.join(self.process.folder, "profile")
        for value in self._run_copy(model, self.prepare_feed(feed), wanted, profile):
            take(*value)

    def quantized(self) -> set[str]:
        return self._quantized

    def run_on(
        self, feed: Mapping[str, Array], given: Mapping[str, Array], wanted: Collection[str]
    ) -> dict[str, Array] | None:
        import onnx

        model = self._skeleton()
        graph = model.graph
        made = [name for node in graph.node for name in node.output if name]
        cut = {name: values for name, values in given.items() if name in set(made)}
        for node in graph.node:
            node.input[:] = [given_name(name) if name in cut else name for name in node.input]
        for name, values in cut.items():
            kind = onnx.helper.np_dtype_to_tensor_dtype(values.dtype)
            shape = values.shape
            graph.input.append(onnx.helper.make_tensor_value_info(given_name(name), kind, shape))
        names = [name for name in made if name in wanted]
        fed = {**self.prepare_feed(feed), **{given_name(n): v for n, v in cut.items()}}
        return {name: array for name, array, _ in self._run_copy(model, fed, names)}

    def _skeleton(self) -> Any:
        """The model without its arrays, which sessions map from the file."""
        from ...onnx.importer import read_skeleton

        return read_skeleton(self.path).model

    def _run_copy(
        self, model: Any, feed: Mapping[str, Array], wanted: Sequence[str], profile: str = ""
    ) -> list[Value]:
        """Return the outputs of a changed copy of the model, and the values that are wanted."""
        import onnx

        shown = {entry.name for entry in model.graph.output}
        further = (onnx.ValueInfoProto(name=name) for name in wanted if name not in shown)
        model.graph.output.extend(further)
        file = os.path.join(self.process.folder, "changed.onnx")
        onnx.save(model, file)
        folder = os.path.dirname(os.path.realpath(self.path))
        makers = {name: node.name for node in model.graph.node for name in node.output}
        options = {"file": file, "folder": folder, "profile": profile, "makers": makers}
        return self.process.values("run_copy", feed, **options)


def _numpy_type(text: str) -> Any:
    """Return the NumPy dtype of a type as ONNX Runtime has it, such as ``tensor(float)``."""
    name = text.removeprefix("tensor(").removesuffix(")")
    return np.dtype({"float": "float32", "double": "float64"}.get(name, name))
