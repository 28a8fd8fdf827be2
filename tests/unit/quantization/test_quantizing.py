# SPDX-License-Identifier: Apache-2.0
import os
import shutil

import numpy as np
import pytest

import mxnova as mx
from mxnova.contrib import quantization as contrib
from mxnova.convert.proof.runners import runner_of

from .conftest import COUNT, SHAPE


def outputs(path, images):
    return runner_of(path).outputs({"data": images})[0]


@pytest.mark.parametrize("calibration", ("naive", "none"))  # entropy: test_trained
def test_mxnets_own_way_gives_files_of_mxnets(folder, images, tmp_path, calibration):
    target = tmp_path / "q"
    found = mx.quantize(
        folder / "net", folder / "data.npz", target, calibration=calibration, samples=16
    )
    assert [os.path.basename(f) for f in found.files] == ["q-0003.params", "q-symbol.json"]
    assert (found.measure, found.before, found.samples, found.measured) == ("accuracy", 1, 16, 48)
    assert found.after > 0.9
    assert found.bytes == sum(map(os.path.getsize, found.files))
    arguments = mx.model.load_checkpoint(str(target), 3)[1]
    integers = {n: a for n, a in arguments.items() if a.dtype == np.int8}
    assert {"conv0_weight_quantize", "fc0_weight_quantize"} <= set(integers)
    in_float = mx.model.load_checkpoint(str(folder / "net"), 3)[1]
    assert integers["conv1_weight_quantize"].size == in_float["conv1_weight"].size
    predictor = mx.Predictor.from_checkpoint(str(target), 3, {"data": images.shape})
    expected = outputs(folder / "net", images)
    np.testing.assert_allclose(predictor.predict(data=images)[0], expected, atol=0.15)
    names = [row.name for row in found.proof.nodes]
    assert names[:1] == ["conv0"]
    assert {"relu1", "pool0", "fc0", "softmax"} <= set(names)
    assert min(row.cosine for row in found.proof.nodes) > 0.99


def test_the_graph_is_that_of_quantize_model(folder, images, tmp_path):
    found = mx.quantize(
        folder / "net", images, tmp_path / "q", calibration="naive", samples=COUNT, batch=COUNT
    )
    assert found.measure == "agreement"
    loaded = mx.model.load_checkpoint(str(folder / "net"), 3)
    data = mx.io.NDArrayIter(images, batch_size=COUNT)
    symbol, arguments, _ = contrib.quantize_model(
        *loaded, calib_mode="none", calib_data=data, quantized_dtype="auto"
    )
    made, integers, _ = mx.model.load_checkpoint(str(tmp_path / "q"), 3)
    assert made.list_arguments() == symbol.list_arguments()
    for name, array in arguments.items():
        np.testing.assert_array_equal(integers[name].asnumpy(), array.asnumpy())


def test_ranges_by_channel_are_of_fused_layers(folder, tmp_path):
    given = folder / "hard", folder / "unlabelled.npz", tmp_path / "q"
    found = mx.quantize(*given, per_channel=True, calibration="naive")
    assert "_sg_mkldnn_conv" in (tmp_path / "q-symbol.json").read_text()
    assert found.after > 0.9
    assert {"relu0", "relu1"} <= {row.name for row in found.proof.nodes}


def test_layers_with_large_errors_stay_in_float(folder, tmp_path):
    given = folder / "hard", folder / "unlabelled.npz", tmp_path / "q"
    told = []
    found = mx.quantize(
        *given, max_drop=5, calibration="naive", tell=lambda *text: told.append(text[0])
    )
    assert found.trials[0].value < 0.9
    assert found.drop <= 5
    assert [len(t.in_float) for t in found.trials] == [0, 1]
    assert found.in_float == ("conv1",)
    assert "1 of 3 layers in float" in found.line
    assert "accuracy on integers, 1 layers in float" in told
    operators = {n.op.name for n in mx.sym.load(str(tmp_path / "q-symbol.json")).nodes if n.op}
    assert {"Convolution", "_contrib_quantized_conv"} <= operators


