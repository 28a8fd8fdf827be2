# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.calculus  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

A = np.array([[1, 5, 2, 8], [9, 3, 4, 7], [6, 2, 2, 1]], "float32")
PERCENTILE, EDIFF = "_npi_percentile", "_npi_ediff1d"


def polynomial(p, x):
    return sum(c * x**i for i, c in enumerate(p[::-1]))


# fmt: off
SAMPLES = [
    Sample(PERCENTILE, [A], {"q_scalar": 37}, lambda a: np.percentile(a, 37)),
    Sample(PERCENTILE, [A], {"q_scalar": 10, "keepdims": True}, lambda a: np.percentile(a, 10, keepdims=True)),
    Sample(PERCENTILE, [A, np.float32([0, 100, 50])], {"axis": (0, 1)}, lambda a, q: np.percentile(a, q)),
    Sample(PERCENTILE, [A, np.int32([0, 100, 51])], {"axis": 0, "keepdims": True}, lambda a, q: np.percentile(a, q, 0, keepdims=True)),
    Sample(PERCENTILE, [A, np.float64(30)], {"axis": -1}, lambda a, q: np.percentile(a, q, -1), note="0-d"),
    Sample(PERCENTILE, [(2, 3, 4), np.float32([33, 66])], {"axis": (2, 0)}, lambda a, q: np.percentile(a, q, (0, 2))),
    *(Sample(PERCENTILE, [A], {"q_scalar": 37, "axis": 1, "interpolation": how}, lambda a, how=how: np.percentile(a, 37, 1, method=how)) for how in ("lower", "higher", "midpoint", "nearest")),
    Sample(PERCENTILE, [np.arange(1.0, 7)], {"q_scalar": 50, "interpolation": "nearest"}, np.array(4.0), note="upper of two"),
    Sample(PERCENTILE, [np.float32([1, 2, 4])], {"q_scalar": 25, "interpolation": "nearest"}, np.float32(2), note="upper of two"),
    Sample(PERCENTILE, [np.uint8([1, 4, 2])], {"q_scalar": 30}, np.float32(1.6), note="uint8"),
    Sample(PERCENTILE, [np.float32([1, np.nan, 2])], {"q_scalar": 30}, np.float32(np.nan), note="nan"),
    Sample(PERCENTILE, [A], {"q_scalar": 10, "axis": ()}, A, note="no axis"),
    Sample(PERCENTILE, [np.zeros((0, 3), "float32")], {"q_scalar": 30, "axis": 1}, np.zeros(0, "float32")),

    Sample("_npi_polyval", [(3,), (2, 2)], {}, polynomial),
    Sample("_npi_polyval", [(1,), ()], {}, polynomial, note="constant"),
    Sample("_npi_polyval", [np.int32([1, 2, 3]), np.int32([2, -1])], {}, np.array([11, 2]), gradient=False, note="int32"),
    Sample("_npi_polyval", [np.zeros(0, "float32"), (2,)], {}, np.zeros(2), gradient=False, note="empty"),

    Sample("_npi_diff", [(3, 4)], {}, lambda a: np.diff(a)),
    Sample("_npi_diff", [(4, 3)], {"n": 2, "axis": -2}, lambda a: np.diff(a, 2, 0)),
    Sample("_npi_diff", [(3, 4)], {"n": 0}, lambda a: a),
    Sample("_npi_diff", [(3, 4)], {"n": 9}, np.zeros((3, 0))),
    Sample("_npi_diff", [np.uint8([1, 5, 2])], {}, np.uint8([4, 253]), gradient=False, note="wraps"),

    Sample(EDIFF, [(3, 4)], {}, lambda a: np.ediff1d(a)),
    Sample(EDIFF, [(3, 4)], {"to_begin_scalar": 1.5, "to_end_scalar": -2}, lambda a: np.ediff1d(a, -2, 1.5)),
    Sample(EDIFF, [(3,), (2, 2)], {"to_begin_arr_given": True}, lambda a, b: np.ediff1d(a, None, b)),
    Sample(EDIFF, [(3,), (2,)], {"to_end_arr_given": True, "to_begin_scalar": 3}, lambda a, e: np.ediff1d(a, e, 3)),
    Sample(EDIFF, [(3,), (2,), ()], {"to_begin_arr_given": True, "to_end_arr_given": True}, lambda a, b, e: np.ediff1d(a, e, b)),
    Sample(EDIFF, [()], {"to_end_scalar": 4}, np.array([4.0]), gradient=False, note="0-d"),
    Sample(EDIFF, [np.int32([1, 5, 2])], {"to_begin_scalar": 1.5, "to_end_scalar": -2.7}, np.array([1, 4, -3, -2]), gradient=False),
]
# fmt: on


