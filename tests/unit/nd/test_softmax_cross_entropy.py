# SPDX-License-Identifier: Apache-2.0
"""One operator computes what Gluon's four do."""

import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.nd import modes
from mxnova.core.nd.calls import dispatch
from mxnova.core.nd.softmax_cross_entropy import softmax_cross_entropy

nd, autograd = mx.nd, mx.autograd
SCORES = np.array([[0.5, -1.0, 2.0], [3.0, 0.0, -2.0], [1e4, -1e4, 0.0], [0.1, 0.2, 0.3]])


def by_operators(scores, label):
    picked = nd.pick(nd.log_softmax(scores, axis=-1), label, axis=-1, keepdims=True)
    return nd.mean(-picked, axis=0, exclude=True)


def recorded(losses, dtype, label):
    """Losses, the gradient of the scores, and the graph of the losses."""
    scores = nd.array(SCORES, dtype=dtype)
    scores.attach_grad()
    with autograd.record():
        found = losses(scores * 1, label)
    graph = autograd.get_symbol(found)
    found.backward(nd.array([1, 2, -3, 0.5], dtype=dtype))
    names = [node["op"] for node in json.loads(graph.tojson())["nodes"]]
    return found.asnumpy(), scores.grad.asnumpy(), names


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(4,), (4, 1)])
@pytest.mark.parametrize("kind", ["float32", "int32", "int64", "uint8"])
def test_values_gradients_and_graph_are_the_operators(dtype, shape, kind):
    label = nd.array(np.array([2, 0, 1, 9]).reshape(shape), dtype=kind)  # 9 is out of range
    got, want = (recorded(f, dtype, label) for f in (softmax_cross_entropy, by_operators))
    np.testing.assert_array_equal(got[0], want[0])
    np.testing.assert_array_equal(got[1], want[1])
    assert got[2] == want[2]


def test_without_recording():
    scores, label = nd.array(SCORES), nd.array([0, 1, 2, -1])
    got = softmax_cross_entropy(scores, label)
    np.testing.assert_array_equal(got.asnumpy(), by_operators(scores, label).asnumpy())
    assert got.dtype == np.float32


def test_writing_to_the_labels_later_changes_no_gradient():
    scores, label = nd.array(SCORES), nd.array([0, 1, 2, 0], dtype="int64")
    scores.attach_grad()
    with autograd.record():
        losses = softmax_cross_entropy(scores, label)
    label[:] = 1
    losses.backward()
    assert (scores.grad.asnumpy()[0] < 0).tolist() == [True, False, False]


def test_second_gradients():
    scores, label = nd.array(SCORES[:2]), nd.array([0, 1])
    found = []
    for losses in (softmax_cross_entropy, by_operators):
        scores.attach_grad()
        with autograd.record():
            (first,) = autograd.grad(losses(scores, label), [scores], create_graph=True)
            total = (first * first).sum()
        total.backward()
        found.append(scores.grad.asnumpy())
    np.testing.assert_allclose(*found, rtol=1e-6)


@pytest.mark.parametrize(
    ("scores", "label"),
    [
        (nd.zeros((4, 2, 3)), nd.zeros((4, 2))),
        (nd.zeros((4, 3)), nd.zeros(3)),
        (nd.zeros((4, 3), dtype="float16"), nd.zeros(4)),
        (nd.zeros((4, 3)).tostype("csr"), nd.zeros(4)),
        (mx.np.zeros((4, 3)), mx.np.zeros(4)),
    ],
)
def test_what_is_left_to_the_operators(scores, label):
    assert softmax_cross_entropy(scores, label) is None


def test_labels_that_want_gradients_are_left_to_the_operators():
    scores, label = nd.array(SCORES), nd.array([0, 1, 2, 0])
    scores.attach_grad()
    label.attach_grad()
    with autograd.record():
        assert softmax_cross_entropy(scores, label) is None


def test_modes_see_the_operators():
    net = mx.gluon.loss.SoftmaxCELoss()
    seen = []

    class Watch(modes.Mode):
        def invoke(self, op, arrays, out=None, **others):
            seen.append(op.name)
            return dispatch.invoke(op, arrays, out, **others)

    with Watch():
        net(nd.array(SCORES), nd.array([0, 1, 2, 0]))
    assert seen[:2] == ["log_softmax", "pick"]
