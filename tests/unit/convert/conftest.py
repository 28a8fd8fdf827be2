# SPDX-License-Identifier: Apache-2.0
"""A small network with layers of many kinds, as a checkpoint."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx

SHAPES = {"data": ("N", 3, 16, 16)}


def network():
    sym = mx.sym
    x = sym.var("data")
    x = sym.Convolution(x, kernel=(3, 3), num_filter=8, pad=(1, 1), name="net_conv0")
    x = sym.BatchNorm(x, fix_gamma=False, eps=1e-3, name="net_bn0")
    x = sym.Activation(x, act_type="relu", name="net_relu0")
    x = sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max", name="net_pool0")
    for i in range(2):
        y = sym.Convolution(
            x,
            kernel=(3, 3),
            num_filter=8,
            pad=(1, 1),
            no_bias=True,
            name=f"net_stage1_unit{i}_conv1",
        )
        y = sym.BatchNorm(y, fix_gamma=False, eps=2e-5, name=f"net_stage1_unit{i}_bn1")
        y = sym.LeakyReLU(y, act_type="leaky", slope=0.25, name=f"net_stage1_unit{i}_act1")
        y = sym.Convolution(y, kernel=(1, 1), num_filter=8, name=f"net_stage1_unit{i}_conv2")
        x = sym.elemwise_add(x, y, name=f"net_stage1_unit{i}_plus")
    x = sym.Pooling(x, global_pool=True, kernel=(1, 1), pool_type="avg", name="net_pool1")
    x = sym.FullyConnected(x, num_hidden=8, name="net_fc0")
    x = sym.LayerNorm(x, name="net_ln0")
    x = sym.FullyConnected(x, num_hidden=5, name="net_fc1")
    return sym.SoftmaxOutput(x, name="softmax")


def parameters(symbol, seed=0, **shapes):
    """Random values for all parameters; variances are positive."""
    rng = np.random.default_rng(seed)
    arguments, _, states = symbol.infer_shape(**shapes)
    inputs = {*shapes, "softmax_label"}
    made = []
    for names, sizes in (
        (symbol.list_arguments(), arguments),
        (symbol.list_auxiliary_states(), states),
    ):
        rows = {}
        for name, shape in zip(names, sizes, strict=True):
            if name in inputs:
                continue
            values = rng.normal(0, 0.5, shape)
            if name.endswith(("var", "gamma")):
                values = np.abs(values) + 0.5
            rows[name] = mx.nd.array(values)
        made.append(rows)
    return made


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    """The prefix of a checkpoint."""
    symbol = network()
    prefix = str(tmp_path_factory.mktemp("net") / "net")
    mx.model.save_checkpoint(prefix, 7, symbol, *parameters(symbol, data=(1, 3, 16, 16)))
    return prefix
