# SPDX-License-Identifier: Apache-2.0
"""Layers of a network with their shapes and numbers of parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..base.errors import ArgumentError, ArgumentTypeError, MXNetError, shown
from ..base.shapes import is_known
from .base_symbol import BaseSymbol, output_name
from .node import Entry, Node, auxiliary_variables
from .open_sizes import HugeShapes, OpenSizes

__all__ = ["Layer", "layers", "output_shapes", "total"]

_NOT_TRAINED = frozenset(("label", "state", "state_cell"))  # inputs of operators

_NUMBER = re.compile(r"[\s\d.+-]*")  # or nothing; neither is a word for a size
_PARTS = math.factorial(32)  # divides open sizes, so that networks may cut and reshape such axes

Sizes = tuple[int | str, ...]  # words are sizes that are open
Shapes = dict[str, Sizes]


class Layer(NamedTuple):
    """A row of the table.

    Attributes:
        name: of the node.
        operator: its kind; null for a variable.
        shape: of its first output, the word of a size that is open, ``?`` for what depends on such
            sizes; None: unknown.
        parameters: how many numbers it learns; None: unknown.
        inputs: names of the layers that it reads.
    """

    name: str
    operator: str
    shape: Sizes | None
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
        own = [shapes.get(output_name(Entry(n, 0)), ()) for n in _parameters(node, seen)]
        rows.append(
            Layer(
                node.name,
                "null" if node.op is None else node.op.name,
                shapes.get(output_name(Entry(node, 0))),
                _elements(own) if shapes else None,
                [e.node.name for e in node.inputs if e.node in shown_nodes],
            )
        )
    return rows


def total(rows: Iterable[Layer]) -> int | None:
    """How many numbers a network learns; None: unknown."""
    counts = [row.parameters for row in rows]
    return None if None in counts else sum(filter(None, counts))


def output_shapes(symbol: Any, shape: Mapping[str, Any] | None, function: str = "layers") -> Shapes:
    """Shapes of all outputs by name; none where no shapes are given."""
    if shape is None:
        return {}
    if not isinstance(shape, Mapping):
        raise ArgumentTypeError(f"{function}: shape={shown(shape)}: must be a dict of shapes")
    internals = symbol.get_internals()
    if any(_is_word(size) for given in shape.values() for size in _sizes(given)):
        shapes = _open_shapes(internals, shape, function)
    else:
        shapes = internals.infer_shape(**shape)[1]
    if shapes is None:
        raise ArgumentError(f"{function}: shape={shown(dict(shape))}: does not tell all shapes")
    return dict(zip(internals.list_outputs(), map(tuple, shapes), strict=True))


def _sizes(given: Any) -> Sequence[Any]:
    """The sizes of a tuple or list; other kinds of shapes have no words."""
    return given if isinstance(given, (tuple, list)) else ()


def _is_word(size: Any) -> bool:
    return isinstance(size, str) and not _NUMBER.fullmatch(size)


def _replaced(shape: Mapping[str, Any], meaning: Callable[[str], int | str]) -> dict[str, Any]:
    """Shapes with other words, or with numbers for them."""
    return {
        name: tuple(meaning(s) if _is_word(s) else s for s in given) if _sizes(given) else given
        for name, given in shape.items()
    }


def _open_shapes(
    symbol: Any, shape: Mapping[str, Any], function: str
) -> list[list[int | str]] | None:
    """Shapes of the outputs where sizes are left open; None: some stay unknown."""
    try:
        return _words_apart(symbol, shape, function)
    except MXNetError:
        alike = _replaced(shape, lambda word: "?")
        with suppress(MXNetError):  # a network may take only such words as are equal
            return _words_apart(symbol, alike, function)
        raise


def _words_apart(
    symbol: Any, shape: Mapping[str, Any], function: str
) -> list[list[int | str]] | None:
    """Those shapes, of which each word is a size unlike the others."""
    sizes = OpenSizes(function, multiple_of=_PARTS)
    known = _replaced(shape, sizes.size_named)
    try:
        table = symbol._shape_table((), known, HugeShapes)
    except MXNetError as error:
        raise type(error)(sizes.named(str(error))) from None
    shapes = [table[entry.node][entry.output] for entry in symbol.entries]
    if not all(map(is_known, shapes)):
        return None
    return [["?" if s is None else s for s in sizes.described(shape)] for shape in shapes]


def _elements(shapes: list[Sizes]) -> int | None:
    """How many numbers arrays have together; None: that depends on open sizes."""
    count = 0
    for shape in shapes:
        sizes = [size for size in shape if isinstance(size, int)]
        if len(sizes) < len(shape):
            return None
        count += math.prod(sizes)
    return count


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
