# SPDX-License-Identifier: Apache-2.0
"""Compiled functions and recorded CUDA graphs give what the plain graph gives."""

import shutil
import sys

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.core.exec.backends.cudagraph import CudaGraph
from mxnova.core.exec.backends.inductor import Inductor
from mxnova.gluon import nn
from tests.hostile_names import CANARY, NAMES

from ....on_gpu import context_of_tests
from .recorded_kernels import REPLAYS, stand_in

SHAPE = (4, 6)
DATA = np.random.default_rng(1).normal(size=SHAPE).astype("float32")

needs_compiler = pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


def network():
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=5, name="f")
    x = mx.sym.tanh(x, name="t") * 2 + mx.sym.random.normal(scale=1e-9, shape=(4, 5))
    return mx.sym.softmax(x, name="s")


def parameters(ctx):
    rng = np.random.default_rng(2)
    return {
        "arg:f_weight": mx.nd.array(rng.normal(size=(5, 6)), ctx=ctx),
        "arg:f_bias": mx.nd.array(rng.normal(size=(5,)), ctx=ctx),
    }


BACKENDS = [
    pytest.param("inductor", mx.cpu, marks=needs_compiler),
    pytest.param("inductor", mx.gpu, marks=[needs_gpu, needs_compiler]),
    pytest.param("cudagraph", mx.gpu, marks=needs_gpu),
]


@pytest.mark.onednn
@pytest.mark.filterwarnings("ignore")  # of torch.compile's own
@pytest.mark.parametrize("backend, context", BACKENDS)
def test_the_answer_stays(backend, context):
    ctx = context()
    given = parameters(ctx)
    plain = mx.Predictor(network(), given, {"data": SHAPE}, ctx).predict(data=DATA)[0]
    predictor = mx.Predictor(network(), given, {"data": SHAPE}, ctx, backend=backend)
    for _ in range(3):
        np.testing.assert_allclose(predictor.predict(data=DATA)[0], plain, rtol=1e-5)
    other = predictor.predict(data=-DATA)[0]
    assert not np.allclose(other, plain)
    rows = {row.operator: row for row in predictor.explain()}
    assert rows["tanh"].backend == backend
    assert rows["_random_normal"].reason == f"{backend}: it draws random numbers"


@needs_compiler
@pytest.mark.onednn
@pytest.mark.filterwarnings("ignore")
def test_kernels_that_are_chosen_by_hand_are_left_to_the_compiler():
    """Large enough for oneDNN's pooling, whose arrays no compiler can look into."""
    shape = (4, 32, 32, 32)
    pooled = mx.sym.Pooling(mx.sym.var("data"), kernel=(2, 2), stride=(2, 2), pool_type="max")
    symbol = mx.sym.relu(pooled)
    data = np.random.default_rng(0).normal(size=shape).astype("float32")
    plain, found = (
        mx.Predictor(symbol, {}, {"data": shape}, backend=b).predict(data=data)[0]
        for b in ("aten", "inductor")
    )
    np.testing.assert_allclose(found, plain)


def trained(backend, steps=2):
    """(losses, parameters, a gradient's gradient) of a small convolutional network."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
    net.add(nn.BatchNorm(in_channels=4, scale=False), nn.Dropout(0.5), nn.Dense(3, in_units=64))
    net.initialize()
    rng = np.random.default_rng(3)
    learned = list(net.collect_params().values())
    for parameter in learned:
        parameter.set_data(mx.nd.array(rng.uniform(0.1, 1, parameter.shape)))
    net.hybridize(backend=backend) if backend else net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-3})
    data = mx.nd.array(rng.normal(size=(5, 2, 6, 6)))
    data.attach_grad()
    mx.random.seed(4)
    losses = []
    for _ in range(steps):
        with mx.autograd.record():
            loss = (net(data) ** 2).mean()
        loss.backward(retain_graph=True)
        loss.backward()
        trainer.step(1)
        losses.append(loss.asscalar())
    with mx.autograd.record():
        (slope,) = mx.autograd.grad((net(data) ** 2).mean(), [data], create_graph=True)
        curvature = (slope**2).sum()
    curvature.backward()
    return losses, [p.data().asnumpy() for p in learned], data.grad.asnumpy()


@needs_compiler
@pytest.mark.onednn
@pytest.mark.filterwarnings("ignore")
def test_training_passes_are_compiled_and_stay_the_same(monkeypatch):
    compiled = []
    own = torch.compile

    def counted(function, **options):
        compiled.append(function)
        return own(function, **options)

    plain = trained(None)
    monkeypatch.setattr(torch, "compile", counted)
    found = trained("inductor")
    assert compiled
    assert_same_training(found, plain)


def assert_same_training(found, plain):
    np.testing.assert_allclose(found[0], plain[0], rtol=1e-5)
    for mine, expected in zip(found[1], plain[1], strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-4, atol=1e-6)
    # On a GPU sums of large numbers are rounded in another order.
    atol = 3e-5 * np.abs(plain[2]).max() if context_of_tests() else 1e-6
    np.testing.assert_allclose(found[2], plain[2], rtol=1e-3, atol=atol)


@pytest.fixture
def recorded_on_the_cpu(monkeypatch):
    """The backend "cudagraph", on a stand-in for CUDA's graphs."""
    stand_in(monkeypatch)
    monkeypatch.setattr(CudaGraph, "supports", Inductor.supports)


