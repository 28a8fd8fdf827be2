# SPDX-License-Identifier: Apache-2.0
"""oneDNN's graphs, OpenVINO and ONNX Runtime give what ATen gives: for every operator, over the operators' tables."""

import importlib
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.context import Context
from mxnova.core.exec.backends import BY_NAME
from mxnova.core.exec.backends.conversion.graph import CONVERTERS
from mxnova.core.exec.backends.conversion.model_backend import _Model
from mxnova.core.exec.backends.request import marked
from mxnova.core.exec.fused.attention import FusedAttention
from mxnova.core.exec.fused.quantize_linear import DequantizeLinear, QuantizeLinear
from mxnova.core.exec.fused.subsampling import Subsampled
from mxnova.core.exec.passes.matching import is_image_convolution, parameter_names
from mxnova.core.exec.program.program import ArrayFacts, Facts, Program
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample

FOLDER = Path(__file__).parents[2] / "op"
# ATen's kernels are as far from the exact values as these.
TOLERANCE = {"rtol": 2e-4, "atol": 2e-5}


STEPS = np.array([[-1, 0, 1], [2, 2, -2]], "float32")
COMPARED = ["equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal"]
# What the operators' own tables try with other types or in training only.
MORE = [
    *(Sample(f"_{name}", [STEPS, STEPS[::-1].copy()]) for name in COMPARED),
    *(Sample(f"broadcast_{name}", [STEPS, STEPS[:1]]) for name in COMPARED),
    Sample("where", [STEPS, (2, 3), (2, 3)]),
    Sample("reshape_like", [(2, 6), (3, 4)]),
    Sample("ones_like", [(2, 3)]),
    Sample("amp_cast", [(2, 3)], {"dtype": "float32"}),
    Sample("Dropout", [(2, 3)], {"p": 0.9}),
    *(
        Sample(name, [(2, 3, 4), *[(3,)] * 4], {"fix_gamma": False, **more}, low=0.5)
        for name, more in [
            ("BatchNorm_v1", {}),
            ("_contrib_BatchNormWithReLU", {}),
            ("_contrib_SyncBatchNorm", {"key": "a"}),
        ]
    ),
    Sample("_contrib_box_decode", [(2, 5, 4), (1, 5, 4)], {"std0": 2, "std3": 0.5, "clip": 0.5}),
    Sample("_contrib_box_decode", [(2, 5, 4), (1, 5, 4)], {"format": "corner"}),
    Sample("_npi_where", [STEPS, (2, 3), (2, 3)]),
    *(
        Sample("pick", [(3, 4), np.array(i, "float32")], {"axis": 1})
        for i in ([0, 2.5, 9], [-1, 3, 1])
    ),
    Sample("one_hot", [np.array([0, 2.5, 9], "float32")], {"depth": 3, "on_value": 2}),
    Sample("space_to_depth", [(2, 3, 4, 6)], {"block_size": 2}),
]


def tables():
    yield from MORE
    for path in sorted(FOLDER.glob("test_*.py")):
        module = importlib.import_module(f"tests.unit.op.{path.stem}")
        yield from getattr(module, "SAMPLES", ())


@pytest.fixture(params=["onednn", "openvino", "onnxruntime"])
def backend(request):
    """The name of an installed one; a skip, with the reason, for each that is not."""
    reason = BY_NAME[request.param].unavailable()
    if reason is not None:
        pytest.skip(reason)
    return request.param


def program_of(sample):
    """The operator on variables; None where that is no graph of floats."""
    if find(sample.op).name not in CONVERTERS or sample.train:
        return None
    op, arrays = find(sample.op).of(sample.attrs), sample.arrays()
    if not arrays or any(a.dtype != np.float32 or not a.size or not a.ndim for a in arrays):
        return None
    names = list(op.inputs())
    texts = {f.name: f.kind.text(op.attr(f.name)) for f in op.type.fields}
    symbol = mx.sym.invoke(sample.op, [mx.sym.var(n) for n in names], texts)[0]
    facts = {n: ArrayFacts(a.shape, torch.float32) for n, a in zip(names, arrays)}
    program = Program(symbol, Facts(facts, Context("cpu", 0)))
    return op, dict(zip(names, map(torch.from_numpy, arrays))), program


def taken(sample):
    """(operator, values by name, the body, constants); None where no model takes it."""
    made = program_of(sample)
    if made is None:
        return None
    op, values, program = made
    constants = {n: values[n] for n in parameter_names(program.symbol.nodes)}
    if BY_NAME["openvino"].refusals(program, constants):
        return None
    return op, values, program.symbol, constants


