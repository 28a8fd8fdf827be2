# SPDX-License-Identifier: Apache-2.0
"""Networks that are exported give in ONNX Runtime what they give here."""

import importlib.util

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from mxnova.onnx import files  # noqa: E402 - needs onnx
from mxnova.onnx.export import export_for_runtime  # noqa: E402


def parameters_of(symbol, **shapes):
    rng = np.random.default_rng(3)
    arguments, _, states = symbol.infer_shape(**shapes)
    names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
    return {
        name: mx.nd.array(rng.uniform(0.2, 1, shape))
        for name, shape in zip(names, [*arguments, *states], strict=True)
        if name not in shapes and not name.endswith("label")
    }


def answers(path, **inputs):
    onnx.checker.check_model(str(path), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def expected(symbol, given, data):
    """What a Predictor gives."""
    states = symbol.list_auxiliary_states()
    named = {f"{'aux' if n in states else 'arg'}:{n}": a for n, a in given.items()}
    return mx.Predictor(symbol, named, {"data": data.shape}).predict(data=data)[0]


def test_a_multilayer_perceptron(tmp_path):
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=8, name="f1")
    x = mx.sym.FullyConnected(mx.sym.Activation(x, act_type="tanh"), num_hidden=3, name="f2")
    symbol = mx.sym.SoftmaxOutput(x, name="softmax")
    given = parameters_of(symbol, data=(2, 5))
    path = tmp_path / "mlp.onnx"
    assert mx.onnx.export_model(symbol, given, [(2, 5)], onnx_file_path=str(path)) == str(path)
    data = np.random.default_rng(1).normal(size=(2, 5)).astype("float32")
    np.testing.assert_allclose(
        answers(path, data=data)[0], expected(symbol, given, data), rtol=1e-5
    )
    graph = onnx.load(path).graph
    assert [i.name for i in graph.input] == ["data"]
    assert [o.name for o in graph.output] == ["softmax"]
    assert {i.name for i in graph.initializer} >= set(given)


@pytest.mark.parametrize("sizes", [{}, {"dynamic": True, "dynamic_input_shapes": [("N", 3, 9, 9)]}])
def test_models_that_are_only_run_leave_out_what_nobody_reads(sizes, tmp_path):
    data = np.random.default_rng(1).normal(size=(2, 3, 9, 9)).astype("float32")
    inner = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), pad=(1, 1), num_filter=4)
    window = {"kernel": (1, 1), "stride": (2, 2), "num_filter": 2, "name": "head"}
    symbol = mx.sym.Convolution(mx.sym.relu(inner), **window)
    given = parameters_of(symbol, data=data.shape)
    found = {}
    for write in (mx.onnx.export_model, export_for_runtime):
        path = str(tmp_path / "net.onnx")
        write(symbol, given, [data.shape], np.float32, path, **sizes)
        (answer,) = answers(path, data=data)
        np.testing.assert_allclose(answer, expected(symbol, given, data), rtol=1e-4)
        attributes = [a for n in onnx.load(path).graph.node for a in n.attribute]
        found[write] = [list(a.ints) for a in attributes if a.name == "strides"]
    assert [*found.values()] == [[[1, 1], [2, 2]], [[2, 2], [1, 1]]]


def lenet(x):
    for i, filters in enumerate((6, 16)):
        x = mx.sym.Convolution(x, kernel=(5, 5), num_filter=filters, name=f"c{i}")
        x = mx.sym.BatchNorm(x, name=f"b{i}", fix_gamma=i == 0)
        x = mx.sym.Pooling(mx.sym.relu(x), kernel=(2, 2), stride=(2, 2), pool_type="max")
    x = mx.sym.Dropout(mx.sym.FullyConnected(x, num_hidden=20, name="f0"))
    return mx.sym.softmax(mx.sym.FullyConnected(x, num_hidden=10, name="f1"), name="out")


def test_lenet(tmp_path):
    symbol, shape = lenet(mx.sym.var("data")), (2, 1, 28, 28)
    given = parameters_of(symbol, data=shape)
    path = tmp_path / "lenet.onnx"
    mx.onnx.export_model(symbol, given, [shape], onnx_file_path=str(path))
    data = np.random.default_rng(1).normal(size=shape).astype("float32")
    np.testing.assert_allclose(
        answers(path, data=data)[0], expected(symbol, given, data), rtol=1e-4
    )
    names = {i.name for i in onnx.load(path).graph.initializer}
    assert names >= set(given) - {"b0_gamma"}


# What is given ------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "model.onnx")


