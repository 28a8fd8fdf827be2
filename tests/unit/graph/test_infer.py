# SPDX-License-Identifier: Apache-2.0
"""What rules make of shapes is remembered, as far as nothing else decides it."""

import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.schema import find


@pytest.fixture
def asked(monkeypatch):
    """How often the rule of FullyConnected has been asked, by what its data was."""
    found = []
    kind = find("FullyConnected").make
    rule = kind.infer_shape

    def counted(self, s):
        found.append(s.known("data"))
        rule(self, s)

    monkeypatch.setattr(kind, "infer_shape", counted)
    return found


def test_a_rule_is_asked_once_for_the_same_shapes(asked):
    def output(rows):
        x = mx.sym.var("x")
        for _ in range(3):
            x = mx.sym.FullyConnected(x, num_hidden=5, no_bias=True)
        return x.infer_shape(x=(rows, 5))[1]

    assert output(1001) == [(1001, 5)]
    before = len(asked)
    assert output(1001) == [(1001, 5)]
    assert len(asked) == before
    assert output(1002) == [(1002, 5)]
    assert len(asked) > before


def test_refusals_are_told_each_time():
    symbol = mx.sym.FullyConnected(mx.sym.var("x"), mx.sym.var("w"), num_hidden=5, no_bias=True)
    for _ in range(2):
        with pytest.raises(
            MXNetError,
            match=r"FullyConnected: weight 'w' has shape \[4,3\], but needs \[5,3\] beside data",
        ):
            symbol.infer_shape(x=(2, 3), w=(4, 3))


def test_semantics_of_shapes_are_told_apart():
    symbol = mx.sym.linalg.slogdet(mx.sym.var("x"))[0]
    for _ in range(2):
        with mx.util.np_shape(True):
            assert symbol.infer_shape(x=(2, 2))[1] == [()]
        with mx.util.np_shape(False):
            assert symbol.infer_shape(x=(2, 2))[1] == [(1,)]


def test_rules_of_users_are_asked_each_time():
    asked = []

    class Prop(mx.operator.CustomOpProp):
        def infer_shape(self, in_shape):
            asked.append(in_shape)
            return in_shape, [[len(asked)]], []

    mx.operator.register("asked_each_time")(Prop)
    symbol = mx.sym.Custom(mx.sym.var("x"), op_type="asked_each_time")
    first = symbol.infer_shape(x=(2,))[1]
    assert symbol.infer_shape(x=(2,))[1] != first
