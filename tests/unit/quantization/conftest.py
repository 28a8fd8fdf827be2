# SPDX-License-Identifier: Apache-2.0
"""A small network of images, and data whose labels are what it finds."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx

SHAPE = (2, 8, 8)
COUNT = 64


def network():
    sym = mx.sym
    x = sym.var("data")
    x = sym.Convolution(x, kernel=(3, 3), num_filter=8, pad=(1, 1), name="conv0")
    x = sym.BatchNorm(x, fix_gamma=False, name="bn0")
    x = sym.Activation(x, act_type="relu", name="relu0")
    x = sym.Convolution(x, kernel=(3, 3), num_filter=8, pad=(1, 1), no_bias=True, name="conv1")
    x = sym.Activation(x, act_type="relu", name="relu1")
    x = sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool0")
    x = sym.FullyConnected(x, num_hidden=5, name="fc0")
    return sym.SoftmaxOutput(x, name="softmax")


def parameters(symbol, rng):
    shapes, _, states = symbol.infer_shape(data=(1, *SHAPE))
    arguments = {
        name: mx.nd.array(rng.normal(0, 0.3, shape))
        for name, shape in zip(symbol.list_arguments(), shapes)
        if name not in ("data", "softmax_label")
    }
    arguments["bn0_gamma"] = mx.nd.ones((8,))
    return arguments, {
        name: mx.nd.ones(shape) for name, shape in zip(symbol.list_auxiliary_states(), states)
    }


@pytest.fixture(scope="session")
def images():
    return np.random.default_rng(1).uniform(-1, 1, (COUNT, *SHAPE)).astype("float32")


@pytest.fixture(scope="session")
def folder(tmp_path_factory, images):
    """Checkpoints net-0003 and hard-0000, data.npz and unlabelled.npz.

    A filter of hard's conv1 has a large weight for what is always 0: one range of all cannot hold
    the weights of the others.
    """
    path = tmp_path_factory.mktemp("quantize")
    symbol = network()
    arguments, states = parameters(symbol, np.random.default_rng(0))
    mx.model.save_checkpoint(str(path / "net"), 3, symbol, arguments, states)
    hard = {name: array.copy() for name, array in arguments.items()}
    hard["bn0_gamma"][0], hard["bn0_beta"][0] = 0, -1
    hard["conv1_weight"][0] = 0
    hard["conv1_weight"][0, 0, 1, 1] = 300
    mx.model.save_checkpoint(str(path / "hard"), 0, symbol, hard, states)
    predictor = mx.Predictor.from_checkpoint(str(path / "net"), 3, {"data": images.shape})
    labels = predictor.predict(data=images)[0].argmax(axis=1)
    np.savez(path / "data.npz", data=images, label=labels.astype("float32"))
    np.savez(path / "unlabelled.npz", data=images)
    return path
