# SPDX-License-Identifier: Apache-2.0
"""Inference on 8-bit integers, calibrated on random data: NumPy array in and out.

``mxnova`` is what a plain ``bind`` gives, ``mxnova-auto`` asks for the backend ``auto``;
``mxnova-float`` is that on real numbers. ``mxnet`` has its oneDNN subgraphs on integers,
``onnxruntime`` its own static quantization, ``openvino`` NNCF's.
"""

from __future__ import annotations

import functools
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import import_mx, normal
from benchmarks.models.networks import (
    INPUT_SHAPES,
    bert_base,
    convolutional,
    mobilenet,
    resnet50,
    squeezenet,
)
from benchmarks.models.symbol_net import SymbolNet, array_parameters
from benchmarks.subject import Case, Options, Subject, runtime_of
from benchmarks.subjects import inference
from benchmarks.subjects.inference import Answer, Work

__all__ = ["SUBJECT", "quantized"]

WORKS = {
    "ResNet-50, batch 1": Work(resnet50, 1),
    "ResNet-50, batch 8": Work(resnet50, 8),
    "MobileNet 1.0, batch 1": Work(mobilenet, 1),
    "SqueezeNet 1.1, batch 1": Work(squeezenet, 1),
    "BERT base, batch 1": Work(bert_base, 1),
}
SMOKE_WORKS = {"convolutional, batch 2": Work(convolutional, 2)}
_CALIBRATION = 4  # batches
_FLOAT = "mxnova-float"


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    works = SMOKE_WORKS if options.smoke else WORKS
    is_ours = runtime_of(peer) in ("mxnova", "mxnet")
    chosen = {n: w for n, w in works.items() if is_ours or w.network is not bert_base}
    return {n: functools.partial(_case, peer, w, options) for n, w in chosen.items()}


def _case(peer: str, work: Work, options: Options) -> Case:
    if peer == _FLOAT:
        return inference.case_of("mxnova-auto", work, options)
    data = normal("data", (work.batch, *INPUT_SHAPES[work.network]))
    runtime = runtime_of(peer)
    if runtime in ("mxnova", "mxnet"):
        answer = _executor(peer, work.network, data)
    elif runtime == "openvino":
        answer = _openvino(work, data, options.threads)
    else:
        answer = _onnx(work, data, options.threads)
    return Case(answer, output=lambda: [answer()])


def quantized(mx: Any, network: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """A network on integers, its arguments and auxiliary states, as MXNet calibrates it."""
    images = mx.nd.array(normal("calibration", (_CALIBRATION, *INPUT_SHAPES[network])))
    made: tuple[Any, dict[str, Any], dict[str, Any]]
    made = mx.contrib.quantization.quantize_model_mkldnn(
        network(SymbolNet(mx), mx.sym.Variable("data")),
        *array_parameters(mx, network),
        ctx=mx.cpu(),
        calib_mode="naive",
        calib_data=mx.io.NDArrayIter(images, batch_size=1),
        num_calib_examples=_CALIBRATION,
        quantized_dtype="auto",
    )
    return made


def _executor(peer: str, network: Any, data: np.ndarray) -> Answer:
    mx = import_mx(peer)
    symbol, arguments, states = quantized(mx, network)
    if runtime_of(peer) == "mxnet":
        os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")  # its subgraphs are there
    if peer == "mxnova-auto":
        symbol = symbol.optimize_for("auto")
    given = mx.nd.array(data)
    executor = symbol.bind(
        mx.cpu(), {**arguments, "data": given}, aux_states=states, grad_req="null"
    )

    def answer() -> np.ndarray:
        found: np.ndarray = executor.forward(is_train=False, data=given)[0].asnumpy()
        return found

    return answer


def _calibration(work: Work) -> Iterator[dict[str, np.ndarray]]:
    shape = (work.batch, *INPUT_SHAPES[work.network])
    for i in range(_CALIBRATION):
        yield {"data": normal(f"calibration {i}", shape)}


def _onnx(work: Work, data: np.ndarray, threads: int) -> Answer:
    import onnxruntime
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    from benchmarks.models.onnx_net import model_of

    class Reader(CalibrationDataReader):
        batches = _calibration(work)

        def get_next(self) -> Any:
            return next(self.batches, None)

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        plain, made = Path(folder) / "plain.onnx", Path(folder) / "int8.onnx"
        plain.write_bytes(model_of(work.network, work.batch))
        quantize_static(plain, made, Reader(), quant_format=QuantFormat.QDQ, per_channel=True)
        session = onnxruntime.InferenceSession(made, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"data": data})[0]


def _openvino(work: Work, data: np.ndarray, threads: int) -> Answer:
    import nncf
    import openvino

    from benchmarks.models.onnx_net import model_of

    core = openvino.Core()
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
    model = core.read_model(model_of(work.network, work.batch))
    made = nncf.quantize(model, nncf.Dataset([b["data"] for b in _calibration(work)]))
    request = core.compile_model(made, "CPU", settings).create_infer_request()
    return lambda: np.array(request.infer([data], share_inputs=True, share_outputs=True)[0])


SUBJECT = Subject(
    "Inference, int8",
    ("mxnova-auto", "mxnova", _FLOAT, "mxnet", "onnxruntime", "openvino"),
    cases,
    also="mxnova",
    rounds=6,
    turn=0.3,
    targets={
        (name, peer): ratio
        for name in WORKS
        for peer, ratio in (
            (_FLOAT, 0.4 if name.startswith("ResNet") else 0.6),
            ("mxnet", 0.9),
            ("onnxruntime", 0.95),
            ("openvino", 1.05),
        )
    },
)
