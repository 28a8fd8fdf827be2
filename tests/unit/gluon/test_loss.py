# SPDX-License-Identifier: Apache-2.0
"""What `tests/conformance/test_gluon_layers.py` does not see: where MXNet's losses are lacking."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

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


def _cross_entropy(pred, label, axis, ignored, smoothing):
    """The losses and gradients of PyTorch, whose mean over positions counts ignored ones here."""
    scores = torch.tensor(pred, requires_grad=True)
    losses = torch.nn.functional.cross_entropy(
        scores.movedim(axis, 1),
        torch.tensor(label),
        ignore_index=-100 if ignored is None else ignored,
        label_smoothing=smoothing,
        reduction="none",
    )
    means = losses.reshape(len(losses), -1).mean(1)
    means.sum().backward()
    return means.detach().numpy(), scores.grad.numpy()


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("numpy_mode", [False, True])
@pytest.mark.parametrize("from_logits", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis", "ignored", "smoothing", "dtype"),
    [
        ((4, 5), -1, None, 0.1, "float32"),
        ((4, 5), -1, -1, 0.0, "int32"),
        ((2, 5, 3), 1, 255, 0.1, "float32"),
        ((2, 3, 5), -1, 0, 1.0, "int64"),
    ],
)
def test_softmax_cross_entropy_ignores_a_label_and_smooths(
    hybridize, numpy_mode, from_logits, shape, axis, ignored, smoothing, dtype
):
    random = np.random.RandomState(0)
    pred = random.randn(*shape).astype("float32")
    label = random.randint(1, 5, [n for i, n in enumerate(shape) if i != axis % len(shape)])
    if ignored is not None:
        label.reshape(-1)[::2] = ignored
    block = loss.SoftmaxCrossEntropyLoss(
        axis, from_logits=from_logits, ignore_label=ignored, label_smoothing=smoothing
    )
    block.hybridize(hybridize)
    with mx.util.np_shape(numpy_mode), mx.util.np_array(numpy_mode):
        x, y = mx.nd.array(pred), mx.nd.array(label, dtype=dtype)
        if numpy_mode:
            x, y = x.as_np_ndarray(), y.as_np_ndarray()
        x.attach_grad()
        with mx.autograd.record():
            out = block(mx.nd.log_softmax(x, axis=axis) if from_logits else x, y)
        out.backward()
    losses, gradient = _cross_entropy(pred, label, axis, ignored, smoothing)
    np.testing.assert_allclose(out.asnumpy(), losses, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(x.grad.asnumpy(), gradient, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"label_smoothing": -0.1}, "label_smoothing=-0.1: must be a number from 0 to 1"),
        ({"label_smoothing": "a"}, "label_smoothing='a': must be a number from 0 to 1"),
        ({"ignore_label": 1, "sparse_label": False}, "ignore_label=1: needs sparse_label=True"),
    ],
)
def test_softmax_cross_entropy_refuses_options_without_meaning(options, text):
    with pytest.raises(mx.MXNetError, match=text):
        loss.SoftmaxCELoss(**options)