TAKEN = [sample for sample in tables() if taken(sample) is not None]


@pytest.mark.parametrize("sample", TAKEN, ids=str)
def test_it_gives_what_aten_gives(sample, backend):
    op, values, body, constants = taken(sample)
    group = _Model(
        backend=backend,
        body=body,
        constants=constants,
        precision="float32",
        make=BY_NAME[backend].make,
    )
    expected = op.forward(*[v.clone() for v in values.values()], **sample.facts(op))
    expected = expected[0] if isinstance(expected, tuple) else expected
    results = group.forward(*[values[n] for n in group.names])
    result = results[0] if isinstance(results, tuple) else results
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.numpy(), expected.numpy(), **TOLERANCE)


def test_every_converter_is_tried():
    tried = {find(sample.op).name for sample in TAKEN}
    private = (FusedAttention, QuantizeLinear, DequantizeLinear, Subsampled)
    made_by_passes = {kind.type.name for kind in private}  # tried below and in test_integers
    known = {name for name, converter in CONVERTERS.items() if not converter.only_onnx}
    assert {find(name).name for name in known - made_by_passes} - tried == set()


# Graphs -------------------------------------------------------------------------------------------


def network(x, middle=lambda x: x):
    x = mx.sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=4, name="c")
    x = middle(mx.sym.BatchNorm(x, name="b", fix_gamma=False))
    x = mx.sym.Pooling(mx.sym.relu(x), kernel=(2, 2), stride=(2, 2), pool_type="max")
    return mx.sym.softmax(mx.sym.FullyConnected(x, num_hidden=5, name="f"))


def parameters(symbol, **shapes):
    rng = np.random.default_rng(3)
    arguments, _, states = symbol.infer_shape(**shapes)
    return {
        f"{kind}:{name}": mx.nd.array(rng.uniform(0.2, 1, shape))
        for kind, names, found in (
            ("arg", symbol.list_arguments(), arguments),
            ("aux", symbol.list_auxiliary_states(), states),
        )
        for name, shape in zip(names, found)
        if name not in shapes
    }


SHAPE = (2, 3, 6, 6)
DATA = np.random.default_rng(5).normal(size=SHAPE).astype("float32")


def answers(symbol, **options):
    given = parameters(symbol, data=SHAPE)
    plain = mx.Predictor(symbol, given, {"data": SHAPE}).predict(data=DATA)[0]
    predictor = mx.Predictor(symbol, given, {"data": SHAPE}, **options)
    return plain, predictor.predict(data=DATA)[0], predictor


def test_a_graph_that_it_knows_is_one_model(backend):
    plain, found, predictor = answers(network(mx.sym.var("data")), backend=backend)
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-6)
    rows = predictor.explain()
    assert {row.backend for row in rows} == {backend}
    assert {row.reason for row in rows} == {f"compiled in part 1, of {len(rows)} nodes"}


def compiled(symbol, backend):
    """The symbol with a model of a backend's."""
    given = {n.partition(":")[2]: a for n, a in parameters(symbol, data=SHAPE).items()}
    constants = {n: torch.from_numpy(a.asnumpy()) for n, a in given.items()}
    facts = {n: ArrayFacts(tuple(t.shape), t.dtype) for n, t in constants.items()}
    facts["data"] = ArrayFacts(SHAPE, torch.float32)
    program = Program(marked(symbol, backend), Facts(facts, Context("cpu", 0)))
    return BY_NAME[backend].compile(program, constants)


def strided_network(x):
    """A sum that 1 x 1 convolutions alone read, which skip positions; another reads all of `a`."""
    a = mx.sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=4, name="a")
    x = mx.sym.relu(mx.sym.Convolution(a, kernel=(1, 1), num_filter=4, name="b") + a)
    heads = [
        mx.sym.Convolution(x, kernel=(1, 1), stride=(2, 2), num_filter=3, name=n) for n in "cd"
    ]
    window = {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)}
    return mx.sym.Concat(*heads, mx.sym.Convolution(a, num_filter=3, name="e", **window))


def test_positions_that_nobody_reads_are_not_computed(backend):
    symbol = strided_network(mx.sym.var("data"))
    plain, found, predictor = answers(symbol, backend=backend)
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-5)
    assert {row.backend for row in predictor.explain()} == {backend}
    (group,) = (n.op for n in compiled(symbol, backend).nodes if isinstance(n.op, _Model))
    strides = {n.name: n.op.stride for n in filter(is_image_convolution, group.body.nodes)}
    assert strides == {"a": (1, 1), "b": (2, 2), "c": (1, 1), "d": (1, 1), "e": (2, 2)}
    assert [n.name for n in group.body.nodes if isinstance(n.op, Subsampled)] == ["a_subsampled"]


