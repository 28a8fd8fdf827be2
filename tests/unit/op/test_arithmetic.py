# SPDX-License-Identifier: Apache-2.0
"""The table of arithmetic, and that those with names of their own say the same."""

from __future__ import annotations

import pytest

from mxnova.core.graph import arithmetic as of_symbols
from mxnova.core.numpy import elementwise as of_numpy
from mxnova.core.op.arithmetic import PYTHON_METHODS, of_arrays, types_by_meaning, with_number
from mxnova.core.op.record import find
from mxnova.core.op.traits import Arithmetic, Form
from mxnova.onnx.importer import elementwise as of_onnx

WITH_NUMBER = [
    ("add", True, "_plus_scalar"),
    ("subtract", False, "_minus_scalar"),
    ("subtract", True, "_rminus_scalar"),
    ("power", True, "_rpower_scalar"),
    ("less", False, "_lesser_scalar"),
    ("less", True, "_greater_scalar"),
    ("greater_equal", True, "_lesser_equal_scalar"),
    ("not_equal", True, "_not_equal_scalar"),
    ("logical_xor", True, "_logical_xor_scalar"),
]


@pytest.mark.parametrize("function, reflected, name", WITH_NUMBER)
def test_operators_with_a_number(function, reflected, name):
    assert with_number(function, reflected).name == name


def test_operators_of_arrays():
    assert of_arrays("add").name == "broadcast_add"
    assert of_arrays("add", Form.ELEMENTWISE).name == "elemwise_add"
    assert of_arrays("divide", Form.NUMPY).name == "_npi_true_divide"


def test_every_function_of_two_arrays_takes_a_number():
    for function, form in types_by_meaning():
        if form is Form.BROADCAST:
            assert with_number(function).make.arithmetic == Arithmetic(function, Form.SCALAR)


def test_symbols_have_aliases_of_the_same_operators():
    names = {name: rest for name, *rest in of_symbols._ARITHMETIC}
    assert names.keys() == {method.name for method in PYTHON_METHODS}
    for name, function, reflected in PYTHON_METHODS:
        arrays, scalar = names[name]
        assert find(arrays) is of_arrays(function, Form.ELEMENTWISE)
        assert find(scalar) is with_number(function, reflected)


def test_the_importer_names_the_same_operators():
    for arrays, scalar, reflected in of_onnx._BINARY.values():
        function, form = find(arrays).make.arithmetic
        assert form is Form.BROADCAST
        assert find(scalar) is with_number(function)
        assert find(reflected) is with_number(function, reflected=True)


def test_functions_of_numpy_name_the_same_operators():
    count = 0
    for both, right, left, _ in of_numpy.BINARY.values():
        meaning = find(f"_npi_{both}").make.arithmetic
        if meaning is not None and meaning.form is Form.NUMPY:
            count += 1
            scalar, reflected = (find(f"_npi_{n}").make.arithmetic for n in (right, left))
            assert scalar == Arithmetic(meaning.function, Form.NUMPY_SCALAR)
            assert reflected.function == meaning.function
            assert left == right or reflected.form is Form.NUMPY_REFLECTED
    assert count > 5
