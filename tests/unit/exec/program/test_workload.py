# SPDX-License-Identifier: Apache-2.0
"""Which graphs have too little to compute for several threads."""

from typing import Any

import pytest

import mxnova as mx
from mxnova.core.exec.program.workload import is_small_graph, multiplications
from mxnova.core.graph.infer import infer_shapes

DATA = mx.sym.var("data")
WHILE = mx.sym.contrib.while_loop(
    lambda x: mx.sym.sum(x) < 9, lambda x: (x, [x + x]), [DATA], max_iterations=3
)[0]
BRANCH = mx.sym.contrib.cond(mx.sym.sum(DATA) < 9, lambda: DATA * 2, lambda: mx.sym.sqrt(DATA))
LOOP = mx.sym.contrib.foreach(lambda x, s: (x + s, s), DATA, mx.sym.var("state"))[0]


@mx.operator.register("test_work_identity")
class _Identity(mx.operator.CustomOpProp):
    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Any:
        return mx.operator.CustomOp()


GRAPHS = [
    ("a product", mx.sym.FullyConnected(DATA, num_hidden=16), (32, 64), True),
    ("a wide product", mx.sym.FullyConnected(DATA, num_hidden=512), (32, 784), False),
    ("many rows", mx.sym.FullyConnected(DATA, num_hidden=16), (4096, 64), False),
    ("a convolution", mx.sym.Convolution(DATA, kernel=(3, 3), num_filter=4), (1, 3, 8, 8), True),
    ("a wide window", mx.sym.Convolution(DATA, kernel=(9, 9), num_filter=8), (1, 8, 32, 32), False),
    ("a softmax", mx.sym.softmax(DATA), (32, 10), True),
    ("a large softmax", mx.sym.softmax(DATA), (256, 1000), False),
    ("a sum", mx.sym.sum(DATA), (100, 100), True),
    ("a large sum", mx.sym.sum(DATA), (1000, 1000), False),
    ("a user's function", mx.sym.Custom(DATA, op_type="test_work_identity"), (2,), False),
    ("a loop", LOOP, (2, 3), True),
    ("a loop of large steps", LOOP, (2, 1000, 1000), False),
    ("a loop on a large array", mx.sym.sum(LOOP) + mx.sym.sum(DATA), (1000, 1000), False),
    ("a while loop", WHILE, (3,), True),
    ("a while loop of large steps", WHILE, (1000, 1000), False),
    ("a branch", BRANCH, (3,), True),
    ("a large branch", BRANCH, (1000, 1000), False),
    ("nothing", DATA, (2,), False),
]


@pytest.mark.parametrize(
    ("graph", "shape", "small"), [g[1:] for g in GRAPHS], ids=[g[0] for g in GRAPHS]
)
def test_graphs(graph: Any, shape: tuple[int, ...], small: bool) -> None:
    known = {"data": shape}
    if "state" in graph.list_arguments():
        known["state"] = shape[1:]
    assert is_small_graph(graph, infer_shapes(graph.nodes, known)) is small


def test_unknown_shapes() -> None:
    graph = mx.sym.relu(DATA)
    assert not is_small_graph(graph, infer_shapes(graph.nodes, {}))


def test_many_small_nodes_outweigh_a_larger_one() -> None:
    """What the average node has to compute counts."""
    wide = mx.sym.FullyConnected(DATA, num_hidden=64)
    graph = wide
    for _ in range(20):
        graph = mx.sym.FullyConnected(graph, num_hidden=8)
    shapes = {"data": (32, 256)}
    assert not is_small_graph(wide, infer_shapes(wide.nodes, shapes))
    assert is_small_graph(graph, infer_shapes(graph.nodes, shapes))


LAYERS = [
    (mx.sym.FullyConnected(DATA, num_hidden=16), (32, 4, 8), 32 * 16 * 32),
    (mx.sym.FullyConnected(DATA, num_hidden=16, flatten=False), (32, 4, 8), 32 * 4 * 16 * 8),
    (mx.sym.Convolution(DATA, kernel=(3, 3), num_filter=4), (2, 3, 8, 8), 2 * 4 * 36 * 27),
    (mx.sym.FullyConnected(DATA, num_hidden=16), None, 0),
]


@pytest.mark.parametrize(("layer", "shape", "count"), LAYERS)
def test_multiplications(layer: Any, shape: tuple[int, ...] | None, count: int) -> None:
    known = {} if shape is None else {"data": shape}
    assert multiplications(layer.nodes[-1], infer_shapes(layer.nodes, known)) == count
