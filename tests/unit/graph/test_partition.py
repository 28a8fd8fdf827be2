# SPDX-License-Identifier: Apache-2.0
"""Groups of nodes become one: as MXNet groups them, and so that the graph stays one."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.graph.partition import partitioned

TABLE = json.loads(
    (Path(__file__).parents[2] / "data" / "partition" / "partitioned.json").read_text()
)


def takes(*names):
    return lambda node: node.op.name in names


def structure(graph):
    """Nodes and heads of a JSON graph, without attributes and versions of variables."""
    nodes = [
        (
            node["op"],
            node["name"],
            [entry[:2] for entry in node["inputs"]],
            [structure(inner) for inner in node.get("subgraphs", ())],
        )
        for node in graph["nodes"]
    ]
    return nodes, graph["heads"]


@pytest.mark.parametrize("form", ["plain", "shared"])
@pytest.mark.parametrize("number", range(len(TABLE)))
def test_groups_are_those_of_mxnet(number, form):
    row = TABLE[number]
    symbol = mx.sym.load_json(json.dumps(row["symbol"]))
    found = partitioned(symbol, takes(*row["operators"]), form == "shared")
    assert structure(json.loads(found.tojson())) == structure(row[form])
    assert found.list_arguments() == symbol.list_arguments()
    assert found.list_auxiliary_states() == symbol.list_auxiliary_states()


def drawn(seed):
    """A graph of some operators with one or two heads, and some operators' names."""
    rng = random.Random(seed)
    made = [mx.sym.var("x"), mx.sym.var("y")]
    for _ in range(rng.randint(3, 25)):
        one, other = rng.choice(made[-5:]), rng.choice(made)
        kind = rng.choice(["sin", "cos", "tanh", "elemwise_add", "elemwise_mul", "SliceChannel"])
        if kind == "SliceChannel":
            made += mx.sym.SliceChannel(mx.sym.concat(one, other, dim=1), num_outputs=2)
        elif kind.startswith("elemwise"):
            made.append(getattr(mx.sym, kind)(one, other))
        else:
            made.append(getattr(mx.sym, kind)(one))
    heads = mx.sym.Group([made[-1], rng.choice(made[2:])])
    names = ["sin", "cos", "tanh", "elemwise_add", "elemwise_mul", "SliceChannel", "Concat"]
    return heads, rng.sample(names, 4)


def run(symbol):
    given = {n: mx.nd.array([[0.5, -1], [2, 0.25]]) for n in symbol.list_arguments()}
    executor = symbol.bind(mx.cpu(), given, {n: mx.nd.zeros((2, 2)) for n in given})
    executor.forward(is_train=True)
    executor.backward([mx.nd.ones(o.shape) for o in executor.outputs])
    return [o.asnumpy() for o in (*executor.outputs, *executor.grad_dict.values())]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_values_and_gradients_are_those_of_the_whole_graph(seed, shared):
    symbol, names = drawn(seed)
    before = symbol.tojson()
    found = partitioned(symbol, takes(*names), shared)
    assert symbol.tojson() == before
    again = mx.sym.load_json(found.tojson())
    assert again.tojson() == found.tojson()
    expected = dict(zip(symbol.list_arguments(), run(symbol)[2:], strict=True))
    for made in (found, again):
        results = run(made)
        gradients = dict(zip(made.list_arguments(), results[2:], strict=True))
        for one, other in zip(results[:2], run(symbol)[:2], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)
        for name, gradient in gradients.items():
            np.testing.assert_allclose(gradient, expected[name], rtol=1e-4, atol=1e-6)


def test_groups_that_read_what_others_make_of_them_stay_apart():
    x = mx.sym.sin(mx.sym.var("x"))
    across = x
    for _ in range(5):
        across = mx.sym.cos(across)
    found = partitioned(x + across, takes("sin", "elemwise_add"))
    assert [n.name for n in found.nodes if n.subgraphs] == ["_CachedOp0", "_CachedOp1"]


def test_nodes_of_several_places_stay_apart():
    made = mx.sym.var("x")
    for place in ("one", "one", "other"):
        with mx.AttrScope(ctx_group=place):
            made = mx.sym.exp(made)
    found = partitioned(made, takes("exp"))
    assert [n.attrs.get("__ctx_group__") for n in found.nodes if n.subgraphs] == ["one", "other"]


def test_inputs_of_a_group_have_names_of_their_own():
    """Eleven readers of x would take the name that the first reader of x1 has."""
    x = mx.sym.var("x")
    total = mx.sym.var("x1") + x
    for _ in range(11):
        total = total + x
    found = partitioned(total, takes("elemwise_add"))
    names = found.entries[0].node.subgraphs[0].list_inputs()
    assert len(set(names)) == len(names) == 13
    one, eleven = mx.nd.ones((1,)), mx.nd.ones((1,)) * 11
    assert found.eval(x=one, x1=eleven)[0].asscalar() == 23


def test_long_chains_are_quick():
    made = mx.sym.var("x")
    for i in range(3000):
        made = mx.sym.exp(made) if i % 3 else mx.sym.sin(made)
    assert len(partitioned(made, takes("exp", "sin")).nodes) == 2
    assert len(partitioned(made, takes("exp")).nodes) == 1 + 2 * 1000
