# SPDX-License-Identifier: Apache-2.0
"""Losses at the outputs of a graph: what they are, and a graph without them."""

from __future__ import annotations

from ..core.graph.node import Entry
from ..core.graph.symbol import Symbol
from ..core.op.gradient import ignores_head

__all__ = ["without_heads"]


def without_heads(symbol: Symbol) -> Symbol:
    """`symbol` whose outputs are, in place of losses, what these are given: scores, not chances."""
    return type(symbol)([_stripped(entry) for entry in symbol.entries])


def _stripped(entry: Entry) -> Entry:
    while entry.node.op is not None and ignores_head(entry.node.op):
        entry = entry.node.inputs[0]
    return entry
