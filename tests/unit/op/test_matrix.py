# SPDX-License-Identifier: Apache-2.0
from itertools import product

import numpy as np
import torch

import mxnova.core.op.tensor.attention
import mxnova.core.op.tensor.columns
import mxnova.core.op.tensor.matmul  # noqa: F401
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample

_ = UNKNOWN


def heads_of(x, heads, parts):
    """Projections part by part, each a list over batch and head of (length, size)."""
    length, batch, _features = x.shape
    split = x.reshape(length, batch, heads, parts, -1)
    return [
        np.stack([split[:, b, h, p] for b in range(batch) for h in range(heads)])
        for p in range(parts)
    ]


def scores(q, k):
    return q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])


def side_by_side(outputs, heads):
    batch = len(outputs) // heads
    rows = [np.concatenate(outputs[b * heads : (b + 1) * heads], -1) for b in range(batch)]
    return np.stack(rows, 1)


def windows(x, kernel, stride=1, dilate=1, pad=0):
    """Columns of sliding windows, one image at a time."""
    axes = range(x.ndim - 2)
    x = np.pad(x, ((0, 0), (0, 0), *((pad, pad) for _ in axes)))
    reach = dilate * (kernel - 1)
    corners = product(*(range(0, size - reach, stride) for size in x.shape[2:]))
    boxes = [(..., *(slice(at, at + reach + 1, dilate) for at in corner)) for corner in corners]
    return np.stack([x[box].reshape(len(x), -1) for box in boxes], -1)


# fmt: off
SAMPLES = [
    Sample("dot", [(2, 3), (3, 4)], {}, lambda a, b: a @ b),
    Sample("dot", [(3, 2), (4, 3)], {"transpose_a": True, "transpose_b": True}, lambda a, b: a.T @ b.T),
    Sample("dot", [(3,), (3,)], {}, lambda a, b: (a @ b).reshape(1)),
    Sample("dot", [(2, 3), (3,)], {}, lambda a, b: a @ b),
    Sample("dot", [(3,), (2, 3)], {"transpose_b": True}, lambda a, b: b @ a),
    Sample("dot", [(2, 3, 4), (4, 5, 2)], {}, lambda a, b: np.tensordot(a, b, 1)),
    Sample("dot", [(4, 2, 3), (5, 2, 4)], {"transpose_a": True, "transpose_b": True}, lambda a, b: np.einsum("kab,cdk->abcd", a, b)),
    Sample("batch_dot", [(2, 3, 4), (2, 4, 5)], {}, lambda a, b: a @ b),
    Sample("batch_dot", [(2, 4, 3), (2, 5, 4)], {"transpose_a": True, "transpose_b": True}, lambda a, b: a.swapaxes(1, 2) @ b.swapaxes(1, 2)),
    Sample("batch_dot", [(2, 2, 3, 4), (2, 2, 5, 4)], {"transpose_b": True}, lambda a, b: a @ b.swapaxes(2, 3)),
    Sample("khatri_rao", [(2, 3), (4, 3), (2, 3)], {"num_args": 3}, lambda *x: np.stack([np.kron(np.kron(x[0][:, k], x[1][:, k]), x[2][:, k]) for k in range(3)], 1)),
    Sample("_contrib_interleaved_matmul_selfatt_qk", [(4, 2, 12)], {"heads": 2}, lambda x: scores(*heads_of(x, 2, 3)[:2])),
    Sample("_contrib_interleaved_matmul_selfatt_valatt", [(4, 2, 12), (4, 4, 4)], {"heads": 2}, lambda x, w: side_by_side(w @ heads_of(x, 2, 3)[2], 2)),
    Sample("_contrib_interleaved_matmul_encdec_qk", [(3, 2, 4), (5, 2, 8)], {"heads": 2}, lambda q, kv: scores(heads_of(q, 2, 1)[0], heads_of(kv, 2, 2)[0])),
    Sample("_contrib_interleaved_matmul_encdec_valatt", [(5, 2, 8), (4, 3, 5)], {"heads": 2}, lambda kv, w: side_by_side(w @ heads_of(kv, 2, 2)[1], 2)),
    Sample("_sg_mkldnn_selfatt_qk", [(4, 2, 12)], {"heads": 2}, lambda x: scores(*heads_of(x, 2, 3)[:2])),
    Sample("_sg_mkldnn_selfatt_valatt", [(4, 2, 12), (4, 4, 4)], {"heads": 2}, lambda x, w: side_by_side(w @ heads_of(x, 2, 3)[2], 2)),
    Sample("im2col", [(2, 2, 4, 5)], {"kernel": "(2, 2)"}, lambda x: windows(x, 2)),
    Sample("im2col", [(1, 2, 5, 6)], {"kernel": "(3, 3)", "stride": "(2, 2)", "dilate": "(2, 2)", "pad": "(1, 1)"}, lambda x: windows(x, 3, 2, 2, 1)),
    Sample("im2col", [(2, 3, 7)], {"kernel": 3, "stride": 2, "pad": 1}, lambda x: windows(x, 3, 2, 1, 1)),
    Sample("im2col", [(1, 2, 4, 4, 5)], {"kernel": "(2, 2, 2)", "dilate": "(2, 2, 2)"}, lambda x: windows(x, 2, 1, 2)),
    Sample("col2im", [np.ones((1, 4, 4))], {"kernel": 2, "output_size": 5}, np.tile([1.0, 2, 2, 2, 1], (1, 2, 1))),
    Sample("col2im", [np.ones((1, 8, 8))], {"kernel": "(2, 2, 2)", "output_size": "(3, 3, 3)"}, np.einsum("i,j,k->ijk", *[[1.0, 2, 1]] * 3)[None, None]),
    Sample("col2im", [np.ones((1, 4, 6))], {"kernel": "(2, 2)", "output_size": "(3, 4)"}, np.outer([1, 2, 1], [1, 2, 2, 1]).reshape(1, 1, 3, 4)),
]

