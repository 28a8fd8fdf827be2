# SPDX-License-Identifier: Apache-2.0
"""Strides move to where values are made; what is read stays what it was."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.fused.subsampling import Subsampled
from mxnova.core.exec.passes.matching import is_image_convolution
from mxnova.core.exec.passes.stride_hoisting import without_unread_positions

from ..backends.test_aten import answers, close

SHAPE = (2, 4, 13, 14)
X = mx.sym.var("data")


def conv(x, name, kernel=1, stride=(1, 1), filters=8):
    sizes = {"kernel": (kernel, kernel), "pad": (kernel // 2, kernel // 2), "stride": stride}
    return mx.sym.Convolution(x, name=name, num_filter=filters, **sizes)


def normalized(x, name, **sizes):
    return mx.sym.BatchNorm(conv(x, name, **sizes), name=f"{name}_n", fix_gamma=False)


def bottleneck(x, name, stride=(1, 1), skips=False):
    """As in ResNet v1: the first convolution has the stride."""
    y = mx.sym.relu(normalized(x, f"{name}_a", stride=stride, filters=4))
    y = mx.sym.relu(normalized(y, f"{name}_b", kernel=3, filters=4))
    y = normalized(y, f"{name}_c")
    rest = normalized(x, f"{name}_s", stride=stride) if skips else x
    return mx.sym.Activation(rest + y, act_type="relu")


def rewritten(symbol, shape=SHAPE):
    inner = symbol.get_internals()
    known = dict(zip(inner.list_outputs(), inner.infer_shape(data=shape)[1], strict=True))

    def of(node):
        return [known[name] for name in node.output_names()]

    return without_unread_positions(symbol, {n: of(n) for n in symbol.nodes})


def strides(symbol):
    return {n.name: tuple(n.op.stride or (1, 1)) for n in symbol.nodes if is_image_convolution(n)}


def copies(symbol):
    return [n for n in symbol.nodes if isinstance(n.op, Subsampled)]


def two_stages():
    x = bottleneck(X, "one", skips=True)
    x = bottleneck(x, "two")
    return bottleneck(x, "three", stride=(2, 2), skips=True)


def test_stages_of_a_residual_network():
    found = rewritten(two_stages())
    moved = {name: s for name, s in strides(found).items() if s != (1, 1)}
    assert moved == {"two_b": (2, 2)}
    assert len(copies(found)) == 1  # of the first block's output, whose other reader wants it whole


GRAPHS = {
    "stages": two_stages,
    "different axes": lambda: conv(conv(X, "a", 3), "b", stride=(3, 1)),
    "on and on": lambda: conv(
        conv(conv(X, "a", 3, (2, 1)), "b", stride=(2, 2)), "c", stride=(1, 3)
    ),
    "two readers": lambda: mx.sym.Group(
        [conv(y := conv(X, "a", 3), "b", stride=(4, 4)), conv(y, "c", stride=(6, 2))]
    ),
}
MOVED = {
    "stages": {"two_b": (2, 2)},
    "different axes": {"a": (3, 1)},
    "on and on": {"a": (4, 6)},
    "two readers": {"a": (2, 2), "b": (2, 2), "c": (3, 1)},
}


@pytest.mark.parametrize("name", GRAPHS)
def test_values_stay(monkeypatch, name):
    symbol = GRAPHS[name]()
    moved = {n: s for n, s in strides(rewritten(symbol)).items() if s != (1, 1)}
    assert moved == MOVED[name]
    plain, found, _ = answers(symbol, monkeypatch, SHAPE)
    close(found, plain)


def all_positions(y):
    return mx.sym.Group([conv(y, "last", stride=(2, 2)), mx.sym.sum(y)])


LEFT = {
    "an output": lambda: mx.sym.Group([conv(y := conv(X, "a", 3), "b", stride=(2, 2)), y]),
    "a reader of all": lambda: all_positions(conv(X, "a", 3)),
    "a window": lambda: conv(conv(X, "a", 3), "b", 3, (2, 2)),
    "no convolution before": lambda: conv(mx.sym.relu(X) + X, "b", stride=(2, 2)),
    "across positions": lambda: conv(mx.sym.L2Normalization(conv(X, "a", 3)), "b", stride=(2, 2)),
    "statistics": lambda: mx.sym.Group(
        [
            conv(
                (n := mx.sym.BatchNorm(conv(X, "a", 3), output_mean_var=True))[0],
                "b",
                stride=(2, 2),
            ),
            n[1],
        ]
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_stays_as_it_is(name):
    symbol = LEFT[name]()
    assert strides(rewritten(symbol)) == strides(symbol)
    assert not copies(rewritten(symbol))


def test_what_is_left_out_may_be_anything(monkeypatch):
    symbol = conv(conv(X, "a"), "b", stride=(2, 2))
    given = {
        f"arg:{n}": mx.nd.ones(s)
        for n, s in zip(symbol.list_arguments(), symbol.infer_shape(data=SHAPE)[0], strict=True)
        if n != "data"
    }
    data = np.full(SHAPE, np.nan, "float32")
    data[:, :, ::2, ::2] = 1
    (found,) = mx.Predictor(symbol, given, {"data": SHAPE}).predict(data=data)
    assert (found == (4 + 1) * 8 + 1).all()