@needs_compiler
@pytest.mark.filterwarnings("ignore")
def test_float16_training_passes_are_compiled():
    """Statistics are float32 there."""
    found, plain = (statistics_of_float16_images(backend) for backend in ("inductor", None))
    np.testing.assert_allclose(found, plain, rtol=1e-2, atol=1e-5)


def statistics_of_float16_images(backend):
    """The moving mean of float16 images after a step."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
    net.initialize(mx.init.Constant(0.25))
    net.cast("float16")
    net.hybridize(backend=backend) if backend else net.hybridize()
    with mx.autograd.record():
        loss = net(mx.nd.array(np.arange(100).reshape(2, 2, 5, 5) / 64, dtype="float16")).sum()
    loss.backward()
    return net[1].running_mean.data().asnumpy()


def test_training_passes_are_recorded_and_stay_the_same(recorded_on_the_cpu):
    plain = trained(None, steps=4)
    assert not REPLAYS
    assert_same_training(trained("cudagraph", steps=4), plain)
    # One group, before Dropout: four passes forwards and eight backwards, one forward before the
    # gradient's gradient, and one backward behind that.
    assert len(REPLAYS) == 4 + 8 + 1 + 1


def test_inference_is_recorded_and_sees_new_parameters(recorded_on_the_cpu):
    symbol = network().optimize_for("cudagraph")
    executor = symbol.simple_bind(mx.cpu(), data=SHAPE, grad_req="null")
    for scale in (1, 2):
        for name, array in parameters(mx.cpu()).items():
            executor.arg_dict[name.partition(":")[2]][:] = array * scale
        answers = [executor.forward(data=mx.nd.array(DATA))[0].asnumpy() for _ in range(3)]
        np.testing.assert_allclose(answers[2], answers[0], rtol=1e-5)
    assert REPLAYS


def test_every_shape_is_compiled_by_itself(monkeypatch):
    """Dynamo leaves a function to the interpreter after eight shapes."""
    codes = []

    def keep(function, **options):
        codes.append(function.__code__)
        return function

    monkeypatch.setattr(torch, "compile", keep)
    op = mx.nd.CachedOp((mx.sym.sin(mx.sym.var("x")) + 1).optimize_for("inductor"))
    for size in range(1, 12):
        np.testing.assert_allclose(op(mx.nd.zeros((size,))).asnumpy(), np.ones(size))
    assert len({id(code) for code in codes}) == len(codes) == 11


@needs_gpu
def test_a_recorded_graph_sees_new_parameters():
    ctx = mx.gpu()
    symbol = network().optimize_for("cudagraph")
    executor = symbol.simple_bind(ctx, data=SHAPE, grad_req="null")
    for scale in (1, 2):
        for name, array in parameters(ctx).items():
            executor.arg_dict[name.partition(":")[2]][:] = array * scale
        answers = [executor.forward(data=mx.nd.array(DATA))[0].asnumpy() for _ in range(3)]
        np.testing.assert_allclose(answers[2], answers[0], rtol=1e-5)


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for backend, text in (("inductor", "C\\+\\+ compiler"), ("cudagraph", "no GPU")):
        with pytest.raises(MXNetError, match=f"{backend}.*{text}"):
            network().optimize_for(backend)


@pytest.mark.slow
@needs_compiler
@pytest.mark.filterwarnings("ignore")
def test_inductor_runs_networks_with_any_names(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    x, arrays = mx.sym.var(NAMES[0]), {}
    for place, name in enumerate(NAMES[1:]):
        x = mx.sym.broadcast_add(x, mx.sym.var(name), name=f"{name}{place}")
        arrays[f"arg:{name}"] = mx.nd.full((1, 6), place % 5)
    predictor = mx.Predictor(x.tojson(), arrays, {NAMES[0]: SHAPE}, backend="inductor")
    wanted = DATA + sum(float(array.asnumpy()[0, 0]) for array in arrays.values())
    for _ in range(3):
        (found,) = predictor.predict(**{NAMES[0]: DATA})
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert CANARY not in sys.modules
    assert list(tmp_path.iterdir()) == []