def test_no_layer_can_be_quantized(folder, tmp_path):
    with pytest.raises(mx.MXNetError, match="--max-drop 0: agreement is 100.00% in float"):
        mx.quantize(
            folder / "hard",
            folder / "unlabelled.npz",
            tmp_path / "q",
            exclude=["conv0", "fc0"],
            max_drop=0,
            calibration="naive",
        )
    assert os.listdir(tmp_path) == []


def test_excluded_nodes_stay_in_float(folder, tmp_path):
    given = folder / "net", folder / "data.npz", tmp_path / "q"
    found = mx.quantize(*given, exclude=["conv1"], calibration="none")
    assert found.excluded == ["conv1"]
    assert "conv1_weight" in mx.model.load_checkpoint(str(tmp_path / "q"), 3)[1]


def test_onnx_runtime(folder, images, tmp_path):
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    target = tmp_path / "q.onnx"
    for calibration in ("naive", "entropy"):
        found = mx.quantize(
            folder / "hard", folder / "unlabelled.npz", target, calibration=calibration, force=True
        )
        assert found.files == [str(target)]
        assert found.after > 0.9
    operators = [node.op_type for node in onnx.load(target).graph.node]
    assert operators.count("DequantizeLinear") > 4
    mx.quantize(folder / "net", images, target, exclude=["conv0", "conv1"], force=True)
    nodes = {n.name: n for n in onnx.load(target).graph.node}
    assert nodes["conv0"].input[1].endswith("weight") or "Dequantize" not in nodes["conv0"].input[1]
    assert "Dequantize" in nodes["fc0"].input[1]
    symmetric = mx.quantize(folder / "net", images, target, asymmetric=False, force=True)
    arrays = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(target).graph.initializer}
    zeros = [a for n, a in arrays.items() if n.endswith("zero_point")]
    assert symmetric.after > 0.9
    assert all((a == {"uint8": 128, "int32": 0}[a.dtype.name]).all() for a in zeros)


def test_by_tensor_is_worse_where_filters_differ(folder, tmp_path):
    pytest.importorskip("onnxruntime")
    given = folder / "hard", folder / "unlabelled.npz", tmp_path / "q.onnx"
    kept = mx.quantize(*given, per_channel=False, max_drop=5)
    assert kept.trials[0].value < 0.9
    assert kept.in_float == ("conv1",)


