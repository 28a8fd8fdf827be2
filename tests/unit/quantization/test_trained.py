# SPDX-License-Identifier: Apache-2.0
"""Trained networks lose half a percentage point of accuracy at most, by every method."""

import numpy as np
import pytest

import mxnova as mx
from examples.textures import CLASSES, textures
from mxnova import autograd, gluon
from mxnova.gluon.model_zoo import vision

METHODS = [
    ("mxnet", "naive"),
    ("mxnet", "entropy"),
    ("ort", "naive"),
    ("ort", "entropy"),
    ("nncf", "mean"),
    ("nncf", "naive"),
]
NEEDS = {"mxnet": (), "ort": ("onnx", "onnxruntime"), "nncf": ("onnx", "openvino", "nncf")}
MOST = 0.5  # percentage points
SIDE = 48  # pixels


def quantized(prefix, method, calibration, data, folder):
    for package in NEEDS[method]:
        pytest.importorskip(package)
    target = folder / {"mxnet": "q", "ort": "q.onnx", "nncf": "q.xml"}[method]
    found = mx.quantize(prefix, data, target, method=method, calibration=calibration)
    assert found.measure == "accuracy"
    return found


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """A prefix, and images with labels."""
    pytest.importorskip("sklearn")
    from examples import data
    from examples.digits import network
    from examples.module_digits import BATCH, fitted

    np.random.seed(0)
    mx.random.seed(0)
    x, y, x_test, y_test = data.digits()
    module = fitted(network(), mx.io.NDArrayIter(x, y, BATCH, shuffle=True), len(x), 10, 2e-3)
    prefix = str(tmp_path_factory.mktemp("digits") / "digits")
    module.save_checkpoint(prefix, 10)
    return prefix, (np.concatenate([x, x_test]), np.concatenate([y, y_test]))


@pytest.mark.slow
@pytest.mark.parametrize("method, calibration", METHODS)
def test_digits(digits, method, calibration, tmp_path):
    prefix, data = digits
    found = quantized(prefix, method, calibration, data, tmp_path)
    assert found.before > 0.97
    assert found.drop <= MOST
    assert found.bytes < 0.45 * found.float_bytes


@pytest.fixture(scope="module")
def resnet(tmp_path_factory):
    """The prefix of a ResNet-18 that tells textures apart."""
    mx.random.seed(0)
    np.random.seed(0)
    net = vision.resnet18_v1(classes=len(CLASSES))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    data = mx.io.NDArrayIter(*textures(1200, side=SIDE), batch_size=16, shuffle=True)
    for rate in (1e-3, 1e-3, 1e-3, 1e-3, 2e-4, 2e-4):
        trainer.set_learning_rate(rate)
        data.reset()
        for batch in data:
            with autograd.record():
                value = loss(net(batch.data[0]), batch.label[0])
            value.backward()
            trainer.step(16)
    prefix = str(tmp_path_factory.mktemp("resnet") / "resnet")
    net.export(prefix)
    return prefix


@pytest.mark.slow
@pytest.mark.huge
@pytest.mark.parametrize("method, calibration", METHODS)
def test_resnet_18_of_textures(resnet, method, calibration, tmp_path):
    data = textures(1320, seed=7, side=SIDE)
    found = quantized(resnet, method, calibration, data, tmp_path)
    assert found.before > 0.9
    assert found.drop <= MOST
    assert found.bytes < 0.27 * found.float_bytes
