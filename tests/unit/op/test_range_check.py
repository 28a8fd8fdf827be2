# SPDX-License-Identifier: Apache-2.0
"""Labels and indices out of range, with ``MXNOVA_CHECK=1`` and without."""

from __future__ import annotations

import pytest

import mxnova as mx
from mxnova import autograd, gluon, nd
from mxnova.core.base.errors import MXNetError, OutOfRangeError
from mxnova.core.op.range_check import CHECKS, _Checks

DATA = nd.ones((2, 3))


def labels(*values):
    return nd.array(values)


def softmax_output(label, **settings):
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(x, label, **settings)
    y.backward()
    return x.grad


def loss(label, hybrid):
    made = gluon.loss.SoftmaxCrossEntropyLoss()
    if hybrid:
        made.hybridize()
    return made(DATA, label)


def bound(label):
    net = mx.sym.SoftmaxOutput(mx.sym.var("data"), mx.sym.var("label"), name="softmax")
    executor = net.simple_bind(mx.cpu(), data=(2, 3), label=(2,))
    executor.forward(is_train=True, data=DATA, label=label)
    executor.backward()


CASES = {
    "pick": (lambda x: nd.pick(DATA, x), r"pick: index\[1, 0\]"),
    "Embedding": (
        lambda x: nd.Embedding(x, nd.ones((3, 2)), input_dim=3, output_dim=2),
        r"Embedding: data\[1\]",
    ),
    "take": (lambda x: nd.take(nd.ones((3, 1)), x), r"take: indices\[1\]"),
    "one_hot": (lambda x: nd.one_hot(x, depth=3), r"one_hot: indices\[1\]"),
    "batch_take": (
        lambda x: nd.batch_take(DATA, x.astype("int32")),
        r"batch_take: indices\[1\]",
    ),
    "SoftmaxOutput": (softmax_output, r"SoftmaxOutput: label\[1\]"),
    "SoftmaxOutput of a symbol": (bound, r"SoftmaxOutput: label\[1\]"),
    "loss": (lambda x: loss(x, False), r"label\[1\]|index\[1"),
    "hybridized loss": (lambda x: loss(x, True), r"label\[1\]|index\[1"),
}


@pytest.fixture
def checked(monkeypatch):
    monkeypatch.setattr(CHECKS, "on", True)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("wrong", [3, -1])
def test_checked(name, wrong, checked):
    run, text = CASES[name]
    run(labels(0, 2))
    with pytest.raises((OutOfRangeError, MXNetError), match=text) as caught:
        run(labels(0, wrong))
    assert f"is {wrong}, not from 0 to 2" in str(caught.value)


@pytest.mark.parametrize("name", CASES)
def test_not_checked(name):
    CASES[name][0](labels(0, 3))


def test_ignored_labels_may_be_out_of_range(checked):
    softmax_output(labels(0, -1), use_ignore=True, ignore_label=-1)
    with pytest.raises(MXNetError, match="is 7, not from 0 to 2"):
        softmax_output(labels(0, 7), use_ignore=True, ignore_label=-1)


def test_the_environment_turns_it_on(monkeypatch):
    assert not _Checks().on
    monkeypatch.setenv("MXNOVA_CHECK", "1")
    assert _Checks().on


def test_take_that_raises_says_which_index():
    with pytest.raises(OutOfRangeError, match=r": take: indices\[1\] is 7, not from 0 to 2"):
        nd.take(nd.ones((3, 1)), labels(0, 7), mode="raise").wait_to_read()
