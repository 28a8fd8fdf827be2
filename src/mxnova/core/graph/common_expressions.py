# SPDX-License-Identifier: Apache-2.0
"""Common-subexpression elimination: what a graph says twice is computed once."""

from __future__ import annotations

from typing import Any

from ..op.schema import Op
from .node import Entry, Node, parsed
from .rewrite import S, rewrite

__all__ = ["without_common_expressions"]


def without_common_expressions(symbol: S) -> S:
    """`symbol` with nodes of equal operator, attributes and inputs made one.

    Left alone are nodes that draw random numbers, keep a state, write to inputs, state their own
    gradient (a loss gives the same one however many read it), have several outputs or none of the
    inputs that could tell them apart. Outputs that were two stay two arrays:
    the second is a copy of the first.

    Args:
        symbol: any symbol; it stays as it is.
    """
    first: dict[Any, Node] = {}

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None or not inputs or not _is_a_function(node.op):
            return None
        key = (
            node.op.name,
            frozenset(node.attrs.items()),
            tuple(inputs),
        )
        if key not in first:
            first[key] = node if inputs == node.inputs else node.copy(inputs)
        return first[key]

    merged = rewrite(symbol, replace)
    return symbol if merged is symbol else type(symbol)(_apart(symbol.entries, merged.entries))


def _is_a_function(op: Op) -> bool:
    """Whether equal inputs give equal outputs and gradients, and there is but one output."""
    return (
        len(op.outputs()) == 1
        and not op.draws
        and not (op.structure.written or op.subgraphs)
        and op.backward is None
        and type(op).instance is Op.instance
    )


def _apart(old: list[Entry], new: list[Entry]) -> list[Entry]:
    """The new outputs, with copies where several of the old ones have become one."""
    heads: dict[Entry, Entry] = {}
    latest: dict[Entry, Entry] = {}
    for before, after in zip(old, new, strict=True):
        if before in heads:
            continue
        source = latest.get(after)
        heads[before] = latest[after] = after if source is None else _copied(source)
    return [heads[entry] for entry in old]


def _copied(entry: Entry) -> Entry:
    name = f"{entry.node.name}_{entry.output}_copy"
    return Entry(Node(parsed("_copy", {}), name, {}, [entry]), 0)
