# SPDX-License-Identifier: Apache-2.0
"""Making operators definite: what ``zeros(shape=(0, 8))`` leaves open, whose state it is."""

from __future__ import annotations

import torch

from ..base.shapes import is_known
from ..op.record import Op
from .infer import DTypeTable, ShapeTable
from .node import Entry, Node
from .symbol import Symbol

__all__ = ["instantiated", "settled"]


def settled(symbol: Symbol, shapes: ShapeTable, dtypes: DTypeTable) -> Symbol:
    """`symbol` with such operators giving what was inferred; itself when there are none.

    Args:
        symbol: a symbol.
        shapes: inferred shapes of all its nodes.
        dtypes: inferred element types of all its nodes.
    """
    changed: dict[int, Op] = {}
    for node in symbol.nodes:
        if node.op is None or node.inputs:
            continue
        shape, dtype = shapes[id(node)][0], dtypes[id(node)][0] or torch.float32
        if shape is not None and is_known(shape):
            op = node.op.settled(shape, dtype)
            if op is not node.op:
                changed[id(node)] = op
    return _rebuilt(symbol, changed) if changed else symbol


def instantiated(symbol: Symbol) -> Symbol:
    """`symbol` with the states of its operators its own; itself when none keeps a state."""
    changed: dict[int, Op] = {}
    for node in symbol.nodes:
        own = node.op.instance() if node.op is not None else None
        if own is not None and own is not node.op:
            changed[id(node)] = own
    return _rebuilt(symbol, changed) if changed else symbol


def _rebuilt(symbol: Symbol, changed: dict[int, Op]) -> Symbol:
    copies: dict[int, Node] = {}
    for node in symbol.nodes:
        copy = node.copy([Entry(copies[id(e.node)], e.output) for e in node.inputs])
        copy.op = changed.get(id(node), node.op)
        copies[id(node)] = copy
    return Symbol(Entry(copies[id(e.node)], e.output) for e in symbol.entries)