def self_attention(x, heads):
    scores = mx.sym.contrib.interleaved_matmul_selfatt_qk(x, heads=heads)
    return mx.sym.contrib.interleaved_matmul_selfatt_valatt(x, mx.sym.softmax(scores), heads=heads)


def test_attention_has_a_word_of_its_own(backend):
    shape = (5, 2, 24)
    symbol = self_attention(mx.sym.relu(mx.sym.var("data")), 2)
    data = np.random.default_rng(5).normal(size=shape).astype("float32")
    plain, found = (
        mx.Predictor(symbol, {}, {"data": shape}, backend=b).predict(data=data)[0]
        for b in ("aten", backend)
    )
    assert found.shape == (5, 2, 8)
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-6)


def test_products_in_a_row_on_any_number_of_threads(threads, backend):
    """OpenVINO's own compiler of such chains cannot do it for one thread."""
    x = -mx.sym.relu(mx.sym.var("data"))
    y = mx.sym.relu(mx.sym.FullyConnected(mx.sym.sin(x), num_hidden=4, name="f"))
    symbol = mx.sym.broadcast_maximum(mx.sym.FullyConnected(y, num_hidden=6, name="g"), x)
    given = parameters(symbol, data=(2, 6))
    data = np.random.default_rng(5).normal(size=(2, 6))
    plain, found = (
        mx.Predictor(symbol, given, {"data": (2, 6)}, backend=b).predict(data=data)[0]
        for b in ("aten", backend)
    )
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-6)


CHANNELS = 16


def conv(x, **options):
    window = {"kernel": (3, 3), "pad": (1, 1), "num_filter": CHANNELS, "name": "c"}
    return mx.sym.Convolution(x, **{**window, **options})


def relu(x):
    return mx.sym.Activation(x, act_type="relu")


def pool(x, **options):
    return mx.sym.Pooling(x, pool_type="max", kernel=(2, 2), stride=(2, 2), **options)


RECTIFIED = {
    "Activation": relu,
    "convolution": lambda x: relu(conv(x)),
    "1 x 1 convolution": lambda x: relu(conv(x, kernel=(1, 1), pad=(0, 0))),
    "depthwise convolution": lambda x: relu(conv(x, num_group=CHANNELS)),
    "residual sum": lambda x: relu(conv(x) + x),
    "BatchNorm": lambda x: relu(mx.sym.BatchNorm(x, fix_gamma=False, name="b")),
    "convolution and BatchNorm": lambda x: relu(mx.sym.BatchNorm(conv(x), name="b")),
    "FullyConnected": lambda x: relu(mx.sym.FullyConnected(x, num_hidden=8, name="f")),
    "max pooling": pool,
    "max pooling of a rectifier": lambda x: pool(relu(x)),
    "max pooling of a convolution": lambda x: pool(conv(x)),
    "padded max pooling": lambda x: pool(x, pad=(1, 1)),
}


@pytest.mark.parametrize("size", [4, 40], ids=["small", "large"])
@pytest.mark.parametrize("name", RECTIFIED)
def test_rectifiers_and_max_pooling_pass_over_nan_as_in_eager_calls(backend, name, size):
    shape = (2, CHANNELS, size, size)
    rng = np.random.default_rng(5)
    symbol = RECTIFIED[name](mx.sym.var("data"))
    given = parameters(symbol, data=shape)
    for key in given:
        if key.endswith(("bias", "beta")):  # a dead filter
            given[key][0] = np.nan
    data = (rng.random(shape) - 0.5).astype("float32")
    data[0, 1, :2, 1:3] = np.nan
    data[1, 1, 0, 0] = -np.nan
    data[1, 2, :2, :2] = -np.inf
    found, plain = (
        mx.Predictor(symbol, given, {"data": shape}, backend=b).predict(data=data)[0]
        for b in (backend, "aten")
    )
    eager = mx.gluon.SymbolBlock(symbol, mx.sym.var("data"))
    eager.collect_params().load_dict(given, ignore_extra=True)
    assert np.isfinite(plain[:, 0]).all()
    np.testing.assert_array_equal(np.isnan(found), np.isnan(plain))
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(eager(mx.nd.array(data)).asnumpy(), plain, rtol=1e-4, atol=1e-5)


