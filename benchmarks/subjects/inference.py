# SPDX-License-Identifier: Apache-2.0
"""Inference of saved networks, each as users of its library run it: NumPy array in and out.

``mxnova`` is what a plain ``bind`` gives, ``mxnova-auto`` asks for the backend ``auto``; ``mxnet``
has its oneDNN subgraphs, ``openvino`` runs the ONNX file of the network.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.inputs import import_mx, normal
from benchmarks.models.networks import (
    INPUT_SHAPES,
    convolutional,
    detector,
    lstm,
    mobilenet,
    resnet50,
    squeezenet,
    transformer,
    vgg16,
)
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Subject, runtime_of

Answer = Callable[[], np.ndarray]


class Work(NamedTuple):
    """A network and a batch size."""

    network: Any
    batch: int


WORKS = {
    "ResNet-50, batch 1": Work(resnet50, 1),
    "ResNet-50, batch 8": Work(resnet50, 8),
    "MobileNet 1.0, batch 1": Work(mobilenet, 1),
    "SqueezeNet 1.1, batch 1": Work(squeezenet, 1),
    "VGG-16 of a quarter, batch 1": Work(vgg16, 1),
    "detector, batch 1": Work(detector, 1),
    "Transformer encoder, batch 8": Work(transformer, 8),
    "2-layer LSTM, batch 8": Work(lstm, 8),
}
SMOKE_WORKS = {"convolutional, batch 2": Work(convolutional, 2)}
# What compiles takes half a minute for each: of these only.
COMPILED = ("ResNet-50, batch 1", "ResNet-50, batch 8")


def cases(peer: str, options: Options, precision: str = "float32") -> dict[str, Callable[[], Case]]:
    works = SMOKE_WORKS if options.smoke else WORKS
    chosen = {name: work for name, work in works.items() if _takes_part(peer, name, work)}
    return {n: functools.partial(case_of, peer, w, options, precision) for n, w in chosen.items()}


def _takes_part(peer: str, name: str, work: Work) -> bool:
    if peer == "torch-inductor":
        return name in COMPILED
    return work.network is not detector or runtime_of(peer) in ("mxnova", "mxnet")


def case_of(peer: str, work: Work, options: Options, precision: str = "float32") -> Case:
    data = normal("data", (work.batch, *INPUT_SHAPES[work.network]))
    runtime = runtime_of(peer)
    if runtime in ("mxnova", "mxnet"):
        answer = _executor(peer, work.network, data, precision)
    elif runtime == "torch":
        answer = _torch(peer, work.network, data, precision)
    elif runtime == "openvino":
        answer = _openvino(work, data, options.threads, precision)
    else:
        answer = _onnx(work, data, options.threads)
    return Case(answer, output=lambda: [answer()])


def _executor(peer: str, network: Any, data: np.ndarray, precision: str) -> Answer:
    if runtime_of(peer) == "mxnet":
        os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "MKLDNN")
    mx = import_mx(peer)
    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    backend = peer.partition("-")[2]
    if backend or (runtime_of(peer) == "mxnova" and precision != "float32"):
        symbol = symbol.optimize_for(backend or "aten", precision=precision)
    executor = symbol.simple_bind(mx.cpu(), grad_req="null", data=data.shape)
    executor.copy_params_from(*array_parameters(mx, network))
    given = mx.nd.array(data)

    def answer() -> np.ndarray:
        return executor.forward(is_train=False, data=given)[0].asnumpy()

    return answer


def _torch(peer: str, network: Any, data: np.ndarray, precision: str) -> Answer:
    import torch

    from benchmarks.models.torch_net import TorchNet

    images = data.ndim == 4 and peer != "torch"
    layout = torch.channels_last if images else torch.contiguous_format
    module: Any = TorchNet(network).to(memory_format=layout)
    if peer == "torch-inductor":
        module = torch.compile(module, options={"freezing": True})
    given = torch.from_numpy(data)
    low = precision == "bfloat16"

    def answer() -> np.ndarray:
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=low):
            return module(given.contiguous(memory_format=layout)).float().numpy()

    return answer


def _onnx(work: Work, data: np.ndarray, threads: int) -> Answer:
    from benchmarks.models.onnx_net import session_of

    session = session_of(work.network, work.batch, threads)
    return lambda: session.run(None, {"data": data})[0]


def _openvino(work: Work, data: np.ndarray, threads: int, precision: str) -> Answer:
    import openvino

    from benchmarks.models.onnx_net import model_of

    core = openvino.Core()
    settings = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": {"float32": "f32", "bfloat16": "bf16"}[precision],
    }
    model = core.read_model(model_of(work.network, work.batch))
    request = core.compile_model(model, "CPU", settings).create_infer_request()
    return lambda: np.array(request.infer([data], share_inputs=True, share_outputs=True)[0])


SUBJECT = Subject(
    "Inference, float32",
    (
        "mxnova-auto",
        "mxnova",
        "mxnova-onednn",
        "mxnet",
        "onnxruntime",
        "openvino",
        "torch",
        "torch-channels-last",
        "torch-inductor",
    ),
    cases,
    also="mxnova",
    rounds=8,
    turn=0.3,
    targets={
        **{
            (f"ResNet-50, batch {n}", peer): ratio
            for n in (1, 8)
            for peer, ratio in (
                ("mxnet", 0.98),
                ("onnxruntime", 0.98),
                ("torch-inductor", 0.85),
                ("openvino", 1.03),
            )
        },
        **{
            (name, peer): 0.95
            for name in list(WORKS)[2:]
            for peer in ("mxnet", "onnxruntime", "torch", "torch-channels-last")
        },
    },
)
