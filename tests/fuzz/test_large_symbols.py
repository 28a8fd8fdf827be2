# SPDX-License-Identifier: Apache-2.0
"""Symbols of 100 KB of each kind that a pass over nodes, names or sizes could take long for."""

from __future__ import annotations

import json

import pytest

from . import harness
from .parsers import infer_symbol, inferred_seeds, symbol_json


def node(op, inputs=(), name="n", **attrs):
    return {"op": op, "name": name, "attrs": attrs, "inputs": [[i, 0, 0] for i in inputs]}


def graph(nodes, n_heads=1, version=10901):
    heads = [[len(nodes) - 1 - i, 0, 0] for i in range(n_heads)]
    fields = {"nodes": nodes, "arg_nodes": [], "heads": heads}
    return json.dumps(fields | {"attrs": {"mxnet_version": ["int", version]}}).encode()


def body():
    return json.loads(graph([node("null", name="x"), node("relu", [0])]))


X = node("null", name="data")
LOOP = dict.fromkeys(("in_state_locs", "remain_locs"), "()") | {"in_data_locs": "(0,)"}
SIZES = (str(2**31 - 1), str(2**63), "9" * 5000, "-1", "1e400", "(" * 50_000)

KINDS = {
    "chain": [X, *(node("relu", [i], f"r{i}") for i in range(1200))],
    "equal names": [X, *(node("relu", [i]) for i in range(1200))],
    "doubling": [X, *(node("elemwise_add", [i, i], f"r{i}") for i in range(1000))],
    "doubling in size": [X, *(node("concat", [i, i], num_args="2") for i in range(1000))],
    "variables": [*[X] * 1500, node("add_n", range(1500), num_args="1500")],
    "fan": [X, node("add_n", [0] * 8000, num_args="8000")],
    "attributes": [X, node("relu", [0], **{f"__k{i}__": "" for i in range(6000)})],
    "learnt from behind": [
        node("null", name="x"),
        *(node("relu", [i], f"r{i}") for i in range(1000)),
        X,
        node("elemwise_add", [1000, 1001]),
    ],
    "subgraphs": [
        X,
        {
            **node("_foreach", [0], num_args="2", num_outputs="1", num_out_data="1", **LOOP),
            "subgraphs": [body()] * 500,
        },
    ],
    "long shape": [X, node("Reshape", [0], shape="(" + "1," * 50_000 + ")")],
    "long newshape": [X, node("_npx_reshape", [0], newshape="(" + "1," * 50_000 + ")")],
    "long declared shape": [
        dict(X, attrs={"__shape__": "(" + "1," * 50_000 + ")"}),
        node("Reshape", [0], shape="(" + "0," * 20_000 + ")"),
    ],
    "long axes": [X, node("transpose", [0], axes="(" + "0," * 50_000 + ")")],
    "long number": [X, node("_plus_scalar", [0], scalar="1" * 100_000)],
    "long word": [X, node("Activation", [0], act_type="r" * 100_000)],
} | {
    f"{op} of {size[:20]}": [X, node(op, [0], **{key: size})]
    for op, key in (("FullyConnected", "num_hidden"), ("Reshape", "shape"), ("tile", "reps"))
    for size in SIZES
}


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    infer_symbol(inferred_seeds()[0])


@pytest.mark.parametrize("kind", KINDS)
def test_large_symbols_take_no_long_time(kind):
    assert harness.check(infer_symbol, graph(KINDS[kind]), 2 * symbol_json.FACTOR) is None


def test_many_outputs_take_no_long_time():
    nodes = [X, *(node("relu", [0], f"r{i}") for i in range(1000))]
    assert harness.check(infer_symbol, graph(nodes, 1000), 2 * symbol_json.FACTOR) is None


def test_graphs_of_0_8_take_no_long_time():
    attrs = {f"w{i}_lr_mult": "1" for i in range(20)}
    layers = [node("FullyConnected", [0], "f", num_hidden="3", **attrs) for _ in range(200)]
    data = graph([X, *layers], version=800)
    assert harness.check(infer_symbol, data, 2 * symbol_json.FACTOR) is None
