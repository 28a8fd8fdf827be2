# SPDX-License-Identifier: Apache-2.0
"""What `tests/conformance/test_gluon_layers.py` does not see: where MXNet's losses are lacking."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mxnova as mx
from mxnova.gluon import loss
from mxnova.gluon.loss import _apply_weighting, _reshape_like

PRED = mx.nd.array([[0.5, 1.0, 2.0], [0.1, 0.2, 0.3]])


@pytest.mark.parametrize("hybridize", [False, True])
def test_poisson_with_stirling_of_targets_above_one(hybridize):
    target = np.array([[0, 1, 3], [2, 0, 5]], np.float32)
    block = loss.PoissonNLLLoss(compute_full=True)
    block.hybridize(hybridize)
    pred = PRED.asnumpy()
    want = np.exp(pred) - target * pred
    for i, n in np.ndenumerate(target):
        if n > 1:
            want[i] += n * math.log(n) - n + 0.5 * math.log(2 * math.pi * n)
    PRED.attach_grad()
    with mx.autograd.record():
        out = block(PRED, mx.nd.array(target))
    out.backward()
    assert out.asscalar() == pytest.approx(want.mean(), rel=1e-5)
    np.testing.assert_allclose(PRED.grad.asnumpy(), (np.exp(pred) - target) / 6, rtol=1e-5)


def test_weighting():
    x = mx.nd.ones((2, 2))
    both = _apply_weighting(mx.nd, x, 3, mx.nd.array([[1], [2]]))
    assert both.asnumpy().tolist() == [[3, 3], [6, 6]]
    assert _apply_weighting(mx.nd, x) is x
    with pytest.raises(AssertionError, match="weight='2': expected a number, got str"):
        _apply_weighting(mx.nd, x, "2")


def test_reshaping():
    x, y = mx.nd.ones(6), mx.nd.ones((2, 3))
    assert _reshape_like(mx.nd, x, y).shape == (2, 3)
    assert _reshape_like(mx.nd, y, y) is y
    assert _reshape_like(mx.sym, mx.sym.var("x"), mx.sym.var("y")).list_arguments() == ["x", "y"]


def test_lengths_of_labels_alone():
    pred, label = mx.nd.random.uniform(shape=(2, 9, 4)), mx.nd.array([[1, 2, 0], [2, 1, 1]])
    lengths = mx.nd.array([2, 1])
    block = loss.CTCLoss()
    eager = block(pred, label, None, lengths).asnumpy()
    padded = block(pred, mx.nd.array([[1, 2, -1], [2, -1, -1]])).asnumpy()
    np.testing.assert_allclose(eager, padded, rtol=1e-5)
    block.hybridize()
    np.testing.assert_allclose(block(pred, label, None, lengths).asnumpy(), eager, rtol=1e-5)


def test_a_loss_of_ones_own():
    class Distance(loss.Loss):
        def hybrid_forward(self, F, pred, label, sample_weight=None):
            return F.mean(F.abs(pred - label), axis=self._batch_axis, exclude=True)

    block = Distance(None, 1)
    assert block(PRED, PRED).shape == (3,)
    assert repr(block) == "Distance(batch_axis=1, w=None)"
    with pytest.raises(NotImplementedError):
        loss.Loss(None, 0)(PRED)
