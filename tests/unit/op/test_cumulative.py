# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.tensor.cumulative  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

cumsum = find("cumsum")
MIXED = np.array([[1.5, -2.5], [1.5, 3.0]], "float32")
BYTES = np.array([[100, 27], [1, -3]], "int8")

# fmt: off
SAMPLES = [
    Sample("cumsum", [(2, 3)], {}, lambda x: np.cumsum(x)),
    Sample("cumsum", [(2, 3, 2)], {"axis": 1}, lambda x: np.cumsum(x, 1)),
    Sample("cumsum", [(2, 3)], {"axis": -2}, lambda x: np.cumsum(x, 0)),
    Sample("cumsum", [()], {}, lambda x: x.reshape(1)),
    Sample("cumsum", [()], {"axis": 0}, lambda x: x),
    Sample("cumsum", [np.zeros((0, 3), "float32")], {"axis": 0}, lambda x: x, gradient=False, note="empty"),
    Sample("cumsum", [BYTES], {}, np.array([100, 127, -128, 125], "int8"), gradient=False),
    Sample("cumsum", [BYTES], {"dtype": "int32"}, np.array([100, 127, 128, 125], "int32"), gradient=False),
    Sample("cumsum", [BYTES > 0], {"axis": 0}, np.array([[1, 1], [2, 1]], "int64"), gradient=False),
    Sample("cumsum", [MIXED], {"axis": 0, "dtype": "int64"}, np.array([[1, -2], [2, 1]], "int64"), gradient=False),
]
# fmt: on


@pytest.mark.parametrize(
    "attrs, a, output, expected",
    [
        ({"axis": 1}, None, (2, 3), "[2,3] -> [2,3]"),
        ({}, (2, 3), None, "[2,3] -> [6]"),
        ({}, None, (6,), "unknown -> [6]"),
    ],
)
def test_shapes(attrs, a, output, expected):
    assert inferred_shapes("cumsum", attrs, [a], output) == expected


@pytest.mark.parametrize(
    "attrs, a, output, expected",
    [
        ({}, None, torch.float64, "float64 -> float64"),
        ({}, torch.bool, None, "bool -> int64"),
        ({"dtype": "int8"}, torch.float32, None, "float32 -> int8"),
    ],
)
def test_types(attrs, a, output, expected):
    assert inferred_dtypes("cumsum", attrs, [a], output) == expected


def test_an_axis_that_is_not_there_is_refused():
    with pytest.raises(MXNetError, match=r"axis=2: a \[2,3\] has 2 axes"):
        inferred_shapes("cumsum", {"axis": 2}, [(2, 3)])


def test_float16_is_rounded_after_each_addition():
    """The numbers that MXNet 1.9.1 gives; in float32 the last would be 3058.73."""
    a = torch.tensor([0.1, 1000, 0.3, 0.33, 7, 2049, 1, 1], dtype=torch.float16, requires_grad=True)
    sums = cumsum.function(a)
    expected = [0.0999755859375, 1000, 1000.5, 1001, 1008, 3056, 3056, 3056]
    assert sums.tolist() == expected
    assert cumsum.function(a.repeat(2, 1), axis=1).tolist() == [expected] * 2
    sums.sum().backward()
    assert a.grad.tolist() == [8, 7, 6, 5, 4, 3, 2, 1]
