# SPDX-License-Identifier: Apache-2.0
"""Which models can go over the items of a batch apart, and that they give the same so."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.exec.backends import BY_NAME
from mxnova.core.exec.backends.conversion import items
from mxnova.core.exec.backends.conversion.graph import Part
from mxnova.core.runtime import tuning

BATCH, LENGTH, UNITS, HEADS = 4, 4, 8, 2
SHAPE = (BATCH, LENGTH, UNITS)
X = mx.sym.var("data")


def dense(x, units=UNITS, **options):
    return mx.sym.FullyConnected(x, num_hidden=units, flatten=False, **options)


def turned(x):
    return mx.sym.swapaxes(x, dim1=0, dim2=1)


def attention(x):
    scores = mx.sym.contrib.interleaved_matmul_selfatt_qk(x, heads=HEADS)
    return mx.sym.contrib.interleaved_matmul_selfatt_valatt(x, mx.sym.softmax(scores), heads=HEADS)


def encoder():
    x = X + dense(turned(attention(turned(dense(mx.sym.LayerNorm(X), 3 * UNITS)))))
    return x + dense(mx.sym.LeakyReLU(dense(x, 16), act_type="gelu"))


def parameters(symbol):
    rng = np.random.default_rng(1)
    shapes = zip(symbol.list_arguments(), symbol.infer_shape(data=SHAPE)[0])
    return {n: mx.nd.array(rng.normal(size=shape)) for n, shape in shapes if n != "data"}


def part_of(symbol, shape=SHAPE):
    constants = {n: torch.from_numpy(a.asnumpy()) for n, a in parameters(symbol).items()}
    return Part(symbol, {"data": shape}, constants)


@pytest.fixture(autouse=True)
def every_product_counts(monkeypatch):
    monkeypatch.setattr(tuning, "THREAD_MIN_MULTIPLICATIONS", 1)
    monkeypatch.setattr(tuning, "THREAD_MIN_ROWS", 1)


def test_items_of_an_encoder_do_not_meet(two_threads):
    assert items.items_for_a_thread(part_of(encoder())) == 2


def test_rows_that_are_items_do_not_meet(two_threads):
    symbol = mx.sym.FullyConnected(dense(X), num_hidden=3)
    assert items.items_for_a_thread(part_of(symbol)) == 2


MEETING = {
    "positions first": lambda: turned(dense(X)),
    "attention over the batch": lambda: attention(dense(X, 3 * UNITS)),
    "norms over the batch": lambda: mx.sym.LayerNorm(dense(X), axis=0),
    "another operator": lambda: mx.sym.cumsum(dense(X), axis=0),
    "sums with something that stays": lambda: dense(X) + mx.sym.var("w", shape=SHAPE),
    "sums over axes": lambda: dense(X) + turned(X),
    "sums over the batch": lambda: mx.sym.sum(dense(X), axis=0, keepdims=True),
}


@pytest.mark.parametrize("name", MEETING)
def test_items_that_meet_stay_together(two_threads, name):
    assert items.items_for_a_thread(part_of(MEETING[name]())) == 0


@pytest.mark.parametrize(
    "name, least", [("THREAD_MIN_MULTIPLICATIONS", 10**6), ("THREAD_MIN_ROWS", 11)]
)
def test_little_to_do_stays_together(two_threads, monkeypatch, name, least):
    monkeypatch.setattr(tuning, name, least)
    assert items.items_for_a_thread(part_of(encoder())) == 0


def test_uneven_batches_stay_together(two_threads):
    assert items.items_for_a_thread(part_of(encoder(), (3, LENGTH, UNITS))) == 0


@pytest.mark.skipif(bool(BY_NAME["onnxruntime"].unavailable()), reason="needs ONNX Runtime")
def test_values_stay(two_threads):
    from mxnova.core.exec.backends.onnxruntime import session

    symbol, data = encoder(), np.random.default_rng(2).normal(size=SHAPE).astype("float32")
    given = {f"arg:{n}": a for n, a in parameters(symbol).items()}
    plain, found = (
        mx.Predictor(symbol, given, {"data": SHAPE}, backend=b).predict(data=data)[0]
        for b in ("aten", "onnxruntime")
    )
    np.testing.assert_allclose(found, plain, rtol=1e-4, atol=1e-5)
    assert isinstance(BY_NAME["onnxruntime"].make(part_of(symbol)), session.ItemsApart)
