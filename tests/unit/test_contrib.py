# SPDX-License-Identifier: Apache-2.0
"""Old names under mx.contrib."""

from __future__ import annotations

import pytest

import mxnova as mx
from mxnova.contrib import autograd as old

X = mx.nd.array([1, 2, 3])


def test_operators_of_old_names():
    assert mx.contrib.nd is mx.contrib.ndarray
    assert mx.contrib.sym is mx.contrib.symbol
    assert mx.contrib.nd.quadratic(X, a=1, b=0, c=2).asnumpy().tolist() == [3, 6, 11]
    assert mx.contrib.sym.quadratic(mx.sym.var("x"), a=1).list_arguments() == ["x"]
    assert dir(mx.contrib.nd) == dir(mx.contrib.sym)
    assert "box_nms" in dir(mx.contrib.nd)
    with pytest.raises(AttributeError, match="boxnms"):
        mx.contrib.nd.boxnms  # noqa: B018


def test_sections_record_and_train_or_do_neither():
    def state():
        return mx.autograd.is_recording(), mx.autograd.is_training()

    with old.train_section():
        assert state() == (True, True)
        with old.test_section():
            assert state() == (False, False)
        assert state() == (True, True)
    assert state() == (False, False)
    assert [old.set_is_training(True), old.set_is_training(False)] == [False, True]
    assert state() == (False, False)


def test_gradients_of_marked_variables():
    gradient = mx.nd.zeros(3)
    for run in (old.compute_gradient, lambda outputs: old.backward(outputs, [mx.nd.ones(3)])):
        gradient[:] = 0
        old.mark_variables([X], [gradient])
        with old.train_section():
            y = X * X
        run([y])
        assert gradient.asnumpy().tolist() == [2, 4, 6]
    with pytest.raises(TypeError, match="outputs is a NDArray"):
        old.backward(y)


@pytest.mark.parametrize(
    "argnum, gradients",
    [(None, [[4, 5, 6], [1, 2, 3]]), (1, [[1, 2, 3]]), ([1, 0], [[1, 2, 3], [4, 5, 6]])],
)
def test_gradients_of_functions(argnum, gradients):
    y = mx.nd.array([4, 5, 6])
    found, value = old.grad_and_loss(lambda a, b: a * b, argnum)(X, y)
    assert [g.asnumpy().tolist() for g in found] == gradients
    assert value.asnumpy().tolist() == [4, 10, 18]
    found = old.grad(lambda a, b: [a * b, b * 1], argnum)(X, y)
    assert len(found) == len(gradients)
    with pytest.raises(TypeError, match="an? int is no NDArray"):
        old.grad(lambda a: a)(3)
