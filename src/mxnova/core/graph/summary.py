# SPDX-License-Identifier: Apache-2.0
"""Layers of a network with their shapes and numbers of parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..base.errors import ArgumentError, ArgumentTypeError, shown
from ..base.shapes import UNKNOWN, PartialShape, from_user, is_known, to_user
from .base_symbol import BaseSymbol, output_name
from .node import Entry, Node, auxiliary_variables

__all__ = ["Layer", "layers", "output_shapes", "total"]

_NOT_TRAINED = frozenset(("label", "state", "state_cell"))  # inputs of operators

Shapes = dict[str, PartialShape]


class Layer(NamedTuple):
    """A row of the table.

    Attributes:
        name: of the node.
        operator: its kind; null for a variable.
        shape: of its first output, `UNKNOWN` for sizes that are open; None: unknown.
        parameters: how many numbers it learns; None: unknown.
        inputs: names of the layers that it reads.
    """

    name: str
    operator: str
    shape: PartialShape
    parameters: int | None
    inputs: list[str]


def layers(
    symbol: BaseSymbol, shape: Mapping[str, Any] | None, function: str = "layers"
) -> list[Layer]:
    """The operators of a network, and its first variable.

    Args:
        symbol: the network.
        shape: shapes of its inputs by name, words for sizes that are open; None: shapes and numbers
            stay unknown.
        function: what errors call the caller.

    Raises:
        ArgumentError: the shapes, without an open size, do not tell all shapes.
    """
    shapes = output_shapes(symbol, shape, function)
    seen = _not_trained(symbol, shape or {})
    nodes = [n for i, n in enumerate(symbol.nodes) if n.op is not None or i == 0]
    shown_nodes = {*nodes}
    rows = []
    for node in nodes:
        own = _parameters(node, seen)
        rows.append(
            Layer(
                node.name,
                "null" if node.op is None else node.op.name,
                shapes.get(output_name(Entry(node, 0))),
                _elements([shapes.get(output_name(Entry(n, 0))) for n in own]) if shapes else None,
                [e.node.name for e in node.inputs if e.node in shown_nodes],
            )
        )
    return rows


def total(rows: Iterable[Layer]) -> int | None:
    """How many numbers a network learns; None: unknown."""
    return _sum([row.parameters for row in rows])


def output_shapes(symbol: Any, shape: Mapping[str, Any] | None, function: str = "layers") -> Shapes:
    """Shapes of all outputs by name; none where no shapes are given."""
    if shape is None:
        return {}
    if not isinstance(shape, Mapping):
        raise ArgumentTypeError(f"{function}: shape={shown(shape)}: must be a dict of shapes")
    internals = symbol.get_internals()
    has_open = any(isinstance(size, str) for sizes in shape.values() for size in sizes or ())
    if has_open:
        _, shapes, _ = internals.infer_shape_partial(**{n: _closed(s) for n, s in shape.items()})
    else:
        _, shapes, _ = internals.infer_shape(**shape)
    if shapes is None:
        raise ArgumentError(f"{function}: shape={shown(dict(shape))}: does not tell all shapes")
    return dict(zip(internals.list_outputs(), map(from_user, shapes), strict=True))


def _closed(sizes: Iterable[int | str]) -> tuple[int, ...] | None:
    """`sizes` with what stands for an unknown one in place of words."""
    return to_user(tuple(UNKNOWN if isinstance(size, str) else size for size in sizes))


def _elements(shapes: list[PartialShape]) -> int | None:
    """How many numbers arrays have together; None: unknown."""
    return _sum([math.prod(shape) if is_known(shape) else None for shape in shapes])


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _not_trained(symbol: BaseSymbol, given: Mapping[str, Any]) -> set[Node]:
    """Variables that are no parameters: inputs of the network, labels, states."""
    known = auxiliary_variables(symbol.nodes)
    known |= {node for node in symbol.nodes if node.op is None and node.name in given}
    for node in symbol.nodes:
        if node.op is not None:
            pairs = zip(node.op.inputs(), node.inputs, strict=False)
            known |= {entry.node for name, entry in pairs if name in _NOT_TRAINED}
    return known


def _parameters(layer: Node, seen: set[Node]) -> Iterator[Node]:
    """The variables that a layer is the first to use and that are not in `seen`, where they go."""
    for entry in layer.inputs:
        if entry.node.op is None and entry.node not in seen:
            seen.add(entry.node)
            yield entry.node
