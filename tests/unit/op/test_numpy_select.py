# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.select  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

A = np.arange(12, dtype="float32").reshape(3, 4)
I64 = np.int64
DELETE, SCALAR, SLICE, TENSOR = "_npi_delete", "_npi_insert_scalar", "_npi_insert_slice", "_npi_insert_tensor"  # fmt: skip

# fmt: off
SAMPLES = [
    Sample(DELETE, [A], {"int_ind": 1}, lambda a: np.delete(a, 1)),
    Sample(DELETE, [A], {"int_ind": -1, "axis": -1}, lambda a: np.delete(a, -1, 1)),
    Sample(DELETE, [A], {"start": 3, "stop": 0, "step": -1, "axis": 1}, lambda a: np.delete(a, slice(3, 0, -1), 1)),
    Sample(DELETE, [A], {"step": -2, "axis": 1}, lambda a: np.delete(a, slice(None, None, -2), 1)),
    Sample(DELETE, [A], {"start": 0, "stop": 10, "step": 1, "axis": 1}, np.zeros((3, 0), "float32")),
    Sample(DELETE, [A], {"start": 2, "stop": 2, "step": 1, "axis": 1}, A, note="nothing"),
    Sample(DELETE, [np.float32(3)], {"int_ind": 0}, np.zeros(0, "float32"), note="0-d"),
    Sample(DELETE, [np.array([1, 2, 3], "uint8")], {"int_ind": 0}, np.array([2, 3], "uint8")),

    Sample(SCALAR, [A, (3,)], {"int_ind": 1, "axis": 1}, lambda a, v: np.insert(a, 1, v, 1)),
    Sample(SCALAR, [A, (3, 1)], {"int_ind": 1, "axis": 1}, lambda a, v: np.insert(a, 1, v, 1), note="three"),
    Sample(SCALAR, [A, (2, 4)], {"int_ind": 3, "axis": 0}, lambda a, v: np.insert(a, 3, v, 0)),
    Sample(SCALAR, [A, ()], {"int_ind": -3, "axis": 0}, lambda a, v: np.insert(a, -3, v, 0)),
    Sample(SCALAR, [A, (1, 3)], {"int_ind": 2}, lambda a, v: np.insert(a, 2, v[0])),
    Sample(SCALAR, [(2, 3, 4), (2, 3)], {"int_ind": 1, "axis": 2}, lambda a, v: np.insert(a, 1, v, 2)),
    Sample(SCALAR, [A], {"val": 5.5, "int_ind": 2}, lambda a: np.insert(a, 2, 5.5)),
    Sample(SCALAR, [np.arange(3)], {"val": 3.7, "int_ind": 2}, np.array([0, 1, 3, 2])),
    Sample(SCALAR, [np.arange(3), np.array([7.6, 8], "float32")], {"int_ind": 0}, np.array([7, 8, 0, 1, 2])),

    Sample(SLICE, [A, (2,)], {"start": 0, "stop": 3, "step": 2, "axis": 1}, lambda a, v: np.insert(a, [0, 2], v, 1)),
    Sample(SLICE, [A, (3, 1)], {"start": 0, "stop": 3, "step": 2, "axis": 1}, lambda a, v: np.insert(a, [0, 2], v, 1), note="column"),
    Sample(SLICE, [A, (2,)], {"start": 3, "step": -2, "axis": 1}, lambda a, v: np.insert(a, [3, 1], v, 1)),
    Sample(SLICE, [A, (3,)], {"start": 1, "stop": 2, "step": 1, "axis": 1}, lambda a, v: np.insert(a, [1], v, 1)),
    Sample(SLICE, [A, (1,)], {"start": 1, "stop": 1, "step": 1, "axis": 1}, A, note="nothing"),
    Sample(SLICE, [A], {"val": 1.5, "start": -2, "step": 1}, lambda a: np.insert(a, [10, 11], 1.5)),

    Sample(TENSOR, [A, (2,), I64([3, 1])], {"axis": 1}, lambda a, v, i: np.insert(a, i, v, 1)),
    Sample(TENSOR, [A, (2,), I64([1, 1])], {"axis": 1}, lambda a, v, i: np.insert(a, i, v, 1), note="twice"),
    Sample(TENSOR, [A, (2,), I64([-1, -4])], {"axis": 1}, lambda a, v, i: np.insert(a, i, v, 1), note="negative"),
    Sample(TENSOR, [A, (3, 2), I64([4])], {"axis": 1}, lambda a, v, i: np.insert(a, i, v, 1), note="end"),
    Sample(TENSOR, [A, (4,), I64(1)], {"axis": 0}, lambda a, v, i: np.insert(a, int(i), v, 0), note="lone"),
    Sample(TENSOR, [A, (3,), I64(1)], {"axis": 1}, lambda a, v, i: np.insert(a, int(i), v, 1), note="lone"),
    Sample(TENSOR, [A, (1, 1, 1), I64([0, 2])], {"axis": 0}, lambda a, v, i: np.insert(a, i, v[0], 0)),
    Sample(TENSOR, [A, I64([0, 2])], {"axis": 0, "val": 5.0}, lambda a, i: np.insert(a, i, 5, 0)),
]
# fmt: on


