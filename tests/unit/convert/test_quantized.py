# SPDX-License-Identifier: Apache-2.0
"""Quantized networks leave and come back, with a proof: a ResNet-50, and one that MXNet quantized itself."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.contrib import quantization
from mxnova.convert import convert
from mxnova.convert.proof import verify
from mxnova.gluon.model_zoo import vision

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

SIZE = 32
SHAPES = {"data": ("N", 3, SIZE, SIZE)}
RECORDED = Path(__file__).parents[2] / "data" / "onednn"
SMALL = {"data": ("N", 3, 12, 12)}


@pytest.fixture(scope="module")
def quantized(tmp_path_factory):
    """The prefix of a checkpoint."""
    mx.random.seed(0)
    net = vision.resnet50_v1()
    net.initialize(mx.init.Xavier())
    images = np.random.default_rng(0).uniform(-1, 1, (4, 3, SIZE, SIZE)).astype("float32")
    net(mx.nd.array(images[:1]))
    for parameter in net.collect_params(".*(beta|running_mean)").values():
        parameter.set_data(mx.nd.random.uniform(-0.1, 0.1, parameter.shape))
    data = mx.io.NDArrayIter(mx.nd.array(images), mx.nd.zeros(4), batch_size=4)
    made = quantization.quantize_net_v2(net, "auto", "smart", calib_mode="naive", calib_data=data)
    prefix = str(tmp_path_factory.mktemp("net") / "net")
    made.export(prefix)
    return prefix


@pytest.fixture(scope="module")
def converted(quantized):
    """(what was done, the file)."""
    return convert(quantized, f"{quantized}.onnx", shapes=SHAPES), f"{quantized}.onnx"


def test_every_layer_gives_the_same_integers_to_the_step(converted):
    done, _ = converted
    assert done.proof.on_integers
    assert "over 57 nodes on equal integers; first above tolerance: none" in done.line
    integers = [row for row in done.proof.nodes if row.name[-1] == "0"]
    assert len(integers) == 57
    assert max(row.max_abs for row in integers) <= 1
    (first, second) = done.proof.outputs  # of two batches
    assert max(first.max_rel, second.max_rel) < 0.05


def test_the_runtime_finds_layers_on_integers(converted, tmp_path):
    _, path = converted
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.optimized_model_filepath = str(tmp_path / "fused.onnx")
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    kinds = [n.op_type for n in onnx.load(tmp_path / "fused.onnx").graph.node]
    # Sums are added to real numbers, as in MXNet's kernels; convolutions before them stay so.
    assert kinds.count("QLinearConv") == 53 - 16


def test_weights_are_integers_of_each_filter(converted):
    model = onnx.load(converted[1])
    types = {t.name: (t.data_type, list(t.dims)) for t in model.graph.initializer}
    weights = [n for n in types if n.endswith("weight_quantized")]
    assert len(weights) == 53  # the last layer's is int8 in MXNet's file
    assert {types[n][0] for n in weights} == {onnx.TensorProto.UINT8}
    name = weights[0]
    assert types[name.replace("_quantized", "_scale")][1] == types[name][1][:1]
    assert model.ByteSize() < 28e6


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """(the prefix of a network that MXNet quantized, a file).

    With ranges twice as wide, so that no kernel of MXNet's cuts sums to 16 bits.
    """
    folder = tmp_path_factory.mktemp("small")
    graph = json.loads((RECORDED / "quantized-symbol.json").read_text())
    for attrs in (node["attrs"] for node in graph["nodes"] if "attrs" in node):
        ends = [key for key in attrs if key.endswith("_calib_range")]
        attrs.update({key: str(2 * float(attrs[key])) for key in ends})
    (folder / "net-symbol.json").write_text(json.dumps(graph))
    shutil.copy(RECORDED / "quantized-0000.params", folder / "net-0000.params")
    prefix, path = str(folder / "net"), str(folder / "x.onnx")
    assert convert(prefix, path, shapes=SMALL, opset=21).proof.on_integers
    return prefix, path


def test_the_runtime_gives_what_mxnet_gave(small):
    recorded = np.load(RECORDED / "outputs.npz")
    session = onnxruntime.InferenceSession(small[1], providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"data": recorded["x"]})
    step = np.abs(recorded["y"]).max() / 127
    assert np.abs(found - recorded["y"]).max() <= step


def test_it_comes_back(small, tmp_path):
    prefix, path = small
    back = convert(path, tmp_path / "back", to="mxnet")
    assert back.proof.is_equal
    assert back.proof.on_integers
    found = verify(prefix, str(tmp_path / "back"), shapes=SMALL)
    assert found.is_equal
    assert found.on_integers


def scale_of_a_weight(model):
    scale = next(t for t in model.graph.initializer if t.name.endswith("weight_scale"))
    scale.raw_data = (onnx.numpy_helper.to_array(scale) * np.float32(1.03)).tobytes()


def sign_of_a_weight(model):
    weight = next(t for t in model.graph.initializer if t.name.endswith("weight_quantized"))
    weight.raw_data = (-onnx.numpy_helper.to_array(weight)).tobytes()  # 128 stays 128


def bias_moved(model):
    bias = next(t for t in model.graph.initializer if t.name.endswith("bias_quantized"))
    bias.raw_data = (onnx.numpy_helper.to_array(bias) + np.int32(4000)).tobytes()


def rectifier_left_out(model):
    node = next(n for n in model.graph.node if n.op_type == "Relu")
    node.op_type = "Neg"


@pytest.mark.parametrize(
    "plant", [scale_of_a_weight, sign_of_a_weight, bias_moved, rectifier_left_out]
)
def test_planted_faults_are_found(plant, small, tmp_path):
    prefix, path = small
    model = onnx.load(path)
    plant(model)
    onnx.save(model, tmp_path / "x.onnx")
    found = verify(prefix, tmp_path / "x.onnx", shapes=SMALL)
    assert found.first is not None
    assert [row.name for row in found.nodes if not row.is_equal] == [found.first.name]


def test_openvino_takes_networks_on_integers(quantized, tmp_path):
    pytest.importorskip("openvino")
    done = convert(quantized, tmp_path / "m.xml", shapes=SHAPES)
    assert done.proof.is_equal


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """The prefix of a network on integers whose weights make up its files."""
    mx.random.seed(0)
    net = mx.gluon.nn.HybridSequential()
    for _ in range(2):
        net.add(mx.gluon.nn.Conv2D(96, 3, activation="relu"))
    net.add(mx.gluon.nn.GlobalAvgPool2D(), mx.gluon.nn.Dense(512))
    net.initialize(mx.init.Xavier())
    images = mx.nd.random.uniform(-1, 1, (2, 3, 12, 12))
    net(images)
    data = mx.io.NDArrayIter(images, mx.nd.zeros(2), batch_size=2)
    prefix = str(tmp_path_factory.mktemp("wide") / "net")
    made = quantization.quantize_net_v2(net, "auto", "full", calib_mode="naive", calib_data=data)
    made.export(prefix)
    net.export(f"{prefix}-float")
    return prefix


@pytest.mark.slow
def test_compiled_networks_run_without_torch_and_are_a_quarter_as_large(wide, tmp_path):
    path, found = tmp_path / "net.mxnova", tmp_path / "found.npy"
    convert(wide, path, to="compiled", shapes=SMALL, prove=False)
    assert path.stat().st_size < 0.3 * Path(f"{wide}-float-0000.params").stat().st_size
    code = (
        "import sys, numpy as np, mxnova as mx\n"
        f"predictor = mx.Predictor.load({str(path)!r}, threads=1)\n"
        "images = np.linspace(-1, 1, 3 * 12 * 12, dtype='f').reshape(1, 3, 12, 12)\n"
        f"np.save({str(found)!r}, predictor.predict(data=images)[0])\n"
        "print({'torch', 'onnx'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    images = np.linspace(-1, 1, 3 * 12 * 12, dtype="f").reshape(1, 3, 12, 12)
    files = mx.sym.load(f"{wide}-symbol.json"), mx.nd.load(f"{wide}-0000.params")
    predictor = mx.Predictor(*files, {"data": images.shape}, backend="aten")
    (wanted,) = predictor.predict(data=images)
    np.testing.assert_allclose(np.load(found), wanted, rtol=0, atol=np.abs(wanted).max() / 50)
