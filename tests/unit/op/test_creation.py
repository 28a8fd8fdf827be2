# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova as mx
import mxnova.core.op.families.creation
import mxnova.core.op.families.legacy
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.scopes import set_np_shape
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample


def made(op, expected, **attrs):
    return Sample(op, [], attrs, expected, gradient=False)


def like(op, inputs, attrs, expected):
    return Sample(op, inputs, attrs, expected, gradient=False)


def array(dtype, *values):
    return np.array(values, dtype)


GRID = np.moveaxis(np.indices((2, 3)), 0, -1)

# fmt: off
SAMPLES = [
    made("_zeros", np.zeros((2, 3), "float32"), shape=(2, 3)),
    made("_zeros", np.zeros(4, "int8"), shape=4, dtype="int8"),
    made("_ones", np.ones((2, 3), "float16"), shape="(2, 3)", dtype="float16"),
    made("_ones", np.ones(2, "bool"), shape=2, dtype="bool"),
    made("_full", np.full(2, 2.7, "float32"), shape=2, value=2.7),
    made("_full", np.full(2, -1, "int64"), shape=2, value=-1.5, dtype="int64"),
    made("_full", np.full(2, 44, "uint8"), shape=2, value=300, dtype="uint8"),
    made("_full", np.full(2, True), shape=2, value=0.5, dtype="bool"),
    made("_full", np.full(2, np.inf, "float16"), shape=2, value=1e10, dtype="float16"),
    made("_zeros_without_dtype", np.zeros(2, "int32"), shape=2, dtype=4),
    made("_zeros_without_dtype", np.zeros(2, "bool"), shape=2, dtype=7),

    made("_arange", np.arange(4, dtype="float32"), start=4),
    made("_arange", array("float32", 0.5, 1, 1.5), start=0.5, stop=1.6, step=0.5),
    made("_arange", array("float64", 2.7, 3.7, 4.7, 5.7), start=2.7, stop=6.2, dtype="float64"),
    made("_arange", array("int32", 5, 4, 3, 2, 1), start=5, stop=0, step=-1, dtype="int32"),
    made("_arange", array("float32", 0, 0, 1, 1), start=0, stop=2, repeat=2),
    made("_arange", array("float16", 2, 3, 4, 5), start=2.7, stop=6.2, dtype="float16"),
    made("_arange", array("int32", 1, 3, 5, 7), start=1, stop=10, step=2.5, dtype="int32"),
    made("_linspace", array("float32", 0, 0.25, 0.5, 0.75, 1), start=0, stop=1, num=5),
    made("_linspace", array("float32", 0, 0.25, 0.5, 0.75), start=0, stop=1, num=4, endpoint=False),
    made("_linspace", array("int32", 3, 1, 0, -2), start=3, stop=-2, num=4, dtype="int32"),
    made("_linspace", array("float32", 3), start=3, stop=9, num=1),
    made("_linspace", array("float32"), start=3, stop=9, num=0),
    made("_eye", np.eye(3, dtype="float32"), N=3),
    made("_eye", np.eye(2, 4, 1, "int32"), N=2, M=4, k=1, dtype="int32"),
    made("_eye", np.eye(4, 2, -1, "float64"), N=4, M=2, k=-1, dtype="float64"),
    made("_eye", np.zeros((3, 3), "float32"), N=3, k=5),

    like("zeros_like", [(2, 3)], {}, np.zeros((2, 3), "float32")),
    like("ones_like", [array("bool", 0, 1)], {}, array("bool", 1, 1)),
    like("_contrib_arange_like", [(2, 3)], {"start": 1, "step": 0.5}, np.arange(1, 4, 0.5, "float32").reshape(2, 3)),
    like("_contrib_arange_like", [(2, 3)], {"axis": -1}, array("float32", 0, 1, 2)),
    like("_contrib_arange_like", [(2, 3)], {"axis": 1, "repeat": 2}, array("float32", 0, 0, 1)),
    like("_contrib_arange_like", [array("int64", 7, 7)], {"start": 2}, array("int64", 2, 3)),
    like("_contrib_index_array", [(2, 3)], {}, GRID),
    like("_contrib_index_array", [(2, 3)], {"axes": "(-1, 0, 0)"}, GRID[..., [1, 0, 0]]),
    like("_contrib_index_array", [(2, 3)], {"axes": "()"}, GRID[..., :0]),
    like("shape_array", [(2, 3)], {}, array("int64", 2, 3)),
    like("size_array", [(2, 3)], {}, array("int64", 6)),

    like("_onehot_encode", [array("float32", 1, 0, 9), (3, 4)], {}, np.eye(10, dtype="float32")[[1, 0, 9], :4]),
    like("fill_element_0index", [np.zeros((2, 3), "float32"), array("float32", 7, 8), array("float32", 2, 0)], {}, array("float32", [0, 0, 7], [8, 0, 0])),
]
# fmt: on


