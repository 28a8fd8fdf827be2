# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.unary  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

MIXED = np.array([-np.inf, -1.5, -0.0, 0, 0.5, np.inf, np.nan], "float32")
INTEGERS = np.array([-119, -15, -1, 0, 1, 15, 119], "int32")
BOOLS = np.array([True, False])


def on(values, op, expected, **attrs):
    wanted = expected(values) if callable(expected) else expected
    return Sample(op, [values], attrs, wanted, gradient=False, note=values.dtype.name)


def inside(name, expected, low=-0.9, high=0.9):
    return Sample(f"_npi_{name}", [(2, 3)], {}, expected, low=low, high=high)


def above(name, expected, low=1.1):
    return inside(name, expected, low, low + 2)


# fmt: off
SAMPLES = [
    Sample("_npi_absolute", [(2, 3)], {}, np.abs),
    Sample("_npi_abs", [(2, 3)], {}, np.abs),
    Sample("_npi_arctan", [(2, 3)], {}, np.arctan),
    Sample("_npi_arcsinh", [(2, 3)], {}, np.arcsinh),
    inside("arccos", np.arccos),
    inside("arcsin", np.arcsin),
    inside("arctanh", np.arctanh),
    above("arccosh", np.arccosh),
    above("cbrt", np.cbrt),
    Sample("_npi_ceil", [(2, 3)], {}, np.ceil),
    Sample("_npi_cos", [(2, 3)], {}, np.cos),
    Sample("_npi_cosh", [(2, 3)], {}, np.cosh),
    Sample("_npi_degrees", [(2, 3)], {}, np.degrees),
    Sample("_npi_exp", [(2, 3)], {}, np.exp),
    Sample("_npi_expm1", [(2, 3)], {}, np.expm1),
    Sample("_npi_fix", [(2, 3)], {}, np.trunc),
    Sample("_npi_floor", [(2, 3)], {}, np.floor),
    above("log", np.log),
    above("log10", np.log10),
    above("log1p", np.log1p),
    above("log2", np.log2),
    Sample("_npi_negative", [(2, 3)], {}, np.negative),
    Sample("_npi_radians", [(2, 3)], {}, np.radians),
    above("reciprocal", np.reciprocal),
    Sample("_npi_rint", [(2, 3)], {}, np.rint),
    Sample("_npi_sign", [(2, 3)], {}, np.sign),
    Sample("_npi_sin", [(2, 3)], {}, np.sin),
    Sample("_npi_sinh", [(2, 3)], {}, np.sinh),
    above("sqrt", np.sqrt),
    Sample("_npi_square", [(2, 3)], {}, np.square),
    inside("tan", np.tan),
    Sample("_npi_tanh", [(2, 3)], {}, np.tanh),
    Sample("_npi_trunc", [(2, 3)], {}, np.trunc),
    Sample("_np_copy", [(2, 3)], {}, lambda x: x),
    Sample("_npx_relu", [(2, 3)], {}, lambda x: np.maximum(x, 0)),
    Sample("_npx_sigmoid", [(2, 3)], {}, lambda x: 1 / (1 + np.exp(-x))),
    Sample("_npi_sin", [()], {}, np.sin, note="0-d"),
    Sample("_npi_sin", [(0, 3)], {}, np.sin, gradient=False, note="empty"),

    on(MIXED, "_npi_isfinite", np.isfinite),
    on(MIXED, "_npi_isinf", np.isinf),
    on(MIXED, "_npi_isnan", np.isnan),
    on(MIXED, "_npi_isneginf", np.isneginf),
    on(MIXED, "_npi_isposinf", np.isposinf),
    on(MIXED, "_npi_logical_not", np.logical_not),
    on(INTEGERS, "_npi_isfinite", np.isfinite),
    on(INTEGERS, "_npi_logical_not", np.logical_not),
    on(BOOLS, "_npi_isnan", np.isnan),
    on(BOOLS, "_npi_logical_not", np.logical_not),
    on(INTEGERS, "_npi_bitwise_not", np.bitwise_not),
    on(BOOLS, "_npi_bitwise_not", np.bitwise_not),
    on(BOOLS, "_np_copy", BOOLS),

    Sample("_npi_around", [np.array([-2.5, -1.5, 0.5, 1.5, 2.5], "float32")], {}, np.array([-2, -2, 0, 2, 2], "float32")),
    Sample("_npi_around", [(2, 3)], {"decimals": 2}, lambda x: np.around(x, 2)),
    Sample("_npi_around", [(2, 3)], {"decimals": -1}, lambda x: np.around(x, -1), low=-50, high=50),
    on(INTEGERS, "_npi_around", INTEGERS, decimals=2),
    on(INTEGERS, "_npi_around", np.array([-110, -10, 0, 0, 0, 10, 110], "int32"), decimals=-1),
    on(INTEGERS, "_npi_around", 0 * INTEGERS, decimals=-30),

    on(MIXED, "_npi_nan_to_num", np.nan_to_num),
    on(MIXED, "_npi_nan_to_num", np.array([-2, -1.5, 0, 0, 0.5, 3, 7.5], "float32"), nan=7.5, posinf=3, neginf=-2),
    on(INTEGERS, "_npi_nan_to_num", INTEGERS, nan=7.5),
    on(BOOLS, "_npi_nan_to_num", BOOLS),
    on(np.array([True, True]), "_npx_constraint_check", np.array(True)),
    on(np.array([], bool), "_npx_constraint_check", np.array(True)),
]
# fmt: on


def test_a_violated_constraint_raises_its_message():
    op = find("_npx_constraint_check").of({"msg": "must be positive"})
    with pytest.raises(ArgumentError, match="must be positive"):
        op.forward(torch.tensor([True, False]))


def test_replaced_numbers_have_no_gradient():
    x = torch.tensor([1.0, math.nan, math.inf], requires_grad=True)
    recorded(find("_npi_nan_to_num").of({}))(x).sum().backward()
    assert x.grad.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    "op, dtype",
    [
        ("_npi_bitwise_not", torch.float32),
        ("_npi_around", torch.float16),
        ("_npi_sin", torch.bool),
        ("_npx_constraint_check", torch.float32),
    ],
)
def test_unusable_types_are_named(op, dtype):
    with pytest.raises(MXNetError, match=f"{op}.*{str(dtype).removeprefix('torch.')}"):
        inferred_dtypes(op, {}, [dtype])


def test_type_of_the_output():
    assert inferred_dtypes("_npi_isnan", {}, [torch.int8]) == "int8 -> bool"
    assert inferred_dtypes("_npi_sin", {}, [torch.int8]) == "int8 -> int8"
    assert inferred_dtypes("_npi_sin", {}, [None], torch.float16) == "float16 -> float16"
    assert inferred_dtypes("_npi_isnan", {}, [None]) == "unknown -> unknown"
