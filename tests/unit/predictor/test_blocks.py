# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest

import mxnova as mx
from mxnova.formats import compiled_model
from mxnova.formats.compiled_model import Blocked
from mxnova.predictor import Predictor, blocks, engines
from mxnova.predictor.building import write_compiled

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("channels_too", [True, False])
@pytest.mark.parametrize("shape", [(8, 16, 3, 3), (5, 3, 1, 2), (1, 1, 1, 1), (9, 4, 2, 1)])
def test_weights_go_into_blocks_and_back(shape, channels_too):
    weight = RNG.normal(size=shape).astype("f")
    made = blocks.in_blocks(weight, 4, channels_too)
    kept = Blocked("made", shape, channels_too)
    np.testing.assert_array_equal(blocks.of_blocks(made, 4, kept), weight)
    assert blocks.found_in({"made": made}, {"weight": weight}, 4)["weight"].array == "made"


def test_filters_stand_innermost():
    weight = np.arange(4 * 2, dtype="f").reshape(4, 2, 1, 1)
    assert blocks.in_blocks(weight, 2, False).ravel().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert blocks.in_blocks(weight, 2, True).ravel().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    kept = blocks.in_blocks(weight[:3], 2, False)
    assert kept.ravel().tolist() == [0, 2, 1, 3, 4, 0, 5, 0]


def test_equal_weights_have_an_array_each():
    weight = RNG.normal(size=(4, 4, 1, 1)).astype("f")
    made = blocks.in_blocks(weight, 4, True)
    found = blocks.found_in({"a": made, "b": made}, dict.fromkeys("xyz", weight), 4)
    assert {kept.array for kept in found.values()} == {"a", "b"}
    assert len(found) == 2


def test_what_is_no_weight_in_blocks_is_not_found():
    weight = RNG.normal(size=(4, 4, 1, 1)).astype("f")
    assert blocks.found_in({"other": weight + 1}, {"weight": weight}, 4) == {}
    assert blocks.found_in({"other": weight[0]}, {"bias": weight[0]}, 4) == {}


def test_the_question_for_the_size_of_blocks():
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    domain, helper = "com.microsoft.nchwc", onnx.helper
    graph = helper.make_graph(
        [helper.make_node("ReorderInput", ["x"], ["y"], domain=domain)], "g",
        [helper.make_tensor_value_info("x", 1, [1, 4, 1, 1])],
        [helper.make_tensor_value_info("y", 1, None)],
    )  # fmt: skip
    opsets = [helper.make_opsetid(domain, 1), helper.make_opsetid("", 13)]
    assert helper.make_model(graph, opset_imports=opsets, ir_version=8) == onnx.load_from_string(
        blocks._REORDERED
    )
    assert blocks.runtime_block(runtime) % 4 == 0


class _Refusing:
    class SessionOptions:
        pass

    @staticmethod
    def InferenceSession(*given, **options):  # noqa: N802
        raise RuntimeError("no such operator")


def test_a_runtime_without_blocks():
    assert blocks.runtime_block(_Refusing) == 0


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The path of a compiled model with convolutions of all kinds, and a function that is the same."""
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    folder = tmp_path_factory.mktemp("blocks")
    x = mx.sym.var("data")
    for name, kernel, filters, groups in (
        ("first", 3, 24, 1), ("point", 1, 32, 1), ("depth", 3, 32, 32), ("last", 3, 20, 1),
    ):  # fmt: skip
        x = mx.sym.Convolution(
            x, kernel=(kernel, kernel), num_filter=filters, num_group=groups, name=name
        )
        x = mx.sym.relu(x)
    symbol = mx.sym.FullyConnected(x, num_hidden=30, name="fc")
    shapes, _, _ = symbol.infer_shape(data=(1, 3, 12, 12))
    names = symbol.list_arguments()
    arrays = {
        n: mx.nd.array(RNG.normal(size=s))
        for n, s in zip(names, shapes, strict=True)
        if n != "data"
    }
    onnx_file, path = str(folder / "net.onnx"), folder / "net.mxnova"
    mx.onnx.export_model(symbol, arrays, [(1, 3, 12, 12)], np.float32, onnx_file)
    write_compiled(onnx_file, path, "onnxruntime", symbol.list_outputs())
    given = {f"arg:{name}": array for name, array in arrays.items()}
    return path, Predictor(symbol, given, {"data": (1, 3, 12, 12)}, backend="aten")


@pytest.mark.parametrize("block", [None, 0, 4])
def test_any_processor_computes_the_same(compiled, block, monkeypatch):
    path, plain = compiled
    if block is not None:
        monkeypatch.setattr(engines, "runtime_block", lambda runtime: block)
    data = RNG.normal(size=(1, 3, 12, 12)).astype("f")
    (found,), (wanted,) = (
        Predictor.load(path, threads=1).predict(data=data),
        plain.predict(data=data),
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3 * np.abs(wanted).max())


def test_each_weight_is_kept_once(compiled):
    runtime = pytest.importorskip("onnxruntime")
    model = compiled_model.read(compiled[0])
    block = blocks.runtime_block(runtime)
    assert model.block == block
    if not block:
        pytest.skip("no blocks on this processor")
    assert set(model.blocked) == {"first_weight", "point_weight", "depth_weight", "last_weight"}
    graphs = {"model", "model.blocked"}
    kept = {kept.array for kept in model.blocked.values()}
    assert set(model.arrays) == {*graphs, *kept, "fc_weight"}
    for name in graphs:
        assert model.arrays[name].nbytes < 20_000


def test_the_graph_on_blocks_is_for_the_version_that_wrote_it(compiled, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    model = compiled_model.read(compiled[0])
    if not model.block:
        pytest.skip("no blocks on this processor")
    assert engines._for_this_processor(model, runtime)[0] == "model.blocked"
    other = tmp_path / "other.mxnova"
    compiled_model.write(other, replace(model, versions={"onnxruntime": "1.0.0"}))
    graph, weights = engines._for_this_processor(compiled_model.read(other), runtime)
    assert graph == "model"
    assert weights["first_weight"].shape == (24, 3, 3, 3)
    data = RNG.normal(size=(1, 3, 12, 12)).astype("f")
    (found,) = Predictor.load(other, threads=1).predict(data=data)
    (wanted,) = compiled[1].predict(data=data)
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("name", ["model", "model.blocked"])
def test_weights_may_be_named_like_graphs(name, tmp_path):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    data, weight = mx.sym.var("data"), mx.sym.var(name)
    symbol = mx.sym.FullyConnected(data, weight, num_hidden=8, no_bias=True)
    values = RNG.normal(size=(8, 64)).astype("f")
    onnx_file, path = str(tmp_path / "net.onnx"), tmp_path / "net.mxnova"
    arrays = {name: mx.nd.array(values)}
    mx.onnx.export_model(symbol, arrays, [(1, 64)], np.float32, onnx_file)
    write_compiled(onnx_file, path, "onnxruntime", symbol.list_outputs())
    x = RNG.normal(size=(1, 64)).astype("f")
    (found,) = Predictor.load(path, threads=1).predict(data=x)
    np.testing.assert_allclose(found, x @ values.T, rtol=1e-4, atol=1e-4)
