# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova as mx
import mxnova.core.op.tensor.lookup
import mxnova.core.op.tensor.scatter
import mxnova.core.op.tensor.sparse
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

_ = UNKNOWN
X = (4, 3)
NEAR = np.array([0, 3, 1, 1])
FAR = np.array([0, 9, -1, 4])
BETWEEN = np.array([0.9, 2.5], "float32")


def i32(*values):
    return np.array(values, "int32")


def copied(x, index, values):
    x = x.copy()
    x[index] = values
    return x


def placed(shape, index, values):
    return copied(np.zeros(shape), index, values)


# fmt: off
SAMPLES = [
    Sample("Embedding", [FAR, X], {"input_dim": 4, "output_dim": 3}, lambda i, w: w[[0, 3, 0, 3]]),
    Sample("Embedding", [np.array([[0.9, 2.5]], "float32"), X], {"input_dim": 4, "output_dim": 3}, lambda i, w: w[[[0, 2]]], gradient=False),
    Sample("_contrib_SparseEmbedding", [NEAR, X], {"input_dim": 4, "output_dim": 3}, lambda i, w: w[i]),
    Sample("take", [X, FAR], {}, lambda x, i: x[[0, 3, 0, 3]]),
    Sample("take", [X, FAR], {"mode": "wrap"}, lambda x, i: x[[0, 1, 3, 0]]),
    Sample("take", [X, NEAR], {"mode": "raise"}, lambda x, i: x[i]),
    Sample("take", [X, i32([0, 2], [1, 1])], {"axis": -1}, lambda x, i: x[:, i]),
    Sample("take", [X, BETWEEN], {}, lambda x, i: x[[0, 2]], gradient=False),
    Sample("pick", [X, i32(0, 2, 5, -1)], {}, lambda x, i: x[np.arange(4), [0, 2, 2, 0]]),
    Sample("pick", [X, i32(0, 5, -1)], {"axis": 0, "mode": "wrap", "keepdims": True}, lambda x, i: x[[0, 1, 3], np.arange(3)][None]),
    Sample("pick", [X, i32([0], [2], [1], [1])], {"axis": 1}, lambda x, i: x[np.arange(4), i[:, 0]]),
    Sample("pick", [(3,), i32(1)], {}, lambda x, i: x[1:2]),
    Sample("batch_take", [X, i32(0, 2, 5, -1)], {}, lambda x, i: x[np.arange(4), [0, 2, 2, 0]]),
    Sample("batch_take", [(2, 2, 3), i32(0, 2, 1, 1)], {}, lambda x, i: x.reshape(4, 3)[np.arange(4), i]),
    Sample("one_hot", [i32(0, 2, 3, -1)], {"depth": 3}, np.eye(5)[[0, 2, 4, 4], :3]),
    Sample("one_hot", [i32(0, 2, 3, -1)], {"depth": 5}, np.eye(5)[[0, 2, 3, 4]] * [[1], [1], [1], [0]]),
    Sample("one_hot", [BETWEEN], {"depth": 3, "on_value": 2.5, "off_value": -1, "dtype": "uint8"}, np.array([[2, 255, 255], [255, 255, 2]])),
    Sample("gather_nd", [X, i32([0, 3, -1], [2, 0, -3])], {}, lambda x, i: x[tuple(i)]),
    Sample("gather_nd", [X, i32([0, 3, 0])], {}, lambda x, i: x[i[0]]),
    Sample("gather_nd", [X, np.array([[1.0], [2.0]], "float32")], {}, lambda x, i: x[1:2, 2], gradient=False),
    Sample("scatter_nd", [(3,), i32([0, 3, 1], [2, 0, 1])], {"shape": "(4, 3)"}, lambda v, i: placed((4, 3), tuple(i), v)),
    Sample("scatter_nd", [(2, 3), i32([3, 0])], {"shape": "(4, 3)"}, lambda v, i: placed((4, 3), i[0], v)),
    Sample("_scatter_set_nd", [X, (3,), i32([0, 3, 1], [2, 0, 1])], {"shape": "(4, 3)"}, lambda x, v, i: copied(x, tuple(i), v)),
    Sample("_contrib_index_copy", [X, i32(3, 0), (2, 3)], {}, lambda x, i, v: copied(x, i, v)),
    Sample("where", [i32([0, 1], [2, 0]), (2, 2), (2, 2)], {}, lambda c, x, y: np.where(c, x, y)),
    Sample("where", [np.array([0.0, np.nan], "float32"), (2, 3), (2, 3)], {}, lambda c, x, y: np.stack([y[0], x[1]]), gradient=False),
    Sample("where", [i32(1, 0, 1), (3,), (3,)], {}, lambda c, x, y: np.where(c, x, y)),
    Sample("_ravel_multi_index", [i32([0, 1], [2, 0])], {"shape": "(-1, 3)"}, i32(2, 3)),
    Sample("_ravel_multi_index", [np.array([[0, 1.7], [2.5, 0]], "float32")], {"shape": "(2, 3)"}, np.array([2.0, 3.0])),
    Sample("_unravel_index", [i32(0, 5, 9, -1)], {"shape": "(2, 3)"}, i32([0, 1, 3, 0], [0, 2, 0, -1])),
    Sample("_unravel_index", [np.array([7.0, 23.0], "float32")], {"shape": "(2, 3, 4)"}, np.array(np.unravel_index([7, 23], (2, 3, 4)), "float32")),
    Sample("cast_storage", [X], {"stype": "csr"}, lambda x: x),
    Sample("_sparse_retain", [X, i32(2, 0)], {}, lambda x, i: x * np.array([[1], [0], [1], [0]])),
    Sample("_contrib_getnnz", [np.array([[1.0, 0, 2], [0, 0, 3]])], {}, np.array([3])),
    Sample("_contrib_getnnz", [np.array([[1.0, 0, 2], [0, 0, 3]])], {"axis": 0}, np.array([1, 0, 2])),
    Sample("_contrib_getnnz", [np.array([[1.0, 0, 2], [0, 0, 3]])], {"axis": 1}, np.array([2, 1])),
    Sample("_contrib_edge_id", [np.array([[0.0, 5], [6, 0]]), i32(0, 1, 1), i32(1, 0, 1)], {}, np.array([5.0, 6, -1])),
]