SYMBOL = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="f")
GIVEN = {"f_weight": mx.nd.array([[1, 2, 3], [4, 5, 6]]), "f_bias": mx.nd.array([7, 8])}
DATA = np.eye(3, dtype="float32")
EXPECTED = [[8, 12], [9, 13], [10, 14]]


def test_parameters_in_every_form(path, tmp_path):
    prefixed = {f"arg:{n}": a for n, a in GIVEN.items()}
    mx.nd.save(str(tmp_path / "p.params"), prefixed)
    SYMBOL.save(str(tmp_path / "s.json"))
    weight, bias = ({n: GIVEN[n]} for n in GIVEN)
    for symbol in (SYMBOL, str(tmp_path / "s.json")):
        for params in (GIVEN, prefixed, [weight, bias], str(tmp_path / "p.params")):
            mx.onnx.export_model(symbol, params, [(3, 3)], np.float32, path)
            assert answers(path, data=DATA)[0].tolist() == EXPECTED


def test_older_names(path):
    assert mx.contrib.onnx.export_model is mx.onnx.export_model
    mx.contrib.onnx.export_model(
        SYMBOL, GIVEN, onnx_file_path=path, input_shape=[(3, 3)], input_type=[np.float32]
    )
    assert answers(path, data=DATA)[0].tolist() == EXPECTED


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_types(dtype, path):
    given = {n: a.astype(dtype) for n, a in GIVEN.items()}
    mx.onnx.export_model(SYMBOL, given, [(3, 3)], dtype, path)
    (found,) = answers(path, data=DATA.astype(dtype))
    assert (found.dtype, found.tolist()) == (dtype, EXPECTED)


