# SPDX-License-Identifier: Apache-2.0
"""The one way in which graphs are changed: copied, with other nodes or entries in some places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from .base_symbol import BaseSymbol
from .node import Entry, Node

__all__ = ["Replacement", "rewrite"]

S = TypeVar("S", bound=BaseSymbol)

# What stands for a node from now on: another node, output by output; entries, one for each of its
# outputs; None: the node itself, copied when its inputs have changed.
Replacement = Node | Sequence[Entry] | None


def rewrite(symbol: S, replace: Callable[[Node, list[Entry]], Replacement]) -> S:
    """`symbol` with each node replaced by what `replace` says; itself when nothing changed.

    Nodes come in the order of `Symbol.nodes`, each once, with its inputs in the new graph. What no
    output of the new graph needs is not part of it. ``rewrite(symbol, Node.copy)`` is a copy.

    Args:
        symbol: any symbol; it stays as it is.
        replace: called with (node of `symbol`, its inputs in the new graph).
    """
    moved: dict[Node, Node | Sequence[Entry]] = {}

    def new(entry: Entry) -> Entry:
        found = moved[entry.node]
        return Entry(found, entry.output) if isinstance(found, Node) else found[entry.output]

    for node in symbol.nodes:
        inputs = [new(e) for e in node.inputs]
        made = replace(node, inputs)
        if made is None:
            made = node if _same(inputs, node.inputs) else node.copy(inputs)
        moved[node] = made
    entries = [new(e) for e in symbol.entries]
    return symbol if _same(entries, symbol.entries) else type(symbol)(entries)


def _same(some: Sequence[Entry], others: Sequence[Entry]) -> bool:
    return all(a.node is b.node and a.output == b.output for a, b in zip(some, others, strict=True))
