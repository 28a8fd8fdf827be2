# SPDX-License-Identifier: Apache-2.0
"""Nodes that change nothing outside training, and chains of which the last link says it all.

Precondition: none; what a node gives stays to the bit. Copies that are outputs of the graph stay,
so that outputs have memory of their own, and so do those of or for what an operator writes to.
"""

from __future__ import annotations

from ...graph.node import Entry, Node
from ...graph.rewrite import Replacement, rewrite
from ...graph.symbol import Symbol
from ...op.schema import find
from ...op.tensor.reshape import ExpandDims, Flatten, Reshape, Squeeze
from .definition import Pass

__all__ = ["PASS", "simplified"]


def simplified(symbol: Symbol) -> Symbol:
    """`symbol` without copies, dropout, and all but the last of reshapes and casts in a row."""
    kept = {e.node for e in symbol.entries}
    for node in symbol.nodes:
        if node.op is not None and node.op.structure.written:
            kept |= {node.inputs[i].node for i in node.op.structure.written}

    def replace(node: Node, inputs: list[Entry]) -> Replacement:
        if node.op is None or not inputs:
            return None
        if _is_identity(node) and not {node, inputs[0].node} & kept:
            return [inputs[0]] * node.n_outputs()
        if _is_definite_reshape(node):
            source = _before_reshapes(inputs[0])
            return None if source is inputs[0] else node.copy([source])
        if _cast_type(node) is not None:
            return _cast(node, inputs[0])
        return None

    return rewrite(symbol, replace)


def _is_identity(node: Node) -> bool:
    return node.op is not None and node.op.copies


def _is_definite_reshape(node: Node) -> bool:
    """Whether the new shape is said without the old one, but for one -1."""
    op = node.op
    if not isinstance(op, Reshape) or not op.shape or op.reverse:
        return False
    return all(n > 0 or n == -1 for n in op.shape)


def _before_reshapes(entry: Entry) -> Entry:
    """What stands before operators that change nothing but the shape."""
    while isinstance(entry.node.op, (Reshape, Flatten, ExpandDims, Squeeze)):
        entry = entry.node.inputs[0]
    return entry


_CAST = find("Cast")
_WIDER = {"float16": ("float32", "float64"), "bfloat16": ("float32", "float64"),
          "float32": ("float64",), "int32": ("float64", "int64"), "uint8": ("int32", "int64",
          "float32", "float64"), "int8": ("int32", "int64", "float32", "float64")}  # fmt: skip


def _cast(node: Node, source: Entry) -> Replacement:
    """A cast of a cast, where the first one loses nothing: a cast of what that reads."""
    first = _cast_type(source.node)
    if first is None:
        return None
    known = _cast_type(source.node.inputs[0].node)
    if known is None or first not in _WIDER.get(known, ()):
        return None
    return Node(node.op, node.name, node.attrs, [source.node.inputs[0]])


def _cast_type(node: Node) -> str | None:
    """The element type that a cast gives; None for other nodes."""
    is_cast = node.op is not None and node.op.type is _CAST
    return str(node.op.attr("dtype")) if is_cast and node.op is not None else None


PASS = Pass(
    "simplification",
    requires="copies, dropout, reshapes or casts in a row",
    ensures="none but those that outputs or writes need",
    apply=lambda symbol, _target: simplified(symbol),
)
