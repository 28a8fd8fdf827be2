# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods
"""ONNX files, run by ONNX Runtime."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...core.base.errors import ArgumentError, MXNetError
from ...core.base.inference_runtimes import with_exact_integers
from ...core.base.packages import missing_package
from .runner import Array, CannotRunError, Runner, Take, given_name

__all__ = ["ONNXRunner"]

_FOLDER_KEY = "session.model_external_initializers_file_folder_path"


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
            raise CannotRunError(missing_package("onnxruntime")) from None
        from ...onnx.importer import read_skeleton

        self.path, self._runtime, self._optimized = path, onnxruntime, optimized
        file = read_skeleton(path)
        for tensor in file.model.graph.initializer:  # refuses numbers outside of the folder
            if tensor.external_data:
                file.array(tensor)
        nodes = file.model.graph.node
        self._quantized = {n.output[0] for n in nodes if n.op_type == "QuantizeLinear"}
        self._session: Any = None

    def _made(self, model: Any, optimized: bool, profile: str = "") -> Any:
        options = with_exact_integers(self._runtime.SessionOptions())
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if not optimized:
            level = self._runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.graph_optimization_level = level
            options.add_session_config_entry("session.disable_prepacking", "1")
            options.enable_cpu_mem_arena = False
        folder = os.path.dirname(os.path.realpath(self.path))
        options.add_session_config_entry(_FOLDER_KEY, folder)
        if profile:
            options.enable_profiling, options.profile_file_prefix = True, profile
        providers = ["CPUExecutionProvider"]
        with self._refusing():
            return self._runtime.InferenceSession(
                model.SerializeToString(), options, providers=providers
            )

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
            self._session = self._made(self._skeleton(), self._optimized)
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
        model = self._skeleton()
        makers = {n: node.name for node in model.graph.node for n in node.output}
        wanted = [name for name in makers if name]
        with tempfile.TemporaryDirectory() as folder:
            session = self._session_of(model, wanted, False, os.path.join(folder, "profile"))
            values = self._ran(session, feed)
            seconds = dict(_seconds(session.end_profiling()))
        for entry, array in zip(session.get_outputs(), values, strict=True):
            take(entry.name, array, seconds.get(makers.get(entry.name, "")))

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
        session = self._session_of(model, names, optimized=bool(cut))
        found = self._ran(session, {**feed, **{given_name(n): v for n, v in cut.items()}})
        return dict(zip((entry.name for entry in session.get_outputs()), found, strict=True))

    def _skeleton(self) -> Any:
        """The model without its arrays, which sessions map from the file."""
        from ...onnx.importer import read_skeleton

        self._session = None  # two of them take twice the memory
        return read_skeleton(self.path).model

    def _session_of(
        self, model: Any, wanted: Sequence[str], optimized: bool, profile: str = ""
    ) -> Any:
        """A session that also puts out what is wanted."""
        import onnx

        shown = {entry.name for entry in model.graph.output}
        further = (onnx.ValueInfoProto(name=name) for name in wanted if name not in shown)
        model.graph.output.extend(further)
        return self._made(model, optimized, profile)


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
