# SPDX-License-Identifier: Apache-2.0
import pytest

import mxnova as mx
from mxnova.core.exec.passes.stride_before_activation import with_early_strides

POINT = {"kernel": (1, 1), "num_filter": 2, "no_bias": True}


def is_relu(node):
    return node.op is not None and node.op.name == "relu"


def convolved(x, *weights, **attrs):
    return mx.sym.Convolution(x, *weights, **{**POINT, **attrs})


def nodes(*outputs):
    symbol = with_early_strides(mx.sym.Group(outputs), is_relu)
    return [node for node in symbol.nodes if node.op is not None]


def test_strides_of_all_readers_move_before_an_activation():
    y = mx.sym.relu(mx.sym.var("x"))
    pool, relu, *convolutions = nodes(convolved(y, stride=(2, 3)), convolved(y, stride=(2, 3)))
    assert (pool.op.name, pool.op.kernel, pool.op.stride) == ("Pooling", (1, 1), (2, 3))
    assert relu.inputs[0].node is pool
    assert [c.op.stride for c in convolutions] == [(1, 1), (1, 1)]
    assert all(c.inputs[0].node is relu for c in convolutions)


STRIDED = {"stride": (2, 2)}


@pytest.mark.parametrize(
    "readers",
    [
        lambda y: [convolved(y)],
        lambda y: [convolved(y, **STRIDED), y],
        lambda y: [convolved(y, **STRIDED), mx.sym.sigmoid(y)],
        lambda y: [convolved(y, **STRIDED), convolved(y, stride=(3, 3))],
        lambda y: [convolved(y, **STRIDED), mx.sym.BatchNorm(y)],
        lambda y: [convolved(y, kernel=(3, 3), **STRIDED)],
        lambda y: [convolved(y, pad=(1, 1), **STRIDED)],
        lambda y: [convolved(mx.sym.var("z"), y, **STRIDED)],
        lambda y: [convolved(y, y, **STRIDED)],
    ],
)
def test_strides_stay_where_something_else_reads(readers):
    outputs = readers(mx.sym.relu(mx.sym.var("x")))
    symbol = mx.sym.Group(outputs)
    assert with_early_strides(symbol, is_relu) is symbol
