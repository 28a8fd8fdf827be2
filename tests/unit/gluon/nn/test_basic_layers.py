# SPDX-License-Identifier: Apache-2.0
"""What `tests/conformance/test_gluon_layers.py` does not see: modes, sparse gradients, functions."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.gluon import nn

X = mx.nd.array([[-1, 2, 3], [4, -5, 6]])


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_dense_of_other_types(dtype):
    layer = nn.Dense(2, dtype=dtype)
    layer.initialize()
    assert layer(X.astype(dtype)).dtype == np.dtype(dtype)


def test_dropout_drops_when_training_only():
    layer = nn.Dropout(0.5, axes=(1,))
    x = mx.nd.ones((50, 8))
    assert layer(x).asnumpy().min() == 1
    with mx.autograd.record():
        out = layer(x).asnumpy()
    assert set(out.ravel()) == {0, 2}
    assert (out == out[:, :1]).all()


@pytest.mark.parametrize("hybridize", [False, True])
def test_embedding_has_gradients_of_the_rows_that_were_used(hybridize):
    layer = nn.Embedding(10, 3, sparse_grad=True)
    layer.initialize()
    if hybridize:
        layer.hybridize()
    with mx.autograd.record():
        out = layer(mx.nd.array([[7, 2], [2, 7]]))
    out.backward()
    gradient = layer.weight.grad()
    assert gradient.stype == "row_sparse"
    assert gradient.indices.asnumpy().tolist() == [2, 7]
    assert gradient.data.asnumpy().tolist() == [[2, 2, 2]] * 2


@pytest.mark.parametrize("kind", [nn.Lambda, nn.HybridLambda])
def test_functions_by_name(kind):
    assert kind("relu")(X).asnumpy().tolist() == [[0, 2, 3], [4, 0, 6]]
    assert kind("dot")(X, X.T).shape == (2, 2)
    with pytest.raises(AssertionError, match="did you mean 'relu'"):
        kind("relU")


def test_functions():
    def twice(*args):
        return args[-1] * 2

    for layer in (nn.Lambda(twice), nn.HybridLambda(twice)):
        assert layer(X).asnumpy().tolist() == (X * 2).asnumpy().tolist()
        assert repr(layer) == f"{type(layer).__name__}(twice)"


def test_an_activation_is_a_name():
    with pytest.raises(TypeError, match="activation=PReLU"):
        nn.Dense(2, activation=nn.PReLU())


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", [nn.BatchNorm, nn.BatchNormReLU])
def test_batch_norm_stays_float32_beside_short_floats(kind, dtype):
    layer = kind(in_channels=3)
    layer.cast(dtype)
    assert np.dtype(layer.gamma.dtype) == np.float32
    layer.initialize()
    x = X.astype(dtype)
    assert layer(x).dtype == x.dtype
    layer.cast("float64")
    assert np.dtype(layer.running_var.dtype) == np.float64


def test_batch_norm_moves_its_statistics_when_training():
    layer = nn.BatchNorm(momentum=0.5)
    layer.initialize()
    with mx.autograd.record():
        layer(X).backward()
    assert layer.running_mean.data().asnumpy().tolist() == [0.75, -0.75, 2.25]
    before = layer.running_mean.data().asnumpy()
    layer(X)
    assert (layer.running_mean.data().asnumpy() == before).all()


def test_errors_name_the_class():
    with pytest.raises(TypeError, match=r"Conv2D\.__init__"):
        nn.Conv2D()
    with pytest.raises(AssertionError, match="Conv2D: layout='NCW': must be NCHW or NHWC"):
        nn.Conv2D(2, 3, layout="NCW")
    with pytest.raises(AssertionError, match="AvgPool3D: pool_size=.*expected a number or 3"):
        nn.AvgPool3D((2, 2))


def test_deferred_shapes_are_those_of_the_first_input():
    layer = nn.Conv2D(4, 3, groups=2, use_bias=False)
    layer.initialize()
    assert repr(layer).startswith("Conv2D(None -> 4")
    layer(mx.nd.ones((1, 6, 5, 5)))
    assert layer.weight.shape == (4, 3, 3, 3)
    assert repr(layer).startswith("Conv2D(3 -> 4")


@pytest.mark.parametrize("kind, layout", [
    (nn.Conv2D, "NHWC"),
    (nn.Conv3D, "NDHWC"),
    (nn.Conv2DTranspose, "NHWC"),
    (nn.Conv3DTranspose, "NDHWC"),
])  # fmt: skip
def test_channels_last(kind, layout):
    n = len(layout) - 2
    first, last = kind(4, 3, 2, 1, groups=2), kind(4, 3, 2, 1, groups=2, layout=layout)
    x = mx.nd.random.normal(shape=(2, 4, 5, 6, 5)[: n + 2])
    for_last = (0, *range(2, n + 2), 1)
    first.initialize()
    last.initialize()
    want = first(x)
    last(x.transpose(for_last))
    last.weight.set_data(first.weight.data().transpose(for_last))
    got = last(x.transpose(for_last))
    np.testing.assert_allclose(
        got.asnumpy(), want.transpose(for_last).asnumpy(), rtol=1e-4, atol=1e-5
    )
