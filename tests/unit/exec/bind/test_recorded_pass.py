# SPDX-License-Identifier: Apache-2.0
"""Gradients of rows that an executor's backward passes give."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError

ROWS = mx.sym.var("w", stype="row_sparse")
BATCHES = {
    "a": np.array([[0, 2, 0, 0, 1], [0, 0, 0, 0, 3]], "f"),
    "b": np.array([[1, 4, 0, 0, 0], [0, 5, 0, 0, 0]], "f"),
}
WEIGHT = np.arange(10, dtype="f").reshape(5, 2)


DATA = {name: mx.sym.var(name, stype="csr") for name in BATCHES}


def _product(name):
    return mx.sym.sparse.dot(DATA[name], ROWS)


def _bound(symbol, grad_req="write", stype="row_sparse"):
    arrays = {
        n: mx.nd.array(BATCHES[n]).tostype("csr") for n in symbol.list_arguments() if n != "w"
    }
    arrays["w"] = mx.nd.array(WEIGHT).tostype("row_sparse")
    gradient = mx.nd.ones((5, 2)).tostype(stype)
    requests = dict.fromkeys(arrays, "null") | {"w": grad_req}
    return symbol.bind(mx.cpu(), arrays, {"w": gradient}, requests), gradient


# What reads the weight, and its gradient where all heads are ones.
READERS = {
    "one product": (_product("a"), [0, 2, 0, 0, 4]),
    "the same twice": (_product("a") * 2 + _product("a"), [0, 6, 0, 0, 12]),
    "two products": (_product("a") + _product("b"), [1, 11, 0, 0, 4]),
    "a product and a dense operator": (
        mx.sym.broadcast_add(_product("a"), mx.sym.sum(ROWS * 3, axis=0, keepdims=True)),
        [6, 8, 6, 6, 10],
    ),
}


@pytest.mark.parametrize("stype", ["row_sparse", "default"])
@pytest.mark.parametrize("grad_req", ["write", "add"])
@pytest.mark.parametrize("reader", READERS)
def test_gradients_of_rows_are_summed(reader, grad_req, stype):
    symbol, by_row = READERS[reader]
    executor, gradient = _bound(symbol, grad_req, stype)
    expected = np.array(by_row, "f")[:, None].repeat(2, 1)
    for step in (1, 2, 3):
        executor.forward(is_train=True)
        executor.backward(mx.nd.ones((2, 2)))
        total = expected if grad_req == "write" else 1 + step * expected
        np.testing.assert_array_equal(gradient.asnumpy(), total)
    assert gradient.stype == stype


def test_rows_that_no_gradient_comes_to_are_not_stored():
    """A lazy update leaves them alone: weight decay and momentum, too."""
    squares = mx.sym._internal._square_sum(ROWS, axis=1, keepdims=True)
    executor, gradient = _bound(mx.sym.sparse.dot(DATA["a"], squares))
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 1)))
    assert gradient.indices.asnumpy().tolist() == [1, 4]
    by_row = np.array([0, 2, 0, 0, 4], "f")[:, None]
    np.testing.assert_array_equal(gradient.asnumpy(), 2 * WEIGHT * by_row)


def test_arrays_that_get_one_gradient_do_not_share_it():
    names = ("w", "v")
    weights = {n: mx.nd.array(WEIGHT).tostype("row_sparse") for n in names}
    gradients = {n: mx.nd.zeros((5, 2), stype="row_sparse") for n in names}
    total = ROWS + mx.sym.var("v", stype="row_sparse")
    data = {"a": mx.nd.array(BATCHES["a"]).tostype("csr")}
    requests = {"a": "null", "w": "write", "v": "write"}
    executor = mx.sym.sparse.dot(DATA["a"], total).bind(
        mx.cpu(), {**weights, **data}, gradients, requests
    )
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 2)))
    mx.nd.sgd_update(gradients["w"], gradients["w"], out=gradients["w"], lr=1)
    assert gradients["w"].asnumpy().max() == 0
    np.testing.assert_array_equal(gradients["v"].asnumpy()[:, 0], [0, 2, 0, 0, 4])


def test_a_second_backward_starts_anew():
    executor, gradient = _bound(_product("a"))
    executor.forward(is_train=True)
    for scale in (1, 3):
        executor.backward(mx.nd.ones((2, 2)) * scale)
        np.testing.assert_array_equal(gradient.asnumpy()[:, 0], scale * np.array([0, 2, 0, 0, 4]))
    assert gradient.indices.asnumpy().tolist() == [1, 4]


def test_rows_of_a_backward_that_fails_are_forgotten():
    class Picky(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            if out_grad[0].asnumpy().max() > 1:
                raise ValueError("too large")
            self.assign(in_grad[0], req[0], out_grad[0])

    @mx.operator.register("picky_about_gradients")
    class PickyProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Picky()

    picky = mx.sym.Custom(_product("b"), op_type="picky_about_gradients")
    executor, gradient = _bound(mx.sym.Group([picky, _product("a")]))  # backwards the last is first
    executor.forward(is_train=True)
    with pytest.raises((MXNetError, ValueError), match="too large"):
        executor.backward([mx.nd.ones((2, 2)) * 2, mx.nd.ones((2, 2))])
    executor.forward(is_train=True)
    executor.backward([mx.nd.ones((2, 2)), mx.nd.ones((2, 2))])
    np.testing.assert_array_equal(gradient.asnumpy()[:, 0], [1, 11, 0, 0, 4])


@pytest.mark.parametrize("where", ["RecordedPass.differentiate", "store_gradient"])
def test_a_backward_pass_that_is_interrupted_leaves_nothing_to_the_next(monkeypatch, where):
    """Neither gradients to be added to, nor arrays without memory of their own."""
    x = mx.sym.var("x")
    executor = (x * 2).simple_bind(mx.cpu(), x=(300, 200))
    place = f"mxnova.core.exec.bind.executor.{where}"

    def interrupt(*_):
        raise KeyboardInterrupt

    executor.forward(is_train=True)
    with monkeypatch.context() as patch:
        patch.setattr(place, interrupt)
        with pytest.raises(KeyboardInterrupt):
            executor.backward(mx.nd.ones((300, 200)))
    executor.grad_dict["x"][0] = 7
    assert executor.grad_dict["x"].asnumpy()[1:].max() == 0
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((300, 200)))
    assert (executor.grad_dict["x"].asnumpy() == 2).all()
