# SPDX-License-Identifier: Apache-2.0
"""The runtimes of compiled models, on NumPy's arrays."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from ..core.base.inference_runtimes import (
    DISABLED_PASSES,
    onnxruntime_options,
    openvino_settings,
)
from ..core.base.packages import require_package
from ..formats.compiled_model import CompiledModel, Port
from .blocks import of_blocks, runtime_block
from .external_initializers import add_external_initializers
from .graph_checks import check_ir_constants, check_ir_text, check_onnx_graph
from .network import Array

__all__ = ["BLOCKED_GRAPH", "ENGINES", "Engine"]

BLOCKED_GRAPH = "model.blocked"  # ONNX Runtime's, with weights in blocks

_FAKE_QUANTIZE = b'type="FakeQuantize"'  # in OpenVINO's graph, where a value becomes an integer
_NOWHERE = "/nonexistent"  # where a model may look for weights in other files


class Engine(Protocol):
    """Runs a model; any number of threads may use it.

    Args:
        model: the model.
        threads: that take part in a run; 0: one for each core.

    Attributes:
        graphs: names of the arrays that may hold the runtime's graph; the others are weights.
    """

    graphs: ClassVar[Sequence[str]]

    def __init__(self, model: CompiledModel, threads: int) -> None: ...

    def run(self, fed: Mapping[str, Array]) -> list[Array]:
        """The outputs; inputs go by the runtime's keys."""


class _ONNXRuntime:
    """A session, which reads weights in the memory of the model."""

    graphs: ClassVar[Sequence[str]] = ("model", BLOCKED_GRAPH)

    def __init__(self, model: CompiledModel, threads: int) -> None:
        runtime = require_package("onnxruntime", "Predictor.load")
        options = onnxruntime_options(threads)
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", _NOWHERE
        )
        options.add_session_config_entry("session.load_model_format", "ONNX")  # no other
        graph, weights = _for_this_processor(model, runtime)
        check_onnx_graph(model.arrays[graph])
        initializers, self._weights = add_external_initializers(options, weights, runtime)
        self._session = runtime.InferenceSession(
            initializers + model.arrays[graph].tobytes(),
            options,
            providers=["CPUExecutionProvider"],
            # What is constant was computed when the model was compiled; a file from a stranger may
            # hold constants of any size that are not.
            disabled_optimizers=[*DISABLED_PASSES, "ConstantFolding"],
            enable_fallback=0,  # to the same provider, once more
        )
        self._keys = _keys(model.outputs)

    def run(self, fed: Mapping[str, Array]) -> list[Array]:
        return list(self._session.run(self._keys, fed))


def _for_this_processor(model: CompiledModel, runtime: Any) -> tuple[str, dict[str, Array]]:
    """Name of the graph, and its weights.

    The graph with weights in blocks is for this version of ONNX Runtime alone, whose operators on
    blocks are its own affair, and for processors with blocks of that size.
    """
    weights = {n: v for n, v in model.arrays.items() if n not in _ONNXRuntime.graphs}
    if not model.block:
        return "model", weights
    is_same_version = model.versions.get("onnxruntime") == runtime.__version__
    if BLOCKED_GRAPH in model.arrays and is_same_version and model.block == runtime_block(runtime):
        return BLOCKED_GRAPH, weights
    plain = {
        name: of_blocks(weights.pop(kept.array), model.block, kept)
        for name, kept in model.blocked.items()
    }
    return "model", weights | plain


class _OpenVINO:
    """A compiled model; a request for each thread."""

    graphs: ClassVar[Sequence[str]] = ("model.xml",)

    def __init__(self, model: CompiledModel, threads: int) -> None:
        openvino = require_package("openvino", "Predictor.load")
        core = openvino.Core()
        text = model.arrays["model.xml"].tobytes()
        check_ir_text(text)
        weights = openvino.Tensor(model.arrays["model.bin"], shared_memory=True)
        graph = core.read_model(text, weights)
        check_ir_constants(graph, model.arrays["model.bin"].nbytes)
        settings = openvino_settings(threads, "float32", _FAKE_QUANTIZE in text)
        self._compiled = core.compile_model(graph, "CPU", settings)
        self._weights = weights
        self._keys = _keys(model.outputs)
        self._local = threading.local()

    def run(self, fed: Mapping[str, Array]) -> list[Array]:
        request = getattr(self._local, "request", None)
        if request is None:
            request = self._local.request = self._compiled.create_infer_request()
        request.infer(dict(fed))
        return [request.get_tensor(key).data.copy() for key in self._keys]


def _keys(ports: Sequence[Port]) -> list[str]:
    return [port.key for port in ports]


ENGINES: Mapping[str, type[Engine]] = {"onnxruntime": _ONNXRuntime, "openvino": _OpenVINO}
