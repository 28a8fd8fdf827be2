# SPDX-License-Identifier: Apache-2.0
"""Initial states of recurrent networks, for batches of any size.

``zeros(shape=(2, 0, 8))`` makes as much as its readers need. Formats that know no such thing get
operators instead that make it of the input that has the size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import symbol as sym
from ..core.graph.infer import infer_shapes
from ..core.graph.node import Entry, Node
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..onnx.open_sizes import HugeShapes, OpenSizes, is_open
from .request import Request

__all__ = ["with_open_states"]

_VALUES = {"_zeros": 0.0, "_ones": 1.0, "_zeros_without_dtype": 0.0}


def with_open_states(request: Request) -> Symbol:
    """The graph of a model, whose constants of open sizes are made of its inputs."""
    symbol = request.graph
    made = [n for n in symbol.nodes if n.op is not None and n.op.name in _VALUES]
    if not (made and request.has_open_sizes):
        return symbol
    shapes = _opened(request)
    table = infer_shapes(symbol.nodes, {**request.model.shapes, **shapes}, facts=HugeShapes)
    sources = {
        size: (name, axis)
        for name, shape in shapes.items()
        for axis, size in enumerate(shape)
        if is_open(size)
    }
    variables = {n.name: n for n in symbol.nodes if n.op is None}

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        shape = table[node][0] if node in made else None
        opened = [size for size in shape or () if is_open(size)]
        if not opened or not all(size in sources for size in opened):
            return None
        return _made(node, shape or (), sources, variables)

    return rewrite(symbol, replace)


def _opened(request: Request) -> dict[str, tuple[int, ...]]:
    """Shapes of inputs, with huge numbers for sizes that are left open."""
    sizes, examples = OpenSizes("convert"), request.examples[0]
    return {n: sizes.shape_of(s, examples[n], n) for n, s in request.shapes.items()}


def _made(
    node: Node,
    shape: tuple[int, ...],
    sources: Mapping[int, tuple[str, int]],
    variables: Mapping[str, Node],
) -> Node:
    """What makes the same as `node`: a number of each item of an input, repeated."""
    total: Any = None
    for place, size in enumerate(shape):
        if not is_open(size):
            continue
        name, axis = sources[size]
        column = sym.Symbol([Entry(variables[name], 0)])
        # The first items of all axes but one.
        column = sym.sum(sym.zeros_like(column), axis=axis, exclude=True)
        lined = [-1 if i == place else 1 for i in range(len(shape))]
        column = sym.reshape(column, shape=tuple(lined))
        total = column if total is None else sym.broadcast_add(total, column)
    fixed = [(i, size) for i, size in enumerate(shape) if not is_open(size)]
    if fixed:
        axes, counts = zip(*fixed, strict=True)
        total = sym.broadcast_axis(total, axis=axes, size=counts)
    value = _VALUES[node.op.name]  # type: ignore[union-attr]
    made = (total + value).astype(node.op.attr("dtype") or "float32")  # type: ignore[union-attr]
    found: Node = made.entries[0].node
    found.name = node.name
    return found
