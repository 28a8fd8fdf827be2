# SPDX-License-Identifier: Apache-2.0
"""Maxima of windows before rectifiers instead of after them, in training passes.

The largest of rectified values is the rectified largest one, and where it is above 0 its gradient
goes to the same place; elsewhere both give none. After pooling by 2 x 2 a rectifier and the mask of
its gradient have a quarter of the items to go over.
"""

from __future__ import annotations

from math import prod

from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.nn.pooling import Pooling
from .definition import Pass
from .matching import is_rectifier
from .readers import Readers

__all__ = ["PASS", "with_early_pooling"]


def with_early_pooling(symbol: Symbol) -> Symbol:
    """`symbol` with rectifiers that max pooling alone reads after that pooling.

    An output stays what pooling gives: a rectifier's gradient reads what is written to its output.

    Args:
        symbol: a graph.
    """
    if not any(map(_takes_maxima, symbol.nodes)):
        return symbol
    readers = Readers(symbol)
    heads = {e.node for e in symbol.entries}

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node in heads or not (_takes_maxima(node) and is_rectifier(node.inputs[0].node)):
            return None
        if readers.only(node.inputs[0]) is not node:
            return None
        rectifier = inputs[0].node
        return rectifier.copy([Entry(node.copy(rectifier.inputs), 0)])

    return rewrite(symbol, replace)


def _takes_maxima(node: Node) -> bool:
    """Whether a node gives the largest of each window, fewer than there are items.

    Only where windows may not lie in the margin alone, whose items are smaller than any.
    """
    op = node.op
    if not isinstance(op, Pooling) or op.pool_type != "max" or op.global_pool:
        return False
    return op.pooling_convention == "valid" and prod(op.stride) > 1


PASS = Pass(
    "pooling_before_activation",
    requires="max pooling alone reads a rectifier",
    ensures="the rectifier reads what is pooled",
    apply=lambda symbol, _target: with_early_pooling(symbol),
)