def test_what_it_does_not_know_runs_between_its_parts(backend):
    symbol = network(mx.sym.var("data"), lambda x: mx.sym.gamma(mx.sym.abs(x) + 1, name="g"))
    plain, found, predictor = answers(symbol, backend=backend)
    np.testing.assert_allclose(found, plain, rtol=1e-3, atol=1e-6)
    rows = {row.node: row for row in predictor.explain()}
    assert rows["g"].backend == "aten"
    assert rows["g"].reason == f"{backend}: there is no converter for gamma"
    assert rows["c"].backend == rows["f"].backend == backend
    assert rows["c"].reason != rows["f"].reason


def test_bfloat16_is_asked_for_and_seen_or_refused(backend):
    symbol, options = network(mx.sym.var("data")), {"backend": backend, "precision": "bfloat16"}
    if "bfloat16" not in BY_NAME[backend].precisions():
        with pytest.raises(MXNetError, match="precision='bfloat16': it computes in float32 here"):
            answers(symbol, **options)
        return
    plain, found, _ = answers(symbol, **options)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, plain, atol=0.05)


def test_executors_see_parameters_that_are_replaced(backend):
    symbol = network(mx.sym.var("data")).optimize_for(backend)
    assert symbol.tojson() == mx.sym.load_json(symbol.tojson()).tojson()
    plain = network(mx.sym.var("data"))
    executors = [s.simple_bind(mx.cpu(), data=SHAPE, grad_req="null") for s in (symbol, plain)]
    given = {n.partition(":")[2]: a for n, a in parameters(plain, data=SHAPE).items()}
    for scale in (1, 2):
        changed = {n: a * scale for n, a in given.items()}
        for executor in executors:
            executor.copy_params_from(
                {n: a for n, a in changed.items() if n in executor.arg_dict},
                {n: a for n, a in changed.items() if n in executor.aux_dict},
            )
        for _ in range(3):
            one, other = (e.forward(data=mx.nd.array(DATA))[0].asnumpy() for e in executors)
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    assert {row.backend for row in executors[0].explain()} == {backend}


def test_training_does_not_go_through_it(backend):
    symbol = network(mx.sym.var("data")).optimize_for(backend)
    executor = symbol.simple_bind(mx.cpu(), data=SHAPE)
    executor.arg_dict["c_weight"][:] = 0.5
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 5)))
    assert executor.grad_dict["c_weight"].shape == (4, 3, 3, 3)


def test_hybridized_networks_and_the_environment(monkeypatch, backend):
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Conv2D(4, 3), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(3))
    net.initialize()
    x = mx.nd.array(DATA)
    plain = net(x).asnumpy()
    net.hybridize(backend=backend)
    for _ in range(3):
        np.testing.assert_allclose(net(x).asnumpy(), plain, rtol=1e-4, atol=1e-5)
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", backend)
    executor = network(mx.sym.var("data")).simple_bind(mx.cpu(), data=SHAPE, grad_req="null")
    assert {row.backend for row in executor.explain()} == {backend}


def test_threads_share_a_model(backend):
    plain, _, predictor = answers(network(mx.sym.var("data")), backend=backend)
    wrong = []

    def work():
        for _ in range(20):
            if not np.allclose(predictor.predict(data=DATA)[0], plain, rtol=1e-4):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


