# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.numpy.join  # noqa: F401
from mxnova.core.base.scopes import set_np_shape
from mxnova.core.base.shapes import from_user
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_shapes
from tests.unit.op.samples import Sample


def pair(op, shapes, expected, **attrs):
    return Sample(op, shapes, {"num_args": len(shapes), **attrs}, expected)


def padded(data, width, expected, **attrs):
    return Sample("_npi_pad", [data], {"pad_width": width, **attrs}, expected)


def as_numpy(width, mode):
    return lambda x: np.pad(x, width, mode)


ROW = np.array([[3, 1, 2]], "float32")
M, V, S = (2, 3), (3,), ()
WIDE = ((1, 2), (7, 8))

# fmt: off
SAMPLES = [
    pair("_npi_concatenate", [M, (1, 3)], lambda x, y: np.concatenate([x, y])),
    pair("_npi_concatenate", [M, (2, 1)], lambda x, y: np.concatenate([x, y], 1), axis=-1),
    pair("_npi_concatenate", [M, V], lambda x, y: np.concatenate([x, y], None), axis=None),
    pair("_npi_stack", [M, M], lambda x, y: np.stack([x, y], -1), axis=-1),
    pair("_npi_stack", [S, S], lambda x, y: np.stack([x, y])),
    pair("_npi_vstack", [M, V], lambda x, y: np.vstack([x, y])),
    pair("_npi_vstack", [S, S], lambda x, y: np.vstack([x, y])),
    pair("_npi_hstack", [M, (2, 1)], lambda x, y: np.hstack([x, y]), dim=0),
    pair("_npi_hstack", [V, S], lambda x, y: np.hstack([x, y])),
    pair("_npi_dstack", [M, M], lambda x, y: np.dstack([x, y])),
    pair("_npi_dstack", [V, V], lambda x, y: np.dstack([x, y])),
    pair("_npi_column_stack", [M, (2,)], lambda x, y: np.column_stack([x, y])),
    pair("_npi_column_stack", [V, V], lambda x, y: np.column_stack([x, y])),
    pair("_np_atleast_1d", [S, M], lambda x, y: (x.reshape(1), y)),
    pair("_np_atleast_2d", [V, (2, 3, 1)], lambda x, y: (x[None], y)),
    pair("_np_atleast_3d", [V, M], lambda x, y: (x[None, :, None], y[..., None])),
    pair("_np_atleast_3d", [S], lambda x: x.reshape(1, 1, 1)),

    Sample("_npi_hsplit", [(2, 6)], {"indices": (), "sections": 2}, lambda x: tuple(np.hsplit(x, 2))),
    Sample("_npi_hsplit", [(6,)], {"indices": (0, 2), "axis": 1}, lambda x: (x[:2], x[2:])),
    Sample("_npi_hsplit", [(2, 2)], {"indices": (), "sections": 2, "squeeze_axis": 1}, lambda x: (x[:, 0], x[:, 1])),
    Sample("_npi_dsplit", [(1, 2, 6)], {"indices": (0, 1, 4)}, lambda x: tuple(np.dsplit(x, [1, 4]))),

    Sample("_npi_broadcast_to", [(1, 3)], {"shape": (2, 4, 3)}, lambda x: np.broadcast_to(x, (2, 4, 3))),
    Sample("_npi_broadcast_to", [(1, 3)], {"shape": (4, -2)}, lambda x: np.broadcast_to(x, (4, 3))),
    Sample("_npi_broadcast_to", [()], {"shape": (2, 0)}, lambda x: np.zeros((2, 0)), gradient=False),

    padded((3, 4), ((1, 1), (0, 2)), as_numpy(((1, 1), (0, 2)), "constant")),
    padded((3, 4), ((-1, 0), (1, 0)), lambda x: np.pad(x[1:], ((0, 0), (1, 0)), constant_values=0.5), constant_value=0.5),
    padded((3, 4), WIDE, as_numpy(WIDE, "edge"), mode="edge"),
    padded((3, 4), WIDE, as_numpy(WIDE, "reflect"), mode="reflect"),
    padded((3, 4), WIDE, as_numpy(WIDE, "symmetric"), mode="symmetric"),
    padded((3, 4), WIDE, as_numpy(WIDE, "maximum"), mode="maximum"),
    padded((3, 4), WIDE, as_numpy(WIDE, "minimum"), mode="minimum"),
    padded((2, 3, 4), ((1, 0), (0, 1), (1, 0)), as_numpy(((1, 0), (0, 1), (1, 0)), "symmetric"), mode="symmetric"),
    padded((3,), "(1, 2)", lambda x: np.pad(x, (1, 2))),
    padded((3,), ((1, 2),), lambda x: np.pad(x, (1, 2), "edge"), mode="edge"),
    Sample("_npi_pad", [np.array([[3]], "int32")], {"pad_width": ((0, 0), (1, 0)), "constant_value": -2.7}, np.array([[-2, 3]], "int32"), gradient=False),
    Sample("_npi_pad", [np.array([False])], {"pad_width": ((1, 0),), "constant_value": 0.5}, np.array([True, False]), gradient=False),
    Sample("_npi_pad", [np.zeros((2, 0), "float32")], {"pad_width": ((1, 1), (0, 0)), "mode": "maximum"}, np.zeros((4, 0), "float32"), gradient=False),
]