@pytest.mark.parametrize("dtype", ["int16", "uint16", "uint32"])
def test_whole_numbers_of_types_that_other_programs_have(dtype, path):
    """Importing models makes such arrays; ONNX Runtime has few operators for them."""
    numbers = np.array([1, np.iinfo(dtype).max // 2 + 1, 7], dtype)
    quotient = mx.sym.broadcast_div(mx.sym.var("a"), mx.sym.var("b"))
    mx.onnx.export_model(quotient, {}, [(3,), (3,)], np.dtype(dtype), path)
    (found,) = answers(path, a=numbers, b=np.roll(numbers, 1))
    np.testing.assert_array_equal(found, numbers // np.roll(numbers, 1))


def test_arithmetic_of_the_longest_whole_numbers_is_refused(path):
    symbol = mx.sym.broadcast_maximum(mx.sym.var("a"), mx.sym.var("b"))
    with pytest.raises(MXNetError, match=r"\(broadcast_maximum\): arithmetic of uint64"):
        mx.onnx.export_model(symbol, {}, [(3,), (3,)], np.dtype("uint64"), path)


def test_sparse_parameters_become_dense(path):
    given = {**GIVEN, "f_weight": GIVEN["f_weight"].tostype("row_sparse")}
    mx.onnx.export_model(SYMBOL, given, [(3, 3)], onnx_file_path=path)
    assert answers(path, data=DATA)[0].tolist() == EXPECTED


@pytest.mark.parametrize(
    "change, text",
    [
        ({"sym": 3}, "sym=3: must be a Symbol or a path"),
        ({"params": 3}, "params=3: must be a path, a dict of arrays or two of them"),
        ({"params": {"f_bias": 3}}, "params: f_bias is 3, no array"),
        ({"params": {}}, "one for each input that is no parameter: data, f_weight, f_bias"),
        ({"in_shapes": []}, "one for each input that is no parameter: data"),
        ({"in_types": []}, "in_types=\\[\\]: there must be one for each of data"),
        ({"dynamic": True, "dynamic_input_shapes": []}, "one for each of data"),
        (
            {"dynamic": True, "dynamic_input_shapes": [(3,)]},
            "for 'data', whose shape is \\(3, 3\\)",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_named(change, text, path):
    arguments = {"sym": SYMBOL, "params": GIVEN, "in_shapes": [(3, 3)], "onnx_file_path": path}
    with pytest.raises(MXNetError, match=text):
        mx.onnx.export_model(**{**arguments, **change})


def test_what_cannot_be_said_is_named_and_no_file_changes(path, tmp_path):
    (tmp_path / "model.onnx").write_text("before")
    symbol = mx.sym.gamma(mx.sym.erfinv(SYMBOL, name="one"), name="other")
    with pytest.raises(MXNetError) as error:
        mx.onnx.export_model(symbol, GIVEN, [(3, 3)], onnx_file_path=path)
    assert str(error.value).startswith(
        "export_model: node 'one' (erfinv): there is no converter for erfinv; node 'other' (gamma): "
        "there is no converter for gamma. Replace such nodes"
    )
    assert [p.name for p in tmp_path.iterdir()] == ["model.onnx"]
    assert (tmp_path / "model.onnx").read_text() == "before"


def test_the_package_that_is_needed_is_named(monkeypatch, path):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "onnx" else find_spec(name)
    )
    with pytest.raises(MXNetError, match="onnx is not installed: pip install 'mxnova\\[onnx\\]'"):
        mx.onnx.export_model(SYMBOL, GIVEN, [(3, 3)], onnx_file_path=path)


# What is written ----------------------------------------------------------------------------------


def test_outputs_are_named_by_their_nodes(path):
    x = mx.sym.var("x")
    parts = mx.sym.split(x, num_outputs=2, axis=1, name="parts")
    dropped = mx.sym.Dropout(mx.sym.relu(parts[0], name="same"), name="dropped")
    symbol = mx.sym.Group([parts, dropped, mx.sym.relu(parts[1], name="same"), x, x])
    mx.onnx.export_model(symbol, {}, [(1, 4)], onnx_file_path=path)
    names = [o.name for o in onnx.load(path).graph.output]
    assert names == ["parts0", "parts1", "dropped", "same_1", "x_1", "x_2"]
    given = np.array([[1, -2, -3, 4]], "float32")
    found = [r.tolist() for r in answers(path, x=given)]
    assert found == [[[1, -2]], [[-3, 4]], [[1, 0]], [[0, 4]], given.tolist(), given.tolist()]


def test_large_models_keep_their_parameters_beside(path, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LIMIT", 1000)
    symbol = mx.sym.FullyConnected(SYMBOL, num_hidden=600, name="g")
    given = {**GIVEN, "g_weight": mx.nd.ones((600, 2)), "g_bias": mx.nd.arange(600)}
    mx.onnx.export_model(symbol, given, [(3, 3)], onnx_file_path=path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.onnx", "model.onnx.data"]
    assert (tmp_path / "model.onnx").stat().st_size < 2000
    np.testing.assert_array_equal(
        answers(path, data=DATA)[0], np.sum(EXPECTED, 1, keepdims=True) + np.arange(600)
    )


def test_shapes_of_inner_values_are_noted(path):
    mx.onnx.export_model(
        mx.sym.relu(SYMBOL), GIVEN, [(3, 3)], onnx_file_path=path, run_shape_inference=True
    )
    assert [v.name for v in onnx.load(path).graph.value_info] == ["f"]


def test_verbose_tells_what_nodes_become(path, caplog):
    with caplog.at_level("INFO", "mxnova"):
        mx.onnx.export_model(SYMBOL, GIVEN, [(3, 3)], onnx_file_path=path, verbose=True)
    assert "f: Gemm(data, f_weight, f_bias)" in caplog.text


def test_the_operators_that_can_be_said():
    names = mx.onnx.get_operator_support()
    assert names == sorted(set(names))
    assert {"Convolution", "elemwise_add", "_plus", "SwapAxis", "swapaxes", "RNN"} <= set(names)
    assert not {"_FusedAttention", "erfinv"} & set(names)
    assert mx.onnx.get_operator_support(13) == names
    later = set(mx.onnx.get_operator_support(21)) - set(names)
    assert later == {"BilinearSampler"}
    with pytest.raises(MXNetError, match="opset_version=12: must be 13 to 21"):
        mx.onnx.get_operator_support(12)


X = mx.sym.var("x")
HOSTILE = {
    "ones": (mx.sym.broadcast_add(X, mx.sym.ones((1 << 17, 1 << 17))), (1, 1), "17,179,869,184 el"),
    "arange": (mx.sym.broadcast_add(X, mx.sym.arange(0, 1 << 40)), (1,), "a constant of"),
    "eye": (mx.sym.broadcast_add(X, mx.sym.eye(1 << 16)), (1, 1), "a constant of"),
    "anchors": (mx.sym.contrib.MultiBoxPrior(X), (1, 3, 1 << 20, 1 << 20), "a constant of"),
    "no size": (X + 1, (0, 2), "input 'x' has no parameter, and in_shapes leave its shape"),
    "negative": (X + 1, (-5, 2), "input 'x' has no parameter, and in_shapes leave its shape"),
    "half a character": (mx.sym.relu(mx.sym.var("\ud800")), (1,), r"of the name '\\ud800'"),
    "no name": (mx.sym.relu(mx.sym.var("")), (1,), "of the name ''"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_symbols_are_refused_at_once(name, tmp_path):
    symbol, shape, text = HOSTILE[name]
    with pytest.raises(MXNetError, match=text):
        mx.onnx.export_model(symbol, {}, [shape], onnx_file_path=str(tmp_path / "x.onnx"))
    assert not list(tmp_path.iterdir())
