# SPDX-License-Identifier: Apache-2.0
"""Fused convolutions that add into the memory of what they add to, where nobody reads it again.

Precondition: the other summand is what a fused convolution or a copy of ours gave, it is no output
of the graph, and all its other readers run before and give memory of their own, no view of it. The
order of the nodes must be that in which they run, so it is the last pass. It saves an array's way
to memory: of ResNet-50, batch 8, 3 %.
"""

from __future__ import annotations

from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ..fused.batches import BatchGroup
from ..fused.convolution import FusedConvolution
from ..fused.integers import Shifted
from ..fused.subsampling import Subsampled
from .definition import Pass
from .readers import Readers

__all__ = ["PASS", "with_sums_in_place"]


def with_sums_in_place(symbol: Symbol) -> Symbol:
    """`symbol`, which runs in the order of its nodes, with such convolutions, in groups, too."""
    readers = Readers(symbol)

    def may_write(node: Node) -> bool:
        image, other = node.inputs
        *before, last = readers.of(other)
        return (
            isinstance(other.node.op, (FusedConvolution, Shifted, Subsampled))
            and last is node
            and image != other
            and all(map(_gives_own_memory, before))
        )

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        op = node.op
        if isinstance(op, BatchGroup):
            return Node(op.of_body(with_sums_in_place(op.body)), node.name, node.attrs, inputs)
        if not isinstance(op, FusedConvolution) or not op.with_sum or not may_write(node):
            return None
        return Node(op.writing_in_place(), node.name, node.attrs, inputs)

    return rewrite(symbol, replace)


def _gives_own_memory(reader: Node | None) -> bool:
    """Whether a reader is an operator whose results are no views of what it reads."""
    return reader is not None and reader.op is not None and reader.op.is_fresh


PASS = Pass(
    "in_place_sums",
    requires="a fused convolution is the last to read its summand; nodes are in their final order",
    ensures="it adds in place",
    apply=lambda symbol, _target: with_sums_in_place(symbol),
)
