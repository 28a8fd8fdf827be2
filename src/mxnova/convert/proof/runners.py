# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Runner documents the methods

"""Models of every kind as functions of named arrays that also tell what their nodes give."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.base.errors import ArgumentError, MXNetError
from ...core.graph.node import Entry, Node
from ..source import Model, load
from .python_file import PythonRunner
from .runner import Array, Run, Runner

__all__ = ["MXNetRunner", "runner_of"]


class MXNetRunner(Runner):
    """MXNet's files, run by mxnova.

    Args:
        model: what was read.
        dtype: float64 to compute all in it.
    """

    def __init__(self, model: Model, dtype: str = "float32") -> None:
        self.path, self.model, self._dtype = model.files[0], model, dtype
        model.graph  # noqa: B018 - refuses parameters alone
        arrays = dict(model.arrays)
        if dtype != "float32":
            arrays = {n: a.astype(dtype) if a.dtype == np.float32 else a for n, a in arrays.items()}
        states = set(model.graph.list_auxiliary_states())
        self._arrays = {f"{'aux' if n in states else 'arg'}:{n}": a for n, a in arrays.items()}

    def _predicted(self, symbol: Any, feed: Mapping[str, Array]) -> list[Array]:
        from ...predictor import Predictor

        names = set(symbol.list_inputs())
        fed = {name: values for name, values in feed.items() if name in names}
        types = {n: self._type(v) for n, v in fed.items()}
        arrays = {k: a for k, a in self._arrays.items() if k.partition(":")[2] in names}
        shapes = {name: values.shape for name, values in fed.items()}
        predictor = Predictor(symbol, arrays, shapes, types=types)
        return predictor.predict(**{n: v.astype(types[n]) for n, v in fed.items()})

    def _type(self, values: Array) -> str:
        return self._dtype if values.dtype == np.float32 else values.dtype.name

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        return self._predicted(self.model.graph, feed)

    def nodes(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        return self.all_at_once(feed).nodes

    def all_at_once(self, feed: Mapping[str, Array]) -> Run:
        """Outputs and what nodes give, of one run, which cannot fuse nodes."""
        symbol = self.model.graph
        named = _named(symbol.nodes)
        values = self._predicted(type(symbol)([*symbol.entries, *named.values()]), feed)
        n = len(symbol.entries)
        return Run(values[:n], dict(zip(named, values[n:], strict=True)))

    def quantized(self) -> set[str]:
        from ...core.exec.passes.qdq import is_quantized

        return set(_named(filter(is_quantized, self.model.graph.nodes)))

    def run_on(
        self, feed: Mapping[str, Array], given: Mapping[str, Array], wanted: Collection[str]
    ) -> Run:
        symbol, made = self.model.graph, dict[Node, Node]()
        named = _named(symbol.nodes)
        cut = {e: Entry(Node(None, _given(n), {}), 0) for n, e in named.items() if n in given}

        def new(entry: Entry) -> Entry:
            return cut.get(entry) or Entry(made[entry.node], entry.output)

        for node in symbol.nodes:
            made[node] = node.copy([new(e) for e in node.inputs])
        names = [name for name in named if name in wanted]
        heads = (*symbol.entries, *(named[name] for name in names))
        fed = {**feed, **{_given(name): values for name, values in given.items() if name in named}}
        values = self._predicted(type(symbol)([Entry(made[n], i) for n, i in heads]), fed)
        n = len(symbol.entries)
        return Run(values[:n], dict(zip(names, values[n:], strict=True)))


def _named(nodes: Iterable[Node]) -> dict[str, Entry]:
    """Values of operators by their names."""
    return {
        name: Entry(node, i)
        for node in nodes
        if node.op is not None
        for i, name in enumerate(node.value_names())
    }


def _given(name: str) -> str:
    """The input in place of a value."""
    return f"{name}:given"


class ONNXRunner(Runner):
    """An ONNX file, run by ONNX Runtime."""

    def __init__(self, path: str) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise MXNetError(
                "verify: the package onnxruntime is not installed: pip install "
                "'mxnova[onnxruntime]'"
            ) from None
        from ...onnx.importer import read_model

        self.path = path
        self._runtime = onnxruntime
        self._file = read_model(path)  # which refuses numbers outside of the folder
        for tensor in self._file.model.graph.initializer:
            self._file.array(tensor)
        self._session = self._made(path, optimized=True)

    def _made(self, model: str | bytes, optimized: bool) -> Any:
        options = self._runtime.SessionOptions()
        options.log_severity_level = 3
        # Without VNNI, products of 8-bit integers are cut to 16 bits otherwise.
        options.add_session_config_entry("session.x64quantprecision", "1")
        if not optimized:
            level = self._runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.graph_optimization_level = level
        return self._runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        return self._ran(self._session, feed)

    def _ran(self, session: Any, feed: Mapping[str, Array]) -> list[Array]:
        kinds = {entry.name: entry.type for entry in session.get_inputs()}
        missing = [name for name in kinds if name not in feed]
        if missing:
            raise ArgumentError(f"verify: {self.path}: nobody feeds its input {missing[0]!r}")
        fed = {name: feed[name].astype(_numpy_type(kinds[name])) for name in kinds}
        return [np.asarray(values) for values in session.run(None, fed)]

    def nodes(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        found = self._run(feed, {}, self._names())
        return {} if found is None else found.nodes

    def _names(self) -> list[str]:
        """Of all values of its nodes."""
        return [name for node in self._file.model.graph.node for name in node.output if name]

    def quantized(self) -> set[str]:
        nodes = self._file.model.graph.node
        return {node.output[0] for node in nodes if node.op_type == "QuantizeLinear"}

    def run_on(
        self, feed: Mapping[str, Array], given: Mapping[str, Array], wanted: Collection[str]
    ) -> Run | None:
        made = self._names()
        cut = {name: values for name, values in given.items() if name in made}
        return self._run(feed, cut, [name for name in made if name in wanted])

    def _run(
        self, feed: Mapping[str, Array], cut: Mapping[str, Array], wanted: Sequence[str]
    ) -> Run | None:
        import onnx

        model = onnx.ModelProto()
        model.CopyFrom(self._file.model)
        if any(t.data_location == onnx.TensorProto.EXTERNAL for t in model.graph.initializer):
            return None  # too large to be made anew
        graph = model.graph
        count, shown = len(graph.output), {entry.name for entry in graph.output}
        for node in graph.node:
            node.input[:] = [_given(name) if name in cut else name for name in node.input]
        for name, values in cut.items():
            kind = onnx.helper.np_dtype_to_tensor_dtype(values.dtype)
            graph.input.append(onnx.helper.make_tensor_value_info(_given(name), kind, values.shape))
        graph.output.extend(onnx.ValueInfoProto(name=name) for name in wanted if name not in shown)
        fed = {**feed, **{_given(name): values for name, values in cut.items()}}
        found = self._ran(self._made(model.SerializeToString(), optimized=bool(cut)), fed)
        ordered = [entry.name for entry in graph.output]
        return Run(found[:count], dict(zip(ordered, found, strict=True)))


def _numpy_type(text: str) -> Any:
    """Of a type as ONNX Runtime has it: ``tensor(float)``."""
    name = text.removeprefix("tensor(").removesuffix(")")
    return np.dtype({"float": "float32", "double": "float64"}.get(name, name))


class ExportedRunner(Runner):
    """An archive of torch.export."""

    def __init__(self, path: str) -> None:
        import torch

        self.path, self._torch = path, torch
        told = {"mxnet.inputs": ""}
        try:
            program = torch.export.load(path, extra_files=told)
        except Exception as error:
            raise MXNetError(f"{path}: torch.export cannot load it: {error}") from error
        self._module: Any = program.module()
        self._keys = _keys_of(told["mxnet.inputs"])
        self._count = len(program.graph_signature.user_inputs)

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        tensors = {name: self._torch.from_numpy(values) for name, values in feed.items()}
        with self._torch.no_grad():
            if self._keys:
                found = self._module(**{self._keys[n]: t for n, t in tensors.items()})
            else:
                found = self._module(*list(tensors.values())[: self._count])
        found = found if isinstance(found, (tuple, list)) else (found,)
        return [tensor.numpy() for tensor in found]


def _keys_of(text: str) -> dict[str, str]:
    """Names of arguments by MXNet's names of inputs, if mxnova wrote the archive."""
    try:
        keys = json.loads(text or "{}")
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in keys.items()} if isinstance(keys, dict) else {}


