# SPDX-License-Identifier: Apache-2.0
"""Bound graphs compute what is said twice once, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx

A, B = mx.sym.var("a"), mx.sym.var("b")
SHAPE = (2, 3)


def bound(symbol, merging, monkeypatch, grad_req="write"):
    monkeypatch.setenv("MXNET_ELIMINATE_COMMON_EXPR", str(merging))
    executor = symbol.simple_bind(mx.cpu(), grad_req=grad_req, a=SHAPE, b=SHAPE)
    for i, array in enumerate(executor.arg_arrays):
        array[:] = np.linspace(0.5, 2 + i, array.size).reshape(array.shape)
    return executor


GRAPHS = [
    (lambda: (A + B) * (A + B), 1),
    (lambda: mx.sym.Group([A * B + 1, A * B + 1]), 1),
    (lambda: mx.sym.Group([A * B, A * B]), 0),
    (
        lambda: (
            mx.sym.FullyConnected(mx.sym.exp(A), num_hidden=2)
            * mx.sym.FullyConnected(mx.sym.exp(A), num_hidden=2)
        ),
        1,
    ),
    (lambda: mx.sym.BatchNorm(A + B, name="n") + mx.sym.BatchNorm(A + B, name="m"), 1),
    (lambda: mx.sym.SoftmaxOutput(A, B) * 1 + mx.sym.SoftmaxOutput(A, B) * 1, 0),
    (lambda: mx.sym.make_loss(A * B) + mx.sym.make_loss(A * B), 1),
]


@pytest.mark.parametrize("grad_req", ["write", "add"])
@pytest.mark.parametrize("graph, saved", GRAPHS)
def test_values_gradients_and_states_are_the_same(graph, saved, grad_req, monkeypatch):
    symbol = graph()
    plain, merged = (bound(symbol, on, monkeypatch, grad_req) for on in (0, 1))
    for executor in (plain, merged):
        for _ in range(2):
            executor.forward(is_train=True)
            executor.backward([mx.nd.full(o.shape, 3) for o in executor.outputs])
    before, after = (len(e.get_optimized_symbol().nodes) for e in (plain, merged))
    assert before - after == saved
    for name in ("outputs", "grad_arrays", "aux_arrays"):
        for x, y in zip(getattr(plain, name), getattr(merged, name), strict=True):
            if x is not None:
                np.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=1e-5)


def test_equal_outputs_are_two_arrays(monkeypatch):
    executor = bound(mx.sym.Group([A * B, A * B]), 1, monkeypatch)
    first, second = executor.forward()
    first[:] = 0
    assert second.asnumpy().all()


def test_random_numbers_are_drawn_apart(monkeypatch):
    dropped = mx.sym.Group([mx.sym.Dropout(mx.sym.ones((1000,))) for _ in range(2)])
    monkeypatch.setenv("MXNET_ELIMINATE_COMMON_EXPR", "1")
    one, other = dropped.simple_bind(mx.cpu()).forward(is_train=True)
    assert (one != other).sum().asscalar() > 0
