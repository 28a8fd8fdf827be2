# SPDX-License-Identifier: Apache-2.0
"""Operators without gradients refuse to be bound for them; what a run needs is told."""

from __future__ import annotations

import re

import pytest

import mxnova as mx
from mxnova.base import MXNetError

X, INDEX, W = mx.sym.var("x"), mx.sym.var("i"), mx.sym.var("w")
TAKEN = mx.sym.batch_take(X, INDEX)
SHAPES = {"x": (2, 3), "i": (2,), "w": (2,)}


def bound(symbol, grad_req):
    names = symbol.list_arguments()
    types = {"i": "int32"} if "i" in names else {}
    shapes = {n: s for n, s in SHAPES.items() if n in names}
    return symbol.simple_bind(mx.cpu(), grad_req=grad_req, type_dict=types, **shapes)


@pytest.mark.parametrize(
    "symbol",
    [TAKEN, TAKEN * W, mx.sym.Group([W, TAKEN]), mx.sym.sgd_update(W, W * 2, lr=0.1)],
)
def test_wanted_gradients_of_operators_that_have_none_are_refused(symbol):
    with pytest.raises(MXNetError, match=r"bind: node '\w+': operator \w+ has no gradient"):
        bound(symbol, "write")
    bound(symbol, "null").forward()


@pytest.mark.parametrize(
    "symbol, grad_req",
    [
        (mx.sym.BlockGrad(TAKEN), "write"),
        (mx.sym.ones_like(TAKEN), "write"),
        (mx.sym.broadcast_greater(TAKEN, W), "write"),
        (TAKEN * W, {"x": "null", "i": "null", "w": "write"}),
        (mx.sym.one_hot(INDEX, depth=3), "write"),
    ],
)
def test_gradients_that_do_not_pass_them_are_not(symbol, grad_req):
    executor = bound(symbol, grad_req)
    executor.forward(is_train=True)
    executor.backward([mx.nd.ones(o.shape) for o in executor.outputs])


def megabytes(symbol, grad_req):
    executor = symbol.simple_bind(mx.cpu(), grad_req=grad_req, x=(1 << 18,))  # 1 MB
    return int(re.search(r"Total (\d+) MB allocated", executor.debug_str()).group(1))


def test_memory_is_what_stays_at_one_time():
    chain = X
    for _ in range(8):
        chain = mx.sym.exp(chain)
    assert megabytes(X, "null") == 0
    assert megabytes(chain, "null") == 2  # what an operator reads and what it gives
    assert megabytes(chain, "write") == 8  # all, for backward
    assert megabytes(mx.sym.BlockGrad(chain), "write") == 2
    assert megabytes(mx.sym.Group([mx.sym.exp(X), mx.sym.sin(X), chain]), "null") == 4
    assert megabytes(mx.sym.split(mx.sym.exp(X), num_outputs=2, axis=0)[0], "null") == 2