class OpenVINORunner(Runner):
    """A model of OpenVINO's."""

    def __init__(self, path: str) -> None:
        try:
            import openvino
        except ImportError:
            raise MXNetError(
                "verify: the package openvino is not installed: pip install 'mxnova[openvino]'"
            ) from None
        self.path, self._openvino = path, openvino
        self._core = openvino.Core()
        self._model = self._compiled(self._core.read_model(path))

    def _compiled(self, model: Any) -> Any:
        return self._core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        return _of_openvino(self._model, feed)

    def nodes(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        model = self._core.read_model(self.path)
        own = {name for out in model.outputs for name in out.get_names()}
        names = []
        for node in model.get_ordered_ops():
            if node.get_type_name() in ("Parameter", "Constant", "Result"):
                continue
            for out in node.outputs():
                known = sorted(out.get_names())
                if known and not own & set(known):
                    names.append(known[0])
        model.add_outputs(names)
        compiled = self._compiled(model)
        values = _of_openvino(compiled, feed)
        shown = [sorted(out.get_names())[0] for out in compiled.outputs]
        return dict(zip(shown, values, strict=True))


def _of_openvino(model: Any, feed: Mapping[str, Array]) -> list[Array]:
    fed = {e.get_any_name(): feed[e.get_any_name()] for e in model.inputs}
    found = model(fed)
    return [np.asarray(found[out]) for out in model.outputs]


def runner_of(path: str | os.PathLike[str], epoch: int | None = None) -> Runner:
    """The model at `path`, by its ending; what has none is the prefix of a checkpoint.

    Raises:
        ArgumentError: a file that holds no network.
        FileError: it cannot be read.
    """
    text = os.fspath(path)
    ending = Path(text).suffix
    if ending == ".onnx":
        return ONNXRunner(text)
    if ending == ".pt2":
        return ExportedRunner(text)
    if ending == ".xml":
        return OpenVINORunner(text)
    if ending == ".py":
        return PythonRunner(text)
    if ending == ".safetensors" and os.path.exists(os.path.splitext(text)[0] + ".py"):
        return runner_of(os.path.splitext(text)[0] + ".py")
    return MXNetRunner(load(text, epoch))