TABLE = {"input_dim": 10, "output_dim": 4}
INFERRED = [
    ("Embedding", TABLE, [(_, 3), None], None, "[?,3], [10,4] -> [?,3,4]"),
    ("take", {}, [(_, 3), (2,)], None, "[?,3], [2] -> [2,3]"),
    ("take", {}, [(4, 3), None], None, "[4,3], unknown -> unknown"),
    ("pick", {"axis": 1}, [(2, 3, 4), None], None, "[2,3,4], [2,4] -> [2,4]"),
    ("pick", {"keepdims": True}, [(2, _), None], None, "[2,?], [2] -> [2,1]"),
    ("one_hot", {"depth": 5}, [(4, 2)], None, "[4,2] -> [4,2,5]"),
    ("gather_nd", {}, [(2, 3, 4), (2, 5, 6)], None, "[2,3,4], [2,5,6] -> [5,6,4]"),
    ("scatter_nd", {"shape": (2, 3)}, [None, (2, 4)], None, "unknown, [2,4] -> [2,3]"),
    ("_scatter_set_nd", {"shape": (2, 3)}, [None, (4,), (2, 4)], None, "[2,3], [4], [2,4] -> [2,3]"),
    ("where", {}, [(2,), (2, 3), None], None, "[2], [2,3], [2,3] -> [2,3]"),
    ("where", {}, [(2, 3), None, None], None, "[2,3], unknown, unknown -> unknown"),
    ("where", {}, [(2, 3), None, (2, _)], None, "[2,3], [2,?], [2,?] -> [2,?]"),
    ("_ravel_multi_index", {"shape": (2, 3)}, [None], (5,), "[2,5] -> [5]"),
    ("_unravel_index", {"shape": (2, 3)}, [None], (2, 4), "[4] -> [2,4]"),
    ("_contrib_boolean_mask", {}, [(2, 3), (2,)], None, "[2,3], [2] -> unknown"),
]

REFUSED = [
    ("Embedding", {"input_dim": 5, "output_dim": 2}, [(2,), (4, 2)], "[5,2]"),
    ("Embedding", {"input_dim": 0, "output_dim": 2}, [(2,), (4, 2)], "input_dim"),
    ("take", {"axis": 2}, [(4, 3), (2,)], "axis=2"),
    ("take", {"mode": "strict"}, [(4, 3), (2,)], "strict"),
    ("pick", {"axis": 1}, [(2, 3), (4,)], "[4]"),
    ("pick", {"axis": None}, [(2, 3), (4,)], "axis=None"),
    ("batch_take", {}, [(2, 3), (3,)], "[3]"),
    ("one_hot", {"depth": -1}, [(2,)], "depth=-1"),
    ("gather_nd", {}, [(2, 3), (3, 2)], "[3,2]"),
    ("gather_nd", {}, [(2, 3), (2,)], "[2]"),
    ("scatter_nd", {"shape": (2, 3)}, [(4,), (1, 4)], "shape=(2, 3)"),
    ("_scatter_set_nd", {"shape": (2, 3)}, [(2, 4), (4,), (2, 4)], "[2,4]"),
    ("_contrib_index_copy", {}, [(4, 3), (2,), (3, 3)], "[3,3]"),
    ("_contrib_boolean_mask", {}, [(2, 3), (3,)], "[3]"),
    ("_contrib_boolean_mask", {"axis": 1}, [(2, 3), (3,)], "axis=1"),
    ("where", {}, [(4,), (2, 3), (2, 3)], "condition [4]"),
    ("_ravel_multi_index", {"shape": (2, 3)}, [(3, 4)], "[3,4]"),
    ("_ravel_multi_index", {}, [(3, 4)], "shape=None"),
    ("_contrib_getnnz", {"axis": 2}, [(2, 3)], "axis=2"),
    ("_contrib_edge_id", {}, [(2, 2), (2,), (3,)], "[3]"),
]

