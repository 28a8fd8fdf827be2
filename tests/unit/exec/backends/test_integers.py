# SPDX-License-Identifier: Apache-2.0
"""int8 graphs in ONNX Runtime and OpenVINO: each operator gives what MXNet gives, to the step."""

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.context import Context
from mxnova.contrib import quantization
from mxnova.core.exec.backends import BY_NAME
from mxnova.core.exec.backends.request import marked
from mxnova.core.exec.passes.matching import is_image_convolution
from mxnova.core.exec.program.program import INFERENCE, ArrayFacts, Facts, Program, execute
from mxnova.core.runtime import tuning
from tests.unit.exec.passes.quantized_models import assert_within_a_step, cases

SHAPE = (2, 3, 12, 12)


@pytest.fixture(params=["openvino", "onnxruntime"])
def backend(request):
    """The name of an installed one that has int8 kernels here."""
    found = BY_NAME[request.param]
    reason = found.unavailable()
    if reason is None and not found.has_integers:
        reason = "this processor has no VNNI"
    if reason is not None:
        pytest.skip(reason)
    return request.param


@pytest.mark.parametrize("case", [*cases()], ids=lambda case: case.name)
def test_results_are_the_same_to_the_step(case, backend, monkeypatch, caplog):
    if backend == "openvino" and "sqrt int8" in case.name:
        pytest.skip("square roots of negative numbers: which integer NaN becomes is not defined")
    monkeypatch.setattr(tuning, "RUNTIME_MIN_NODES", 1)
    tensors = {n: torch.from_numpy(a.copy()) for n, a in case.arrays.items()}
    facts = {n: ArrayFacts(tuple(t.shape), t.dtype) for n, t in tensors.items()}
    program = Program(marked(case.symbol, backend), Facts(facts, Context("cpu", 0)))
    compiled = BY_NAME[backend].compile(program, case.parameters(True))
    left = {n.op.name for n in compiled.nodes if n.op is not None}
    assert left <= {"_Group", "_Constant", "_Owned", "Cast", "take"}
    found = execute(
        program.lower(compiled, INFERENCE), [tensors[v.name] for v in program.variables]
    )
    for got, wanted in zip(found, case.outputs, strict=True):
        assert_within_a_step(got.numpy(), wanted, case.name)
    assert not caplog.records


