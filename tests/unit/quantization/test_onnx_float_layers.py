# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime makes of layers that stay in float."""

import numpy as np
import pytest

import mxnova as mx

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

LAYERS = ("conv0", "conv1", "deconv0", "fc0")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Layers of each kind; the first reads one channel, the second has groups."""
    sym = mx.sym
    x = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=4, name="conv0")
    x = sym.Activation(x, act_type="relu")
    x = sym.Convolution(x, kernel=(3, 3), num_filter=6, num_group=2, name="conv1")
    x = sym.Activation(x, act_type="relu")
    x = sym.Deconvolution(x, kernel=(2, 2), num_filter=3, no_bias=False, name="deconv0")
    x = sym.Activation(x, act_type="relu")
    x = sym.FullyConnected(x, num_hidden=5, name="fc0")
    x = sym.FullyConnected(sym.Activation(x, act_type="relu"), num_hidden=4, name="fc1")
    rng = np.random.default_rng(0)
    shapes, _, _ = x.infer_shape(data=(1, 1, 8, 8))
    names = x.list_arguments()
    arguments = {
        name: mx.nd.array(rng.normal(0, 0.3, shape))
        for name, shape in zip(names, shapes)
        if name != "data"
    }
    made = str(tmp_path_factory.mktemp("net") / "net")
    mx.model.save_checkpoint(made, 0, x, arguments, {})
    return made


@pytest.mark.parametrize("name", LAYERS)
def test_its_weights_stay_as_they_are(prefix, name, tmp_path):
    images = np.random.default_rng(1).uniform(-1, 1, (16, 1, 8, 8)).astype("f")
    target = str(tmp_path / "q.onnx")
    mx.quantize(prefix, images, target, exclude=name)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.optimized_model_filepath = str(tmp_path / "rewritten.onnx")
    optimized = onnxruntime.InferenceSession(target, options, providers=["CPUExecutionProvider"])
    arrays = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for tensor in onnx.load(tmp_path / "rewritten.onnx").graph.initializer
    }
    integers = [n for n, a in arrays.items() if a.itemsize == 1 and a.ndim > 1]
    layers = {n.partition("_")[0] for n in integers}
    assert layers - {"deconv0"} == {*LAYERS, "fc1"} - {name, "deconv0"}
    assert name not in layers
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    plain = onnxruntime.InferenceSession(target, options, providers=["CPUExecutionProvider"])
    expected, found = (s.run(None, {"data": images})[0] for s in (plain, optimized))
    np.testing.assert_allclose(found, expected, atol=0.03)
