# SPDX-License-Identifier: Apache-2.0
"""Self-attention becomes one kernel where nobody sees what lies between its parts."""

import pytest

import mxnova as mx

from ..backends.test_aten import answers, close, operators

LENGTH, BATCH, HEADS, SIZE = 24, 2, 4, 16
SHAPE = (LENGTH, BATCH, 64)
X = mx.sym.var("data")


def projected():
    units = 3 * HEADS * SIZE
    return mx.sym.FullyConnected(X, num_hidden=units, flatten=False, name="projections")


def scores(x):
    return mx.sym.contrib.interleaved_matmul_selfatt_qk(x, heads=HEADS)


def values(x, weights):
    return mx.sym.contrib.interleaved_matmul_selfatt_valatt(x, weights, heads=HEADS)


def attention(x, **options):
    return values(x, mx.sym.softmax(scores(x), **options))


def fused(predictor):
    return [op for op in operators(predictor) if op.name == "_FusedAttention"]


@pytest.fixture(autouse=True)
def every_product_counts(monkeypatch):
    monkeypatch.setattr("mxnova.core.runtime.tuning.FUSED_LINEAR_MIN_MULTIPLICATIONS", 1)


def dropped(x):
    return values(x, mx.sym.Dropout(mx.sym.softmax(scores(x), axis=2), p=0.5))


@pytest.mark.parametrize("form", [attention, dropped])
def test_one_kernel(monkeypatch, form):
    symbol = form(projected())
    plain, found, predictor = answers(symbol, monkeypatch, SHAPE)
    close(found, plain)
    assert found[0].shape == (LENGTH, BATCH, HEADS * SIZE)
    (op,) = fused(predictor)
    assert op.heads == HEADS
    assert len(op.absorbed) == 3


def with_weights_read():
    x = projected()
    weights = mx.sym.softmax(scores(x))
    return mx.sym.Group([values(x, weights), weights])


def of_other_projections():
    x = projected()
    return values(mx.sym.relu(x), mx.sym.softmax(scores(x)))


def scaled():
    x = projected()
    return values(x, mx.sym.softmax(scores(x) * 2))


LEFT = {
    "weights that are read": with_weights_read,
    "other projections": of_other_projections,
    "scores that change": scaled,
    "a temperature": lambda: attention(projected(), temperature=2.0),
    "another axis": lambda: attention(projected(), axis=1),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_stays_as_it_is(monkeypatch, name):
    plain, found, predictor = answers(LEFT[name](), monkeypatch, SHAPE)
    close(found, plain)
    assert not fused(predictor)
