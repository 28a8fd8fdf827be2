# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.passes.pooling_before_activation import with_early_pooling

HALVES = {"kernel": (2, 2), "stride": (2, 2), "pool_type": "max"}


def rectified(x):
    return mx.sym.Activation(x, act_type="relu")


def operators(symbol):
    return [node.op.name for node in symbol.nodes if node.op is not None]


@pytest.mark.parametrize("rectify", [rectified, mx.sym.relu])
def test_maxima_are_taken_before(rectify):
    x = mx.sym.sigmoid(mx.sym.var("x"))
    moved = with_early_pooling(mx.sym.Pooling(rectify(x), **HALVES) * 2)
    first, pool, then, _ = operators(moved)
    assert (first, pool, then) == ("sigmoid", "Pooling", rectify(x).nodes[-1].op.name)


@pytest.mark.parametrize(
    "made",
    [
        lambda x: mx.sym.Pooling(mx.sym.sigmoid(x), **HALVES),
        lambda x: mx.sym.Pooling(rectified(x), **{**HALVES, "pool_type": "avg"}),
        lambda x: mx.sym.Pooling(rectified(x), **{**HALVES, "stride": (1, 1)}),
        lambda x: mx.sym.Pooling(rectified(x), **HALVES, pooling_convention="full"),
        lambda x: mx.sym.Pooling(rectified(x), kernel=(2, 2), pool_type="max", global_pool=True),
        lambda x: mx.sym.Group([y := rectified(x), mx.sym.Pooling(y, **HALVES) * 2]),
        lambda x: mx.sym.Pooling(rectified(x), **HALVES),  # an output
    ],
)
def test_the_graph_stays_elsewhere(made):
    symbol = made(mx.sym.var("x"))
    assert with_early_pooling(symbol) is symbol


@pytest.mark.parametrize("window", [{}, {"kernel": (3, 3), "pad": (1, 1)}])
@pytest.mark.parametrize("channels", [2, 16])
def test_a_step_gives_the_same_to_the_last_bit(window, channels, monkeypatch):
    x = mx.nd.array(np.random.default_rng(0).integers(-3, 4, (2, channels, 8, 8)))  # many are equal
    head = mx.nd.array(np.random.default_rng(1).normal(size=(2, channels, 4, 4)))
    symbol = mx.sym.Pooling(rectified(mx.sym.var("x")), **{**HALVES, **window}) * 2
    found = []
    for fuse in ("1", "0"):
        monkeypatch.setenv("MXNOVA_FUSE", fuse)
        executor = symbol.bind(mx.cpu(), {"x": x}, {"x": mx.nd.zeros(x.shape)})
        executor.forward(is_train=True)
        executor.backward(head)
        found.append((executor.outputs[0].asnumpy(), executor.grad_dict["x"].asnumpy()))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
