# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
import torch

import mxnova as mx
import mxnova.core.op.families.scalar
from mxnova.core.op.families.rules import as_integer
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

INTEGERS = np.array([-7, -3, -1, 1, 2, 5], "int32")
BYTES = np.array([0, 1, 7, 200, 255], "uint8")
BOOLS = np.array([True, False])


def positive(op, expected, scalar):
    return Sample(op, [(2, 3)], {"scalar": scalar}, expected, low=0.5, high=2.0)


def on(values, op, scalar, expected, **attrs):
    attrs = {"scalar": scalar, **attrs}
    return Sample(op, [values], attrs, expected, gradient=False, note=values.dtype.name)


def truth(name, expected):
    values = np.array([-1, 0, 0.5, 2], "float32")
    wanted = expected(values, 0.5).astype("float32")
    return Sample(f"_{name}_scalar", [values], {"scalar": 0.5}, wanted, gradient=False)


def huber(sigma):
    return lambda x: np.where(abs(x) < sigma**-2, (sigma * x) ** 2 / 2, abs(x) - 0.5 / sigma**2)


# fmt: off
SAMPLES = [
    Sample("_plus_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: x + 2.5),
    Sample("_plus_scalar", [(2, 3)], {}, lambda x: x + 1),
    Sample("_minus_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: x - 2.5),
    Sample("_rminus_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: 2.5 - x),
    Sample("_mul_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: x * 2.5),
    Sample("_div_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: x / 2.5),
    Sample("_scatter_plus_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: x + 2.5),
    Sample("_scatter_minus_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: x - 2.5),
    Sample("_mod_scalar", [(2, 3)], {"scalar": -1.5}, lambda x: np.mod(x, -1.5)),
    Sample("_mod_scalar", [(2, 3)], {"scalar": 0}, lambda x: 0 * x, gradient=False),
    Sample("_hypot_scalar", [(2, 3)], {"scalar": 2.5}, lambda x: np.hypot(x, 2.5)),
    Sample("_maximum_scalar", [(2, 3)], {"scalar": 0.3}, lambda x: np.maximum(x, 0.3)),
    Sample("_minimum_scalar", [(2, 3)], {"scalar": 0.3}, lambda x: np.minimum(x, 0.3)),
    positive("_rdiv_scalar", lambda x: 2.5 / x, 2.5),
    positive("_rmod_scalar", lambda x: np.mod(2.5, x), 2.5),
    positive("_power_scalar", lambda x: x**-1.5, -1.5),
    positive("_rpower_scalar", lambda x: 2.5**x, 2.5),
    Sample("smooth_l1", [(3, 4)], {}, huber(1)),
    Sample("smooth_l1", [(3, 4)], {"scalar": 2}, huber(2)),
    Sample("smooth_l1", [(3, 4)], {"scalar": 0}, lambda x: 0 * x),

    truth("equal", np.equal),
    truth("not_equal", np.not_equal),
    truth("greater", np.greater),
    truth("greater_equal", np.greater_equal),
    truth("lesser", np.less),
    truth("lesser_equal", np.less_equal),
    truth("logical_and", np.logical_and),
    truth("logical_or", np.logical_or),
    truth("logical_xor", np.logical_xor),

    on(INTEGERS, "_plus_scalar", 2.7, lambda x: x + 2),
    on(INTEGERS, "_div_scalar", 2, lambda x: np.trunc(x / 2).astype("int32")),
    on(INTEGERS, "_div_scalar", -1, lambda x: -x),
    on(INTEGERS, "_rdiv_scalar", 7, lambda x: np.trunc(7 / x).astype("int32")),
    on(INTEGERS, "_mod_scalar", 3, lambda x: x % 3),
    on(INTEGERS, "_mod_scalar", 0.5, lambda x: 0 * x),
    on(INTEGERS, "_rmod_scalar", 7, lambda x: 7 % x),
    on(INTEGERS, "_power_scalar", 2.9, lambda x: x * x),
    on(INTEGERS, "_rpower_scalar", 2, np.array([0, 0, 0, 2, 4, 32], "int32")),
    on(INTEGERS, "_hypot_scalar", 4, lambda x: np.hypot(x, 4).astype("int32")),
    on(INTEGERS, "_maximum_scalar", 1.9, lambda x: np.maximum(x, 1)),
    on(INTEGERS, "_greater_scalar", 1.9, lambda x: (x > 1).astype("int32")),
    on(INTEGERS, "_logical_and_scalar", 0.5, lambda x: 0 * x),
    on(INTEGERS, "_plus_scalar", 2.5, lambda x: x + 2.5, is_int=False),
    on(INTEGERS, "_div_scalar", 2, lambda x: x / 2, is_int=False),
    on(INTEGERS, "_greater_scalar", 1.5, lambda x: (x > 1.5).astype("float64"), is_int=False),
    on(INTEGERS, "smooth_l1", 3, lambda x: np.maximum(abs(x) - 1, 0)),
    on(BYTES, "_plus_scalar", 300, lambda x: x + np.uint8(44)),
    on(BYTES, "_plus_scalar", -1, lambda x: x - np.uint8(1)),
    on(BYTES, "_div_scalar", -1, lambda x: x // 255),
    on(BOOLS, "_plus_scalar", 2, np.array([3, 2], "int64")),
    on(BOOLS, "_mul_scalar", 2.5, np.array([2.5, 0]), is_int=False),
]
# fmt: on


def gradient_of(op, values, scalar):
    x = torch.tensor(values, requires_grad=True)
    recorded(find(op).of({"scalar": scalar}))(x).sum().backward()
    return x.grad.tolist()


def test_a_tie_gives_the_gradient_to_the_array():
    assert gradient_of("_maximum_scalar", [1.0, 2.0, 3.0], 2) == [0, 1, 1]
    assert gradient_of("_minimum_scalar", [1.0, 2.0, 3.0], 2) == [1, 1, 0]


def test_smooth_l1_has_bounded_gradients():
    assert gradient_of("smooth_l1", [-math.inf, -0.1, 0.1, math.inf], 2) == [
        -1,
        pytest.approx(-0.4),
        pytest.approx(0.4),
        1,
    ]


@pytest.mark.parametrize(
    "number, dtype, expected",
    [
        (2.9, torch.int32, 2),
        (-2.9, torch.int32, -2),
        (300, torch.uint8, 44),
        (-1, torch.uint8, 255),
        (200, torch.int8, -56),
        (math.nan, torch.int32, -(2**31)),
        (1e10, torch.int32, -(2**31)),
        (math.inf, torch.int64, -(2**63)),
        (math.nan, torch.uint8, 0),
    ],
)
def test_numbers_become_integers_as_in_c(number, dtype, expected):
    assert as_integer(number, dtype) == expected


@pytest.mark.parametrize(
    "attrs, given, expected",
    [
        ({}, torch.float16, "float16 -> float16"),
        ({}, torch.int8, "int8 -> int8"),
        ({}, torch.bool, "bool -> int64"),
        ({"is_int": False}, torch.float16, "float16 -> float16"),
        ({"is_int": False}, torch.int8, "int8 -> float64"),
        ({"is_int": False}, torch.bool, "bool -> float64"),
    ],
)
def test_type_of_the_output(attrs, given, expected):
    assert inferred_dtypes("_mul_scalar", attrs, [given]) == expected


def test_type_is_learnt_from_the_output():
    assert inferred_dtypes("_mul_scalar", {}, [None], torch.float16) == "float16 -> float16"
    assert inferred_dtypes("_mul_scalar", {}, [None]) == "unknown -> unknown"


# fmt: off
@pytest.mark.parametrize("name, attrs, arrays, expected", [
    ("_power_scalar", {"scalar": 1e6}, 1, [math.inf, math.inf]),
    ("_rdiv_scalar", {"scalar": -1e6}, 1, [-math.inf, -math.inf]),
    ("_npi_power_scalar", {"scalar": 1e6}, 1, [math.inf, math.inf]),
    ("_npi_true_divide_scalar", {"scalar": 1e6}, 1, [0, 0]),
    ("_npi_where_lscalar", {"scalar": 1e6}, 2, [math.inf, math.inf]),
    ("_npi_pad", {"pad_width": ((1, 0),), "constant_value": 1e6}, 1, [math.inf, 2, 3]),
    ("_slice_assign_scalar", {"scalar": 1e6, "begin": (0,), "end": (1,)}, 1, [math.inf, 3]),
    ("one_hot", {"depth": 1, "on_value": 1e6, "dtype": "float16"}, 1, [[0], [0]]),
    ("one_hot", {"depth": 4, "on_value": 1e6, "dtype": "float16"}, 1, [[0, 0, math.inf, 0], [0, 0, 0, math.inf]]),
])
# fmt: on
def test_numbers_beyond_the_type_are_infinite(name, attrs, arrays, expected):
    data = torch.tensor([2, 3], dtype=torch.float16)
    assert find(name).of(attrs).forward(*[data] * arrays).tolist() == expected


def test_gradients_beyond_the_type_are_infinite():
    data = mx.nd.array([1], dtype="float16")
    data.attach_grad()
    with mx.autograd.record():
        loss = mx.nd.MakeLoss(data, grad_scale=1e6)
    loss.backward()
    assert data.grad.asnumpy() == [math.inf]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gradients_at_bounds_are_those_of_mxnet(dtype):
    x = mx.nd.array([-2.0, -1.0, -0.5, 1.0, 2.0, float("nan")], dtype=dtype)
    x.attach_grad()
    found = []
    for run in (
        lambda: mx.nd.clip(x, -1, 1),
        lambda: mx.nd.clip(x, 1, 1),
        lambda: mx.nd.maximum(x, -1),
        lambda: mx.nd.minimum(x, -1),
    ):
        with mx.autograd.record():
            y = run()
        y.backward()
        found.append(x.grad.asnumpy().tolist())
    # As MXNet 1.9.1 gave them.
    assert found == [
        [0, 1, 1, 1, 0, 1],
        [0, 0, 0, 1, 0, 1],
        [0, 1, 1, 1, 1, 0],
        [1, 1, 0, 0, 0, 0],
    ]