INFERRED = [
    ("dot", {}, [(_, 3), (3, 4)], None, "[?,3], [3,4] -> [?,4]"),
    ("dot", {}, [(4, 2), None], None, "[4,2], unknown -> unknown"),
    ("batch_dot", {"transpose_b": True}, [(4, 2, 3), (4, 5, 3)], None, "[4,2,3], [4,5,3] -> [4,2,5]"),
    ("batch_dot", {}, [(2, 3, _), (2, 4, 5)], None, "[2,3,?], [2,4,5] -> unknown"),
    ("im2col", {"kernel": (2, 2)}, [(_, 2, 3, 4)], None, "[?,2,3,4] -> unknown"),
]

REFUSED = [
    ("dot", {}, [(2, 3), (4, 2)], "3 vs. 4"),
    ("dot", {"transpose_a": True}, [(3,), (3,)], "transpose_a"),
    ("dot", {}, [(), (3,)], "scalars"),
    ("batch_dot", {}, [(2, 3, 4), (2, 3, 4)], "[2,3,4]"),
    ("batch_dot", {}, [(3, 4), (4, 5)], "[3,4]"),
    ("batch_dot", {}, [(2, 3, 4), (1, 4, 5)], "[1,4,5]"),
    ("khatri_rao", {"num_args": 2}, [(2, 3), (4, 2)], "[4,2]"),
    ("_contrib_interleaved_matmul_selfatt_qk", {"heads": 2}, [(5, 2, 13)], "heads=2"),
    ("_contrib_interleaved_matmul_selfatt_valatt", {"heads": 2}, [(5, 2, 12), (4, 5, 6)], "[4,5,6]"),
    ("_contrib_interleaved_matmul_encdec_qk", {"heads": 2}, [(4, 2, 6), (5, 3, 12)], "[5,3,12]"),
    ("_sg_mkldnn_selfatt_qk", {"heads": 2, "quantized": True}, [(4, 2, 12)], "quantized"),
    ("_sg_mkldnn_selfatt_valatt", {"heads": 2, "quantized": True}, [(4, 2, 12), (4, 4, 4)], "quantized"),
    ("im2col", {"kernel": (9, 2)}, [(1, 2, 3, 4)], "kernel=(9, 2)"),
    ("im2col", {"kernel": (2,)}, [(1, 2, 3, 4)], "[1,2,3,4]"),
    ("im2col", {"kernel": (2, 2), "stride": (0, 1)}, [(1, 2, 3, 4)], "stride=(0, 1)"),
    ("col2im", {"kernel": (2, 2), "output_size": (3, 4)}, [(1, 8, 7)], "[1,8,7]"),
    ("im2col", {"kernel": ()}, [(1, 2, 3, 4)], "kernel=()"),
    ("col2im", {"kernel": (2, 2), "output_size": (3,)}, [(1, 8, 6)], "output_size=(3,)"),
    ("col2im", {"kernel": (2, 2), "output_size": (3, 0)}, [(1, 8, 6)], "output_size=(3, 0)"),
    ("col2im", {"kernel": (2, 2), "output_size": (3, 1)}, [(1, 8, 6)], "output_size has only 1"),
]
# fmt: on


def test_columns_and_images_are_adjoint():
    attrs = {"kernel": (2, 3), "stride": (2, 1), "pad": (1, 0)}
    images, columns = torch.rand(2, 3, 5, 6), torch.rand(2, 18, 12)
    there = find("im2col").of(attrs).forward(images)
    back = find("col2im").of({**attrs, "output_size": (5, 6)}).forward(columns)
    torch.testing.assert_close((there * columns).sum(), (images * back).sum())
