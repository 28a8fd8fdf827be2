# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.scalar  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

INTEGERS = np.array([-7, -3, -1, 1, 2, 5], "int32")
BYTES = np.array([0, 1, 7, 200, 255], "uint8")
BOOLS = np.array([True, False])


def smooth(name, expected, scalar=2.5, low=0.5):
    attrs = {"scalar": scalar, "is_int": False}
    return Sample(f"_npi_{name}_scalar", [(2, 3)], attrs, expected, low=low, high=2.0)


def on(values, name, scalar, expected, is_int=True):
    attrs = {"scalar": scalar, "is_int": is_int}
    wanted = expected(values) if callable(expected) else expected
    op = f"_npi_{name}_scalar"
    return Sample(op, [values], attrs, wanted, gradient=False, note=values.dtype.name)


# fmt: off
SAMPLES = [
    smooth("add", lambda x: x + 2.5, low=-2),
    smooth("subtract", lambda x: x - 2.5, low=-2),
    smooth("rsubtract", lambda x: 2.5 - x, low=-2),
    smooth("multiply", lambda x: x * 2.5, low=-2),
    smooth("true_divide", lambda x: x / 2.5, low=-2),
    smooth("rtrue_divide", lambda x: 2.5 / x),
    smooth("mod", lambda x: np.mod(x, -1.5), -1.5),
    smooth("rmod", lambda x: np.mod(2.5, x)),
    smooth("power", lambda x: x**-1.5, -1.5),
    smooth("rpower", lambda x: 2.5**x),
    smooth("arctan2", lambda x: np.arctan2(x, 2.5), low=-2),
    smooth("ldexp", lambda x: x * 2**2.5, low=-2),
    smooth("rldexp", lambda x: 2.5 * 2**x, low=-2),
    smooth("copysign", lambda x: -abs(x), -2.5, low=-2),
    Sample("_npi_rarctan2_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: np.arctan2(2.5, x),
           d_expected=lambda d, x: -d * x / (x * x + 2.5**2)),
    Sample("_npi_rcopysign_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: np.copysign(2.5, x), gradient=False),
    Sample("_npi_add_scalar", [(2, 3)], {}, lambda x: x + 1),

    on(INTEGERS, "add", 2.7, lambda x: x + 2),
    on(INTEGERS, "add", 2.5, lambda x: x + 2.5, is_int=False),
    on(BYTES, "add", 300, lambda x: x + np.uint8(44)),
    on(BOOLS, "add", 2, np.array([3, 2], "int64")),
    on(INTEGERS, "mod", 3, lambda x: x % 3),
    on(INTEGERS, "rmod", 7, lambda x: 7 % x),
    on(INTEGERS, "power", 2, lambda x: x * x),
    on(INTEGERS, "ldexp", -1, lambda x: np.trunc(x / 2).astype("int32")),
    on(INTEGERS, "copysign", -2, lambda x: -abs(x)),
    on(INTEGERS, "arctan2", 1, lambda x: np.trunc(np.arctan2(x, 1)).astype("int32")),
    on(INTEGERS, "true_divide", 2, lambda x: (x / 2).astype("float32")),
    on(INTEGERS, "true_divide", 2.5, lambda x: (x / 2.5).astype("float32"), is_int=False),
    on(INTEGERS, "rtrue_divide", 2, lambda x: (2 / x).astype("float32")),
    on(BOOLS, "true_divide", 2, np.array([0.5, 0], "float32")),

    on(INTEGERS, "equal", 2.5, lambda x: x == 2),
    on(INTEGERS, "equal", 2.5, lambda x: x == 2.5, is_int=False),
    on(INTEGERS, "not_equal", 2, lambda x: x != 2),
    on(INTEGERS, "greater", 1, lambda x: x > 1),
    on(INTEGERS, "greater", 1.5, lambda x: x > 1.5, is_int=False),
    on(INTEGERS, "greater_equal", 2, lambda x: x >= 2),
    on(INTEGERS, "less", 2, lambda x: x < 2),
    on(INTEGERS, "less_equal", 2, lambda x: x <= 2),
    on(BOOLS, "equal", 2, BOOLS),
    on(BOOLS, "equal", 0.5, BOOLS, is_int=False),
    on(np.array([0.1, 0.5], "float32"), "equal", 0.1, np.array([True, False]), is_int=False),

    on(INTEGERS, "bitwise_and", 6, lambda x: x & 6),
    on(INTEGERS, "bitwise_and", 6.5, lambda x: x & 6, is_int=False),
    on(INTEGERS, "bitwise_or", 6, lambda x: x | 6),
    on(INTEGERS, "bitwise_xor", -1, lambda x: x ^ -1),
    on(BOOLS, "bitwise_xor", 2, ~BOOLS),
    on(INTEGERS, "lcm", 6, lambda x: np.lcm(x, 6)),
]
# fmt: on


def gradient_of(op, values, scalar):
    x = torch.tensor(values, requires_grad=True)
    recorded(find(op).of({"scalar": scalar}))(x).sum().backward()
    return x.grad.tolist()


def test_gradients_where_the_formula_breaks_down():
    assert gradient_of("_npi_mod_scalar", [3.0], 0) == [1]
    assert gradient_of("_npi_rpower_scalar", [0.0], 0) == [-math.inf]
    assert all(map(math.isnan, gradient_of("_npi_power_scalar", [0.0], 0)))
    assert all(map(math.isnan, gradient_of("_npi_arctan2_scalar", [0.0], 0)))


@pytest.mark.parametrize(
    "op, is_int, given, expected",
    [
        ("_npi_add_scalar", True, torch.bool, "bool -> int64"),
        ("_npi_add_scalar", False, torch.int8, "int8 -> float64"),
        ("_npi_true_divide_scalar", True, torch.int64, "int64 -> float32"),
        ("_npi_true_divide_scalar", False, torch.float16, "float16 -> float16"),
        ("_npi_less_scalar", False, torch.int8, "int8 -> bool"),
        ("_npi_bitwise_or_scalar", False, torch.bool, "bool -> bool"),
    ],
)
def test_type_of_the_output(op, is_int, given, expected):
    assert inferred_dtypes(op, {"is_int": is_int}, [given]) == expected


def test_bits_of_fractions_are_refused():
    with pytest.raises(MXNetError, match="_npi_bitwise_or_scalar: data has type float32"):
        inferred_dtypes("_npi_bitwise_or_scalar", {}, [torch.float32])
