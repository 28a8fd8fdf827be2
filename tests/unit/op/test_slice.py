# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.tensor.slice
import mxnova.core.op.tensor.split  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

_ = UNKNOWN
X = (5, 4)


def assigned(x, index, value):
    x = x.copy()
    x[index] = value
    return x


# fmt: off
SAMPLES = [
    Sample("slice", [X], {"begin": "(1,)", "end": "(3,)"}, lambda x: x[1:3]),
    Sample("slice", [X], {"begin": "(None, -2)", "end": "(-1, None)"}, lambda x: x[:-1, -2:]),
    Sample("slice", [X], {"begin": "(None, 0)", "end": "(None, 9)", "step": "(-2, 3)"}, lambda x: x[::-2, 0:9:3]),
    Sample("slice", [X], {"begin": "(None, 1)", "end": "(2, None)", "step": "None"}, lambda x: x[:2, 1:]),
    Sample("slice", [X], {"begin": "(3,)", "end": "(-9,)", "step": "(-1,)"}, lambda x: x[3::-1]),
    Sample("slice", [X], {"begin": "(4,)", "end": "(1,)"}, np.zeros((0, 4)), gradient=False),
    Sample("slice", [X], {"begin": "(1,)", "end": "(4,)", "step": "(-1,)"}, np.zeros((0, 4)), gradient=False),
    Sample("slice_axis", [X], {"axis": -1, "begin": 1, "end": None}, lambda x: x[:, 1:]),
    Sample("slice_axis", [X], {"axis": 0, "begin": -3, "end": -1}, lambda x: x[-3:-1]),
    Sample("slice_like", [X, (3, 2)], {}, lambda x, y: x[:3, :2], gradient=False),
    Sample("slice_like", [X, (7, 2)], {"axes": "(-1,)"}, lambda x, y: x[:, :2], gradient=False),
    Sample("_slice_assign", [X, (2, 2)], {"begin": "(3, 1)", "end": "(1, 3)", "step": "(-1, 1)"}, lambda x, y: assigned(x, np.s_[3:1:-1, 1:3], y)),
    Sample("_slice_assign_scalar", [X], {"scalar": 1.5, "begin": "(1,)", "end": "(3,)"}, lambda x: assigned(x, np.s_[1:3], 1.5)),
    Sample("_slice_assign_scalar", [np.arange(4, dtype="int32")], {"scalar": -3.7, "begin": "(1,)", "end": "(3,)"}, np.array([0, -3, -3, 3])),
    Sample("_slice_assign_scalar", [np.arange(4, dtype="uint8")], {"scalar": -3.7, "begin": "(1,)", "end": "(3,)"}, np.array([0, 253, 253, 3])),
    Sample("Crop", [(1, 2, 5, 6)], {"num_args": 1, "h_w": "(2, 3)", "offset": "(1, 2)"}, lambda x: x[:, :, 1:3, 2:5]),
    Sample("Crop", [(1, 2, 5, 6), (3, 1, 4, 3)], {"num_args": 2, "center_crop": True}, lambda x, y: x[:, :, 0:4, 1:4], gradient=False),
    Sample("SliceChannel", [(2, 6, 2)], {"num_outputs": 3}, lambda x: tuple(np.split(x, 3, 1))),
    Sample("SliceChannel", [(2, 3)], {"num_outputs": 3, "axis": -1, "squeeze_axis": True}, lambda x: (x[:, 0], x[:, 1], x[:, 2])),
    Sample("_split_v2", [(2, 6)], {"indices": "(0, 2, 5)"}, lambda x: tuple(np.split(x, (2, 5), 1))),
    Sample("_split_v2", [(6, 2)], {"indices": "()", "axis": 0, "sections": 4}, lambda x: tuple(np.array_split(x, 4))),
    Sample("_split_v2", [(2, 2)], {"indices": "(0, 1)", "squeeze_axis": True}, lambda x: (x[:, 0], x[:, 1])),
    Sample("Concat", [(2, 1, 2), (2, 3, 2)], {"num_args": 2}, lambda x, y: np.concatenate([x, y], 1)),
    Sample("Concat", [(2, 1), (2, 3), (2, 2)], {"num_args": 3, "dim": -1}, lambda *x: np.concatenate(x, 1)),
    Sample("_rnn_param_concat", [(4,), (3,)], {"num_args": 2, "dim": 0}, lambda x, y: np.concatenate([x, y])),
    Sample("stack", [X, X], {"num_args": 2}, lambda x, y: np.stack([x, y])),
    Sample("stack", [X, X], {"num_args": 2, "axis": -1}, lambda x, y: np.stack([x, y], -1)),
]

