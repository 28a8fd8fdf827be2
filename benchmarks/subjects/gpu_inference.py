# SPDX-License-Identifier: Apache-2.0
"""Inference on a GPU: inputs lie there, outputs are awaited and copied to NumPy.

``mxnova`` is an executor of a plain ``bind``, ``mxnova-cudagraph`` and the like ask for a backend;
``torch-cudagraph`` is torch, channels-last, recorded by hand.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import gpu
from benchmarks.inputs import import_mx, normal
from benchmarks.models.networks import (
    INPUT_SHAPES,
    bert_base,
    convolutional,
    lstm,
    mobilenet,
    resnet50,
)
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Skip, Subject, runtime_of
from benchmarks.subjects.inference import Work

__all__ = ["SUBJECT"]

Answer = Callable[[], np.ndarray]
WORKS = {
    **{f"ResNet-50, batch {n}": Work(resnet50, n) for n in (1, 8, 64)},
    "MobileNet 1.0, batch 8": Work(mobilenet, 8),
    "BERT-base, batch 8": Work(bert_base, 8),
    "2-layer LSTM, batch 8": Work(lstm, 8),
}
SMOKE_WORKS = {"convolutional, batch 2": Work(convolutional, 2)}
PRECISIONS = ("float32", "float16")


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    gpu.started()
    works = SMOKE_WORKS if options.smoke else WORKS
    return {
        f"{name}, {precision}": functools.partial(_case, peer, work, precision, options)
        for name, work in works.items()
        for precision in PRECISIONS
    }


def _case(peer: str, work: Work, precision: str, options: Options) -> Case:
    device = gpu.device_for(options)
    variant = peer.partition("-")[2]
    if variant == "cudagraph" and device == "cpu":
        raise Skip("a CUDA graph needs a GPU")
    data = normal("data", (work.batch, *INPUT_SHAPES[work.network])).astype(precision)
    answer = _answer_of(peer)(variant, work.network, data, device)
    return Case(answer, output=lambda: [answer().astype(np.float32)])


def _answer_of(peer: str) -> Callable[[str, Any, np.ndarray, str], Answer]:
    if runtime_of(peer) == "torch":
        return _torch
    return {"mxnova-predictor": _predictor, "mxnova-gluon": _gluon}.get(peer, _executor)


def _executor(backend: str, network: Any, data: np.ndarray, device: str) -> Answer:
    mx = import_mx("mxnova")
    context = gpu.context_on(mx, device)
    symbol = network(SymbolNet(mx), mx.sym.Variable("data", dtype=data.dtype))
    if backend:
        symbol = symbol.optimize_for(backend)
    executor = symbol.simple_bind(context, grad_req="null", data=data.shape)
    executor.copy_params_from(*array_parameters(mx, network))
    given = mx.nd.array(data, ctx=context, dtype=data.dtype)
    return lambda: executor.forward(is_train=False, data=given)[0].asnumpy()


def _predictor(_: str, network: Any, data: np.ndarray, device: str) -> Answer:
    import mxnova as mx

    context = gpu.context_on(mx, device)
    symbol = network(SymbolNet(mx), mx.sym.Variable("data", dtype=data.dtype))
    arguments, auxiliary = array_parameters(mx, network)
    types = dict(zip(symbol.list_arguments(), symbol.infer_type()[0], strict=True))
    parameters = {f"arg:{n}": a.astype(types[n]) for n, a in arguments.items()}
    parameters.update((f"aux:{n}", a) for n, a in auxiliary.items())
    predictor = mx.Predictor(symbol, parameters, {"data": data.shape}, ctx=context)
    given = mx.nd.array(data, ctx=context, dtype=data.dtype)
    return lambda: predictor.predict(data=given)[0]


def _gluon(_: str, network: Any, data: np.ndarray, device: str) -> Answer:
    import mxnova as mx

    context = gpu.context_on(mx, device)
    given = mx.sym.Variable("data")
    net = mx.gluon.SymbolBlock(network(SymbolNet(mx), given), given)
    arrays = {n: a for part in array_parameters(mx, network) for n, a in part.items()}
    for name, parameter in net.collect_params().items():
        parameter.shape = arrays[name].shape
        parameter.initialize(ctx=context)
        parameter.set_data(arrays[name])
    net.cast(str(data.dtype))
    net.hybridize(static_alloc=True)
    x = mx.nd.array(data, ctx=context, dtype=data.dtype)
    return lambda: net(x).asnumpy()


def _torch(variant: str, network: Any, data: np.ndarray, device: str) -> Answer:
    import torch

    from benchmarks.models.torch_net import TorchNet

    is_images = data.ndim == 4 and variant != ""
    layout = torch.channels_last if is_images else torch.contiguous_format
    given = torch.from_numpy(data).to(device).contiguous(memory_format=layout)
    run: Any = TorchNet(network).to(device, given.dtype).to(memory_format=layout)
    if variant == "compile":
        run = torch.compile(run, mode="reduce-overhead")
    if variant == "cudagraph":
        run = _recorded(run, given)

    def answer() -> np.ndarray:
        with torch.inference_mode():
            return run(given).cpu().numpy()

    return answer


def _recorded(run: Any, given: Any) -> Callable[[Any], Any]:
    """The kernels of ``run(given)`` as a CUDA graph."""
    import torch

    recording: Any = torch.cuda.CUDAGraph()
    with torch.inference_mode():
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            run(given)
        torch.cuda.current_stream().wait_stream(aside)
        with torch.cuda.graph(recording):
            result = run(given)

    def replayed(_: Any) -> Any:
        recording.replay()
        return result

    return replayed


SUBJECT = Subject(
    "Inference on a GPU",
    (
        "mxnova",
        "mxnova-predictor",
        "mxnova-gluon",
        "mxnova-auto",
        "mxnova-cudagraph",
        "mxnova-inductor",
        "torch",
        "torch-channels-last",
        "torch-cudagraph",
        "torch-compile",
    ),
    cases,
    also="mxnova-cudagraph",
    rounds=6,
    turn=0.3,
)
