# SPDX-License-Identifier: Apache-2.0
"""Models of every kind as functions of named arrays that also tell what their nodes give."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...core.base.errors import MXNetError
from ...core.base.packages import missing_package
from ...core.nd.interop import numpy_of
from ...predictor import Predictor
from ..source import load
from .mxnet import MXNetRunner
from .onnx_file import ONNXRunner
from .python_file import PythonRunner, floating_type
from .runner import Array, CannotRunError, Runner, Take

__all__ = ["runner_of"]


class ExportedRunner(Runner):
    """An archive of torch.export."""

    def __init__(self, path: str) -> None:
        import torch

        self.path, self._torch = path, torch
        told = {"mxnet.inputs": ""}
        try:
            with _tensors_only():
                program = torch.export.load(path, extra_files=told)
        except Exception as error:
            raise MXNetError(f"{path}: torch.export cannot load it: {error}") from error
        self._module: Any = program.module()
        self._keys = _keys_of(told["mxnet.inputs"])
        self._real = floating_type(program.state_dict.values())
        self._count = len(program.graph_signature.user_inputs)

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        tensors = {name: self._torch.from_numpy(v).to(self._type(v)) for name, v in feed.items()}
        with self._torch.no_grad():
            if self._keys:
                found = self._module(**{self._keys[n]: t for n, t in tensors.items()})
            else:
                found = self._module(*list(tensors.values())[: self._count])
        found = found if isinstance(found, (tuple, list)) else (found,)
        return [numpy_of(tensor, copy=False) for tensor in found]

    def _type(self, values: Array) -> Any:
        return self._real if values.dtype == np.float32 else None


@contextmanager
def _tensors_only() -> Iterator[None]:
    """Has torch.load read tensors alone, where torch.export asks it to unpickle anything."""
    name = "TORCH_FORCE_WEIGHTS_ONLY_LOAD"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _keys_of(text: str) -> dict[str, str]:
    """Names of arguments by MXNet's names of inputs, if mxnova wrote the archive."""
    try:
        keys = json.loads(text or "{}")
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in keys.items()} if isinstance(keys, dict) else {}


class OpenVINORunner(Runner):
    """A model of OpenVINO's."""

    drifts = True

    def __init__(self, path: str) -> None:
        try:
            import openvino
        except ImportError:
            raise CannotRunError(missing_package("openvino")) from None
        self.path, self._openvino = path, openvino
        self._core = openvino.Core()
        self._model = self._compiled(self._core.read_model(path))

    def _compiled(self, model: Any) -> Any:
        return self._core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        return _of_openvino(self._model, feed)

    def nodes(self, feed: Mapping[str, Array], take: Take) -> None:
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
        for name, array in zip(shown, values, strict=True):
            take(name, array, None)


def _of_openvino(model: Any, feed: Mapping[str, Array]) -> list[Array]:
    fed = {e.get_any_name(): feed[e.get_any_name()] for e in model.inputs}
    found = model(fed)
    return [np.asarray(found[out]) for out in model.outputs]


class CompiledRunner(Runner):
    """A compiled model."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._predictor = Predictor.load(path)

    def outputs(self, feed: Mapping[str, Array]) -> list[Array]:
        names = self._predictor.input_names
        return self._predictor.predict(**{n: feed[n] for n in names if n in feed})


def runner_of(
    path: str | os.PathLike[str], epoch: int | None = None, optimized: bool = True
) -> Runner:
    """The model at `path`, by its ending; what has none is the prefix of a checkpoint.

    Args:
        path: of the file.
        epoch: of a checkpoint; default: the newest.
        optimized: whether ONNX Runtime may rewrite the graph.

    Raises:
        ArgumentError: a file that holds no network.
        FileError: it cannot be read.
    """
    text = os.fspath(path)
    ending = Path(text).suffix
    if ending == ".onnx":
        return ONNXRunner(text, optimized)
    if ending == ".pt2":
        return ExportedRunner(text)
    if ending == ".xml":
        return OpenVINORunner(text)
    if ending == ".mxnova":
        return CompiledRunner(text)
    if ending == ".py":
        return PythonRunner(text)
    if ending == ".safetensors" and os.path.exists(os.path.splitext(text)[0] + ".py"):
        return runner_of(os.path.splitext(text)[0] + ".py")
    return MXNetRunner(load(text, epoch))
