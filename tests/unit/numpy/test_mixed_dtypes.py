# SPDX-License-Identifier: Apache-2.0
"""Functions of ``mx.np`` on arrays of two dtypes: eager, hybridized and recorded."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy
import pytest
import torch

import mxnova as mx

A = numpy.array([[1, 2, 0], [3, 1, 2]])
B = numpy.array([[2, 1, 1], [0, 3, 1]])
DTYPES = ("bool", "int8", "int32", "int64", "float16", "float32", "float64")
COMPARISONS = ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
INTEGERS = ("lcm", "bitwise_and", "bitwise_or", "bitwise_xor")
QUOTIENTS = ("true_divide", "divide", "arctan2", "hypot")
ELEMENTWISE = """add subtract multiply true_divide divide mod remainder power maximum minimum
arctan2 hypot copysign ldexp""".split()
FLOATS = ("matmul", "tensordot", "tensordot of axes", "inner", "outer", "vdot")

Function = Callable[[Any, Any, Any], Any]


def _named(name: str) -> Function:
    return lambda F, a, b: getattr(F.np, name)(a, b)


FUNCTIONS: dict[str, Function] = {
    **{name: _named(name) for name in (*ELEMENTWISE, *COMPARISONS, *INTEGERS, "append")},
    **{name: _named(name) for name in ("inner", "outer", "vdot")},
    "dot": lambda F, a, b: F.np.dot(a, b.T),
    "matmul": lambda F, a, b: a @ b.T,
    "tensordot": lambda F, a, b: F.np.tensordot(a, b, 2),
    "tensordot of axes": lambda F, a, b: F.np.tensordot(a, b, ([1], [1])),
    "einsum": lambda F, a, b: F.np.einsum("ij,kj->ik", a, b),
    "concatenate": lambda F, a, b: F.np.concatenate([a, b], axis=1),
    "concatenate flattened": lambda F, a, b: F.np.concatenate([a, b], axis=None),
    "stack": lambda F, a, b: F.np.stack([a, b]),
    "vstack": lambda F, a, b: F.np.vstack([a, b]),
    "hstack": lambda F, a, b: F.np.hstack([a, b]),
    "dstack": lambda F, a, b: F.np.dstack([a, b]),
    "column_stack": lambda F, a, b: F.np.column_stack([a, b]),
    "where": lambda F, a, b: F.np.where(b, a, b),
    "polyval": lambda F, a, b: F.np.polyval(a[0], b),
    "ediff1d": lambda F, a, b: F.np.ediff1d(a, to_begin=b, to_end=b),
    "average": lambda F, a, b: F.np.average(a, weights=b),
    "operators": lambda F, a, b: (a + b) * b,
}


def _expected_dtype(name: str, common: str) -> str:
    if name in COMPARISONS:
        return "bool"
    return "float32" if name in QUOTIENTS and not common.startswith("float") else common


class Block(mx.gluon.HybridBlock):
    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, a: Any, b: Any) -> Any:
        return self.function(F, a, b)


def _gradients(function: Function, a: Any, b: Any, hybridize: bool) -> list[numpy.ndarray]:
    block = Block(function)
    if hybridize:
        block.hybridize()
    leaves = [x for x in (a, b) if x.dtype.kind == "f"]
    for leaf in leaves:
        leaf.attach_grad()
    with mx.autograd.record():
        result = block(a, b)
    result.backward()
    assert [leaf.grad.dtype for leaf in leaves] == [leaf.dtype for leaf in leaves]
    return [leaf.grad.asnumpy() for leaf in leaves]


@pytest.mark.parametrize("name", FUNCTIONS)
@mx.util.use_np
def test_function_of_two_dtypes_computes_in_the_common_one(name: str) -> None:
    function = FUNCTIONS[name]
    block = Block(function)
    block.hybridize()
    for left, right in itertools.permutations(DTYPES, 2):
        common = str(torch.promote_types(*(getattr(torch, d) for d in (left, right))))[6:]
        is_float = common.startswith("float")
        if (name in FLOATS and not is_float) or (name in INTEGERS and is_float):
            continue
        a, b = mx.np.array(A.astype(left), dtype=left), mx.np.array(B.astype(right), dtype=right)
        expected = function(mx, a.astype(common), b.astype(common))
        for result in (function(mx, a, b), block(a, b)):
            assert result.dtype == _expected_dtype(name, common), (left, right)
            numpy.testing.assert_array_equal(result.asnumpy(), expected.asnumpy())


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in (*COMPARISONS, *INTEGERS)])
@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("float32", "int64")])
@mx.util.use_np
def test_function_of_two_dtypes_has_gradients_of_the_inputs_dtypes(
    name: str, dtypes: tuple[str, str]
) -> None:
    function, (left, right) = FUNCTIONS[name], dtypes
    a, b = mx.np.array(A + 0.5, dtype=left), mx.np.array(B + 1, dtype=right)
    common = "float64" if right == "float64" else "float32"
    expected = _gradients(function, a.astype(common), b.astype(common), hybridize=False)
    for hybridize in (False, True):
        for got, want in zip(_gradients(function, a, b, hybridize), expected, strict=False):
            numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "dtype", "expected"),
    [
        (lambda x: mx.np.where(x > 1, x, 0.5), "float64", [0.5, 0.5, 2.0]),
        (lambda x: mx.np.where(x > 1, 0.5, x), "float64", [0.0, 1.0, 0.5]),
        (lambda x: mx.np.where(x > 1, x, 5.0), "int64", [5, 5, 2]),
        (lambda x: mx.np.where(x > 1, x, float("inf")), "float64", [numpy.inf, numpy.inf, 2.0]),
        (lambda x: mx.np.maximum(x, 1.5), "float64", [1.5, 1.5, 2.0]),
        (lambda x: mx.np.maximum(1, x), "int64", [1, 1, 2]),
        (lambda x: mx.np.less(x, 1.5), "bool", [True, True, False]),
        (lambda x: mx.np.histogram(x, mx.np.array([0, 1.5, 3]))[0], "int64", [2, 1]),
    ],
)
@mx.util.use_np
def test_integers_beside_a_fraction_are_not_cut(call: Any, dtype: str, expected: Any) -> None:
    result = call(mx.np.array([0, 1, 2], dtype="int64"))
    assert (result.dtype, result.asnumpy().tolist()) == (dtype, expected)


@mx.util.use_np
def test_int8_and_uint8_name_the_way_out() -> None:
    x = mx.np.ones(2, dtype="int8")
    with pytest.raises(mx.MXNetError, match=r"convert one of them by astype"):
        mx.np.concatenate([x, x.astype("uint8")])