def test_compiled_models_are_run_with_what_their_source_notes(folder, images, tmp_path):
    pytest.importorskip("onnxruntime")
    for file in folder.glob("net-*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "net-labels.txt").write_text("a\nb\nc\nd\ne\n")
    mx.quantize(tmp_path / "net", folder / "data.npz", tmp_path / "q.mxnova")
    np.testing.assert_allclose(
        mx.Predictor.load(tmp_path / "q.mxnova").predict(data=images)[0],
        outputs(folder / "net", images),
        atol=0.05,
    )
    mx.quantize(
        mx.open_model(tmp_path / "net"), folder / "data.npz", tmp_path / "q", calibration="none"
    )
    assert mx.open_model(tmp_path / "q").labels == list("abcde")


@pytest.mark.slow
def test_nncf(folder, images, tmp_path):
    pytest.importorskip("nncf")
    pytest.importorskip("openvino")
    target = tmp_path / "q.xml"
    given = folder / "hard", folder / "unlabelled.npz", target
    for options in ({}, {"calibration": "naive"}, {"asymmetric": False}):
        found = mx.quantize(*given, method="nncf", force=True, **options)
        assert [os.path.basename(f) for f in found.files] == ["q.bin", "q.xml"]
        assert found.after > 0.9
    kept = mx.quantize(*given, per_channel=False, max_drop=5, force=True)
    assert kept.trials[0].value < 0.9
    assert kept.in_float == ("conv1",)
    mx.quantize(folder / "net", images, tmp_path / "q.mxnova", method="nncf")
    found = mx.Predictor.load(tmp_path / "q.mxnova").predict(data=images)[0]
    expected = outputs(folder / "net", images)
    assert (found.argmax(1) == expected.argmax(1)).mean() > 0.9


@pytest.mark.parametrize(
    "model, data, options, text",
    [
        ("net", "none.npz", {}, "none.npz: there is no such file"),
        ("none", "data.npz", {}, "none"),
        ("net.mxnova", "data.npz", {}, "give the model that it was made of"),
        ("net", np.zeros((4, 2, 9, 9), "f"), {"shapes": {"data": ("N", *SHAPE)}}, "model takes"),
        ("net", "unlabelled.npz", {"metric": "accuracy", "max_drop": 1}, "needs labels"),
        ("net", (np.zeros((4, *SHAPE), "f"), [9] * 4), {}, "its label is 9"),
        ("net", "data.npz", {"exclude": ["fc"]}, "no such node; did you mean 'fc0'"),
        ("net", "data.npz", {"exclude": ["conv0", "conv1", "fc0"]}, "leaves no layer"),
        (
            "net",
            "data.npz",
            {"shapes": {"dat": (1, *SHAPE)}},
            "no input 'dat'; did you mean 'data'",
        ),
        ("net", "data.npz", {"preprocessing": {"sise": 3}}, "did you mean 'size'"),
        ("net", "data.npz", {"epoch": 2}, "no epoch 2"),
    ],
)
def test_what_cannot_be_used_leaves_nothing(folder, tmp_path, model, data, options, text):
    data = folder / data if isinstance(data, str) else data
    with pytest.raises(mx.MXNetError, match=text):
        mx.quantize(folder / model, data, tmp_path / "q", **options)
    assert os.listdir(tmp_path) == []


def test_files_that_are_there_stay(folder, tmp_path):
    (tmp_path / "q-symbol.json").write_text("mine")
    with pytest.raises(mx.MXNetError, match="q-symbol.json: exists; --force replaces it"):
        mx.quantize(folder / "net", folder / "data.npz", tmp_path / "q")
    with pytest.raises(mx.MXNetError, match="the target is a source, too"):
        mx.quantize(folder / "net", folder / "data.npz", folder / "net", force=True)
    with pytest.raises(mx.MXNetError, match="there is no such folder"):
        mx.quantize(folder / "net", folder / "data.npz", tmp_path / "no" / "q")
    assert [(f.name, f.read_text()) for f in tmp_path.iterdir()] == [("q-symbol.json", "mine")]


def test_a_quantized_model_is_refused(folder, tmp_path):
    mx.quantize(folder / "net", folder / "data.npz", tmp_path / "q", calibration="none")
    with pytest.raises(mx.MXNetError, match="quantized already"):
        mx.quantize(tmp_path / "q", folder / "data.npz", tmp_path / "r")


def test_a_seed_gives_the_same_file(folder, tmp_path):
    def made(seed):
        given = folder / "net", folder / "data.npz", tmp_path / "q"
        mx.quantize(*given, samples=4, seed=seed, calibration="naive", force=True)
        return (tmp_path / "q-symbol.json").read_text()

    assert made(0) == made(0) != made(1)


def test_networks_without_scores_are_quantized_and_not_measured(tmp_path):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    arguments = {"fc_weight": mx.nd.array([[1.0, 2.0]]), "fc_bias": mx.nd.zeros(1)}
    mx.model.save_checkpoint(str(tmp_path / "one"), 0, symbol, arguments, {})
    data = np.random.default_rng(0).uniform(-1, 1, (8, 2)).astype("f")
    found = mx.quantize(tmp_path / "one", data, calibration="none")
    assert (found.measure, found.drop) == (None, None)
    assert "%" not in found.line
    with pytest.raises(mx.MXNetError, match="--max-drop: the first output"):
        mx.quantize(tmp_path / "one", data, max_drop=1, force=True)


def test_quantize_with_onnxruntime_feeds_the_dtype_of_the_input(tmp_path):
    pytest.importorskip("onnxruntime")
    data = mx.sym.Cast(mx.sym.var("data"), dtype="float32") / 255
    layer = mx.sym.FullyConnected(data, num_hidden=4, name="fc", no_bias=True)
    weight = {"fc_weight": mx.nd.array(np.random.default_rng(0).normal(size=(4, 8)))}
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, mx.sym.softmax(layer), weight, {})
    values = np.random.default_rng(0).integers(0, 256, (16, 8)).astype("uint8")
    target = tmp_path / "q.onnx"
    mx.quantize(tmp_path / "net", values, target, types={"data": "uint8"}, samples=8)
    assert runner_of(target).outputs({"data": values[:1]})[0].shape == (1, 4)
