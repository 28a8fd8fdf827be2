# SPDX-License-Identifier: Apache-2.0
"""Deformable convolutions that look where plain ones do compute what plain ones do."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.gluon import nn
from mxnova.gluon.contrib import cnn


@pytest.mark.parametrize("kind", [cnn.DeformableConvolution, cnn.ModulatedDeformableConvolution])
def test_without_offsets(kind):
    x = mx.nd.random.normal(shape=(2, 4, 6, 5))
    layer = kind(6, 3, 2, 1, activation="relu", bias_initializer="ones")
    plain = nn.Conv2D(6, 3, 2, 1, activation="relu")
    for block in (layer, plain):
        block.initialize()
        block(x)
    plain.weight.set_data(layer.deformable_conv_weight.data())
    plain.bias.set_data(layer.deformable_conv_bias.data())
    # Offsets are 0, and so is what becomes the factor: 2 sigmoid(0) is 1.
    np.testing.assert_allclose(layer(x).asnumpy(), plain(x).asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [cnn.DeformableConvolution, cnn.ModulatedDeformableConvolution])
def test_all_parameters_are_learned(kind):
    layer = kind(4, 3, offset_weight_initializer="normal", num_deformable_group=2)
    layer.initialize()
    layer.hybridize()
    x = mx.nd.random.normal(shape=(1, 2, 6, 6))
    with mx.autograd.record():
        out = layer(x)
    out.backward()
    for parameter in layer.collect_params().values():
        assert np.abs(parameter.grad().asnumpy()).max() > 0, parameter.name


def test_there_is_no_adj():
    with pytest.raises(mx.MXNetError, match="adj"):
        cnn.DeformableConvolution(2, adj=(1, 1))