def layer(x, name, kernel, stride=1, act=True):
    pad = (kernel // 2,) * 2
    window = {"kernel": (kernel,) * 2, "stride": (stride,) * 2, "pad": pad, "num_filter": 8}
    x = mx.sym.Convolution(x, name=name, **window)
    return mx.sym.Activation(x, act_type="relu", name=f"{name}_relu") if act else x


def residual_network():
    x = layer(mx.sym.var("data"), "stem", 3)
    inner = layer(layer(x, "narrow", 1, stride=2), "wide", 3, act=False)
    total = mx.sym.Activation(inner + layer(x, "shortcut", 1, 2, act=False), act_type="relu")
    pooled = mx.sym.Pooling(total, global_pool=True, kernel=(1, 1), pool_type="avg")
    return mx.sym.FullyConnected(mx.sym.Flatten(pooled), num_hidden=5, name="dense")


def identity_network():
    x = layer(mx.sym.var("data"), "stem", 3)
    total = x + layer(layer(x, "narrow", 1), "wide", 3, act=False)
    return layer(mx.sym.Activation(total, act_type="relu"), "last", 1)


def strided_network():
    """A block whose result is read by 1 x 1 convolutions alone, which skip positions."""
    x = layer(mx.sym.var("data"), "stem", 3)
    total = x + layer(layer(x, "narrow", 1), "wide", 3, act=False)
    x = mx.sym.Activation(total, act_type="relu")
    return layer(x, "one", 1, 2, act=False) + layer(x, "other", 1, 2, act=False)


def int8_network(fuses_again, network=residual_network):
    symbol, rng = network(), np.random.default_rng(1)
    shapes, _, _ = symbol.infer_shape(data=SHAPE)
    args = {
        n: mx.nd.array(rng.normal(size=s) * 0.3)
        for n, s in zip(symbol.list_arguments(), shapes, strict=True)
        if n != "data"
    }
    images = mx.nd.array(rng.normal(size=SHAPE))
    made, args, _ = quantization.quantize_model(
        symbol.get_backend_symbol("MKLDNN_QUANTIZE"),
        args,
        {},
        calib_mode="naive",
        calib_data=mx.io.NDArrayIter(images, batch_size=2),
        quantized_dtype="auto",
        quantize_mode="full",
    )
    made = made.get_backend_symbol("MKLDNN_QUANTIZE") if fuses_again else made
    return made, {f"arg:{n}": a for n, a in args.items()}, images.asnumpy()


@pytest.mark.parametrize("fuses_again", [False, True])
def test_networks_are_one_model(backend, fuses_again):
    symbol, parameters, images = int8_network(fuses_again)
    found = {}
    for name in ("aten", backend):
        predictor = mx.Predictor(symbol, parameters, {"data": SHAPE}, backend=name)
        found[name] = predictor.predict(data=images)[0]
    rows = predictor.explain()
    reason = f"compiled in part 1, of {len(rows)} nodes"
    assert {(row.backend, row.reason) for row in rows} == {(backend, reason)}
    most = np.abs(found["aten"]).max()
    np.testing.assert_allclose(found[backend], found["aten"], rtol=0, atol=most * 0.02)


def test_executors_know_the_parameters_of_int8_layers(backend):
    symbol, parameters, images = int8_network(True)
    given = {n.removeprefix("arg:"): a for n, a in parameters.items()}
    outputs = []
    for each in (symbol, symbol.optimize_for(backend)):
        executor = each.bind(mx.cpu(), {**given, "data": mx.nd.array(images)}, grad_req="null")
        for _ in range(2):  # the second forward pass runs the compiled graph
            outputs.append(executor.forward()[0].asnumpy())
    assert {row.backend for row in executor.explain()} == {backend}
    np.testing.assert_allclose(
        outputs[-1], outputs[0], rtol=0, atol=np.abs(outputs[0]).max() * 0.02
    )


def test_positions_that_nobody_reads_are_not_computed(backend, monkeypatch):
    symbol, parameters, images = int8_network(True, strided_network)
    tensors = {n.partition(":")[2]: torch.from_numpy(a.asnumpy()) for n, a in parameters.items()}
    given = {**tensors, "data": torch.from_numpy(images)}
    facts = {n: ArrayFacts(tuple(t.shape), t.dtype) for n, t in given.items()}
    found, strides = [], []
    for passes in ("-stride_hoisting", ""):
        monkeypatch.setenv("MXNOVA_PASSES", passes)
        program = Program(marked(symbol, backend), Facts(facts, Context("cpu", 0)))
        compiled = BY_NAME[backend].compile(program, tensors)
        values = [given[v.name] for v in program.variables]
        found.append(execute(program.lower(compiled, INFERENCE), values)[0].numpy())
        (group,) = (n.op for n in compiled.nodes if n.op is not None and n.op.name == "_Group")
        strides.append([n.op.stride for n in filter(is_image_convolution, group.body.nodes)])
    np.testing.assert_array_equal(*found)
    ones, twos = (1, 1), (2, 2)
    assert strides == [[ones, ones, ones, twos, twos], [ones, ones, twos, ones, ones]]


class _Core:
    """OpenVINO's, which remembers what it compiles."""

    def __init__(self, core):
        self.core, self.compiled = core, []

    def __getattr__(self, name):
        return getattr(self.core, name)

    def compile_model(self, *given):
        self.compiled.append(self.core.compile_model(*given))
        return self.compiled[-1]


def test_sums_of_residual_blocks_are_computed_by_int8_convolutions(monkeypatch):
    reason = BY_NAME["openvino"].unavailable()
    if reason or not BY_NAME["openvino"].has_integers:
        pytest.skip(reason or "this processor has no VNNI")
    from mxnova.core.exec.backends.openvino import model

    core = _Core(model._core())
    monkeypatch.setattr(model, "_core", lambda: core)
    monkeypatch.setattr(model, "thread_count", lambda: 2)
    symbol, parameters, images = int8_network(True, identity_network)
    mx.Predictor(symbol, parameters, {"data": SHAPE}, backend="openvino").predict(data=images)
    (compiled,) = core.compiled
    layers = [
        op.get_rt_info()["layerType"].astype(str) for op in compiled.get_runtime_model().get_ops()
    ]
    assert layers.count("Convolution") == 4
    assert not {"Subgraph", "Eltwise"} & {*layers}, layers
