# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.shape  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.scopes import set_np_shape
from mxnova.core.base.shapes import from_user
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_shapes
from tests.unit.op.samples import Sample

X = (2, 3, 4)


def reshaped(code, shape, expected, **attrs):
    attrs = {"newshape": code, **attrs}
    return Sample("_npx_reshape", [shape], attrs, lambda x: x.reshape(expected), gradient=False)


# fmt: off
SAMPLES = [
    Sample("_np_reshape", [X], {"newshape": (4, 6)}, lambda x: x.reshape(4, 6)),
    Sample("_np_reshape", [X], {"newshape": (-1, 4)}, lambda x: x.reshape(6, 4)),
    Sample("_np_reshape", [(1, 1)], {"newshape": "()"}, lambda x: x.reshape(())),
    Sample("_np_reshape", [(0, 3)], {"newshape": (-1, 6)}, lambda x: x.reshape(0, 6), gradient=False),
    reshaped((-2, -2, 2, 2), X, (2, 3, 2, 2)),
    reshaped((-5, -2), X, (6, 4)),
    reshaped((-1, -5), X, (2, 12)),
    reshaped((-2, -3, -1), (2, 1, 4), (2, 4)),
    reshaped((-4, -1), X, (2, 3, 4, 1)),
    reshaped((-6, 1, -1, -4), X, (1, 2, 3, 4)),
    reshaped((-2, -6, -1, 3, -2), (2, 6, 4), (2, 2, 3, 4)),
    reshaped((-4, -1), X, X, reverse=True),
    reshaped((-4, 2, 2, -6), X, (2, 3, 2, 2), reverse=True),
    reshaped((0, 0), (0, 3), (0, 0)),
    Sample("_npi_reshape", [X], {"newshape": (-4,)}, lambda x: x),

    Sample("_np_squeeze", [(1, 3, 1)], {}, lambda x: x.reshape(3)),
    Sample("_np_squeeze", [(1, 3, 1)], {"axis": 2}, lambda x: x.reshape(1, 3)),
    Sample("_np_squeeze", [(1, 3, 1)], {"axis": (0, -3)}, lambda x: x.reshape(3, 1)),
    Sample("_np_squeeze", [(1, 1)], {}, lambda x: x.reshape(())),
    Sample("_np_squeeze", [(1, 3)], {"axis": "()"}, lambda x: x),
    Sample("_np_transpose", [X], {}, lambda x: x.T),
    Sample("_np_transpose", [X], {"axes": (1, 2, 0)}, lambda x: x.transpose(1, 2, 0)),
    Sample("_np_transpose", [X], {"axes": (-1, 0, 1)}, lambda x: x.transpose(2, 0, 1)),
    Sample("_np_transpose", [()], {}, lambda x: x),
    Sample("_np_moveaxis", [X], {"source": 0, "destination": 2}, lambda x: np.moveaxis(x, 0, 2)),
    Sample("_np_moveaxis", [X], {"source": (-1, 0), "destination": (0, 1)}, lambda x: x.transpose(2, 0, 1)),

    Sample("_np_roll", [(2, 3)], {"shift": 2}, lambda x: np.roll(x, 2)),
    Sample("_np_roll", [(2, 3)], {"shift": -7, "axis": 0}, lambda x: x[::-1]),
    Sample("_np_roll", [(2, 3)], {"shift": 1, "axis": (0, 1)}, lambda x: np.roll(x, (1, 1), (0, 1))),
    Sample("_np_roll", [(2, 3)], {"shift": (1, 2), "axis": (1, 0)}, lambda x: np.roll(x, 1, 1)),
    Sample("_npi_flip", [(2, 3)], {"axis": 0}, lambda x: x[::-1]),
    Sample("_npi_flip", [(2, 3)], {"axis": None}, lambda x: x[::-1, ::-1]),
    Sample("_npi_flip", [(2, 3)], {"axis": (0, 0)}, lambda x: x),
    Sample("_npi_rot90", [X], {"axes": (0, 1)}, lambda x: np.rot90(x), d_expected=lambda d, x: np.rot90(d)),
    Sample("_npi_rot90", [X], {"axes": (1, 2), "k": 2}, lambda x: x[:, ::-1, ::-1], d_expected=lambda d, x: d[:, ::-1, ::-1]),
    Sample("_npi_rot90", [X], {"axes": (-1, 0), "k": -1}, lambda x: np.rot90(x, -1, (-1, 0)), d_expected=lambda d, x: np.rot90(d, -1, (-1, 0))),

    Sample("_np_diagonal", [X], {}, lambda x: np.diagonal(x)),
    Sample("_np_diagonal", [X], {"offset": -1, "axis1": -1, "axis2": 1}, lambda x: np.diagonal(x, -1, -1, 1)),
    Sample("_np_diagonal", [(2, 3)], {"offset": 5}, np.zeros(0, "float32"), gradient=False),
    Sample("_np_trace", [X], {}, lambda x: np.trace(x)),
    Sample("_np_trace", [X], {"offset": 1, "axis1": 1, "axis2": 2}, lambda x: np.trace(x, 1, 1, 2)),
    Sample("_np_trace", [(2, 3)], {"offset": -3}, lambda x: np.float64(0), gradient=False),
    Sample("_np_trace", [np.full((3, 3), 100, "uint8")], {}, np.uint8(44), gradient=False),
    Sample("_np_diag", [(3,)], {"k": -1}, lambda x: np.diag(x, -1)),
    Sample("_np_diag", [(2, 3)], {"k": 1}, lambda x: np.diag(x, 1)),
    Sample("_np_diag", [(2, 3)], {"k": -2}, np.zeros(0, "float32"), gradient=False),
    Sample("_np_diagflat", [(2, 2)], {"k": 1}, lambda x: np.diagflat(x, 1)),
    Sample("_npi_tril", [X], {"k": -1}, lambda x: np.tril(x, -1)),
    Sample("_npi_tril", [(3,)], {"k": 1}, lambda x: np.tril(x, 1)),
]

