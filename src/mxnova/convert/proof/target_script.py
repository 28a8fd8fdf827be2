# SPDX-License-Identifier: Apache-2.0
"""The program of a process that runs a converted model as its users do.

`TargetProcess` starts this file as a script. It imports NumPy and the runtime of the model, and
nothing of mxnova unless the model is a file of mxnova's. Requests and responses are lines of JSON;
arrays are .npy files in a folder.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Feed = Mapping[str, Array]
Values = Iterable[tuple[str, Any, Any]]  # Tuples of name, array or tensor, and seconds or None.
_OPENVINO_LAYERS = ("Convolution", "GroupConvolution", "ConvolutionBackpropData", "MatMul")


class OnnxTarget:
    """An ONNX file in a default session of ONNX Runtime."""

    def __init__(self, path: str, facts: Mapping[str, str]) -> None:
        import onnxruntime

        self._runtime, self._path = onnxruntime, path
        self._session: Any = None
        self.facts = {
            "inputs": [[entry.name, entry.type] for entry in self._default().get_inputs()]
        }

    def _default(self) -> Any:
        if self._session is None:
            providers = ["CPUExecutionProvider"]
            self._session = self._runtime.InferenceSession(self._path, providers=providers)
        return self._session

    def outputs(self, feed: Feed) -> Values:
        """Return the outputs of the file."""
        return self._run(self._default(), feed)

    def run_copy(
        self, feed: Feed, file: str, folder: str, profile: str, makers: Mapping[str, str]
    ) -> Values:
        """Return the outputs of a changed copy of the model.

        Args:
            feed: the inputs.
            file: path of the copy.
            folder: folder of its external arrays.
            profile: prefix of a profile to write; graphs are not optimized then. Empty for none.
            makers: names of nodes by names of their outputs, to return how long they took.
        """
        self._session = None  # Two sessions need twice the memory.
        options = self._runtime.SessionOptions()
        options.log_severity_level = 3
        key = "session.model_external_initializers_file_folder_path"
        options.add_session_config_entry(key, folder)
        if profile:
            level = self._runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.graph_optimization_level = level
            options.add_session_config_entry("session.disable_prepacking", "1")
            options.enable_cpu_mem_arena = False
            options.enable_profiling, options.profile_file_prefix = True, profile
        with open(file, "rb") as content:
            session = self._runtime.InferenceSession(
                content.read(), options, providers=["CPUExecutionProvider"]
            )
        values = list(self._run(session, feed))
        seconds = dict(_read_profile(session.end_profiling())) if profile else {}
        return [(name, array, seconds.get(makers.get(name, ""))) for name, array, _ in values]

    def _run(self, session: Any, feed: Feed) -> Values:
        names = [entry.name for entry in session.get_outputs()]
        values = session.run(None, {entry.name: feed[entry.name] for entry in session.get_inputs()})
        return [(name, array, None) for name, array in zip(names, values, strict=True)]


def _read_profile(path: str) -> Iterator[tuple[str, float]]:
    """Yield names of nodes and their seconds of a profile; nothing if the profile is cut off."""
    try:
        with open(path, encoding="utf-8") as file:
            events = json.load(file)
    except (OSError, ValueError):
        return
    for event in events:
        name, ending, _ = event["name"].partition("_kernel_time")
        if event["cat"] == "Node" and ending:
            yield name, event["dur"] / 1e6


class OpenVINOTarget:
    """A model of OpenVINO, compiled for the CPU with default properties."""

    def __init__(self, path: str, facts: Mapping[str, str]) -> None:
        import openvino

        self._core, self._path = openvino.Core(), path
        model = self._core.read_model(path)
        # Compiled models give inputs the names of all nodes that were folded into them.
        self._inputs = [
            [node.get_friendly_name(), *sorted(node.output(0).get_names())]
            for node in model.get_parameters()
        ]
        self._compiled: dict[str, Any] = {}
        precision = self._default("").get_property("INFERENCE_PRECISION_HINT")
        self.facts = {"inputs": self._inputs, "precision": precision.get_type_name()}

    def _default(self, precision: str) -> Any:
        """Return the model in a precision, or in OpenVINO's default for this processor."""
        if precision not in self._compiled:
            self._compiled[precision] = self._compile(self._core.read_model(self._path), precision)
        return self._compiled[precision]

    def _compile(self, model: Any, precision: str) -> Any:
        properties = {"INFERENCE_PRECISION_HINT": precision} if precision else {}
        return self._core.compile_model(model, "CPU", properties)

    def outputs(self, feed: Feed, precision: str) -> Values:
        """Return the outputs in a precision; empty for the default."""
        return self._run(self._default(precision), feed)

    def nodes(self, feed: Feed) -> Values:
        """Return the values of nodes with names, in float32."""
        model = self._core.read_model(self._path)
        shown = {name for out in model.outputs for name in out.get_names()}
        names = []
        for node in model.get_ordered_ops():
            if node.get_type_name() in ("Parameter", "Constant", "Result"):
                continue
            for out in node.outputs():
                known = sorted(out.get_names())
                if known and not shown & set(known) and not _is_scaled(node):
                    names.append(known[0])
        names = [min(out.get_names(), default="") for out in model.outputs] + names
        model.add_outputs(names[len(model.outputs) :])
        values = self._run(self._compile(model, "f32"), feed)
        return [(name, array, None) for name, (_, array, _) in zip(names, values, strict=True)]

    def _run(self, compiled: Any, feed: Feed) -> Values:
        request = compiled.create_infer_request()
        request.infer([feed[next(n for n in names if n in feed)] for names in self._inputs])
        tensors = (request.get_output_tensor(i) for i in range(len(compiled.outputs)))
        return [(str(i), np.array(tensor.data), None) for i, tensor in enumerate(tensors)]