def run(name, *arrays, **attrs):
    found = find(name).of(attrs).forward(*map(torch.as_tensor, arrays))
    return [f.numpy() for f in found] if isinstance(found, tuple) else found.numpy()


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32"])
def test_deleting_listed_indices(dtype):
    found = run(DELETE, A, np.array([2, 0, 2], dtype), axis=1)
    np.testing.assert_array_equal(found, A[:, [1, 3]])


def test_listed_indices_out_of_range_are_passed_over():
    np.testing.assert_array_equal(run(DELETE, A, [-1, 3, 1], axis=0), A[[0, 2]])
    np.testing.assert_array_equal(run(DELETE, A, [-1, 11]), A.ravel()[:-1])


ALL = {"return_index": True, "return_inverse": True, "return_counts": True}


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int32"])
def test_unique(dtype, axis):
    data = np.array([[3, 1, 3, 0], [2, 1, 2, 0], [3, 1, 3, 0]], dtype)
    found = run("_npi_unique", data, axis=axis, **ALL)
    expected = np.unique(data, True, True, True, axis=axis)
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, want.reshape(got.shape))
    assert [f.dtype for f in found] == [dtype, *3 * ["int64"]]


def test_unique_gives_what_is_asked_for():
    data = np.array([5, 1, 5], "float32")
    np.testing.assert_array_equal(run("_npi_unique", data), [1, 5])
    _, counts = run("_npi_unique", data, return_counts=True)
    np.testing.assert_array_equal(counts, [1, 2])
    assert [f.tolist() for f in run("_npi_unique", np.float32(3), **ALL)] == [[3], [0], [0], [1]]
    assert [f.shape for f in run("_npi_unique", np.zeros((0, 2)), axis=0, **ALL)] == [(0,)] * 4


def test_types_of_unique():
    found = inferred_dtypes("_npi_unique", ALL, [torch.float64])
    assert found == "float64 -> float64, int64, int64, int64"
    with pytest.raises(MXNetError, match="bool"):
        inferred_dtypes("_npi_unique", {}, [torch.bool])


@pytest.mark.parametrize("name", ["_npx_nonzero", "_npi_nonzero"])
def test_nonzero(name):
    np.testing.assert_array_equal(run(name, [[0.0, 1], [np.nan, 0]]), [[0, 1], [1, 0]])
    assert run(name, 3.0).tolist() == [[0]]
    assert run(name, 0.0).shape == (0, 1)
    assert run(name, np.zeros((0, 3))).shape == (0, 2)


# fmt: off
REFUSED = [
    (DELETE, {"int_ind": 5, "axis": 0}, [(3, 4)], "int_ind=5"),
    (DELETE, {"int_ind": 1, "axis": 3}, [(3, 4)], "axis=3"),
    (DELETE, {"start": 2, "step": 0, "axis": 1}, [(3, 4)], "step=0"),
    (SCALAR, {"val": 5, "int_ind": 4, "axis": 0}, [(3, 4)], "int_ind=4"),
    (SCALAR, {"val": 5}, [(3, 4)], "int_ind"),
    (SCALAR, {"int_ind": 2, "axis": 0}, [(3, 4), (2,)], "values [2]"),
    (SCALAR, {"int_ind": 0, "axis": 0}, [(), (2,)], "axis=0"),
    (SCALAR, {"int_ind": 0, "axis": 0}, [(3, 4), (2, 3, 4)], "[2,3,4] has more axes"),
    (SLICE, {"start": 0, "stop": 3, "step": 2, "axis": 1}, [(3, 4), (3,)], "[3] ", " [3,2]"),
    (SLICE, {"val": 1, "step": 0}, [(3, 4)], "step=0"),
    (TENSOR, {"axis": 1}, [(3, 4), (3, 2), (1, 2)], "obj has shape [1,2]"),
    (TENSOR, {"axis": 1}, [(3, 4), (3,), (2,)], "values [3]"),
    ("_npi_unique", {"axis": 2}, [(2, 3)], "axis=2"),
]
# fmt: on


def test_indices_to_insert_at_must_be_in_range():
    with pytest.raises(IndexError, match="obj"):
        run(TENSOR, A, [1.0, 2], [1, 5], axis=1)


def test_indices_to_insert_at_are_int64():
    with pytest.raises(MXNetError, match="obj has type int32"):
        inferred_dtypes(TENSOR, {}, [torch.float32, torch.float32, torch.int32])
