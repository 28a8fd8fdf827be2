# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.reduce  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.gradient import recorded
from mxnova.core.op.infer import DTypes, Shapes
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample

TIED = np.array([[1, 3, 3], [2, 2, 1]], "float32")
BYTES = np.array([100, -100, 27], "int8")
EMPTY = np.zeros((0, 3), "float32")
FLAGS = np.array([[True, False], [True, True]])


def tied_gradient(extreme):
    return lambda d, a: np.expand_dims(d, 1) * (a == extreme(a, 1, keepdims=True))


# fmt: off
SAMPLES = [
    Sample("_np_sum", [(2, 3, 4)], {"axis": "(0, -1)"}, lambda a: a.sum((0, 2))),
    Sample("_np_sum", [(2, 3)], {}, lambda a: a.sum()),
    Sample("_np_sum", [(2, 3)], {"axis": "()"}, lambda a: a),
    Sample("_np_sum", [()], {"axis": -1}, lambda a: a, note="scalar"),
    Sample("_np_sum", [FLAGS], {"axis": 0}, np.array([2, 1], "int64"), gradient=False),
    Sample("_np_sum", [BYTES], {"dtype": "int32"}, np.array(27, "int32"), gradient=False),
    Sample("_np_sum", [BYTES[:1].repeat(2)], {}, np.array(-56, "int8"), gradient=False),
    Sample("_np_sum", [np.float32([1.5, 1.5])], {"dtype": "int32"}, np.array(3, "int32"), gradient=False),
    Sample("_np_prod", [(2, 3)], {"axis": 1, "keepdims": True}, lambda a: a.prod(1, keepdims=True),
           d_expected=lambda d, a: d * a.prod(1, keepdims=True) / a),
    Sample("_np_prod", [np.float32([0, 2, 3])], {}, np.float32(0), d_expected=lambda d, a: np.array([np.nan, -0.0, -0.0])),
    Sample("_np_prod", [EMPTY], {"axis": 0}, np.ones(3, "float32"), gradient=False),
    Sample("_np_prod", [EMPTY.astype("int32")], {}, np.array(1, "int32"), gradient=False, note="int32"),
    Sample("_np_product", [BYTES[:2]], {"dtype": "float32"}, np.float32(-10000), gradient=False),
    Sample("_npi_mean", [(2, 3)], {"axis": 0, "dtype": "float64"}, lambda a: a.mean(0), gradient=False, tol=1e-6),
    Sample("_npi_mean", [(2, 3)], {"axis": 0}, lambda a: a.mean(0)),
    Sample("_npi_mean", [BYTES], {}, np.float32(9), gradient=False),
    Sample("_npi_mean", [np.int32([-1, -2])], {"dtype": "int32"}, np.array(-1, "int32"), gradient=False),
    Sample("_npi_mean", [EMPTY], {"axis": 0}, np.full(3, np.nan, "float32"), gradient=False),
    Sample("_npi_mean", [EMPTY.astype("int32")], {"axis": 0}, np.full(3, np.nan, "float32"), gradient=False, note="int32"),
    Sample("_npi_mean", [EMPTY], {"dtype": "int32"}, np.array(0, "int32"), gradient=False, note="to int32"),
    Sample("_npi_var", [(2, 3, 4)], {"axis": "(1, 2)", "ddof": 2}, lambda a: a.var((1, 2), ddof=2)),
    Sample("_npi_var", [BYTES], {}, np.int8(2), note="wraps around"),
    Sample("_npi_var", [BYTES], {"dtype": "float32"}, np.float32(262 / 3)),
    Sample("_npi_std", [(4, 3)], {"axis": 0, "keepdims": True}, lambda a: a.std(0, keepdims=True)),
    Sample("_npi_std", [np.int32([1, 2, 4, 9])], {"ddof": 1}, np.int32(3)),
    Sample("_np_max", [TIED], {"axis": 1}, np.float32([3, 2]), d_expected=tied_gradient(np.max)),
    Sample("_np_amin", [TIED], {"axis": 1}, np.float32([1, 1]), d_expected=tied_gradient(np.min)),
    Sample("_np_max", [FLAGS], {"axis": "()"}, FLAGS, gradient=False),
    Sample("_np_all", [FLAGS], {"axis": 0}, np.array([True, False])),
    Sample("_np_any", [np.float32([[0, np.nan], [0, -0.0]])], {"axis": 1, "keepdims": True}, np.array([[True], [False]])),
    Sample("_np_sometrue", [EMPTY], {}, np.array(False)),
    Sample("_npi_argmax", [TIED], {"axis": -1}, np.array([1, 0])),
    Sample("_npi_argmin", [TIED], {"keepdims": True}, np.array([[0]])),
    Sample("_npi_average", [(2, 3), (2, 3)], {"axis": 1}, lambda a, w: np.average(a, 1, w), low=0.5),
    Sample("_npi_average", [(2, 3), (3,)], {"axis": 1, "returned": True}, lambda a, w: (np.average(a, 1, w), w.sum()), low=0.5),
    Sample("_npi_average", [np.int32([[1, 2], [-1, -2]])], {"axis": 1, "weighted": False, "returned": True},
           (np.int32([1, -1]), np.int32(2)), gradient=False),
]
# fmt: on


def test_no_gradient_flows_through_the_sum_of_weights():
    op = find("_npi_average").of({"returned": True})
    weights = torch.ones(2, 3, requires_grad=True)
    _, total = recorded(op)(torch.ones(2, 3), weights)
    assert not total.requires_grad


@pytest.mark.parametrize(
    ("name", "attrs", "shape", "message"),
    [
        ("_np_sum", {"axis": 2}, (2, 3), r"axis=2.*\[2,3\]"),
        ("_np_sum", {"axis": "(0, -2)"}, (2, 3), "twice"),
        ("_np_prod", {"initial": 2}, (2, 3), "initial=2"),
        ("_np_max", {"axis": 0}, (0, 3), r"\[0,3\]"),
        ("_npi_argmax", {}, (0, 3), r"\[0,3\]"),
        ("_npi_argmin", {"axis": -3}, (2, 3), "axis=-3"),
    ],
)
def test_refused_shapes(name, attrs, shape, message):
    op = find(name).of(attrs)
    with pytest.raises(MXNetError, match=message):
        op.infer_shape(Shapes(op.name, op.inputs(), op.outputs(), [shape, None]))


@pytest.mark.parametrize(
    ("axis", "shapes"),
    [(None, [(2, 3), (3,)]), ("(0, 1)", [(2, 3), (3,)]), ("1", [(2, 3), (2,)])],
)
def test_refused_weights(axis, shapes):
    op = find("_npi_average").of({"axis": axis})
    with pytest.raises(MXNetError, match="weights"):
        op.infer_shape(Shapes(op.name, op.inputs(), op.outputs(), [*shapes, None, None]))


@pytest.mark.parametrize("name", ["_npi_var", "_npi_std", "_npi_argmax", "_npi_average"])
def test_bool_is_refused_where_numbers_are_needed(name):
    op = find(name).of({})
    facts = [torch.bool] * len(op.inputs()) + [None] * len(op.outputs())
    with pytest.raises(MXNetError, match="bool"):
        op.infer_dtype(DTypes(op.name, op.inputs(), op.outputs(), facts))
