# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.families.broadcast  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes
from tests.unit.op.samples import Sample

_ = UNKNOWN
X = (2, 1, 3, 1)


def to(*shape):
    return lambda x, *_: np.broadcast_to(x, shape)


# fmt: off
SAMPLES = [
    Sample("broadcast_axis", [X], {"axis": 1, "size": 4}, to(2, 4, 3, 1)),
    Sample("broadcast_axis", [X], {"axis": "(3, 1)", "size": "(2, 5)"}, to(2, 5, 3, 2)),
    Sample("broadcast_axis", [X], {}, to(*X)),
    Sample("broadcast_to", [X], {"shape": "(2, 4, 3, 5)"}, to(2, 4, 3, 5)),
    Sample("broadcast_to", [X], {"shape": "(0, 4, 0, 5)"}, to(2, 4, 3, 5)),
    Sample("broadcast_like", [X, (2, 4, 3, 5)], {}, to(2, 4, 3, 5), d_expected=lambda d, x, y: (d.sum((1, 3), keepdims=True), None)),
    Sample("broadcast_like", [(1, 3, 1), (5, 4)], {"lhs_axes": "(0, 2)", "rhs_axes": "(1, -2)"}, to(4, 3, 5), d_expected=lambda d, x, y: (d.sum((0, 2), keepdims=True), None)),
    Sample("broadcast_like", [(1, 3), np.ones((2, 3), "int32")], {}, to(2, 3), note="types"),
]
# fmt: on


def test_output_can_be_written_to():
    data = torch.ones(1, 2)
    output = find("broadcast_to").of({"shape": "(3, 2)"}).forward(data)
    output[0] = 5
    assert output.tolist() == [[5, 5], [1, 1], [1, 1]]
    assert data.tolist() == [[1, 1]]


def test_partly_known_shapes():
    assert inferred_shapes("broadcast_to", {"shape": "(0, 4)"}, [(_, 1)]) == "[?,1] -> [?,4]"
    assert inferred_shapes("broadcast_like", {}, [(1, 3), (2, _)]) == "[1,3], [2,?] -> [2,3]"
    assert inferred_shapes("broadcast_axis", {"axis": 1, "size": 4}, [(_, 1)]) == "[?,1] -> unknown"


def test_type_of_rhs_is_not_learnt():
    assert inferred_dtypes("broadcast_like", {}, [torch.int8, None]) == "int8, unknown -> int8"


@pytest.mark.parametrize(
    "op, attrs, inputs, fact",
    [
        ("broadcast_axis", {"axis": 2, "size": 4}, [X], "axis=2, size=4.*dimension of size 1"),
        ("broadcast_axis", {"axis": 4, "size": 4}, [X], "axis=4"),
        ("broadcast_axis", {"axis": -1, "size": 4}, [X], "axis=-1"),
        ("broadcast_axis", {"axis": "(1, 3)", "size": 2}, [X], "one size for each axis"),
        ("broadcast_axis", {"axis": "(1, 1)", "size": "(2, 2)"}, [X], "no axis twice"),
        ("broadcast_to", {"shape": "(2, 5)"}, [(2, 3)], r"\[2,3\] cannot be broadcast"),
        ("broadcast_to", {"shape": "(2, 5, 3)"}, [(2, 3)], r"shape=\[2,5,3\]"),
        ("broadcast_like", {}, [(2, 3), (4, 3)], "cannot be broadcast"),
        ("broadcast_like", {}, [(3,), (2, 3)], "lhs"),
        ("broadcast_like", {"lhs_axes": 2, "rhs_axes": 1}, [(1, 3), (5, 4)], "lhs_axes=2"),
        ("broadcast_like", {"lhs_axes": "()", "rhs_axes": "()"}, [(1, 3), (5, 4)], "at least one"),
    ],
)
def test_bad_targets_are_refused(op, attrs, inputs, fact):
    with pytest.raises(MXNetError, match=fact):
        inferred_shapes(op, attrs, inputs)
