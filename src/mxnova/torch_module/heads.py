# SPDX-License-Identifier: Apache-2.0
"""Losses at the outputs of a graph: what they are, and a graph without them."""

from __future__ import annotations

from ..core.graph.node import Entry, Node
from ..core.graph.symbol import Symbol
from ..core.op.gradient import ignores_head

__all__ = ["labels_of", "without_heads"]


def without_heads(symbol: Symbol) -> Symbol:
    """`symbol` whose outputs are, in place of losses, what these are given: scores, not chances."""
    return type(symbol)([_stripped(entry) for entry in symbol.entries])


def _stripped(entry: Entry) -> Entry:
    while entry.node.op is not None and ignores_head(entry.node.op):
        entry = entry.node.inputs[0]
    return entry


def labels_of(symbol: Symbol) -> set[str]:
    """Variables that losses read as labels and nothing else reads: outputs do without them."""
    found: dict[str, bool] = {}
    for node in symbol.nodes:
        for name, entry in _reads(node):
            if entry.node.op is None:
                is_label = name == "label" and ignores_head(node.op)  # type: ignore[arg-type]
                found[entry.node.name] = found.get(entry.node.name, True) and is_label
    outputs = {e.node.name for e in symbol.entries if e.node.op is None}
    return {name for name, is_label in found.items() if is_label} - outputs


def _reads(node: Node) -> list[tuple[str, Entry]]:
    """(name, entry) of what a node is given."""
    return [] if node.op is None else list(zip(node.op.inputs(), node.inputs, strict=False))
