# SPDX-License-Identifier: Apache-2.0
"""Which models can go over the items of a batch apart, and that they give the same so."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.exec.backends import BY_NAME
from mxnova.core.exec.backends.conversion import items
from mxnova.core.exec.backends.conversion.graph import Part
from mxnova.core.exec.fused.quantize_linear import DequantizeLinear, QuantizeLinear
from mxnova.core.exec.program.program import ArrayFacts, Facts, Program
from mxnova.core.graph.node import Entry, Node
from mxnova.core.graph.symbol import Symbol
from mxnova.core.runtime import tuning
from mxnova.core.runtime.context import Context

BATCH, LENGTH, UNITS, HEADS = 4, 4, 8, 2
SHAPE = (BATCH, LENGTH, UNITS)
X = mx.sym.var("data")
NUMBERS = itertools.count()


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


def parameters(symbol, shape=SHAPE):
    rng = np.random.default_rng(1)
    shapes = zip(symbol.list_arguments(), symbol.infer_shape(data=shape)[0])
    return {n: mx.nd.array(rng.normal(size=shape)) for n, shape in shapes if n != "data"}


def part_of(symbol, shape=SHAPE):
    arrays = parameters(symbol, shape)
    constants = {n: torch.from_numpy(a.asnumpy()) for n, a in arrays.items()}
    return Part(symbol, {"data": shape}, constants)


def image_network():
    """A convolution of 4x4 positions and a product, 288 and 8 weights: 16 rows for most of them."""
    pooled = mx.sym.Pooling(convolved(), global_pool=True, pool_type="avg")
    return mx.sym.FullyConnected(mx.sym.Flatten(pooled), num_hidden=2, no_bias=True)


def convolved():
    return mx.sym.Convolution(X, kernel=(3, 3), pad=(1, 1), num_filter=4, no_bias=True)


IMAGES = (8, 8, 4, 4)


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


@pytest.mark.parametrize("rows, expected", [(1, 1), (15, 1), (17, 2), (33, 4), (1000, 4)])
def test_as_few_items_at_once_as_give_enough_rows(two_threads, monkeypatch, rows, expected):
    monkeypatch.setattr(tuning, "THREAD_ENOUGH_ROWS", rows)
    assert items.items_at_once(part_of(image_network(), IMAGES)) == expected


@pytest.mark.parametrize("shape, expected", [((12, 8, 4, 4), 2), ((10, 8, 4, 4), 5)])
def test_threads_take_as_many_items_each(two_threads, monkeypatch, shape, expected):
    monkeypatch.setattr(tuning, "THREAD_ENOUGH_ROWS", 17)
    assert items.items_at_once(part_of(image_network(), shape)) == expected


@pytest.mark.parametrize("name", MEETING)
def test_items_that_meet_are_one_run(two_threads, name):
    assert items.items_at_once(part_of(MEETING[name]())) == 0


def test_little_to_do_and_uneven_batches_are_one_run(two_threads, monkeypatch):
    assert items.items_at_once(part_of(image_network(), (7, 8, 4, 4))) == 0
    monkeypatch.setattr(tuning, "THREAD_MIN_MULTIPLICATIONS", 10**6)
    assert items.items_at_once(part_of(image_network(), IMAGES)) == 0


def test_images_of_integers_do_not_meet(two_threads, monkeypatch):
    monkeypatch.setattr(tuning, "THREAD_ENOUGH_ROWS", 1)
    data, shape = mx.sym.var("data"), IMAGES
    step, each = mx.sym.var("step"), mx.sym.var("each")
    images = dequantized(quantized(data, step), step)
    weight = dequantized(mx.sym.var("integers"), mx.sym.var("steps"), axis=0)
    body = mx.sym.Convolution(images, weight, kernel=(1, 1), num_filter=2, no_bias=True)
    constants = {
        "step": torch.ones(1),
        "integers": torch.ones(2, 8, 1, 1, dtype=torch.int8),
        "steps": torch.ones(2),
    }
    assert items.items_at_once(Part(body, {"data": shape}, constants)) == 1
    by_item = mx.sym.Convolution(
        dequantized(quantized(data, each, axis=0), each, axis=0), weight,
        kernel=(1, 1), num_filter=2, no_bias=True,
    )  # fmt: skip
    constants["each"] = torch.ones(8)
    assert items.items_at_once(Part(by_item, {"data": shape}, constants)) == 0


def quantized(data, scale, axis=None):
    return applied(QuantizeLinear(axis=axis, dtype=torch.int8), data, scale)


def dequantized(data, scale, axis=None):
    return applied(DequantizeLinear(axis=axis), data, scale)


def applied(op, *inputs):
    return Symbol([Entry(Node(op, f"n{next(NUMBERS)}", {}, [s.entries[0] for s in inputs]), 0)])


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


@pytest.mark.skipif(bool(BY_NAME["openvino-streams"].unavailable()), reason="needs OpenVINO")
@pytest.mark.parametrize("heads", ["one", "an input too"])
def test_streams_give_the_same(two_threads, monkeypatch, heads):
    from mxnova.core.exec.backends.openvino import model

    made = []
    compiled = model.Model
    monkeypatch.setattr(tuning, "SMALL_GRAPH_MULTIPLICATIONS", 0)
    monkeypatch.setattr(model, "Model", lambda *given: made.append(compiled(*given)) or made[-1])
    monkeypatch.setattr(tuning, "THREAD_ENOUGH_ROWS", 17)
    symbol = image_network() if heads == "one" else mx.sym.Group([mx.sym.relu(convolved()), X])
    data = np.random.default_rng(2).normal(size=IMAGES).astype("float32")
    given = {f"arg:{n}": a for n, a in parameters(symbol, IMAGES).items()}
    plain, found = (
        mx.Predictor(symbol, given, {"data": IMAGES}, backend=b).predict(data=data)
        for b in ("openvino", "openvino-streams")
    )
    assert [m._n_runs for m in made] == [1, 4]
    for one, other in zip(plain, found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "shape, threads, expected",
    [((4, 3), 2, True), ((1, 3), 2, False), ((3, 3), 2, False), ((4, 3), 1, False)],
)
def test_streams_are_for_batches(set_threads, shape, threads, expected):
    set_threads(threads)
    facts = Facts({"data": ArrayFacts(shape, torch.float32)}, Context("cpu", 0))
    program = Program(mx.sym.relu(X), facts)
    assert BY_NAME["openvino-streams"].supports(program) is expected
