# SPDX-License-Identifier: Apache-2.0
"""Semantics of a thread, environment variables."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mxnova as mx
from mxnova import util


def test_shape_semantics_of_functions_and_classes():
    @util.use_np_shape
    def inside():
        return util.is_np_shape()

    @util.use_np_shape
    class Both:
        def one(self):
            return util.is_np_shape()

        @property
        def two(self):
            return util.is_np_shape()

        @staticmethod
        def three():
            return util.is_np_shape()

        @classmethod
        def four(cls):
            return util.is_np_shape()

    assert inside()
    assert Both().one()
    assert Both().two
    assert Both.three()
    assert Both.four()
    assert not util.is_np_shape()
    with pytest.raises(TypeError, match="neither function nor class"):
        util.use_np(3)


def test_semantics_of_what_a_class_inherits():
    class Base:
        def method(self):
            return util.is_np_array(), util.is_np_shape()

        @property
        def prop(self):
            return self.method()

        @staticmethod
        def static():
            return util.is_np_array(), util.is_np_shape()

        def hidden(self):
            return True

    @util.use_np
    class Derived(Base):
        hidden = None

    derived = Derived()
    assert derived.method() == derived.prop == derived.static() == (True, True)
    assert derived.hidden is None
    assert Base().method() == (False, False)


def test_kinds_of_arrays():
    @mx.use_np
    def used():
        return mx.is_np_array(), mx.is_np_shape(), type(mx.nd.ones(())).__name__

    assert used() == (True, True, "NDArray")
    assert not mx.is_np_array()
    assert not mx.is_np_shape()
    with mx.np_array(), mx.np_array(False):
        assert not mx.is_np_array()
    util.set_np()
    assert (mx.is_np_array(), mx.is_np_shape()) == (True, True)
    util.set_np(array=False)
    assert (mx.is_np_array(), mx.is_np_shape()) == (False, True)
    util.reset_np()
    assert (mx.is_np_array(), mx.is_np_shape()) == (False, False)
    with pytest.raises(ValueError, match="need NumPy's shape semantics"):
        util.set_np(shape=False)


def test_environment_variables():
    assert util.getenv("MXNOVA_TEST_C") is None
    util.setenv("MXNOVA_TEST_C", "1")
    assert util.getenv("MXNOVA_TEST_C") == os.environ["MXNOVA_TEST_C"] == "1"
    util.setenv("MXNOVA_TEST_C", None)
    assert "MXNOVA_TEST_C" not in os.environ
    util.setenv("MXNOVA_TEST_C", None)
    with pytest.raises(TypeError, match="must be text or None"):
        util.setenv("MXNOVA_TEST_C", 1)


def test_gpus():
    assert util.get_gpu_count() == mx.num_gpus()
    with pytest.raises(ValueError, match="must be a GPU's"):
        util.get_cuda_compute_capability(mx.cpu())


LEGAL = {
    "where": [True, False, "anything"],
    "casting": ["no", "equiv", "safe", "same_kind", "unsafe"],
    "order": ["A", "C", "F", "K"],
    "dtype": ["int8", "uint8", "int32", "int64", "float16", "float64", np.int8, np.float32],
    "subok": [True, False],
}
ILLEGAL = {
    "casting": ["some"],
    "order": [None],
    "dtype": ["bool", "int16", np.int16, np.bool_, float, None],
    "subok": [None, 1],
    "axis": [1],
}


def test_options_of_numpy_functions():
    assert all(util.np_ufunc_legal_option(k, v) for k, values in LEGAL.items() for v in values)
    assert not any(util.np_ufunc_legal_option(k, v) for k, vs in ILLEGAL.items() for v in vs)


def test_wrapped_functions_take_options_that_change_nothing():
    @util.wrap_np_unary_func
    def negative(x, out=None):
        return -x, out

    @util.wrap_np_binary_func
    def add(x1, x2, out=None):
        return x1 + x2, out

    assert negative(1, where=True, casting="same_kind", order="K", dtype=None) == (-1, None)
    assert add(1, 2, 3, subok=True) == (3, 3)
    assert negative.__name__ == "negative"
    for kwargs in ({"where": False}, {"order": "C"}, {"dtype": "float32"}, {"casting": "no"}):
        with pytest.raises(NotImplementedError, match=rf"add: {next(iter(kwargs))}="):
            add(1, 2, **kwargs)
    with pytest.raises(TypeError, match="no argument 'axis'"):
        negative(1, axis=0)


def test_the_scope_class_of_array_semantics():
    scope = util._NumpyArrayScope
    with scope(True) as active:
        assert util.is_np_array()
        assert scope._current.value._is_np_array
        with scope(False):
            assert not util.is_np_array()
        with active:
            scope._current.value = scope(False)
            assert not util.is_np_array()
        assert util.is_np_array()
    assert not scope._current.value._is_np_array


def in_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_np_shape_of_two_is_that_of_all_threads():
    with ThreadPoolExecutor(1) as older:
        assert not older.submit(mx.is_np_shape).result()
        assert mx.util.set_np_shape(2) is False
        try:
            assert mx.is_np_shape()
            assert older.submit(mx.is_np_shape).result()
            assert in_thread(mx.is_np_shape)
            assert in_thread(lambda: mx.np.ones(()).shape) == ()
            assert mx.util.set_np_shape(True) is True  # does not take it from the others
            assert in_thread(mx.is_np_shape)
        finally:
            assert mx.util.set_np_shape(False) is True
        assert not mx.is_np_shape()
        assert not older.submit(mx.is_np_shape).result()


def test_one_thread_does_not_switch_off_another_ones_np_shape():
    with ThreadPoolExecutor(1) as other:
        other.submit(mx.util.set_np_shape, 1).result()
        with util.np_shape(2):
            assert in_thread(mx.is_np_shape)
        assert not in_thread(mx.is_np_shape)
        assert other.submit(mx.is_np_shape).result()
    assert mx.util.set_np_shape(3) is False
    assert not mx.is_np_shape()