def test_rest_of_a_shape_is_inferred_from_the_output():
    assert inferred_shapes("_zeros", {"shape": "(0, 3)"}, [], (2, 3)) == " -> [2,3]"
    assert inferred_shapes("_zeros", {}, [], (2, 3)) == " -> [2,3]"
    assert inferred_shapes("_full", {"value": 1}, [], (2, 3)) == " -> [2,3]"
    assert inferred_shapes("_arange", {"start": 0, "infer_range": 1}, [], (5,)) == " -> [5]"


def test_numpy_semantics_know_scalars_and_empty_arrays():
    before = set_np_shape(True)
    try:
        assert inferred_shapes("_ones", {"shape": "()"}, []) == " -> []"
        assert inferred_shapes("_ones", {"shape": "(2, 0)"}, []) == " -> [2,0]"
        assert inferred_shapes("_ones", {"shape": "(2, -1)"}, []) == " -> [2,?]"
    finally:
        set_np_shape(before)


def test_type_may_be_left_to_the_output():
    attrs = {"shape": 2}
    assert inferred_dtypes("_zeros_without_dtype", attrs, [], torch.int8) == " -> int8"
    with pytest.raises(MXNetError, match=r"dtype='?99"):
        inferred_dtypes("_zeros_without_dtype", {**attrs, "dtype": 99}, [])


@pytest.mark.parametrize(
    "op, attrs, fact",
    [
        ("_arange", {"start": 3, "stop": 1}, "start=3, stop=1"),
        ("_arange", {"start": 0, "stop": 5, "step": 0}, "step=0"),
        ("_arange", {"start": 0, "stop": 5, "step": -1}, "step=-1"),
        ("_arange", {"start": 0, "stop": 5, "repeat": 0}, "repeat=0"),
        ("_arange", {"start": 0, "stop": float("inf")}, "stop=inf"),
        ("_arange", {"start": float("nan"), "stop": 5}, "start=nan"),
        ("_npi_arange", {"start": 0, "stop": 1e308, "step": 1e-308}, "step=1e-308"),
        ("_linspace", {"start": 0, "stop": 5, "num": -1}, "num=-1"),
        ("_eye", {"N": -1}, "N=-1"),
    ],
)
def test_bad_parameters_are_refused(op, attrs, fact):
    with pytest.raises(MXNetError, match=fact):
        inferred_shapes(op, attrs, [])


def test_axes_out_of_range_are_refused():
    with pytest.raises(MXNetError, match="axes=2"):
        inferred_shapes("_contrib_index_array", {"axes": 2}, [(2, 3)])
    with pytest.raises(MXNetError, match="axis=-3"):
        inferred_shapes("_contrib_arange_like", {"axis": -3}, [(2, 3)])


def test_set_value_fills_its_output():
    out = torch.zeros(2, dtype=torch.int32)
    op = find("_set_value").of({"src": 3.5})
    assert op.forward(out=(out,)) is out
    assert out.tolist() == [3, 3]
    with pytest.raises(MXNetError, match="out= is missing"):
        op.forward(out=None)


def test_set_value_fills_all_rows():
    out = mx.nd.sparse.zeros("row_sparse", (3, 2))
    mx.nd._internal._set_value(2.0, out=out)
    assert out.stype == "row_sparse"
    assert out.indices.asnumpy().tolist() == [0, 1, 2]
    assert (out.asnumpy() == 2).all()
    with pytest.raises(MXNetError, match="not csr"):
        mx.nd._internal._set_value(2.0, out=mx.nd.sparse.zeros("csr", (3, 2)))