INFERRED = [
    ("slice", {"begin": (0, 1), "end": (2, None)}, [(_, 4)], None, "[?,4] -> [?,3]"),
    ("slice_axis", {"axis": 1, "begin": 1, "end": -1}, [(_, 6)], None, "[?,6] -> [?,4]"),
    ("slice_like", {"axes": (1,)}, [(5, 4), (_, 2)], None, "[5,4], [?,2] -> [5,2]"),
    ("_slice_assign", {"begin": (0, 1), "end": (2, 3)}, [(3, 4), None], None, "[3,4], [2,2] -> [3,4]"),
    ("SliceChannel", {"num_outputs": 2}, [(_, 6)], None, "[?,6] -> [?,3], [?,3]"),
    ("SliceChannel", {"num_outputs": 2, "squeeze_axis": 1}, [(_, 2, 4)], (3, 4), "[3,2,4] -> [3,4], [3,4]"),
    ("_split_v2", {"indices": (0, 3)}, [(_, 6, 4)], (5, 3, 4), "[5,6,4] -> [5,3,4], [5,3,4]"),
    ("Concat", {"num_args": 2}, [(_, 2), (4, 3)], None, "[4,2], [4,3] -> [4,5]"),
    ("Concat", {"num_args": 2}, [(4, 2), None], None, "[4,2], [4,?] -> [4,2]"),
    ("Concat", {"num_args": 2}, [(2, 3), (2, _)], (2, 7), "[2,3], [2,?] -> [2,7]"),
    ("_rnn_param_concat", {"num_args": 3, "dim": 0}, [(6,), (_,), (_,)], (10,), "[6], [2], [2] -> [10]"),
    ("stack", {"num_args": 2, "axis": 1}, [(_, 3), (2, _)], None, "[?,3], [2,?] -> [2,2,3]"),
    ("stack", {"num_args": 2, "axis": 1}, [(2, 3), None], None, "[2,3], unknown -> [2,2,3]"),
]

REFUSED = [
    ("slice", {"begin": (0, 0, 0), "end": (1, 1, 1)}, [(3, 4)], "begin=(0, 0, 0)"),
    ("slice", {"begin": (0,), "end": (1, 1)}, [(3, 4)], "end=(1, 1)"),
    ("slice", {"begin": (0,), "end": (1,), "step": (0,)}, [(3, 4)], "step=(0,)"),
    ("slice_axis", {"axis": 3, "begin": 0, "end": 1}, [(3, 4)], "axis=3"),
    ("slice_axis", {"axis": 0, "begin": 3, "end": 2}, [(5, 2)], "begin=3"),
    ("slice_axis", {"axis": 0, "begin": 0, "end": 9}, [(5, 2)], "end=9"),
    ("slice_like", {}, [(5, 4), (3,)], "rank"),
    ("slice_like", {"axes": (0,)}, [(5, 4), (6, 4)], "[6,4]"),
    ("slice_like", {"axes": (1,)}, [(5, 4), (3,)], "axes=(1,)"),
    ("_slice_assign", {"begin": (0, 1), "end": (2, 3)}, [(3, 4), (3, 3)], "[3,3]"),
    ("Crop", {"num_args": 1, "h_w": (8, 8)}, [(1, 1, 4, 4)], "[8,8]"),
    ("Crop", {"num_args": 1, "h_w": (2, 2), "offset": (3, 0)}, [(1, 1, 4, 4)], "offset=(3, 0)"),
    ("SliceChannel", {"num_outputs": 3}, [(2, 4)], "num_outputs=3"),
    ("SliceChannel", {"num_outputs": 2, "squeeze_axis": 1}, [(2, 4)], "squeeze_axis=True"),
    ("SliceChannel", {"num_outputs": 0}, [(2, 4)], "num_outputs"),
    ("_split_v2", {"indices": ()}, [(2, 4)], "sections=0"),
    ("Concat", {"num_args": 2}, [(2, 3), (3, 3)], "[3,3]"),
    ("Concat", {"num_args": 2, "dim": 5}, [(2, 3), (2, 3)], "dim=5"),
    ("stack", {"num_args": 2}, [(2, 3), (2, 5)], "[2,5]"),
    ("stack", {"num_args": 2, "axis": 3}, [(2, 3), (2, 3)], "axis=3"),
]
# fmt: on


def test_concat_refuses_mixed_types():
    with pytest.raises(MXNetError, match="float16"):
        inferred_dtypes("Concat", {"num_args": 2}, [torch.float32, torch.float16])


def test_slice_like_sends_no_gradient_to_the_pattern():
    data, like = torch.rand(3, 3, requires_grad=True), torch.rand(2, 2, requires_grad=True)
    find("slice_like").of({}).forward(data, like).sum().backward()
    assert like.grad is None
    assert data.grad.sum() == 4


def test_slice_assign_leaves_its_input_alone():
    data = torch.zeros(3)
    find("_slice_assign_scalar").of({"scalar": 1, "begin": (0,), "end": (2,)}).forward(data)
    assert not data.any()
