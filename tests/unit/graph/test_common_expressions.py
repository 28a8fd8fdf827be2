# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.graph.common_expressions import without_common_expressions

A, B = mx.sym.var("a"), mx.sym.var("b")
VALUES = {"a": mx.nd.array([[1, 2, 3]]), "b": mx.nd.array([[4, 5, 6]])}


def nodes(symbol):
    """Operator, name and inputs of every node."""
    graph = json.loads(symbol.tojson())
    return [(n["op"], n["name"], [i[:2] for i in n["inputs"]]) for n in graph["nodes"]]


def halves(**attrs):
    return mx.sym.split(A, num_outputs=3, axis=1, **attrs)


def grouped(group, function):
    with mx.AttrScope(ctx_group=group):
        return function(A)


@pytest.mark.parametrize(
    "symbol, saved",
    [
        (lambda: (A + B) + (A + B), 1),
        (lambda: ((A + B) + B) + ((A + B) + B), 2),
        (lambda: (A + 1) + (A + 2), 0),
        (lambda: (A + B) + (B + A), 0),
        (lambda: mx.sym.exp(A, name="p") + mx.sym.exp(A, name="q"), 1),
        (lambda: mx.sym.exp(A, attr={"__lr_mult__": "2"}) + mx.sym.exp(A), 0),
        (lambda: grouped("g", mx.sym.exp) + grouped("h", mx.sym.exp), 0),
        (lambda: mx.sym.sum(A, axis=1) + mx.sym.sum(A, axis=(1,)), 0),  # by text, as in MXNet
        (lambda: mx.sym.Dropout(A) + mx.sym.Dropout(A), 0),
        (lambda: A + mx.sym.zeros((1, 3)) + mx.sym.zeros((1, 3)), 0),
        (lambda: halves()[0] + halves()[0], 0),
        (lambda: mx.sym.BatchNorm(A, name="n") + mx.sym.BatchNorm(A, name="n"), 0),
        (lambda: mx.sym.Group([A * B, A * B]), 0),  # one less, and a copy
        (lambda: mx.sym.Group([A * B + 1, A * B + 1]), 1),
        (lambda: mx.sym.Group([A, A]), 0),
        (lambda: mx.sym.make_loss(A) + mx.sym.make_loss(A), 0),
        (lambda: mx.sym.LinearRegressionOutput(A, B) + mx.sym.LinearRegressionOutput(A, B), 0),
    ],
)
def test_what_is_said_twice_is_computed_once(symbol, saved, monkeypatch):
    monkeypatch.setenv("MXNET_ELIMINATE_COMMON_EXPR", "0")
    symbol = symbol()
    before = symbol.tojson()
    found = without_common_expressions(symbol)
    assert len(found.nodes) == len(symbol.nodes) - saved
    assert symbol.tojson() == before
    assert found.list_inputs() == symbol.list_inputs()
    if "Dropout" not in before and "BatchNorm" not in before:
        given = {n: VALUES[n] for n in symbol.list_arguments()}
        pairs = zip(found.eval(**given), symbol.eval(**given))
        assert all(np.array_equal(x.asnumpy(), y.asnumpy()) for x, y in pairs)


def test_outputs_that_were_several_stay_several():
    three = without_common_expressions(
        mx.sym.Group([mx.sym.exp(A, name=n) for n in ("p", "q", "r")])
    )
    assert nodes(three) == [
        ("null", "a", []),
        ("exp", "p", [[0, 0]]),
        ("_copy", "p_0_copy", [[1, 0]]),
        ("_copy", "p_0_copy_0_copy", [[2, 0]]),
    ]
    product = A * B
    twice = without_common_expressions(mx.sym.Group([product, product]))
    assert [op for op, _, _ in nodes(twice)] == ["null", "null", "elemwise_mul"]