IN_A_CHILD = """
import os, sys
import numpy as np, torch
import mxnova as mx
torch.set_num_threads(2)
symbol = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=32, name="c")
shape = (2, 8, 32, 32)
weights = {"arg:c_weight": mx.nd.ones((32, 8, 3, 3)), "arg:c_bias": mx.nd.zeros((32,))}
predictor = mx.Predictor(symbol, weights, {"data": shape}, backend=sys.argv[1])
data = np.ones(shape, "float32")
assert predictor.predict(data=data)[0][0, 0, 0, 0] == 72
child = os.fork()
if not child:
    os._exit(int(predictor.predict(data=data)[0][0, 0, 0, 0] != 72))
sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_forked_children_have_threads_of_their_own(backend):
    run = [sys.executable, "-W", "ignore", "-c", IN_A_CHILD, backend]
    assert subprocess.run(run, timeout=120).returncode == 0


def test_other_shapes_and_other_types(backend):
    symbol = network(mx.sym.var("data"))
    given = parameters(symbol, data=SHAPE)
    predictor = mx.Predictor(symbol, given, {"data": SHAPE}, backend=backend)
    larger = predictor.reshape({"data": (5, 3, 6, 6)})
    twice = np.concatenate([DATA, DATA, DATA[:1]])
    np.testing.assert_allclose(
        larger.predict(data=twice)[0][:2], predictor.predict(data=DATA)[0], rtol=1e-5
    )
    double = (mx.sym.var("x") * 2 + 1).optimize_for(backend)
    executor = double.bind(mx.cpu(), {"x": mx.nd.ones((2,), dtype="float64")})
    assert executor.forward()[0].dtype == np.float64
    assert executor.explain()[0].reason == f"{backend}: arrays that are not float32"


def removed(monkeypatch, backend):
    """Takes away what a backend needs; what an error then says."""
    if backend == "onednn":
        monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
        return "PyTorch was built without oneDNN"
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == backend else find_spec(name)
    )
    return f"the package {backend} is not installed: pip install 'mxnova[{backend}]'"


def test_one_cached_op_meets_other_types_and_shapes(backend):
    """Programs are shared between them, so that a group meets what it was not drawn for."""
    x = mx.sym.var("x")
    pooled = mx.sym.Pooling(x, kernel=(3, 3), stride=(3, 3), pooling_convention="full")
    symbol = mx.sym.tanh(pooled * 2 + 1)
    op = mx.nd.CachedOp(symbol.optimize_for(backend))
    rng = np.random.default_rng(2)
    for shape, dtype in [
        ((1, 2, 7, 7), "float32"),
        ((1, 2, 7, 7), "float64"),
        ((1, 2, 7, 7), "float16"),
        ((3, 2, 9, 4), "float32"),
        ((1, 2, 7, 7), "float32"),
    ]:
        data = mx.nd.array(rng.normal(size=shape), dtype=dtype)
        (expected,) = symbol.eval(x=data)
        found = op(data)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-5)


def test_what_the_runtime_cannot_make_runs_all_the_same(backend, monkeypatch, caplog):
    def make(part):
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(BY_NAME[backend], "make", make)
    plain, found, _ = answers(network(mx.sym.var("data")), backend=backend)
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-6)
    assert f"backend '{backend}' makes no model: no such kernel" in caplog.text


POINT = {"kernel": (1, 1), "stride": (2, 2), "num_filter": 2, "no_bias": True}


def padded_points(x):
    return mx.sym.Convolution(mx.sym.relu(x), **POINT, pad=(1, 1), name="c")


def points_of_parts(x):
    left, right = mx.sym.SliceChannel(mx.sym.sin(x), num_outputs=2)
    return mx.sym.Convolution(left + mx.sym.relu(right), **POINT, name="c")


def points_of_slices(x):
    left, right = (mx.sym.slice_axis(x, axis=1, begin=i, end=i + 2) for i in (0, 2))
    return mx.sym.Convolution(left * mx.sym.sigmoid(right), **POINT, name="c")


@pytest.mark.parametrize("graph", [padded_points, points_of_parts, points_of_slices])
def test_strides_of_points_stay_what_they_are(graph, backend, caplog):
    """OpenVINO moves them to where images are made, and is wrong there about parts and padding."""
    shape = (2, 4, 5, 8)
    symbol = graph(mx.sym.var("data"))
    given = parameters(symbol, data=shape)
    data = np.random.default_rng(4).normal(size=shape)
    plain, found = (
        mx.Predictor(symbol, given, {"data": shape}, backend=b).predict(data=data)[0]
        for b in ("aten", backend)
    )
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-5)
    assert not caplog.records


def test_where_it_is_absent(monkeypatch, backend):
    reason = removed(monkeypatch, backend)
    symbol = network(mx.sym.var("data"))
    with pytest.raises(MXNetError, match=f"'{backend}': {re.escape(reason)}"):
        symbol.optimize_for(backend)
    with pytest.raises(MXNetError, match=re.escape(reason)):
        mx.Predictor(symbol, parameters(symbol, data=SHAPE), {"data": SHAPE}, backend=backend)
    # A graph that was saved elsewhere runs all the same.
    executor = marked(symbol, backend).simple_bind(mx.cpu(), data=SHAPE)
    assert reason in executor.explain()[0].reason
    assert executor.forward()[0].shape == (2, 5)


def test_unknown_names_and_options(backend):
    symbol = network(mx.sym.var("data"))
    with pytest.raises(MXNetError, match="there is no backend 'openvinno'.*openvino"):
        mx.Predictor(symbol, parameters(symbol, data=SHAPE), {"data": SHAPE}, backend="openvinno")
    with pytest.raises(MXNetError, match=f"'{backend}' has no option 'precison'.*precision"):
        symbol.optimize_for(backend, precison="bfloat16")
    with pytest.raises(MXNetError, match="precision='int8'"):
        symbol.optimize_for(backend, precision="int8")
