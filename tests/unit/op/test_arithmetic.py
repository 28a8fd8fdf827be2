# SPDX-License-Identifier: Apache-2.0
"""The table of arithmetic, and that those with names of their own say the same."""

from __future__ import annotations

import pytest

import mxnova as mx
from mxnova.core.numpy import elementwise as of_numpy
from mxnova.core.op.arithmetic import (
    MIRRORED,
    PYTHON_METHODS,
    of_arrays,
    symbol_names,
    types_by_meaning,
    with_number,
)
from mxnova.core.op.schema import find
from mxnova.core.op.traits import Arithmetic, Form

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


# What MXNet's symbols name their nodes after: method, on two symbols, with a number.
SPELLINGS = [
    ("__add__", "_Plus", "_PlusScalar"),
    ("__radd__", "_Plus", "_PlusScalar"),
    ("__sub__", "_Minus", "_MinusScalar"),
    ("__rsub__", "_Minus", "_RMinusScalar"),
    ("__mul__", "_Mul", "_MulScalar"),
    ("__rmul__", "_Mul", "_MulScalar"),
    ("__truediv__", "_Div", "_DivScalar"),
    ("__rtruediv__", "_Div", "_RDivScalar"),
    ("__div__", "_Div", "_DivScalar"),
    ("__rdiv__", "_Div", "_RDivScalar"),
    ("__mod__", "_Mod", "_ModScalar"),
    ("__rmod__", "_Mod", "_RModScalar"),
    ("__pow__", "_Power", "_PowerScalar"),
    ("__rpow__", "_Power", "_rpower_scalar"),
    ("__eq__", "_equal", "_equal_scalar"),
    ("__ne__", "_not_equal", "_not_equal_scalar"),
    ("__gt__", "_greater", "_greater_scalar"),
    ("__ge__", "_greater_equal", "_greater_equal_scalar"),
    ("__lt__", "_lesser", "_lesser_scalar"),
    ("__le__", "_lesser_equal", "_lesser_equal_scalar"),
]


@pytest.mark.parametrize("method, symbols, scalar", SPELLINGS)
def test_nodes_are_named_as_mxnet_names_them(method, symbols, scalar):
    a, b = mx.sym.var("a"), mx.sym.var("b")
    with mx.name.NameManager():
        for other, name in ((b, symbols), (2, scalar)):
            node = getattr(type(a), method)(a, other)
            assert node.name == f"{name.lower()}0"
            assert node.nodes[-1].op.type is find(name)


def test_every_method_is_spelled():
    assert {row[0] for row in SPELLINGS} == {method.name for method in PYTHON_METHODS}


@pytest.mark.parametrize(
    "function, names",
    [
        ("maximum", ("_Maximum", "_MaximumScalar", "_MaximumScalar")),
        ("power", ("_Power", "_PowerScalar", "_RPowerScalar")),
    ],
)
def test_names_for_symbols(function, names):
    assert symbol_names(function) == names


@pytest.mark.parametrize(
    "name, operators",
    [
        ("add", ("_npi_add", "_npi_add_scalar", "_npi_add_scalar")),
        ("divide", ("_npi_true_divide", "_npi_true_divide_scalar", "_npi_rtrue_divide_scalar")),
        ("remainder", ("_npi_mod", "_npi_mod_scalar", "_npi_rmod_scalar")),
        ("arctan2", ("_npi_arctan2", "_npi_arctan2_scalar", "_npi_rarctan2_scalar")),
        ("lcm", ("_npi_lcm", "_npi_lcm_scalar", "_npi_lcm_scalar")),
        ("less", ("_npi_less", "_npi_less_scalar", "_npi_greater_scalar")),
    ],
)
def test_operators_of_functions_of_numpy(name, operators):
    assert of_numpy.operators_of(name) == operators


def test_functions_of_numpy_mean_what_their_operators_mean():
    count = 0
    for name in of_numpy.BINARY | of_numpy.COMPARISONS:
        both, right, left = map(find, of_numpy.operators_of(name))
        meaning = both.make.arithmetic
        if meaning is None or meaning.form is not Form.NUMPY:
            continue
        count += 1
        function, mirrored = meaning.function, MIRRORED.get(meaning.function, meaning.function)
        assert right.make.arithmetic == Arithmetic(function, Form.NUMPY_SCALAR)
        assert left.make.arithmetic in (
            Arithmetic(function, Form.NUMPY_REFLECTED),
            Arithmetic(mirrored, Form.NUMPY_SCALAR),
        )
    assert count > 10
