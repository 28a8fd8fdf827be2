# SPDX-License-Identifier: Apache-2.0
"""Requests to one model from several threads at once, each request its own picture."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from benchmarks.inputs import normal
from benchmarks.models.networks import INPUT_SHAPES, convolutional, resnet50
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Subject

Model = Callable[[np.ndarray], np.ndarray]
THREADS = (1, 8)
REQUESTS = {convolutional: 128, resnet50: 16}


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    networks = (convolutional,) if options.smoke else (convolutional, resnet50)
    return {
        f"{network.__name__}, {n} threads": functools.partial(_case, peer, network, n, options)
        for network in networks
        for n in THREADS
    }


def _case(peer: str, network: Any, n_threads: int, options: Options) -> Case:
    model = MODELS[peer](network, options.threads)
    shape = (1, *INPUT_SHAPES[network])
    pictures = [normal(f"picture{i}", shape) for i in range(REQUESTS[network])]
    pool = ThreadPoolExecutor(n_threads)

    def answers() -> list[np.ndarray]:
        return list(pool.map(model, pictures))

    return Case(answers, output=answers, items=len(pictures))


def _mxnova(network: Any, threads: int) -> Model:
    import mxnova as mx

    symbol = network(SymbolNet(mx), mx.sym.Variable("data"))
    arguments, auxiliary = array_parameters(mx, network)
    parameters = {f"arg:{n}": a for n, a in arguments.items()}
    parameters.update((f"aux:{n}", a) for n, a in auxiliary.items())
    predictor = mx.Predictor(symbol, parameters, {"data": (1, *INPUT_SHAPES[network])})
    return lambda picture: predictor.predict(data=picture)[0]


def _torch(network: Any, threads: int) -> Model:
    import torch

    from benchmarks.models.torch_net import TorchNet

    module = TorchNet(network)

    def answer(picture: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return module(torch.from_numpy(picture)).numpy()

    return answer


def _onnxruntime(network: Any, threads: int) -> Model:
    from benchmarks.models.onnx_net import session_of

    session = session_of(network, 1, threads)
    return lambda picture: session.run(None, {"data": picture})[0]


MODELS = {"mxnova": _mxnova, "torch": _torch, "onnxruntime": _onnxruntime}
SUBJECT = Subject(
    "A request to one model", ("mxnova", "torch", "onnxruntime"), cases, turn=0.5, rounds=5
)
