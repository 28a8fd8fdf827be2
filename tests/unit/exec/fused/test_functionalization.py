# SPDX-License-Identifier: Apache-2.0
"""What a backward pass writes, apart from the graph."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.fused.functionalization import WritesApart


def test_images_do_not_leave_a_graph_for_what_is_written():
    data = mx.sym.var("data")
    symbol = mx.sym.relu(mx.sym.BatchNorm(mx.sym.BatchNorm(data, name="a"), name="b"))
    apart = WritesApart(symbol, symbol.list_inputs())
    assert [entry.output for entry in apart.pure.entries] == [0, 1, 2, 1, 2]  # not the images


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_statistics_keep_the_type_that_the_operator_gives_them(dtype):
    data = mx.sym.var("data", dtype=dtype)
    symbol = mx.sym.BatchNorm(data, name="bn")
    pure = WritesApart(symbol, symbol.list_inputs()).pure
    types = {"data": dtype}
    assert pure.infer_type(**types)[1][:1] == symbol.infer_type(**types)[1]
    assert pure.infer_type(**types)[1][1:] == [np.float32, np.float32]
    assert pure.infer_shape(data=(2, 3, 4))[1] == [(2, 3, 4), (3,), (3,)]
