# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova as mx
import mxnova.core.op.numpy.binary
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.gradient import recorded
from mxnova.core.op.infer import Shapes
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

A = np.array([[-7], [-3], [0], [4]], "int32")
B = np.array([-6, -1, 2, 4], "int32")
HALVES = np.array([-1.5, 0.5, 2, 4], "float32")
TRUTHS = np.array([[True], [False]]), np.array([True, False])


def smooth(name, expected, low=0.5):
    return Sample(f"_npi_{name}", [(2, 1, 3), (4, 1)], {}, expected, low=low, high=2.0)


def exact(name, lhs, rhs, expected):
    wanted = expected(lhs, rhs) if callable(expected) else expected
    note = f" {lhs.dtype} {rhs.dtype}"
    return Sample(f"_npi_{name}", [lhs, rhs], {}, wanted, gradient=False, note=note)


# fmt: off
SAMPLES = [
    smooth("add", np.add, -2),
    smooth("subtract", np.subtract, -2),
    smooth("multiply", np.multiply, -2),
    smooth("true_divide", np.true_divide),
    smooth("mod", np.mod),
    smooth("power", np.power),
    smooth("arctan2", np.arctan2, -2),
    smooth("hypot", np.hypot),
    smooth("copysign", np.copysign),
    smooth("ldexp", lambda a, b: a * 2**b, -2),
    Sample("_npi_add", [(), ()], {}, np.add, note="0-d"),
    Sample("_npi_add", [(0, 3), (1, 3)], {}, np.add, gradient=False, note="empty"),

    exact("add", A, HALVES, lambda a, b: (a + b).astype("float32")),
    exact("add", A, B.astype("int64"), np.add),
    exact("add", *TRUTHS, np.logical_or),
    exact("add", TRUTHS[0], B, np.add),
    exact("add", np.float64(0.1), HALVES, lambda a, b: a + b.astype("float64")),
    exact("subtract", HALVES, HALVES.astype("float64"), np.subtract),
    exact("subtract", A, B, np.subtract),
    exact("multiply", *TRUTHS, np.logical_and),
    exact("mod", A, B, np.mod),
    exact("mod", A, 0 * B, lambda a, b: 0 * a * b),
    exact("power", A, HALVES[2:], lambda a, b: (1.0 * a**b).astype("float32")),
    exact("true_divide", A, B, lambda a, b: (a / b).astype("float32")),
    exact("true_divide", A, HALVES, lambda a, b: (a / b).astype("float32")),
    exact("true_divide", *TRUTHS, np.array([[1, np.inf], [0, np.nan]], "float32")),
    exact("copysign", A, B, lambda a, b: np.copysign(a, b).astype("int32")),
    exact("copysign", HALVES, np.float32([-0.0, 0, -1, np.nan]), np.array([1.5, 0.5, -2, -4], "float32")),
    exact("ldexp", A, B, lambda a, b: np.trunc(a * 2.0**b).astype("int32")),
    exact("lcm", A, B, np.lcm),
    exact("lcm", *TRUTHS, np.logical_and),
    exact("bitwise_and", A, B, np.bitwise_and),
    exact("bitwise_or", A, B, np.bitwise_or),
    exact("bitwise_xor", A, B, np.bitwise_xor),
    exact("bitwise_xor", *TRUTHS, np.logical_xor),
    exact("equal", A, B, np.equal),
    exact("not_equal", A, B[2:], np.not_equal),
    exact("greater", HALVES, np.float32([-2, 0.5, 3, np.nan]), np.greater),
    exact("greater_equal", HALVES, HALVES, np.greater_equal),
    exact("less", A, B, np.less),
    exact("less_equal", *TRUTHS, np.less_equal),
]
# fmt: on


@pytest.mark.parametrize(
    "op, lhs, rhs, output",
    [
        ("_npi_add", "int8", "int64", "int64"),
        ("_npi_add", "int64", "float16", "float16"),
        ("_npi_add", "bool", "uint8", "uint8"),
        ("_npi_multiply", "float16", "float64", "float64"),
        ("_npi_subtract", "bool", "float16", "float16"),
        ("_npi_subtract", "int8", "int64", "int64"),
        ("_npi_mod", "uint8", "int32", "int32"),
        ("_npi_mod", "int8", "bool", "int8"),
        ("_npi_true_divide", "int64", "int64", "float32"),
        ("_npi_true_divide", "int64", "float16", "float16"),
        ("_npi_equal", "float64", "float64", "bool"),
        ("_npi_lcm", "uint8", "uint8", "uint8"),
        ("_npi_lcm", "uint8", "int64", "int64"),
        ("_npi_true_divide", "float32", "float64", "float64"),
        ("_npi_true_divide", "int32", "int64", "float32"),
        ("_npi_arctan2", "int32", "int32", "float32"),
        ("_npi_hypot", "int64", "float16", "float16"),
        ("_npi_copysign", "int32", "float16", "float16"),
        ("_npi_ldexp", "float32", "int32", "float32"),
        ("_npi_bitwise_or", "bool", "int8", "int8"),
        ("_npi_equal", "float32", "int32", "bool"),
        ("_npi_less", "int8", "uint8", "bool"),
        ("_npi_maximum", "int64", "float32", "float32"),
        ("_npi_minimum", "float16", "bfloat16", "float32"),
    ],
)
def test_type_of_the_output(op, lhs, rhs, output):
    types = [getattr(torch, lhs), getattr(torch, rhs)]
    assert inferred_dtypes(op, {}, types) == f"{lhs}, {rhs} -> {output}"