def _is_scaled(node: Any) -> bool:
    """Return True if OpenVINO may have folded the scale of a BatchNorm into a layer's weight.

    The layer keeps its name, but its value is the scaled one. The shift of the BatchNorm is added
    to it.
    """
    readers = [reader.get_node() for reader in node.output(0).get_target_inputs()]
    return node.get_type_name() in _OPENVINO_LAYERS and all(
        reader.get_type_name() == "Add"
        and any(v.get_node().get_type_name() == "Constant" for v in reader.input_values())
        for reader in readers
    )


class TorchTarget:
    """Base class of models that are modules of PyTorch."""

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self._module: Any = None
        self._types: dict[str, Any] = {}  # The known dtypes of arguments.

    def _to_tensor(self, name: str, values: Array) -> Any:
        tensor = self._torch.from_numpy(values)
        default = self._real if values.dtype == np.float32 else tensor.dtype
        return tensor.to(self._types.get(name) or default)

    def _find_type(self, tensors: Iterable[Any]) -> None:
        """Set the dtype of inputs: that of most parameters that are not integers."""
        types = [t.dtype for t in tensors if isinstance(t, self._torch.Tensor)]
        types = [dtype for dtype in types if dtype.is_floating_point]
        self._real = max(types, key=types.count, default=self._torch.float32)

    def _run(self, arguments: list[Any], keywords: dict[str, Any]) -> Values:
        with self._torch.no_grad():
            found = self._module(*arguments, **keywords)
        found = found if isinstance(found, (tuple, list)) else (found,)
        return [(str(i), tensor, None) for i, tensor in enumerate(found)]


class ExportedTarget(TorchTarget):
    """An archive of torch.export."""

    def __init__(self, path: str, facts: Mapping[str, str]) -> None:
        super().__init__()
        texts = {"mxnet.inputs": ""}
        # By default, torch.export lets torch.load unpickle any object. This variable forbids it.
        os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] = "1"
        try:
            program = self._torch.export.load(facts["code"], extra_files=texts)
        finally:
            del os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"]
        self._module = program.module()
        self._find_type(program.state_dict.values())
        nodes = {node.name: node for node in program.graph.nodes}
        for name in program.graph_signature.user_inputs:
            self._types[name] = getattr(nodes[name].meta.get("val"), "dtype", None)
        self.facts = {"names": texts["mxnet.inputs"]}

    def outputs(self, feed: Feed, names: Mapping[str, str]) -> Values:
        """Return the outputs.

        Args:
            feed: the inputs.
            names: arguments by names of inputs; empty to pass inputs in order.
        """
        if names:
            keywords = {names[name]: self._to_tensor(names[name], v) for name, v in feed.items()}
            return self._run([], keywords)
        pairs = zip(self._types, feed.values(), strict=False)
        return self._run([self._to_tensor(name, values) for name, values in pairs], {})


