# SPDX-License-Identifier: Apache-2.0
"""Symbols with NumPy's semantics."""

import numpy
import pytest

import mxnova as mx

KEYS = [0, -1, slice(None), slice(1, None), (0, 1), (slice(None), -1), (None, 1), (slice(None, None, 2),)]  # fmt: skip


@pytest.fixture(autouse=True)
def numpy_semantics():
    mx.npx.set_np()
    yield
    mx.npx.reset_np()


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_selections(key):
    x = mx.sym.var("x").as_np_ndarray()
    values = numpy.arange(12.0).reshape(3, 4)
    (given,) = x[key].eval(x=mx.np.array(values))
    assert given.shape == values[key].shape
    numpy.testing.assert_array_equal(given.asnumpy(), values[key])


def test_results_follow_inputs():
    x = mx.sym.var("x")
    array = x.as_np_ndarray()
    made = [mx.sym.relu(array), array + 1, array.get_internals(), mx.sym.np.sum(x), x * array]
    assert {type(s) for s in made} == {mx.sym.np._Symbol}
    assert type(mx.sym.Group([array, array + 1])) is mx.sym.np._Symbol
    assert type(mx.sym.Group([array, x])) is mx.sym.Symbol
    assert type(array.as_nd_ndarray()) is type(mx.sym.relu(x)) is mx.sym.Symbol


def test_what_has_no_values_yet():
    x = mx.sym.var("x").as_np_ndarray()
    with pytest.raises(TypeError, match="integers, slices and None"):
        x[[0, 1]]
    with pytest.raises(TypeError, match="length is not known"):
        list(x)
