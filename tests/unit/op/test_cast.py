# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.families.cast  # noqa: F401
from mxnova.core.base.errors import ArgumentError
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

NUMBERS = np.array([-2.7, -0.5, 0, 0.5, 2.7], "float32")
WHOLE = np.array([-1, 0, 300], "int32")


def to(dtype, values=NUMBERS):
    wanted = values.astype(dtype)
    return Sample(
        "Cast", [values], {"dtype": dtype}, wanted, gradient=False, note=values.dtype.name
    )


# fmt: off
SAMPLES = [
    *(to(d) for d in ("float16", "float32", "float64", "int8", "int32", "int64", "bool")),
    *(to(d, WHOLE) for d in ("float16", "uint8", "int8", "int64", "bool")),
    Sample("amp_cast", [NUMBERS], {"dtype": "float16"}, NUMBERS.astype("float16"), gradient=False),
    Sample("amp_cast", [WHOLE], {"dtype": "float16"}, WHOLE, gradient=False, note="integers"),
    Sample("amp_multicast", [NUMBERS, NUMBERS.astype("float16")], {"num_outputs": 2}, (NUMBERS, NUMBERS.astype("float16").astype("float32")), gradient=False),
    Sample("amp_multicast", [NUMBERS, NUMBERS.astype("float16")], {"num_outputs": 2, "cast_narrow": 1}, (NUMBERS.astype("float16"),) * 2, gradient=False),
]
# fmt: on


@pytest.mark.parametrize("op", ["Cast", "amp_cast"])
def test_gradient_comes_back_in_the_type_of_the_input(op):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = recorded(find(op).of({"dtype": "float16"}))(x)
    assert y.dtype is torch.float16
    y.backward(torch.tensor([3.0, 4.0], dtype=torch.float16))
    assert x.grad.dtype is torch.float32
    assert x.grad.tolist() == [3, 4]


def test_cast_to_the_same_type_is_a_copy():
    x = torch.ones(2)
    find("Cast").of({"dtype": "float32"}).forward(x).zero_()
    assert x.tolist() == [1, 1]


def test_bfloat16():
    assert find("Cast").of({"dtype": "bfloat16"}).forward(torch.ones(2)).dtype is torch.bfloat16


def test_types():
    half = {"dtype": "float16"}
    assert inferred_dtypes("Cast", half, [None]) == "unknown -> float16"
    assert inferred_dtypes("amp_cast", half, [torch.int32]) == "int32 -> int32"
    assert inferred_dtypes("amp_cast", half, [torch.float64]) == "float64 -> float64"
    assert inferred_dtypes("amp_cast", half, [torch.float32]) == "float32 -> float16"


# fmt: off
@pytest.mark.parametrize("given, narrow, expected", [
    ("float16 float32", False, "float32 float32"), ("float16 float32", True, "float16 float16"),
    ("float64 float32", False, "float64 float32"), ("float64 float32", True, "float64 float32"),
    ("float64 float16", False, "float64 float64"), ("float64 float16", True, "float64 float16"),
    ("float16 float64", False, "float16 float64"), ("float16 int32", False, "float16 int32"),
    ("int8 float32", False, "int8 float32"), ("int32 float16", True, "int32 float16"),
    ("int32 float16", False, "int32 float16"),  # MXNet makes integers of float16
])
# fmt: on
def test_types_of_multicast(given, narrow, expected):
    attrs = {"num_outputs": 2, "cast_narrow": narrow}
    types = [getattr(torch, name) for name in given.split()]
    assert inferred_dtypes("amp_multicast", attrs, types).endswith(expected.replace(" ", ", "))
    results = find("amp_multicast").of(attrs).forward(*(torch.ones(2, dtype=d) for d in types))
    assert [r.dtype for r in results] == [getattr(torch, name) for name in expected.split()]


def test_each_output_of_multicast_has_the_shape_of_its_input():
    shapes = inferred_shapes("amp_multicast", {"num_outputs": 2}, [(2,), None], (2,))
    assert shapes == "[2], unknown -> [2], unknown"


def test_unknown_types_are_refused():
    with pytest.raises(ArgumentError, match="dtype='float128'"):
        find("Cast").of({"dtype": "float128"})
