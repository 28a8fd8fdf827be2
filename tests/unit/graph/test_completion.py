# SPDX-License-Identifier: Apache-2.0
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.graph.completion import completed, completions
from mxnova.core.graph.infer import infer_dtypes, infer_shapes


def found(symbol, **shapes):
    nodes = symbol.nodes
    return completions(symbol, infer_shapes(nodes, shapes), infer_dtypes(nodes, {}))


def test_what_readers_know_completes_an_operator():
    symbol = mx.sym.zeros(shape=(0, 3), name="z") + mx.sym.var("x")
    operators = found(symbol, x=(4, 3))
    made = completed(symbol, operators)
    assert [op.shape for op in operators.values()] == [(4, 3)]
    assert next(n for n in made.nodes if n.name == "z").op.shape == (4, 3)
    assert next(n for n in symbol.nodes if n.name == "z").op.shape == (0, 3)


def test_definite_symbols_are_copied():
    symbol = mx.sym.ones(shape=(2,)) * mx.sym.var("x")
    made = completed(symbol, found(symbol, x=(2,)))
    assert made.tojson() == symbol.tojson()
    assert not {*made.nodes} & {*symbol.nodes}


@pytest.mark.parametrize(
    "bind", [lambda s: s.simple_bind(mx.cpu()), lambda s: s.bind(mx.cpu(), {})]
)
def test_operators_that_stay_open_are_named(bind):
    with pytest.raises(MXNetError, match="node 'u': _random_uniform.*what shape"):
        bind(mx.sym._internal._random_uniform(name="u"))


def test_random_operators_without_a_shape_take_their_readers():
    symbol = mx.sym._internal._random_uniform(name="u") + mx.sym.var("x")
    assert symbol.simple_bind(mx.cpu(), x=(3,)).forward()[0].shape == (3,)