class PythonTarget(TorchTarget):
    """A Python file with a function ``load``, which returns a module of PyTorch."""

    def __init__(self, path: str, facts: Mapping[str, str]) -> None:
        super().__init__()
        with open(facts["code"], "rb") as file:
            source = file.read()
        module = type(sys)("_mxnova_verified")
        module.__file__ = path
        exec(compile(source, path, "exec", dont_inherit=True), vars(module))
        self._module = module.load()
        self._find_type(self._module.state_dict().values())
        types = json.loads(facts["types"])
        self._types = {name: getattr(self._torch, dtype) for name, dtype in types.items()}
        self.facts: dict[str, Any] = {}

    def outputs(self, feed: Feed) -> Values:
        """Return the outputs for inputs by names of arguments."""
        return self._run([], {name: self._to_tensor(name, values) for name, values in feed.items()})

    def nodes(self, feed: Feed, places: Mapping[str, str]) -> Values:
        """Return the values of nodes.

        Args:
            feed: inputs by names of arguments.
            places: names of nodes by paths of modules, or by paths and variables of ``forward``.
        """
        paths = {id(module): path for path, module in self._module.named_modules()}
        begun: dict[str, float] = {}
        values: list[tuple[str, Any, Any]] = []

        def take(place: str, value: Any, seconds: float | None) -> None:
            if place in places and isinstance(value, self._torch.Tensor):
                values.append((places[place], value.clone(), seconds))

        def watch(frame: Any, event: str, value: Any) -> None:
            if event not in ("call", "return") or frame.f_code.co_name != "forward":
                return
            path = paths.get(id(frame.f_locals.get("self")))
            if path is None:
                return
            if event == "call":
                begun[path] = time.perf_counter()
                return
            if path:
                take(path, value, time.perf_counter() - begun[path])
            for name, local in frame.f_locals.items():
                take(f"{path}:{name}", local, None)

        sys.setprofile(watch)
        try:
            self.outputs(feed)
        finally:
            sys.setprofile(None)
        return values


class CompiledTarget:
    """A compiled model in a default Predictor."""

    def __init__(self, path: str, facts: Mapping[str, str]) -> None:
        sys.path.append(facts["packages"])  # mxnova may run from a checkout.
        self._predictor = importlib.import_module("mxnova").Predictor.load(path)
        self.facts = {"inputs": list(self._predictor.input_names)}

    def outputs(self, feed: Feed) -> Values:
        """Return the outputs."""
        values = self._predictor.predict(**feed)
        return [(str(i), array, None) for i, array in enumerate(values)]


class CheckpointTarget:
    """A checkpoint of MXNet, run by mxnova."""

    def __init__(self, path: str, facts: Mapping[str, str]) -> None:
        sys.path.append(facts["packages"])
        load = importlib.import_module("mxnova.convert.source").load
        runner = importlib.import_module("mxnova.convert.proof.mxnet").MXNetRunner
        self._runner = runner(load(path, int(facts["epoch"])))
        self.facts: dict[str, Any] = {}

    def outputs(self, feed: Feed) -> Values:
        """Return the outputs."""
        return [(str(i), array, None) for i, array in enumerate(self._runner.outputs(feed))]


KINDS: dict[str, Callable[[str, Mapping[str, str]], Any]] = {
    "onnx": OnnxTarget,
    "openvino": OpenVINOTarget,
    "export": ExportedTarget,
    "python": PythonTarget,
    "compiled": CompiledTarget,
    "checkpoint": CheckpointTarget,
}


def main(kind: str, path: str, folder: str, facts: str) -> None:
    """Open the model, then serve requests until standard input ends."""
    responses = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # Libraries print to standard output, too.
    target: Any = None

    def respond(handle: Callable[[], dict[str, Any]]) -> None:
        try:
            response = handle()
        except Exception as error:  # noqa: BLE001 - runtimes raise anything
            response = {"error": str(error), "type": type(error).__name__}
            if isinstance(error, ImportError):
                response["missing"] = error.name or ""
        responses.write(json.dumps(response) + "\n")
        responses.flush()

    def open_target() -> dict[str, Any]:
        nonlocal target
        target = KINDS[kind](path, json.loads(facts))
        return {"facts": target.facts}

    respond(open_target)
    for number, line in enumerate(sys.stdin):
        prefix = os.path.join(folder, f"out{number}")
        respond(functools.partial(_handle, target, json.loads(line), prefix))


def _handle(target: Any, request: dict[str, Any], prefix: str) -> dict[str, Any]:
    feed = {name: np.load(file) for name, file in request["feed"].items()}
    method = getattr(target, request["method"])
    runs = request["runs"]
    if runs:
        times = []
        for _ in range(runs):
            begin = time.perf_counter()
            method(feed, **request["arguments"])
            times.append(time.perf_counter() - begin)
        return {"seconds": min(times)}
    values = []
    for number, (name, value, seconds) in enumerate(method(feed, **request["arguments"])):
        array, is_bfloat16 = _to_numpy(value)
        file = f"{prefix}.{number}.npy"
        np.save(file, array, allow_pickle=False)
        values.append([name, file, seconds, is_bfloat16])
    return {"values": values}


def _to_numpy(value: Any) -> tuple[Array, bool]:
    """Return an array or tensor as an array; bfloat16, which NumPy lacks, as its bits."""
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value), False
    if str(getattr(value, "dtype", "")) == "torch.bfloat16":
        torch = importlib.import_module("torch")
        return value.detach().contiguous().view(torch.uint16).cpu().numpy(), True
    return value.detach().cpu().numpy(), False


if __name__ == "__main__":
    if sys.path and sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]  # Modules beside this file must not hide packages.
    main(*sys.argv[1:])
