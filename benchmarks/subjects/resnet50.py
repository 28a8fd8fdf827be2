# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 v1 inference on 224×224 float32 pictures: NumPy array in, NumPy array out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, normal
from benchmarks.models.networks import INPUT_SHAPES, convolutional, resnet50
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Subject, runtime_of

Answer = Callable[[], np.ndarray]


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    network = convolutional if options.smoke else resnet50
    return {f"batch {n}": functools.partial(_case, peer, network, n, options) for n in (1, 8)}


def _case(peer: str, network: Any, batch: int, options: Options) -> Case:
    data = normal("data", (batch, *INPUT_SHAPES[network]))
    runtime = runtime_of(peer)
    if peer == "mxnova-predictor":
        answer = _predictor_answer(network, data)
    elif runtime in ("mxnova", "mxnet"):
        answer = _executor_answer(import_mx(peer), network, data)
    elif runtime == "torch":
        answer = _torch_answer(network, data, channels_last=peer == "torch-channels-last")
    else:
        answer = _onnx_answer(network, data, options.threads)
    return Case(answer, output=lambda: [answer()])


def _executor_answer(mx: Any, network: Any, data: np.ndarray) -> Answer:
    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    executor = symbol.simple_bind(mx.cpu(), grad_req="null", data=data.shape)
    executor.copy_params_from(*array_parameters(mx, network))
    given = mx.nd.array(data)

    def answer() -> np.ndarray:
        return executor.forward(is_train=False, data=given)[0].asnumpy()

    return answer


def _predictor_answer(network: Any, data: np.ndarray) -> Answer:
    import mxnova as mx

    arguments, auxiliary = array_parameters(mx, network)
    parameters = {f"arg:{n}": a for n, a in arguments.items()}
    parameters.update((f"aux:{n}", a) for n, a in auxiliary.items())
    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    predictor = mx.Predictor(symbol, parameters, {"data": data.shape})
    return lambda: predictor.predict(data=data)[0]


def _torch_answer(network: Any, data: np.ndarray, channels_last: bool) -> Answer:
    import torch

    from benchmarks.models.torch_net import TorchNet

    layout = torch.channels_last if channels_last else torch.contiguous_format
    module = TorchNet(network).to(memory_format=layout)
    given = torch.from_numpy(data)

    def answer() -> np.ndarray:
        with torch.inference_mode():
            return module(given.contiguous(memory_format=layout)).numpy()

    return answer


def _onnx_answer(network: Any, data: np.ndarray, threads: int) -> Answer:
    from benchmarks.models.onnx_net import session_of

    session = session_of(network, len(data), threads)
    return lambda: session.run(None, {"data": data})[0]


SUBJECT = Subject(
    "ResNet-50 v1 inference, 224x224, float32",
    ("mxnova", "mxnova-predictor", "torch", "torch-channels-last", "mxnet", "onnxruntime"),
    cases,
    turn=0.5,
    targets={("batch 1", "torch"): 1.0},
)