TYPES = [
    ("Embedding", {**TABLE, "dtype": "float16"}, [torch.int32, None], "int32, float16 -> float16"),
    ("Embedding", TABLE, [torch.int32, torch.float64], "int32, float64 -> float64"),
    ("take", {}, [torch.float64, torch.int32], "float64, int32 -> float64"),
    ("one_hot", {"depth": 3, "dtype": "int8"}, [torch.float64], "float64 -> int8"),
    ("batch_take", {}, [torch.float16, None], "float16, int32 -> float16"),
    ("where", {}, [torch.int32, torch.float64, None], "int32, float64, float64 -> float64"),
    ("gather_nd", {}, [torch.float16, None], "float16, unknown -> float16"),
    ("_scatter_set_nd", {"shape": (2, 3)}, [None, torch.float16, torch.int32], "float16, float16, int32 -> float16"),
    ("_contrib_boolean_mask", {}, [torch.float16, torch.int32], "float16, int32 -> float16"),
    ("_contrib_getnnz", {}, [torch.float16], "float16 -> int64"),
]
# fmt: on


@pytest.mark.parametrize("op, attrs, inputs, expected", TYPES)
def test_types(op, attrs, inputs, expected):
    assert inferred_dtypes(op, attrs, inputs) == expected


@pytest.mark.parametrize(
    "op, attrs, n_inputs",
    [("Embedding", TABLE, 2), ("take", {}, 2), ("pick", {}, 2), ("one_hot", {"depth": 2}, 1)],
)
def test_type_of_indices_must_be_known(op, attrs, n_inputs):
    with pytest.raises(MXNetError, match="its type must be given"):
        inferred_dtypes(op, attrs, [None] * n_inputs)


def test_one_hot_leaves_its_indices_alone():
    indices = torch.tensor([1, 20, -5, 0, 2])
    vectors = find("one_hot").of({"depth": 3}).forward(indices)
    assert vectors.argmax(1)[[0, 3, 4]].tolist() == [1, 0, 2]
    assert vectors.sum(1).tolist() == [1, 0, 0, 1, 1]
    assert indices.tolist() == [1, 20, -5, 0, 2]


def test_take_raises_for_indices_out_of_range():
    op = find("take").of({"mode": "raise"})
    with pytest.raises(IndexError, match="from 0 to 3"):
        op.forward(torch.zeros(4, 3), torch.tensor([0, 4]))


def test_boolean_mask_gives_as_many_rows_as_are_marked():
    data = torch.arange(6.0).reshape(3, 2).requires_grad_()
    output = find("_contrib_boolean_mask").of({}).forward(data, torch.tensor([0.5, 0.0, -1.0]))
    assert output.tolist() == [[0, 1], [4, 5]]
    output.sum().backward()
    assert data.grad.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_scatter_keeps_the_last_value_of_a_place_and_sends_both_gradients():
    values = torch.tensor([1.0, 2.0], requires_grad=True)
    op = find("scatter_nd").of({"shape": (3,)})
    output = op.forward(values, torch.tensor([[1, 1]]))
    assert output.tolist() == [0, 2, 0]
    output.backward(torch.tensor([5.0, 6.0, 7.0]))
    assert values.grad.tolist() == [6, 6]


@pytest.mark.parametrize("row", [4, -1, float("nan"), 2.0**40])
def test_rows_to_retain_exist(row):
    data = mx.nd.ones((4, 2)).tostype("row_sparse")
    with pytest.raises(IndexError, match="_sparse_retain: indices: there are rows 0 to 3"):
        mx.nd.sparse.retain(data, mx.nd.array([1, row]))


def test_an_empty_array_has_no_positions():
    op = find("_unravel_index").of({"shape": (3, 0)})
    assert op.forward(torch.zeros(0)).shape == (2, 0)
    with pytest.raises(MXNetError, match=r"shape=\(3, 0\)"):
        op.forward(torch.zeros(2))


@pytest.mark.parametrize("shape", [(0,), (0, 2), (0, 0), (2, 0), (3, 2)])
def test_places_outside_of_arrays_with_and_without_elements(shape):
    with pytest.raises(IndexError, match="gather_nd"):
        find("gather_nd").of({}).forward(torch.zeros(shape), torch.tensor([[5]]))
