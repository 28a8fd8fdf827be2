# SPDX-License-Identifier: Apache-2.0
"""Executors of graphs that say the same share what binding works out, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.bind import compiled
from mxnova.core.op.schema import find

X = np.array([[-1.0, 2.0, 3.0]], np.float32)


@pytest.fixture(autouse=True)
def nothing_kept():
    compiled.forget()
    yield
    compiled.forget()


def net(name="x", act_type="relu", op=mx.sym.Activation):
    with mx.name.NameManager():  # which counts from 0
        return op(mx.sym.var(name) * 2, act_type=act_type, name="act")


def bound(symbol, values=X, **options):
    array = mx.nd.array(values, dtype=values.dtype)
    return symbol.bind(mx.cpu(), [array], args_grad=[array.zeros_like()], **options)


def program_of(*args, **kwargs):
    return bound(*args, **kwargs)._program


def test_equal_graphs_have_one_program():
    first = net()
    program = program_of(first)
    assert program_of(first) is program
    assert program_of(net()) is program


@pytest.mark.parametrize(
    "other",
    [
        lambda: program_of(net("y")),
        lambda: program_of(net(act_type="tanh")),
        lambda: program_of(mx.sym.Group([net()] * 2)),
        lambda: program_of(net(), np.ones((2, 3), np.float32)),
        lambda: program_of(net(), X.astype(np.float64)),
        lambda: program_of(net(), group2ctx={"a": mx.cpu()}),
    ],
)
def test_others_have_their_own(other):
    assert other() is not program_of(net())


def test_a_graph_that_was_changed_is_another():
    symbol = net()
    assert bound(symbol).forward()[0].asnumpy().tolist() == [[0, 4, 6]]
    symbol._set_attr(act_type="tanh")
    np.testing.assert_allclose(bound(symbol).forward()[0].asnumpy(), np.tanh(2 * X), rtol=1e-6)


def test_switches_count(monkeypatch):
    program = program_of(net())
    monkeypatch.setenv("MXNOVA_FUSE", "0")
    assert program_of(net()) is not program


def test_whoever_replaces_a_function_is_obeyed(monkeypatch):
    bound(net()).forward()
    monkeypatch.setattr(find("_mul_scalar"), "function", lambda x, **_: x + 1)
    assert bound(net()).forward()[0].asnumpy().tolist() == [[0, 3, 4]]


def test_executors_share_no_values():
    first, second = bound(net()), bound(net(), -X)
    first.forward(is_train=True)
    second.forward(is_train=True)
    first.backward([mx.nd.ones(X.shape)])
    second.backward([mx.nd.ones(X.shape) * 3])
    assert first.outputs[0].asnumpy().tolist() == [[0, 4, 6]]
    assert second.outputs[0].asnumpy().tolist() == [[2, 0, 0]]
    assert first.grad_arrays[0].asnumpy().tolist() == [[0, 2, 2]]
    assert second.grad_arrays[0].asnumpy().tolist() == [[6, 0, 0]]


def test_parameters_that_a_backend_knows_stay_with_their_executor():
    data, weight = mx.sym.var("data"), mx.sym.var("weight")
    symbol = mx.sym.Convolution(data, weight, kernel=(1, 1), num_filter=1, no_bias=True)
    executors = [
        symbol.bind(mx.cpu(), [mx.nd.ones((1, 1, 2, 2)), mx.nd.ones((1, 1, 1, 1)) * factor])
        for factor in (2, 3)
    ]
    for _ in range(3):  # the second time around their weights
        found = [float(e.forward()[0].asnumpy().mean()) for e in executors]
    assert found == [2, 3]


def test_gradients_that_an_operator_refuses_are_refused_again():
    symbol = mx.sym.Group([mx.sym.var("x") * 2])
    bound(symbol)
    refusing = mx.sym.sgd_update(mx.sym.var("x"), mx.sym.var("g"), lr=0.1)
    arrays = [mx.nd.ones((2,)), mx.nd.ones((2,))]
    for _ in range(2):
        refusing.bind(mx.cpu(), arrays)
        with pytest.raises(mx.MXNetError, match="has no gradient"):
            refusing.bind(mx.cpu(), arrays, args_grad=arrays)


def test_the_graph_that_users_get_is_theirs():
    executor = bound(net())
    executor.get_optimized_symbol()._set_attr(act_type="tanh")
    assert bound(net()).forward()[0].asnumpy().tolist() == [[0, 4, 6]]
    assert executor.forward()[0].asnumpy().tolist() == [[0, 4, 6]]


def test_those_asked_for_last_are_kept(monkeypatch):
    monkeypatch.setattr(compiled, "_MOST_NODES", 6)  # two graphs
    one, two = program_of(net("one")), program_of(net("two"))
    assert program_of(net("one")) is one
    program_of(net("three"))
    assert program_of(net("one")) is one
    assert program_of(net("two")) is not two
