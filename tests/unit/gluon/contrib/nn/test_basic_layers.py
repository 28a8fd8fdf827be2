# SPDX-License-Identifier: Apache-2.0
"""Experimental layers; `tests/conformance/test_gluon_layers.py` compares what they compute."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.gluon import Trainer, nn
from mxnova.gluon.contrib import nn as contrib


def test_blocks_side_by_side():
    x = mx.nd.array([[1, -2]])
    for kind in (contrib.Concurrent, contrib.HybridConcurrent):
        net = kind(axis=1)
        net.add(contrib.Identity(), nn.Activation("relu"))
        assert net(x).asnumpy().tolist() == [[1, -2, 1, 0]]
        assert net[:1](x).asnumpy().tolist() == [[1, -2]]


def test_a_trainer_updates_the_rows_that_were_used():
    layer = contrib.SparseEmbedding(6, 2, weight_initializer="ones")
    layer.initialize()
    trainer = Trainer(layer.collect_params(), "sgd", {"learning_rate": 1}, kvstore="local")
    with mx.autograd.record():
        out = layer(mx.nd.array([1, 4, 1]))
    out.backward()
    trainer.step(1)
    rows = layer.weight.row_sparse_data(mx.nd.arange(6)).tostype("default").asnumpy()
    assert rows[:, 0].tolist() == [1, -1, 1, 1, 0, 1]


def test_a_sparse_embedding_needs_a_trainer():
    layer = contrib.SparseEmbedding(6, 2)
    layer.initialize()
    with pytest.raises(RuntimeError, match="Trainer"):
        layer(mx.nd.array([1]))


def test_sync_batch_norm_is_batch_norm_on_one_device():
    x = mx.nd.random.normal(shape=(3, 2, 4))
    layers = contrib.SyncBatchNorm(num_devices=1, prefix="a_"), nn.BatchNorm(prefix="b_")
    outputs = []
    for layer in layers:
        layer.initialize()
        with mx.autograd.record():
            out = layer(x)
        out.backward()
        outputs.append([out.asnumpy(), layer.running_var.data().asnumpy()])
    for a, b in zip(*outputs):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_sync_batch_norm_says_what_it_does_not_do():
    with pytest.warns(UserWarning, match="each device"):
        contrib.SyncBatchNorm(num_devices=2)
    with pytest.warns(UserWarning, match="num_devices"):
        contrib.SyncBatchNorm()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_pixel_shuffle(n):
    factors, size = (2, 3, 2)[:n], (2, 1, 3)[:n]
    kind = getattr(contrib, f"PixelShuffle{n}D")
    x = np.random.RandomState(0).rand(2, int(np.prod(factors)) * 2, *size).astype("f")
    got = kind(factors[0] if n == 1 else factors)(mx.nd.array(x)).asnumpy()
    split = x.reshape(2, 2, *factors, *size)
    axes = [axis for i in range(n) for axis in (2 + n + i, 2 + i)]
    want = split.transpose(0, 1, *axes).reshape(2, 2, *(f * s for f, s in zip(factors, size)))
    assert (got == want).all()
