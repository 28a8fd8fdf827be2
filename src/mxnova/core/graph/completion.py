# SPDX-License-Identifier: Apache-2.0
"""Operators whose parameters leave open what they make, completed by what was inferred.

``zeros(shape=(0, 8))`` makes as many rows as its reader needs; once shapes are known, so is that.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from ..base.errors import MXNetError
from ..base.shapes import is_known, shape_text
from ..op.schema import Op
from .base_symbol import BaseSymbol
from .infer import DTypeTable, ShapeTable
from .node import Entry, Node
from .rewrite import S, rewrite

__all__ = ["completed", "completions"]


def completions(symbol: BaseSymbol, shapes: ShapeTable, dtypes: DTypeTable) -> dict[int, Op]:
    """The operators that become definite, by the number of their node in `symbol.nodes`.

    Args:
        symbol: a symbol.
        shapes: inferred shapes of all its nodes.
        dtypes: inferred element types of all its nodes.

    Raises:
        MXNetError: an operator stays open.
    """
    found: dict[int, Op] = {}
    for number, node in enumerate(symbol.nodes):
        if node.op is None or node.inputs:
            continue
        shape, dtype = shapes[node][0], dtypes[node][0] or torch.float32
        if shape is None or not is_known(shape):
            raise MXNetError(
                f"node {node.name!r}: {node.op.name}: neither its parameters nor what reads it say "
                f"what shape it makes; it stays {shape_text(shape)}"
            )
        op = node.op.settled(shape, dtype)
        if op is not node.op:
            found[number] = op
    return found


def completed(symbol: S, operators: Mapping[int, Op]) -> S:
    """A copy of `symbol` with `operators` in place of those of its nodes."""
    made = {symbol.nodes[number]: op for number, op in operators.items()}

    def copy(node: Node, inputs: list[Entry]) -> Node:
        op = made.get(node)
        return node.copy(inputs) if op is None else node.with_operator(op, inputs)

    return rewrite(symbol, copy)
