# SPDX-License-Identifier: Apache-2.0
"""How much graphs have to compute, in multiplications."""

from __future__ import annotations

from math import inf, prod, sqrt
from typing import Any

from ...base.shapes import is_known
from ...graph.infer import ShapeTable, infer_shapes
from ...graph.node import Node
from ...graph.symbol import Symbol
from ...runtime import tuning
from ...runtime.threads import is_small

__all__ = ["is_small_graph", "multiplications"]


def is_small_graph(symbol: Symbol, shapes: ShapeTable) -> bool:
    """Whether one thread runs `symbol` as fast as several, or faster.

    The average node decides, and that of each body of a loop, however often it runs.

    Args:
        symbol: a graph.
        shapes: of all outputs of its nodes.
    """
    nodes = [n for n in symbol.nodes if n.op is not None]
    work = 0.0
    for node in nodes:
        if node.subgraphs:
            if not _has_small_bodies(node, shapes):
                return False
            continue
        work += _work(node, shapes)
        if not is_small(work, len(nodes)):
            return False
    return bool(nodes)


def _has_small_bodies(node: Node, shapes: ShapeTable) -> bool:
    op: Any = node.op
    given = op.body_shapes([shapes[e.node][e.output] for e in node.inputs])
    if not given:
        return False
    return all(
        is_small_graph(
            body, infer_shapes(body.nodes, dict(zip(body.list_inputs(), known, strict=True)))
        )
        for body, known in zip(node.subgraphs, given, strict=True)
    )


def multiplications(node: Node, shapes: ShapeTable) -> int:
    """How many a convolution or a fully connected layer makes; 0 where shapes are unknown."""
    weight, output = shapes[node.inputs[1].node][0], shapes[node][0]
    if not (is_known(weight) and is_known(output)):
        return 0
    elements: Any = prod(output)
    return int(elements * prod(weight[1:]))


def _work(node: Node, shapes: ShapeTable) -> float:
    """About how many multiplications take as long as a node; infinity where nobody knows.

    Matrices of m x k, k x n and m x n elements are multiplied by as many as the root of the product
    of the three; so are images and kernels, but for the size of the window. Of a function of each
    element nothing is known, so that it counts as an exponential.
    """
    op: Any = node.op
    if op.is_opaque:
        return inf
    inputs: list[Any] = [shapes[e.node][e.output] for e in node.inputs]
    outputs: Any = shapes[node]
    if not all(map(is_known, [*inputs, *outputs])):
        return inf
    made = [prod(shape) for shape in outputs]
    largest = sorted([*map(prod, inputs), *made], reverse=True)
    window = prod(getattr(op, "kernel", ()))
    products: float = sqrt(prod(largest[:3]) * window)
    return max(products, float(tuning.EXPONENTIAL_MULTIPLICATIONS * max(made)), float(largest[0]))
