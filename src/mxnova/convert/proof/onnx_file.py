# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods
"""ONNX files, run by ONNX Runtime."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...core.base.errors import ArgumentError, MXNetError
from .runner import Array, CannotRunError, Runner, Take

__all__ = ["ONNXRunner"]


class ONNXRunner(Runner):
    """An ONNX file, run by ONNX Runtime.

    Args:
        path: of the file.
        optimized: let ONNX Runtime rewrite the graph and lay out weights anew, as programs do;
            without, it takes half the memory.
    """

    def __init__(self, path: str, optimized: bool = True) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise CannotRunError(
                "the package onnxruntime is not installed: pip install 'mxnova[onnxruntime]'"
            ) from None
        from ...onnx.importer import read_model

        self.path, self._runtime, self._optimized = path, onnxruntime, optimized
        file = read_model(path)
        for tensor in file.model.graph.initializer:  # refuses numbers outside of the folder
            if tensor.external_data:
                file.array(tensor)
        self._session: Any = None

    def _made(self, model: str | bytes, optimized: bool, profile: str = "") -> Any:
        options = self._runtime.SessionOptions()
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if not optimized:
            level = self._runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.graph_optimization_level = level
            options.add_session_config_entry("session.disable_prepacking", "1")
        if profile:
            options.enable_profiling, options.profile_file_prefix = True, profile
        providers = ["CPUExecutionProvider"]
        with self._refusing():
            return self._runtime.InferenceSession(model, options, providers=providers)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Errors of ONNX Runtime as ours."""
        try:
            yield
        except (MXNetError, OSError, MemoryError):
            raise
        except Exception as error:
            lacks = isinstance(error, self._runtime.capi.onnxruntime_pybind11_state.NotImplemented)
            kind = CannotRunError if lacks else MXNetError
            raise kind(f"{self.path}: ONNX Runtime cannot run it: {error}") from error

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        if self._session is None:
            self._session = self._made(self.path, self._optimized)
        return self._ran(self._session, feed)

    def _ran(self, session: Any, feed: Mapping[str, Array]) -> list[Array]:
        kinds = {entry.name: entry.type for entry in session.get_inputs()}
        missing = [name for name in kinds if name not in feed]
        if missing:
            raise ArgumentError(f"verify: {self.path}: nobody feeds its input {missing[0]!r}")
        if "tensor(bfloat16)" in kinds.values():
            raise CannotRunError(f"{self.path}: ONNX Runtime takes no arrays of bfloat16")
        fed = {name: feed[name].astype(_numpy_type(kinds[name])) for name in kinds}
        with self._refusing():
            return [np.asarray(values) for values in session.run(None, fed)]

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
        import onnx

        from ...onnx.importer import read_model

        self._session = None  # two of them take twice the memory
        model = read_model(self.path).model
        if any(t.data_location == onnx.TensorProto.EXTERNAL for t in model.graph.initializer):
            return  # too large to be made anew
        shown = {entry.name for entry in model.graph.output}
        names = [n for node in model.graph.node for n in node.output if n and n not in shown]
        makers = {n: node.name for node in model.graph.node for n in node.output}
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        content = model.SerializeToString()
        del model
        with tempfile.TemporaryDirectory() as folder:
            session = self._made(content, False, os.path.join(folder, "profile"))
            del content
            values = self._ran(session, feed)
            seconds = dict(_seconds(session.end_profiling()))
        for entry, array in zip(session.get_outputs(), values, strict=True):
            take(entry.name, array, seconds.get(makers.get(entry.name, "")))


def _seconds(path: str) -> Iterator[tuple[str, float]]:
    """How long nodes took, by name, as ONNX Runtime's profile tells; none where it is cut off."""
    try:
        with open(path, encoding="utf-8") as file:
            events = json.load(file)
    except (OSError, ValueError):
        return
    for event in events:
        name, ending, _ = event["name"].partition("_kernel_time")
        if event["cat"] == "Node" and ending:
            yield name, event["dur"] / 1e6


def _numpy_type(text: str) -> Any:
    """Of a type as ONNX Runtime has it: ``tensor(float)``."""
    name = text.removeprefix("tensor(").removesuffix(")")
    return np.dtype({"float": "float32", "double": "float64"}.get(name, name))
