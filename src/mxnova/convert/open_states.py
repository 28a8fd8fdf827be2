# SPDX-License-Identifier: Apache-2.0
"""Initial states of recurrent networks, for batches of any size.

``zeros(shape=(2, 0, 8))`` makes as much as its readers need. Formats that know no such thing get
operators instead that make it of the input that has the size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from .. import symbol as sym
from ..core.graph.infer import infer_dtypes, infer_shapes
from ..core.graph.node import Entry, Node
from ..core.graph.open_sizes import HugeShapes, OpenSizes, is_open
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..core.op.dtypes import torch_dtype
from ..core.op.schema import Op
from .request import Request

__all__ = ["with_open_states"]


def with_open_states(request: Request) -> Symbol:
    """The graph of a model, whose constants of open sizes are made of its inputs."""
    symbol = request.graph
    made = [n for n in symbol.nodes if n.op is not None and not n.inputs and _is_constant(n.op)]
    if not (made and request.has_open_sizes):
        return symbol
    shapes = _opened(request)
    table = infer_shapes(symbol.nodes, {**request.model.shapes, **shapes}, facts=HugeShapes)
    arrays, inputs = request.typed
    known = {name: torch_dtype(dtype) for name, dtype in inputs.items()}
    known.update((name, array._tensor.dtype) for name, array in arrays.items())
    types = infer_dtypes(symbol.nodes, known)
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
        column = _made(shape or (), sources, variables)
        return _filled(node, column, len(shape or ()), types[node][0] or torch.float32)

    return rewrite(symbol, replace)


def _opened(request: Request) -> dict[str, tuple[int, ...]]:
    """Shapes of inputs, with huge numbers for sizes that are left open, which the network takes."""
    sizes = OpenSizes("convert")
    return request.shapes_of({word: sizes.size_named(word) for word in request.sizes_by_name[0]})


def _is_constant(op: Op) -> bool:
    return not op.draws


def _made(
    shape: tuple[int, ...],
    sources: Mapping[int, tuple[str, int]],
    variables: Mapping[str, Node],
) -> Any:
    """Zeros of a shape with open sizes: of each item of an input, repeated."""
    total: Any = None
    for place, size in enumerate(shape):
        if not is_open(size):
            continue
        name, axis = sources[size]
        zeros = sym.zeros_like(sym.Symbol([Entry(variables[name], 0)]))
        line = [-1 if i == place else 1 for i in range(len(shape))]
        column = sym.reshape(sym.sum(zeros, axis=axis, exclude=True), shape=tuple(line))
        total = column if total is None else sym.broadcast_add(total, column)
    fixed = [(i, size) for i, size in enumerate(shape) if not is_open(size)]
    if fixed:
        axes, counts = zip(*fixed, strict=True)
        total = sym.broadcast_axis(total, axis=axes, size=counts)
    return total


def _filled(node: Node, zeros: Any, n_axes: int, dtype: torch.dtype) -> Node | None:
    """`zeros` with the value that `node` makes, under its name; None if it makes several."""
    op = node.op.settled((2,) * n_axes, dtype)  # type: ignore[union-attr]
    values = sym.Symbol([Entry(Node(op, node.name, {}), 0)]).eval()[0].asnumpy()
    if (values != values.flat[0]).any():
        return None
    made = (zeros + float(values.flat[0])).astype(values.dtype.name)
    found: Node = made.entries[0].node
    found.name = node.name
    return found
