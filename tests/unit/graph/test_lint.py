# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a graph is said, and nothing of one that is whole."""

from __future__ import annotations

import pytest

import mxnova as mx
from mxnova.core.graph.base_symbol import symbol_of
from mxnova.core.graph.lint import lint, problems
from mxnova.core.graph.node import Entry


def net():
    hidden = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=3, name="dense")
    normed = mx.sym.BatchNorm(mx.sym.Activation(hidden, act_type="relu"), name="norm")
    return normed + mx.sym.var("y")


def node_of(symbol, name):
    return next(n for n in symbol.nodes if n.name == name)


def test_nothing_is_wrong_with_graphs_of_users():
    symbol = net()
    assert list(problems(symbol)) == []
    lint(symbol, "nobody", symbol, {"x": (2, 4)})


def a_missing_output(symbol):
    node = node_of(symbol, "dense")
    node.inputs[0] = Entry(node.inputs[0].node, 1)


def a_cycle(symbol):
    node = node_of(symbol, "dense")
    node.inputs[0] = Entry(symbol.entries[0].node, 0)


def a_namesake(symbol):
    node_of(symbol, "y").name = "x"


def bad_attributes(symbol):
    node_of(symbol, "dense").attrs["num_hidden"] = "many"


def too_few_inputs(symbol):
    node_of(symbol, "dense").inputs.pop()


@pytest.mark.parametrize(
    ("breaks", "message"),
    [
        (a_missing_output, "node 'dense': 'x' has no output 1"),
        (a_cycle, "reads what is made of its own outputs"),
        (a_namesake, "two variables are named 'x'"),
        (bad_attributes, "node 'dense': attributes: .*num_hidden"),
        (too_few_inputs, "node 'dense': FullyConnected of 2 inputs, not 3"),
    ],
)
def test_what_is_wrong_is_said(breaks, message):
    symbol = net()
    breaks(symbol)
    made = symbol_of(symbol.entries)  # which lists its nodes anew
    with pytest.raises(mx.MXNetError, match=f"a pass: broken graph: .*{message}"):
        lint(made, "a pass", net())


def test_a_head_must_be_an_output():
    symbol = net()
    made = symbol_of([Entry(symbol.entries[0].node, 7)])
    with pytest.raises(mx.MXNetError, match="head: node .* has no output 7"):
        lint(made, "a pass", symbol)


def test_differences_of_two_graphs_are_said():
    x, y = mx.sym.var("x"), mx.sym.var("y")
    one = mx.sym.exp(x)
    with pytest.raises(mx.MXNetError, match=r"new variables \['y'\]"):
        lint(one + y, "a pass", one)
    with pytest.raises(mx.MXNetError, match="2 heads instead of 1"):
        lint(mx.sym.Group([one, x]), "a pass", one)
    wide = mx.sym.FullyConnected(x, num_hidden=3, no_bias=True, weight=x)
    with pytest.raises(mx.MXNetError, match="shapes are not inferred any more"):
        lint(wide, "a pass", one, {"x": (2, 4)})