REFUSED = [
    ("_npi_concatenate", {"num_args": 2, "axis": 2}, [M, M], "axis=2", "[2,3]"),
    ("_npi_concatenate", {"num_args": 2}, [M, V], "[3]"),
    ("_npi_stack", {"num_args": 2}, [M, V], "[2,3]", "[3]"),
    ("_npi_vstack", {"num_args": 2}, [M, (2,)], "arg0 [2,3]", "arg1 [2]"),
    ("_npi_hstack", {"num_args": 2}, [M, V], "arg1 [3]"),
    ("_npi_hsplit", {"indices": (1, 2)}, [M], "indices=(1, 2)", "[2,3]"),
    ("_npi_hsplit", {"indices": (), "sections": 2}, [S], "1 axes or more"),
    ("_npi_dsplit", {"indices": (), "sections": 2}, [M], "3 axes or more", "[2,3]"),
    ("_npi_broadcast_to", {"shape": (4, 3)}, [M], "shape=[4,3]", "[2,3]"),
    ("_npi_broadcast_to", {"shape": (3,)}, [M], "shape=[3]", "[2,3]"),
    ("_npi_broadcast_to", {"shape": (-2, 2, 3)}, [M], "shape=[-2,2,3]"),
    ("_npi_broadcast_to", {"shape": (-1, 3)}, [M], "shape=[-1,3]"),
    ("_npi_pad", {"pad_width": ((1, 2),)}, [M], "pad_width=((1, 2),)", "[2,3]"),
    ("_npi_pad", {"pad_width": ((-1, -2), (0, 0))}, [M], "cuts more", "[2,3]"),
    ("_npi_pad", {"pad_width": ((1, 2, 3), (0, 0))}, [M], "pad_width"),
    ("_npi_pad", {"pad_width": ((0, 0), (1, 0)), "mode": "edge"}, [(2, 0)], "mode=edge", "[2,0]"),
]

PARTLY_KNOWN = [
    ("_npi_concatenate", [(2, 3), (-1, -1)], "[2,3], [?,3] -> [?,3]"),
    ("_npi_vstack", [(2, 3), None], "[2,3], unknown -> [?,3]"),
    ("_npi_column_stack", [(2, -1), (-1,)], "[2,?], [?] -> [2,?]"),
    ("_npi_dstack", [(3,), (-1,)], "[3], [?] -> [1,3,2]"),
    ("_np_atleast_3d", [(-1,), None], "[?], unknown -> [1,?,1], unknown"),
]
# fmt: on


@pytest.fixture(autouse=True)
def numpy_shapes():
    before = set_np_shape(True)
    yield
    set_np_shape(before)


@pytest.mark.parametrize(("name", "inputs", "expected"), PARTLY_KNOWN)
def test_partly_known(name, inputs, expected):
    inputs = [from_user(i) for i in inputs]
    assert inferred_shapes(name, {"num_args": 2}, inputs) == expected


def test_atleast_sends_no_gradient_back():
    op = find("_np_atleast_2d").of({"num_args": 2})
    assert not op.differentiable
    leaf = torch.ones(2, 2, requires_grad=True)
    assert not any(output.requires_grad for output in op.forward(leaf, leaf))
