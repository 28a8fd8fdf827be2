# SPDX-License-Identifier: Apache-2.0
import numpy as np
import torch

import mxnova.core.op.tensor.enlarge
import mxnova.core.op.tensor.layout
import mxnova.core.op.tensor.reshape  # noqa: F401
from mxnova.core.base.scopes import set_np_shape
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

_ = UNKNOWN
X = (2, 3, 4)


def depth_to_space(x, b):
    n, c, h, w = x.shape
    out = np.zeros((n, c // b**2, h * b, w * b))
    for row in range(b):
        for column in range(b):
            block = (row * b + column) * (c // b**2)
            out[:, :, row::b, column::b] = x[:, block : block + c // b**2]
    return out


# fmt: off
SAMPLES = [
    Sample("Reshape", [X], {"shape": "(6, 4)"}, lambda x: x.reshape(6, 4)),
    Sample("Reshape", [X], {"shape": "(0, -1)"}, lambda x: x.reshape(2, 12)),
    Sample("Reshape", [X], {"shape": "(-2, 1)"}, lambda x: x.reshape(2, 3, 4, 1)),
    Sample("Reshape", [X], {"shape": "(-3, 0)"}, lambda x: x.reshape(6, 4)),
    Sample("Reshape", [X], {"shape": "(0, -4, -1, 1, 4)"}, lambda x: x.reshape(2, 3, 1, 4)),
    Sample("Reshape", [(2, 5, 4)], {"shape": "(-1, 0)", "reverse": True}, lambda x: x.reshape(10, 4)),
    Sample("Reshape", [X], {"target_shape": "(2, 0)"}, lambda x: x.reshape(2, 12)),
    Sample("Reshape", [X], {"target_shape": "(9, 0)", "keep_highest": True}, lambda x: x.reshape(2, 12)),
    Sample("Flatten", [X], {}, lambda x: x.reshape(2, 12)),
    Sample("Flatten", [(3,)], {}, lambda x: x.reshape(3, 1)),
    Sample("expand_dims", [X], {"axis": -2}, lambda x: x[:, :, None]),
    Sample("squeeze", [(1, 3, 1)], {}, lambda x: x.reshape(3)),
    Sample("squeeze", [(1, 3, 1)], {"axis": "(0, -1)"}, lambda x: x.reshape(3)),
    Sample("squeeze", [(1, 1)], {}, lambda x: x.reshape(1)),
    Sample("reshape_like", [(6, 2), np.zeros((3, 2, 5), "int32")], {"lhs_end": 1, "rhs_begin": 0, "rhs_end": -1}, lambda x, y: x.reshape(3, 2, 2)),
    Sample("transpose", [X], {}, lambda x: x.T),
    Sample("transpose", [X], {"axes": "(2, 0, 1)"}, lambda x: x.transpose(2, 0, 1)),
    Sample("SwapAxis", [X], {"dim1": 0, "dim2": -1}, lambda x: x.swapaxes(0, 2)),
    Sample("reverse", [X], {"axis": "(0, 2)"}, lambda x: x[::-1, :, ::-1]),
    Sample("depth_to_space", [(1, 8, 2, 3)], {"block_size": 2}, lambda x: depth_to_space(x, 2)),
    Sample("space_to_depth", [depth_to_space(np.arange(48.0).reshape(1, 8, 2, 3), 2)], {"block_size": 2}, np.arange(48.0).reshape(1, 8, 2, 3)),
    Sample("tile", [X], {"reps": "(2, 1)"}, lambda x: np.tile(x, (2, 1))),
    Sample("tile", [(3,)], {"reps": "(2, 2)"}, lambda x: np.tile(x, (2, 2))),
    Sample("repeat", [X], {"repeats": 2, "axis": -2}, lambda x: np.repeat(x, 2, -2)),
    Sample("repeat", [X], {"repeats": 2}, lambda x: np.repeat(x, 2)),
    Sample("repeat", [X], {"repeats": 0, "axis": 1}, np.zeros(0), gradient=False),
    Sample("Pad", [(1, 2, 3, 4)], {"mode": "constant", "pad_width": "(0,0,0,0,1,2,3,0)", "constant_value": 1.5}, lambda x: np.pad(x, ((0, 0), (0, 0), (1, 2), (3, 0)), constant_values=1.5)),
    Sample("Pad", [(1, 2, 3, 4)], {"mode": "edge", "pad_width": "(0,0,0,0,1,2,5,0)"}, lambda x: np.pad(x, ((0, 0), (0, 0), (1, 2), (5, 0)), "edge")),
    Sample("Pad", [(1, 1, 3, 4, 2)], {"mode": "reflect", "pad_width": "(0,0,0,0,1,2,3,0,0,1)"}, lambda x: np.pad(x, ((0, 0), (0, 0), (1, 2), (3, 0), (0, 1)), "reflect")),
]

INFERRED = [
    ("Reshape", {"shape": (0, -1)}, [(_, 2, 3)], None, "[?,2,3] -> [?,?]"),
    ("Reshape", {"shape": (6, 4)}, [(_, 3, 4)], None, "[2,3,4] -> [6,4]"),
    ("Reshape", {"shape": (-3,)}, [(_, 3)], (12,), "[4,3] -> [12]"),
    ("Reshape", {"shape": (-4, 2, -1, 0)}, [(_, 4)], None, "[?,4] -> [2,?,4]"),
    ("Reshape", {"shape": (-4, 2, 3, 0)}, [(_, 4)], None, "[6,4] -> [2,3,4]"),
    ("Flatten", {}, [(_, 2, 3)], None, "[?,2,3] -> unknown"),
    ("expand_dims", {"axis": -1}, [None], (2, 3, 1), "[2,3] -> [2,3,1]"),
    ("transpose", {"axes": (2, 0, 1)}, [(_, 3, 4)], (4, 5, 3), "[5,3,4] -> [4,5,3]"),
    ("SwapAxis", {"dim2": 1}, [(_, 3, 4)], None, "[?,3,4] -> [3,?,4]"),
    ("squeeze", {"axis": 1}, [(_, 1)], None, "[?,1] -> unknown"),
    ("reverse", {"axis": 0}, [None], (2, 3), "[2,3] -> [2,3]"),
    ("depth_to_space", {"block_size": 2}, [(_, 8, 2, 3)], None, "[?,8,2,3] -> [?,2,4,6]"),
    ("repeat", {"repeats": 2, "axis": 1}, [(_, 3)], None, "[?,3] -> [?,6]"),
    ("Pad", {"mode": "edge", "pad_width": (0, 0, 0, 0, 1, 2, 0, 3)}, [(_, 2, 3, 3)], None, "[?,2,3,3] -> [?,2,6,6]"),
]

REFUSED = [
    ("Reshape", {"shape": (-1, -1)}, [(3, 4)], "more than one -1"),
    ("Reshape", {"shape": (5, 5)}, [(3, 4)], "[3,4]"),
    ("Reshape", {"shape": (0, 0, 0)}, [(3, 4)], "more dimensions"),
    ("Reshape", {"shape": (-4, 2, 2, 0)}, [(3, 4)], "cannot split 3"),
    ("Reshape", {"shape": (-4, -1, -1, 0)}, [(3, 4)], "two -1"),
    ("Reshape", {"shape": (-5,)}, [(3, 4)], "-5"),
    ("Reshape", {}, [(3, 4)], "target_shape"),
    ("expand_dims", {"axis": 4}, [(2, 3)], "axis=4"),
    ("squeeze", {"axis": 0}, [(2, 3)], "axis=0"),
    ("squeeze", {"axis": (0, 0)}, [(1, 3)], "twice"),
    ("reshape_like", {"lhs_begin": 1, "lhs_end": 0}, [(4, 2), (8,)], "lhs_begin=1"),
    ("reshape_like", {}, [(4, 2), (7,)], "[7]"),
    ("transpose", {"axes": (0, 1, 2)}, [(2, 3)], "axes"),
    ("transpose", {"axes": (0, 0)}, [(2, 3)], "axes"),
    ("SwapAxis", {"dim2": 3}, [(2, 3)], "dim2=3"),
    ("reverse", {"axis": (2,)}, [(2, 3)], "axis=(2,)"),
    ("depth_to_space", {"block_size": 2}, [(1, 3, 2, 2)], "block"),
    ("space_to_depth", {"block_size": 2}, [(1, 1, 5, 4)], "block"),
    ("space_to_depth", {"block_size": 0}, [(1, 1, 5, 4)], "block_size=0"),
    ("tile", {"reps": (-1,)}, [(2, 3)], "reps=(-1,)"),
    ("repeat", {"repeats": -1}, [(2, 3)], "repeats=-1"),
    ("Pad", {"mode": "edge", "pad_width": (0, 0, 1, 0, 0, 0, 0, 0)}, [(1, 1, 2, 2)], "pad_width"),
    ("Pad", {"mode": "reflect", "pad_width": (0, 0, 0, 0, 2, 0, 0, 0)}, [(1, 1, 2, 2)], "too small"),
]
# fmt: on


def test_reshape_makes_a_scalar_under_numpy_shapes():
    before = set_np_shape(True)
    try:
        assert inferred_shapes("Reshape", {"shape": ()}, [(1, 1)]) == "[1,1] -> []"
        assert inferred_shapes("Reshape", {"shape": (0, -1)}, [(0, 3)]) == "[0,3] -> [0,0]"
    finally:
        set_np_shape(before)


def test_reshape_like_takes_no_type_from_rhs():
    given = [torch.float16, torch.int32]
    assert inferred_dtypes("reshape_like", {}, given) == "float16, int32 -> float16"


def test_aliases_denote_the_same_operator():
    assert find("flip") is find("reverse")
    assert find("swapaxes") is find("_npi_swapaxes") is find("SwapAxis")
