# SPDX-License-Identifier: Apache-2.0
"""Gluon's networks: the executor's outputs and gradients, a torch module's, and a Python file's."""

import importlib.util

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.convert import convert

ALL = """
    alexnet densenet121 densenet161 densenet169 densenet201 inceptionv3 mobilenet0.25 mobilenet0.5
    mobilenet0.75 mobilenet1.0 mobilenetv2_0.25 mobilenetv2_0.5 mobilenetv2_0.75 mobilenetv2_1.0
    resnet18_v1 resnet18_v2 resnet34_v1 resnet34_v2 resnet50_v1 resnet50_v2 resnet101_v1
    resnet101_v2 resnet152_v1 resnet152_v2 squeezenet1.0 squeezenet1.1 vgg11 vgg11_bn vgg13 vgg13_bn
    vgg16 vgg16_bn vgg19 vgg19_bn
""".split()
SOME = ["mobilenet0.25", "mobilenetv2_0.25", "resnet18_v2", "squeezenet1.1"]


def side_of(name):
    """The least side of images that a network takes, or nearly so."""
    if name.startswith("inception"):
        return 299
    return 64 if name.startswith(("alex", "resnet", "mobile")) else 32 if "vgg" in name else 224


def network(name):
    """(symbol, arguments, auxiliary states, images)."""
    symbol = mx.gluon.model_zoo.vision.get_model(name)(mx.sym.var("data"))
    images = (1, 3, side_of(name), side_of(name))
    shapes, _, states = symbol.infer_shape(data=images)
    rng = np.random.default_rng(0)

    def values(key, shape):
        if key.endswith(("gamma", "running_var")):
            return mx.nd.array(rng.uniform(0.7, 1.3, shape))
        scale = np.sqrt(2 / np.prod(shape[1:])) if len(shape) > 1 else 0.1
        return mx.nd.array(rng.normal(0, scale, shape))

    rows = (symbol.list_arguments(), shapes), (symbol.list_auxiliary_states(), states)
    arguments, auxiliary = ({k: values(k, s) for k, s in zip(*row)} for row in rows)
    del arguments["data"]
    return symbol, arguments, auxiliary, rng.normal(size=images).astype("float32")


def check(name, folder, monkeypatch):
    monkeypatch.setenv("MXNOVA_FUSE", "0")  # the same kernels: equal to the last bit
    symbol, arguments, states, images = network(name)
    mx.model.save_checkpoint(str(folder / "net"), 0, symbol, arguments, states)
    module = mx.to_torch(symbol, arguments, aux=states, copy=True)
    gradients = {k: mx.nd.zeros(a.shape) for k, a in arguments.items()}
    executor = symbol.bind(mx.cpu(), {**arguments, "data": mx.nd.array(images)}, gradients, aux_states=states)  # fmt: skip
    wanted = executor.forward(is_train=False)[0].asnumpy()
    with torch.no_grad():
        np.testing.assert_array_equal(module(torch.from_numpy(images)), wanted)
    check_file(folder, images, wanted)
    if "Dropout" in symbol.tojson():
        return  # which draws in training passes
    outputs = executor.forward(is_train=True)
    head = np.random.default_rng(1).normal(size=outputs[0].shape).astype("float32")
    executor.backward(mx.nd.array(head))
    module.train()(torch.from_numpy(images)).backward(torch.from_numpy(head))
    for key, parameter in module.named_parameters():
        if parameter.requires_grad:
            np.testing.assert_array_equal(parameter.grad, gradients[key].asnumpy(), key)


def check_file(folder, images, wanted):
    sizes = {"data": ("N", *images.shape[1:])}
    convert(folder / "net", folder / "model.py", shapes=sizes, prove=False)
    spec = importlib.util.spec_from_file_location("model", folder / "model.py")
    file = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(file)
    with torch.no_grad():
        found = file.load()(torch.from_numpy(images)).numpy()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())
    assert len((folder / "model.py").read_text().splitlines()) < 240


@pytest.mark.parametrize("name", SOME)
def test_some_networks(name, tmp_path, monkeypatch):
    check(name, tmp_path, monkeypatch)


@pytest.mark.huge
@pytest.mark.parametrize("name", ALL)
def test_every_network(name, tmp_path, monkeypatch):
    check(name, tmp_path, monkeypatch)