REFUSED = [
    ("_np_reshape", {"newshape": (5, 5)}, [(2, 3, 4)], "newshape=(5, 5)", "[2,3,4]"),
    ("_np_reshape", {"newshape": (-1, -1)}, [(2, 3, 4)], "newshape=(-1, -1)"),
    ("_np_reshape", {"newshape": (-1, 0)}, [(2, 3, 4)], "newshape=(-1, 0)"),
    ("_npx_reshape", {"newshape": (-7,)}, [(2, 3, 4)], "newshape=(-7,)"),
    ("_npx_reshape", {"newshape": (-3, -4)}, [(2, 3, 4)], "-3"),
    ("_npx_reshape", {"newshape": (-6, 2, 2, -4)}, [(2, 3, 4)], "cannot split 2 into 2 and 2"),
    ("_npx_reshape", {"newshape": (-6, 1)}, [(2, 3, 4)], "[2,3,4]"),
    ("_npx_reshape", {"newshape": (-4, 2)}, [(2, 3, 4)], "[2,3,4]"),
    ("_np_squeeze", {"axis": 1}, [(2, 3, 4)], "axis=1", "[2,3,4]"),
    ("_np_transpose", {"axes": (0, 0, 1)}, [(2, 3, 4)], "axes=(0, 0, 1)"),
    ("_np_transpose", {"axes": (0, 1)}, [(2, 3, 4)], "axes=(0, 1)"),
    ("_np_moveaxis", {"source": 0, "destination": (1, 2)}, [(2, 3, 4)], "source=[0]"),
    ("_np_moveaxis", {"source": 3, "destination": 0}, [(2, 3, 4)], "source=3"),
    ("_np_roll", {}, [(2, 3, 4)], "shift=None"),
    ("_np_roll", {"shift": (1, 2)}, [(2, 3, 4)], "shift=(1, 2)"),
    ("_np_roll", {"shift": 1, "axis": 5}, [(2, 3, 4)], "axis=5"),
    ("_npi_flip", {"axis": 3}, [(2, 3, 4)], "axis=3"),
    ("_npi_rot90", {}, [(2, 3, 4)], "axes=None"),
    ("_npi_rot90", {"axes": (0, -3)}, [(2, 3, 4)], "axes=(0, -3)"),
    ("_np_diagonal", {"axis1": 1, "axis2": 1}, [(2, 3, 4)], "axis1=1, axis2=1"),
    ("_np_diag", {}, [(2, 3, 4)], "[2,3,4]"),
]

PARTLY_KNOWN = [
    ("_np_reshape", {"newshape": (4, 6)}, [(2, -1)], None, "[2,12] -> [4,6]"),
    ("_np_reshape", {"newshape": (-1, 6)}, [(2, -1)], None, "[2,?] -> [?,6]"),
    ("_np_reshape", {"newshape": (4, 6)}, [None], None, "unknown -> [4,6]"),
    ("_np_transpose", {"axes": (1, 2, 0)}, [(2, -1, 3)], None, "[2,?,3] -> [?,3,2]"),
    ("_np_transpose", {"axes": (1, 2, 0)}, [None], (2, 3, 4), "[4,2,3] -> [2,3,4]"),
    ("_np_moveaxis", {"source": 0, "destination": 1}, [(2, -1, 3)], None, "[2,?,3] -> [?,2,3]"),
    ("_np_trace", {}, [(2, 2, -1)], None, "[2,2,?] -> [?]"),
    ("_np_diagonal", {}, [(2, -1, 3)], None, "[2,?,3] -> [3,?]"),
]
# fmt: on


@pytest.fixture(autouse=True)
def numpy_shapes():
    before = set_np_shape(True)
    yield
    set_np_shape(before)


@pytest.mark.parametrize(("name", "attrs", "inputs", "output", "expected"), PARTLY_KNOWN)
def test_partly_known(name, attrs, inputs, output, expected):
    inputs = [from_user(i) for i in inputs]
    assert inferred_shapes(name, attrs, inputs, output) == expected


def test_flip_needs_its_axis():
    with pytest.raises(MXNetError, match="axis"):
        find("_npi_flip").of({})
    assert find("_npi_flip").of({"axis": "None"}).axis is None


def test_tril_keeps_nothing_above_where_there_is_nan():
    output = find("_npi_tril").of({}).forward(torch.full((2, 2), torch.nan))
    assert output[0, 1] == 0
    assert output[1, 0].isnan()