def test_integers_of_two_types_mix_whatever_their_shapes():
    small, wide = mx.np.array([7, -8, 9], dtype="int8"), mx.np.array([3, 3, 2**40], dtype="int64")
    for other in (wide, wide[:1], mx.np.array(3, dtype="int64")):
        numbers = np.int64([7, -8, 9]), other.asnumpy()
        assert (small - other).asnumpy().tolist() == np.subtract(*numbers).tolist()
        assert np.array_equal((small % other).asnumpy(), np.mod(*numbers))


def test_an_unknown_type_is_learnt():
    half = torch.float16
    assert inferred_dtypes("_npi_add", {}, [None, half]) == "float16, float16 -> float16"
    assert inferred_dtypes("_npi_add", {}, [None, None], half) == "float16, float16 -> float16"
    assert inferred_dtypes("_npi_true_divide", {}, [None, half]) == "float16, float16 -> float16"
    integer = torch.int32
    assert inferred_dtypes("_npi_true_divide", {}, [None, integer]) == "unknown, int32 -> unknown"
    assert inferred_dtypes("_npi_equal", {}, [None, half]) == "float16, float16 -> bool"


@pytest.mark.parametrize(
    "op, lhs, rhs",
    [
        ("_npi_add", "int8", "uint8"),
        ("_npi_subtract", "int8", "uint8"),
        ("_npi_subtract", "bool", "bool"),
        ("_npi_copysign", "bool", "bool"),
        ("broadcast_maximum", "int8", "uint8"),
        ("_npi_lcm", "float32", "float32"),
        ("_npi_bitwise_and", "float32", "int32"),
    ],
)
def test_types_that_do_not_mix_are_named(op, lhs, rhs):
    with pytest.raises(MXNetError, match=f"{op}.*{lhs}"):
        inferred_dtypes(op, {}, [getattr(torch, lhs), getattr(torch, rhs)])


def test_shapes_that_do_not_match_are_shown():
    shapes = Shapes("_npi_add", ("lhs", "rhs"), ("output",), [(2, 3), (3, 2), None])
    with pytest.raises(MXNetError, match=r"_npi_add: lhs \[2,3\], rhs \[3,2\]"):
        find("_npi_add").of({}).infer_shape(shapes)


def gradients(op, lhs, rhs):
    leaves = [torch.tensor(lhs, requires_grad=True), torch.tensor(rhs)]
    leaves[1].requires_grad_(leaves[1].is_floating_point())
    recorded(find(op).of({}))(*leaves).sum().backward()
    return [None if leaf.grad is None else leaf.grad.tolist() for leaf in leaves]


def test_gradients_of_mixed_types():
    assert gradients("_npi_power", [3.0, 2.0], [2, 0]) == [[6, 0], None]
    assert gradients("_npi_mod", [5.0], [3]) == [[1], None]


def test_the_angle_of_the_origin_has_no_gradient():
    np.testing.assert_equal(gradients("_npi_arctan2", 0.0, 0.0), [np.nan, np.nan])


def test_views_share_memory():
    op = find("_npi_share_memory").of({})
    x = torch.arange(4)
    assert op.forward(x[:3], x[2:]).item() is True
    assert op.forward(x[:2], x[2:]).item() is False
    assert op.forward(x, x[:0]).item() is False
    assert op.forward(x, x.clone()).item() is False


def test_the_least_integers_have_common_multiples():
    least, greatest = np.iinfo("int32").min, np.iinfo("int32").max
    numbers = np.array([least, least, 0, least, 1, -6], "int32")
    others = np.array([greatest, 0, least, least, least, 4], "int32")
    found = find("_npi_lcm").of({}).forward(torch.tensor(numbers), torch.tensor(others))
    assert found.tolist() == np.lcm(numbers, others).tolist()


@pytest.mark.parametrize("name", ["lcm", "bitwise_and", "bitwise_or", "bitwise_xor"])
def test_whole_numbers_combined_have_no_slope(name):
    x, y = (mx.np.array(v, dtype="int32") for v in ([4, 6], [[6], [3]]))
    x.attach_grad()
    with mx.autograd.record():
        result = getattr(mx.np, name)(x, y)
    result.backward()
    assert x.grad.tolist() == [0, 0]