def test_places_have_single_precision_and_double_elements_double():
    op = find(PERCENTILE).of({"q_scalar": 33.37})
    found = op.forward(torch.arange(1001, dtype=torch.float64))
    assert found.item() == float(np.float32(333.7))


def bincount(*arrays, **attrs):
    return find("_npi_bincount").of(attrs).forward(*map(torch.from_numpy, arrays)).numpy()


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "int8"])
def test_bincount(dtype):
    data = np.array([1, 3, 1], dtype)
    found = bincount(data)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, [0, 2, 0, 1])
    np.testing.assert_array_equal(bincount(data, minlength=6), [0, 2, 0, 1, 0, 0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8"])
def test_bincount_with_weights(dtype):
    found = bincount(np.int32([1, 3, 1]), np.array([1, 2, 5], dtype), has_weights=True)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, [0, 6, 0, 2])


def test_bincount_at_its_edges():
    assert bincount(np.int32([])).shape == (0,)
    np.testing.assert_array_equal(bincount(np.int32([]), minlength=2), [0, 0])
    np.testing.assert_array_equal(bincount(np.array(2)), [0, 0, 1])
    np.testing.assert_array_equal(bincount(np.array([1]), minlength=-1), [0, 1])
    with pytest.raises(MXNetError, match=">= 0"):
        bincount(np.int32([-1, 3]))


def test_percentages_in_an_array_are_checked():
    with pytest.raises(ValueError, match=r"q=.*\[0, 100\]"):
        find(PERCENTILE).of({}).forward(torch.ones(3), torch.tensor([10.0, 130.0]))


# fmt: off
REFUSED = [
    (PERCENTILE, {"q_scalar": 130}, [(3, 4)], "q_scalar=130"),
    (PERCENTILE, {"q_scalar": 10, "axis": 3}, [(3, 4)], "axis=3"),
    (PERCENTILE, {"q_scalar": 10, "axis": (0, -2)}, [(3, 4)], "twice"),
    (PERCENTILE, {"q_scalar": 10, "axis": 1}, [(3, 0)], "[3,0]"),
    (PERCENTILE, {}, [(3, 4), (2, 2)], "q has shape [2,2]"),
    ("_npi_bincount", {}, [(1, 2)], "[1,2]"),
    ("_npi_bincount", {"has_weights": True}, [(3,), (2,)], "[3]", "[2]"),
    ("_npi_polyval", {}, [(1, 3), (2,)], "p has shape [1,3]"),
    ("_npi_diff", {"n": -1}, [(3, 4)], "n=-1"),
    ("_npi_diff", {"axis": 2}, [(3, 4)], "axis=2"),
    ("_npi_diff", {}, [()], "axis=-1"),
]
# fmt: on


F32, F64, I32, BOOL = torch.float32, torch.float64, torch.int32, torch.bool


@pytest.mark.parametrize(
    "name, types, attrs",
    [
        (PERCENTILE, [BOOL], {"q_scalar": 1}),
        ("_npi_bincount", [F32], {}),
        ("_npi_bincount", [BOOL], {}),
        ("_npi_polyval", [BOOL, BOOL], {}),
        ("_npi_diff", [BOOL], {}),
        (EDIFF, [BOOL, BOOL], {"to_end_arr_given": True}),
    ],
)
def test_refused_types(name, types, attrs):
    with pytest.raises(MXNetError, match="type"):
        inferred_dtypes(name, attrs, types)


def test_types_are_learned_from_others():
    assert inferred_dtypes("_npi_polyval", {}, [F64, None]) == "float64, float64 -> float64"
    assert inferred_dtypes("_npi_polyval", {}, [F64, F32]) == "float64, float32 -> float64"
    weighted = inferred_dtypes("_npi_bincount", {"has_weights": True}, [None, F64])
    assert weighted == "unknown, float64 -> float64"
    assert inferred_dtypes(PERCENTILE, {}, [I32, F64]) == "int32, float64 -> float32"
