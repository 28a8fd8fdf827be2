# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.tensor.ordering  # noqa: F401
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

X = np.array([[3, 1, 2, 2, 0], [1, 1, 5, 4, 0]], "float32")
LONG = np.random.default_rng(3).permutation(300).astype("float32")
BEST = np.argsort(-X, 1, kind="stable")

# fmt: off
SAMPLES = [
    Sample("topk", [X], {}, BEST[:, :1].astype("float64"), gradient=False),
    Sample("topk", [X], {"k": 2, "dtype": "int32"}, BEST[:, :2], gradient=False),
    Sample("topk", [X], {"k": 2, "ret_typ": "both"}, (np.array([[3.0, 2], [5, 4]]), BEST[:, :2]), gradient=False),
    Sample("topk", [X], {"k": 2, "ret_typ": "value", "is_ascend": True}, np.array([[0.0, 1], [0, 1]]), gradient=False),
    Sample("topk", [X], {"k": 2, "ret_typ": "mask"}, np.array([[1.0, 0, 1, 0, 0], [0, 0, 1, 1, 0]]), gradient=False),
    Sample("topk", [X], {"k": 3, "ret_typ": "mask", "axis": None}, np.array([[1.0, 0, 0, 0, 0], [0, 0, 1, 1, 0]]), gradient=False),
    Sample("topk", [X], {"k": 0, "ret_typ": "value", "axis": None}, np.sort(X, None)[::-1], gradient=False),
    Sample("topk", [(3, 4)], {"k": 2, "ret_typ": "value", "axis": 0}, lambda x: -np.sort(-x, 0)[:2]),
    Sample("topk", [LONG], {"k": 4, "ret_typ": "both"}, (np.array([299.0, 298, 297, 296]), np.argsort(-LONG)[:4])),
    Sample("topk", [LONG], {"k": 1, "dtype": "uint8"}, np.argsort(-LONG)[:1].astype("uint8"), gradient=False),
    Sample("sort", [(3, 4)], {}, lambda x: np.sort(x, 1)),
    Sample("sort", [(3, 4)], {"axis": 0, "is_ascend": False}, lambda x: -np.sort(-x, 0)),
    Sample("sort", [(3, 4)], {"axis": None}, lambda x: np.sort(x, None)),
    Sample("argsort", [X], {}, np.argsort(X, 1, kind="stable")),
    Sample("argsort", [X], {"axis": None, "dtype": "int64"}, np.argsort(X, None, kind="stable")),
    Sample("argsort", [X], {"is_ascend": False, "dtype": "int32"}, BEST),
]
# fmt: on


INFERRED = [
    ("topk", {"k": 2, "ret_typ": "both"}, [(4, 5)], "[4,5] -> [4,2], [4,2]"),
    ("topk", {"k": 4, "axis": None, "ret_typ": "mask"}, [(2, 3)], "[2,3] -> [2,3]"),
    ("topk", {"k": 4, "axis": None}, [(2, 3)], "[2,3] -> [4]"),
    ("argsort", {"axis": None}, [(2, 3)], "[2,3] -> [6]"),
    ("sort", {"axis": 0}, [None], "unknown -> unknown"),
]
REFUSED = [
    ("topk", {"k": 4}, [(2, 3)], "k=4"),
    ("topk", {"axis": 2}, [(2, 3)], "axis=2"),
    ("topk", {"ret_typ": "values"}, [(2, 3)], "ret_typ"),
    ("sort", {"axis": -3}, [(2, 3)], "axis=-3"),
    ("argsort", {}, [()], "at least one axis"),
]


@pytest.mark.parametrize(
    "attrs, expected",
    [
        ({"ret_typ": "both", "dtype": "int32"}, "float64 -> float64, int32"),
        ({"ret_typ": "indices"}, "float64 -> float32"),
        ({"ret_typ": "mask"}, "float64 -> float64"),
    ],
)
def test_types(attrs, expected):
    assert inferred_dtypes("topk", attrs, [torch.float64]) == expected


@pytest.mark.parametrize(
    "op, attrs, names",
    [
        ("topk", {}, ("output",)),
        ("topk", {"ret_typ": "value"}, ("output0",)),
        ("topk", {"ret_typ": "both"}, ("output0", "output1")),
        ("sort", {}, ("output0",)),
        ("argsort", {}, ("output",)),
    ],
)
def test_output_names(op, attrs, names):
    assert find(op).of(attrs).outputs() == names


def test_gradient_of_values_goes_to_their_places():
    data = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True)
    values, _ = find("topk").of({"k": 2, "ret_typ": "both"}).forward(data)
    values.backward(torch.tensor([[10.0, 20.0]]))
    assert data.grad.tolist() == [[10, 0, 20]]
