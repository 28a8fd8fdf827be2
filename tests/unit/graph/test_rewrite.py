# SPDX-License-Identifier: Apache-2.0
import pytest

import mxnova as mx
from mxnova.core.graph.node import Entry, Node
from mxnova.core.graph.rewrite import rewrite

relu = mx.sym.relu(mx.sym.var("x"), name="r").entries[0].node.op


def graph():
    x = mx.sym.var("x")
    shared = mx.sym.tanh(x, name="t")
    parts = mx.sym.split(shared * 2, num_outputs=2, name="s")
    return mx.sym.Group([parts[1] * 1, parts[0], shared])


def names(symbol):
    return [n.name for n in symbol.nodes]


def test_nothing_changed_is_the_same_symbol():
    symbol = graph()
    assert rewrite(symbol, lambda node, inputs: None) is symbol


def test_a_copy_is_equal_and_shares_no_node():
    symbol = graph()
    copy = rewrite(symbol, Node.copy)
    assert copy.tojson() == symbol.tojson()
    assert not {id(n) for n in copy.nodes} & {id(n) for n in symbol.nodes}


def test_what_is_not_downstream_of_a_change_is_shared():
    symbol = graph()
    changed = rewrite(
        symbol, lambda n, i: n.with_operator(relu, i) if n.name.startswith("_mulscalar") else None
    )
    before = {n.name: n for n in symbol.nodes}
    after = {n.name: n for n in changed.nodes}
    assert after["t"] is before["t"]
    assert after["s"] is not before["s"]
    assert before["s"].inputs[0].node.op.name == "_mul_scalar"


def test_each_node_is_asked_once_with_its_new_inputs():
    symbol, asked = graph(), []

    def replace(node, inputs):
        asked.append(node)
        made = node.copy(inputs)
        made.name += "_new"
        assert all(e.node.name.endswith("_new") for e in inputs)
        return made

    rewrite(symbol, replace)
    assert asked == symbol.nodes


def test_entries_remove_nodes_and_what_nobody_reads_vanishes():
    symbol = graph()
    without = rewrite(symbol, lambda n, i: i if n.name == "t" else None)
    assert "t" not in names(without)
    assert without.entries[2].node.name == "x"
    cut = rewrite(
        symbol, lambda n, i: [Entry(Node(None, "p", {}), 0)] * 2 if n.name == "s" else None
    )
    assert sorted(names(cut))[1:] == ["p", "t", "x"]


def test_outputs_are_moved_one_by_one():
    symbol = graph()
    swapped = rewrite(symbol, lambda n, i: _turned(n, i) if n.name == "s" else None)
    x = mx.nd.array([[1, 2], [3, 4]])
    given, wanted = swapped.eval(x=x), symbol.eval(x=x)
    for i, j in ((0, 1), (1, 0), (2, 2)):
        assert given[i].asnumpy().tolist() == wanted[j].asnumpy().tolist()


def _turned(node, inputs):
    made = node.copy(inputs)
    return [Entry(made, 1), Entry(made, 0)]


def test_an_error_of_the_callback_leaves_the_symbol_alone():
    symbol = graph()
    text = symbol.tojson()

    def fail(node, inputs):
        raise KeyError(node.name)

    with pytest.raises(KeyError):
        rewrite(symbol, fail)
    assert symbol.tojson() == text


def test_chains_longer_than_the_stack():
    x = mx.sym.var("x")
    for _ in range(5000):
        x = mx.sym.identity(x)
    assert len(rewrite(x, lambda n, i: i if n.op else None).nodes) == 1


def test_casts_of_mixed_precision_are_left_out_of_files():
    x = mx.sym.var("x")
    cast = mx.sym.amp_cast(x, dtype="float16", name="c")
    both = mx.sym.amp_multicast(cast, mx.sym.var("y"), num_outputs=2, name="m")
    symbol = mx.sym.Group([mx.sym.exp(both[1], name="e"), mx.sym.exp(both[0]), cast])
    loaded = mx.sym.load_json(symbol.tojson())
    inputs = {n.name: [e.node.name for e in n.inputs] for n in loaded.nodes}
    assert inputs["e"] == ["y"]
    assert inputs["c"] == ["x"]
    assert "m" not in inputs
    assert "m" in names(mx.sym.load_json(symbol.tojson(remove_amp_cast=False)))
