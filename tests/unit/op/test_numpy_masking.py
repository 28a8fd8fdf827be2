# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.masking  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.infer import Shapes
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

MASK = np.array([[True], [False]])
FLOATS = np.array([0, np.nan, -2], "float32")
INTEGERS = np.array([1, 2, 3], "int8")
X = np.arange(6, dtype="float32").reshape(2, 3)
X3 = np.arange(24, dtype="float32").reshape(2, 3, 4)
SCALAR, TENSOR = "_npi_boolean_mask_assign_scalar", "_npi_boolean_mask_assign_tensor"


def assign(data, mask, value, expected, start_axis=0, note=""):
    mask = np.array(mask, bool)
    attrs = {"start_axis": start_axis}
    if isinstance(value, float):
        inputs = [data, mask]
        return Sample(SCALAR, inputs, {"value": value, **attrs}, expected, False, note=note)
    value = np.array(value, data.dtype)
    note = f"{note} {mask.shape} {value.shape}"
    return Sample(TENSOR, [data, mask, value], attrs, expected, False, note=note)


def assigned(data, index, value):
    data = data.copy()
    data[index] = value
    return data


# fmt: off
SAMPLES = [
    Sample("_npi_where", [MASK, (3,), (2, 1)], {}, np.where),
    Sample("_npi_where", [FLOATS, (2, 3), ()], {}, lambda c, x, y: np.where(c, x, y), gradient=False, note="floats"),
    Sample("_npi_where", [MASK, INTEGERS, -INTEGERS], {}, np.where, gradient=False, note="int8"),
    Sample("_npi_where_lscalar", [MASK, (3,)], {"scalar": 1.5}, lambda c, x: np.where(c, 1.5, x),
           d_expected=lambda d, c, x: (None, (d * c).sum(0))),
    Sample("_npi_where_rscalar", [MASK, (3,)], {"scalar": 1.5}, lambda c, y: np.where(c, y, 1.5),
           d_expected=lambda d, c, y: (None, (d * (1 - c)).sum(0))),
    Sample("_npi_where_lscalar", [MASK, INTEGERS], {"scalar": 300}, np.array([[44, 44, 44], [1, 2, 3]], "int8"), False),
    Sample("_npi_where_lscalar", [MASK, INTEGERS], {"scalar": 0.7}, np.array([[0.7, 0.7, 0.7], [1, 2, 3]]), False),
    Sample("_npi_where_scalar2", [MASK], {"x": 1.5, "y": -2}, np.array([[1.5], [-2]], "float32"), False),
    Sample("_npi_where_scalar2", [FLOATS], {"x": 1}, np.array([0, 1, 1], "float32"), False),

    assign(X, X % 2 == 0, 9.5, np.where(X % 2 == 0, 9.5, X)),
    assign(X, [True, False], 9.5, assigned(X, 0, 9.5), note=" first axis"),
    assign(X, [True, False, True], 9.5, assigned(X, np.s_[:, ::2], 9.5), 1),
    assign(X.astype("int32"), [True, False], 9.7, assigned(X.astype("int32"), 0, 9), note=" int32"),
    assign(X, X % 2 == 0, [7, 8, 9], assigned(X, X % 2 == 0, [7, 8, 9])),
    assign(X, X % 2 == 0, [7], assigned(X, X % 2 == 0, 7)),
    assign(X, X % 2 == 0, 7, assigned(X, X % 2 == 0, 7)),
    assign(X, [True, True], [7, 8, 9], assigned(X, np.s_[:], [7, 8, 9])),
    assign(X, [True, True], [[1, 2, 3], [4, 5, 6]], np.array([[1, 2, 3], [4, 5, 6]], "float32")),
    assign(X, [False, False], [7, 8, 9], X, note=" nothing"),
    assign(X, [True, False, True], [7, 8], assigned(X, np.s_[:, ::2], [[7], [8]]), 1),
    assign(X3, [True, False, True], X3[:, 0] + 50, assigned(X3, np.s_[:, ::2], X3[:, :1] + 50), 1),
]
# fmt: on


def test_zeros_keep_their_sign():
    op = find(SCALAR)
    for value in (0.0, -0.0, 0.0):
        filled = op.of({"start_axis": 0, "value": value}).forward(torch.ones(1), torch.ones(1))
        assert torch.signbit(filled).item() is (str(value) == "-0.0")


def test_too_few_values_are_refused():
    op = find(TENSOR).of({"start_axis": 0})
    with pytest.raises(MXNetError, match=r"\[2\].*\[3\]"):
        op.forward(torch.zeros(3), torch.ones(3, dtype=torch.bool), torch.ones(2))


@pytest.mark.parametrize("start_axis", [-1, 0, 2])
def test_a_mask_must_fit_its_axes(start_axis):
    op = find(SCALAR).of({"start_axis": start_axis, "value": 1})
    shapes = Shapes(op.name, op.inputs(), op.outputs(), [(2, 3), (3,), None])
    with pytest.raises(MXNetError, match=rf"mask \[3\].*data \[2,3\].*start_axis={start_axis}"):
        op.infer_shape(shapes)


def test_type_of_the_output():
    half, int8 = torch.float16, torch.int8
    assert (
        inferred_dtypes("_npi_where", {}, [int8, half, None]) == "int8, float16, float16 -> float16"
    )
    assert inferred_dtypes("_npi_where_scalar2", {}, [int8]) == "int8 -> float32"
    mixed = inferred_dtypes("_npi_where", {}, [half, half, int8])
    assert mixed == "float16, float16, int8 -> float16"
    with pytest.raises(MXNetError, match=r"_npi_where: .*uint8 cannot be combined"):
        inferred_dtypes("_npi_where", {}, [half, int8, torch.uint8])
