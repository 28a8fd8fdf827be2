# SPDX-License-Identifier: Apache-2.0
import re

import numpy as np
import pytest

import mxnova as mx
from tests.unit.base.test_html import Text

EYE = np.eye(30, dtype="f")

CASES = [
    ("vector", lambda: mx.nd.arange(3), "NDArray, 3, float32 @cpu(0)", ["0", "1", "2", "0", "1", "2"]),
    ("matrix", lambda: mx.nd.array([[1.5, 2]]), "NDArray, 1x2, float32 @cpu(0)", ["0", "1", "0", "1.5", "2"]),
    ("integers", lambda: mx.nd.array([7], dtype="int64"), "NDArray, 1, int64 @cpu(0)", ["0", "7"]),
    ("truth", lambda: mx.np.array([True], dtype="bool"), "ndarray, 1, bool @cpu(0)", ["0", "True"]),
    ("scalar", lambda: mx.nd.array([[4]]).astype("float16")[0], "NDArray, 1, float16 @cpu(0)", ["0", "4"]),
    ("three axes", lambda: mx.nd.zeros((1, 1, 2)), "NDArray, 1x1x2, float32 @cpu(0)", ["[[[0. 0.]]]"]),
    ("nothing", lambda: mx.np.zeros((0, 3)), "ndarray, 0x3, float32 @cpu(0)", ["[]"]),
    ("bfloat16", lambda: mx.nd.ones((1,), dtype="bfloat16"), "NDArray, 1, bfloat16 @cpu(0)", ["0", "1"]),
    ("csr", lambda: mx.nd.sparse.csr_matrix(EYE), "CSRNDArray, 30x30, float32 @cpu(0); 30 numbers stored, 3.33% of all",
     ["row", "column", "value", *(str(v) for i in (0, 1, 2, 3, 26, 27, 28, 29) for v in (i, i, 1))]),
    ("rows", lambda: mx.nd.sparse.row_sparse_array((np.ones((1, 2), "f"), [5]), shape=(9, 2)),
     "RowSparseNDArray, 9x2, float32 @cpu(0); 2 numbers stored, 11.11% of all", ["0", "1", "5", "1", "1"]),
    ("no rows", lambda: mx.nd.sparse.zeros("row_sparse", (4, 2)), "RowSparseNDArray, 4x2, float32 @cpu(0); 0 numbers stored, 0.00% of all", []),
    ("no csr", lambda: mx.nd.sparse.zeros("csr", (0, 2)), "CSRNDArray, 0x2, float32 @cpu(0); 0 numbers stored", []),
]  # fmt: skip


@pytest.mark.parametrize("make, caption, cells", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_arrays(make, caption, cells):
    with mx.util.np_shape(True):
        html = make()._repr_html_()
    assert Text(html).text == [caption, *cells]


def test_only_the_ends_of_a_large_array_are_shown():
    values = np.arange(1_000_000.0).reshape(1000, 1000)
    html = mx.nd.array(values)._repr_html_()
    assert len(html) < 6000
    rows = re.findall("<tr>(.*?)</tr>", html)[1:]
    assert [Text(r).text[0] for r in rows] == ["0", "1", "2", "3", "⋮", "996", "997", "998", "999"]
    assert Text(rows[-1]).text[-1] == "999999"


def test_what_is_shown_is_not_recorded():
    x = mx.nd.ones((20, 2))
    x.attach_grad()
    with mx.autograd.record():
        y = x * 2
        y._repr_html_()
    y.backward()
    assert (x.grad.asnumpy() == 2).all()
