# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova.core.op.numpy.creation  # noqa: F401
from mxnova.core.base.scopes import set_np_shape
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample


def made(op, expected, tol=None, **attrs):
    return Sample(op, [], attrs, expected, gradient=False, tol=tol)


def like(op, data, expected, **attrs):
    return Sample(op, [data], attrs, expected, gradient=False)


def array(dtype, *values):
    return np.array(values, dtype)


# fmt: off
SAMPLES = [
    made("_npi_zeros", np.zeros((2, 0), "float32"), shape=(2, 0)),
    made("_npi_zeros", np.zeros((), "float64"), dtype="float64"),
    made("_npi_ones", np.ones(2, "bool"), shape=2, dtype="bool"),
    made("_npi_arange", np.arange(5, dtype="float32"), start=5),
    made("_npi_arange", array("float64", 1, 1.25, 1.5, 1.75), start=1, stop=2, step=0.25, dtype="float64"),
    made("_npi_arange", array("float32", 5, 3, 1), start=5, stop=0, step=-2),
    made("_npi_arange", array("float32"), start=5, stop=0),
    made("_npi_arange", array("int32", 0, 0, 0, 0, 0), start=0.5, stop=3.7, step=0.7, dtype="int32"),
    made("_npi_logspace", np.logspace(0, 2, 5, dtype="float32"), start=0, stop=2, num=5),
    made("_npi_logspace", np.logspace(0, 3, 4, False, 2, "float64"), start=0, stop=3, num=4, endpoint=False, base=2, dtype="float64"),
    made("_npi_logspace", array("int32", 1, 2, 7, 19), start=0, stop=3, num=4, base=2.7, dtype="int32"),
    made("_npi_logspace", array("float32"), start=0, stop=3, num=0),
    made("_npi_hanning", np.hanning(12).astype("float32"), M=12),
    made("_npi_hamming", np.hamming(12).astype("float32"), M=12),
    made("_npi_blackman", np.blackman(12).astype("float32"), M=12),
    made("_npi_blackman", np.blackman(7), M=7, dtype="float64", tol=1e-7),
    made("_npi_hanning", array("float16", 0, 0.345703125, 0.904296875, 0.904296875, 0.34521484375, 0), M=6, dtype="float16", tol=0),
    made("_npi_hanning", array("int32", 0, 0, 0), M=3, dtype="int32"),
    made("_npi_hanning", array("int32", 1), M=1, dtype="int32"),
    made("_npi_hanning", array("float32"), M=-1),
    made("_npi_eye", np.eye(3, dtype="float32"), N=3),
    made("_npi_eye", np.eye(2, 4, 1, "int64"), N=2, M=4, k=1, dtype="int64"),
    made("_npi_eye", np.zeros((3, 0), "float32"), N=3, M=0),
    made("_npi_eye", np.zeros((3, 3), "float32"), N=3, M=None, k=-7),
    made("_npi_identity", np.eye(3, dtype="bool"), shape=(3, 3), dtype="bool"),
    made("_npi_indices", np.indices((2, 3), "int32"), dimensions=(2, 3)),
    made("_npi_indices", np.indices((2, 0, 3), "float16"), dimensions=(2, 0, 3), dtype="float16"),
    made("_npi_indices", array("int32"), dimensions="()"),
    like("_npi_diag_indices_from", np.zeros((2, 2, 2), "bool"), array("int64", *[[0, 1]] * 3)),
    like("_npi_full_like", (2, 3), np.full((2, 3), 2.5, "float32"), fill_value=2.5),
    like("_npi_full_like", (2,), array("uint8", 254, 254), fill_value=-2.5, dtype="uint8"),
    like("_npi_full_like", np.zeros((), "bool"), np.array(True), fill_value=0.5),
]

REFUSED = [
    ("_npi_arange", {"start": 0, "step": 0}, [], "step=0"),
    ("_npi_arange", {"start": 3, "repeat": 2}, [], "repeat=2"),
    ("_npi_arange", {"start": 0, "infer_range": True}, [], "infer_range"),
    ("_npi_logspace", {"start": 0, "stop": 1, "num": -1}, [], "num=-1"),
    ("_npi_hanning", {}, [], "M=None"),
    ("_npi_hanning", {"M": "4.5"}, [], "M='4.5'"),
    ("_npi_eye", {"N": -1}, [], "N=-1"),
    ("_npi_eye", {"N": 2, "M": -1}, [], "M=-1"),
    ("_npi_identity", {"shape": (2, 3)}, [], "shape=[2,3]"),
    ("_npi_indices", {"dimensions": (-1, 2)}, [], "dimensions=[-1,2]"),
    ("_npi_diag_indices_from", {}, [(2, 3)], "[2,3]"),
    ("_npi_diag_indices_from", {}, [(3,)], "[3]"),
    ("_npi_full_like", {}, [(2,)], "fill_value"),
]
# fmt: on


@pytest.fixture(autouse=True)
def numpy_shapes():
    before = set_np_shape(True)
    yield
    set_np_shape(before)


def test_types_that_parameters_decide():
    assert inferred_dtypes("_npi_diag_indices_from", {}, [None]) == "unknown -> int64"
    half = {"fill_value": 1, "dtype": "float16"}
    assert inferred_dtypes("_npi_full_like", half, [None]) == "unknown -> float16"
