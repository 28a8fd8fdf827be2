# SPDX-License-Identifier: Apache-2.0
"""int8 models as ONNX files give MXNet's results on processors whose 8-bit products saturate."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.contrib import quantization
from mxnova.convert import convert
from mxnova.gluon import nn
from mxnova.quantization import quantize

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from mxnova.onnx.signed_weights import make_weights_signed  # noqa: E402 - needs onnx
from tests.unit.onnx.saturating import run_saturating, uses_only  # noqa: E402 - needs onnx

SHAPES = {"data": (3, 1, 20, 20)}
IMAGES = np.random.RandomState(0).uniform(-1, 1, (16, 1, 20, 20)).astype("float32")
RECORDED = Path(__file__).parents[2] / "data" / "onednn"


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The prefix of a network in float, and its block."""
    mx.random.seed(1)
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, 5, activation="relu"),
        nn.MaxPool2D(),
        nn.Conv2D(6, 3, padding=1, strides=2, groups=6),
        nn.Conv2D(12, 3, activation="relu", prefix="last_"),
        nn.Flatten(),
        nn.Dense(20, activation="relu"),
        nn.Dense(7),
    )
    net.initialize(mx.init.Xavier())
    net.hybridize()
    net(mx.nd.array(IMAGES))
    prefix = str(tmp_path_factory.mktemp("net") / "net")
    net.export(prefix)
    return prefix, net


def quantize_symbol(network, prefix, **options):
    """Quantize with `quantize_model`: a scale for each weight."""
    data = mx.io.NDArrayIter(IMAGES, batch_size=8)
    made = quantization.quantize_model(
        *mx.model.load_checkpoint(network[0], 0), label_names=None, calib_data=data,
        num_calib_examples=16, calib_mode="naive", quantize_mode="full", **options,
    )  # fmt: skip
    mx.model.save_checkpoint(prefix, 0, *made)


def quantize_block(network, prefix, **options):
    """Quantize with `quantize_net_v2`: fused layers, a scale for each filter."""
    data = mx.io.NDArrayIter(IMAGES, batch_size=8)
    made = quantization.quantize_net_v2(network[1], calib_mode="naive", calib_data=data, **options)
    made.export(prefix)


PRODUCERS = {
    "symbol int8": (quantize_symbol, {"quantized_dtype": "int8"}),
    "symbol auto": (quantize_symbol, {"quantized_dtype": "auto"}),
    "symbol with a layer in float": (
        quantize_symbol,
        {"quantized_dtype": "auto", "excluded_sym_names": ["last_fwd"]},
    ),
    "block auto": (quantize_block, {"quantized_dtype": "auto", "quantize_mode": "smart"}),
    "block int8": (quantize_block, {"quantized_dtype": "int8", "quantize_mode": "full"}),
}


def outputs_of(prefix):
    symbol, arguments, states = mx.model.load_checkpoint(prefix, 0)
    executor = symbol.simple_bind(mx.cpu(), grad_req="null", **SHAPES)
    executor.copy_params_from(arguments, states)
    return executor.forward(data=mx.nd.array(IMAGES[:3]))[0].asnumpy()


def difference(model, wanted):
    """The largest difference of the saturating outputs, in parts of the largest output."""
    (found,) = run_saturating(model, {"data": IMAGES[:3]})
    return np.abs(found - wanted).max() / np.abs(wanted).max()


@pytest.mark.parametrize("producer", PRODUCERS)
def test_convert_to_onnx_writes_weights_that_do_not_saturate(producer, network, tmp_path):
    make, options = PRODUCERS[producer]
    make(network, str(tmp_path / "net"), **options)
    wanted, path = outputs_of(str(tmp_path / "net")), str(tmp_path / "net.onnx")
    done = convert(tmp_path / "net", path, shapes=SHAPES)
    assert done.proof.is_equal
    assert uses_only(onnx.load(path), onnx.TensorProto.UINT8)
    assert difference(onnx.load(path), wanted) < 0.02
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"data": IMAGES[:3]})
    assert np.abs(found - wanted).max() < 0.02 * np.abs(wanted).max()


def test_run_saturating_finds_int8_weights(network, tmp_path):
    quantize_symbol(network, str(tmp_path / "net"), quantized_dtype="int8")
    path = str(tmp_path / "net.onnx")
    convert(tmp_path / "net", path, shapes=SHAPES, prove=False)
    make_weights_signed(path)
    assert uses_only(onnx.load(path), onnx.TensorProto.INT8)
    assert difference(onnx.load(path), outputs_of(str(tmp_path / "net"))) > 0.1


def test_convert_of_recorded_network_does_not_saturate(tmp_path):
    shutil.copy(RECORDED / "quantized-symbol.json", tmp_path / "net-symbol.json")
    shutil.copy(RECORDED / "quantized-0000.params", tmp_path / "net-0000.params")
    path = str(tmp_path / "net.onnx")
    convert(tmp_path / "net", path, shapes={"data": ("N", 3, 12, 12)}, prove=False)
    assert uses_only(onnx.load(path), onnx.TensorProto.UINT8)


@pytest.mark.parametrize(
    "options", [{}, {"asymmetric": False}, {"per_channel": False}, {"exclude": ["last_fwd"]}]
)
def test_quantize_with_ort_writes_weights_that_do_not_saturate(options, network, tmp_path):
    path = str(tmp_path / "net.onnx")
    shapes = {"data": ("N", 1, 20, 20)}
    quantize(network[0], IMAGES, path, shapes=shapes, **options)
    model = onnx.load(path)
    assert uses_only(model, onnx.TensorProto.UINT8)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert difference(model, session.run(None, {"data": IMAGES[:3]})[0]) < 0.02


def test_export_of_int8_weight_that_is_an_input_does_not_saturate(tmp_path):
    names = ["data", "weight", "min_data", "max_data", "min_weight", "max_weight"]
    data, weight, *ends = map(mx.sym.var, names)
    layer = mx.sym.contrib.quantized_fully_connected(
        data, weight, None, *ends, num_hidden=4, no_bias=True, name="fc"
    )
    real = mx.sym.contrib.requantize(*layer, min_calib_range=-50, max_calib_range=50)
    net, draw = mx.sym.contrib.dequantize(*real), np.random.default_rng(0)
    feed = {
        "data": draw.integers(0, 256, (2, 32)).astype("uint8"),
        "weight": draw.integers(-128, 128, (4, 32)).astype("int8"),
    }
    known = {name: mx.nd.array([v]) for name, v in zip(names[2:], (0, 1, -1, 1))}
    path = str(tmp_path / "net.onnx")
    mx.onnx.export_model(
        net, known, [(2, 32), (4, 32)], in_types=["uint8", "int8"], onnx_file_path=path
    )
    arrays = {name: mx.nd.array(values, dtype=values.dtype) for name, values in feed.items()}
    wanted = net.eval(**arrays, **known)[0].asnumpy()
    np.testing.assert_array_equal(run_saturating(onnx.load(path), feed)[0], wanted)
