# SPDX-License-Identifier: Apache-2.0
"""Strides before activations instead of after them, in training passes.

What ResNet v1 adds up at three places is read by 1 x 1 convolutions with a stride of 2 only: one
position in four. The activation there need not see the others, and the readers' gradients are
added up for those that are read. Statistics of BatchNorm go over all positions, so that strides
move no further than that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph.node import Entry, Node
from ..graph.rewrite import rewrite
from ..graph.symbol import Symbol
from ..op.record import find
from .backends.convolution_fusion import is_convolution
from .backends.readers import Readers

__all__ = ["with_early_strides"]

_POINT, _ALL = (1, 1), (1, 1)


def with_early_strides(symbol: Symbol, is_activation: Callable[[Node], bool]) -> Symbol:
    """`symbol` with activations of those positions that convolutions read.

    Args:
        symbol: a graph.
        is_activation: whether a node computes each position of its one input by itself.
    """
    readers = Readers(symbol)
    skipping: set[int] = set()  # ids of nodes whose readers' stride has gone up

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None:
            return None
        if is_activation(node):
            stride = _common_stride(node, readers)
            if stride == _ALL:
                return None
            skipping.add(id(node))
            pool = find("Pooling").of({"kernel": _POINT, "stride": stride, "pool_type": "avg"})
            return node.copy([Entry(Node(pool, f"{node.name}_skipping", {}, inputs), 0)])
        if is_convolution(node) and id(node.inputs[0].node) in skipping:
            return node.with_operator(node.op.changed(stride=_ALL), inputs)
        return None

    return rewrite(symbol, replace)


def _common_stride(node: Node, readers: Readers) -> tuple[int, ...]:
    """The stride of a node's readers, where they are 1 x 1 convolutions of one stride."""
    strides = {_stride(reader, node) for reader in readers.of(Entry(node, 0))}
    return strides.pop() if len(strides) == 1 else _ALL


def _stride(reader: Node | None, node: Node) -> tuple[int, ...]:
    """In what steps a reader reads the positions of a node."""
    if reader is None or not is_convolution(reader):
        return _ALL
    op: Any = reader.op
    images, *others = (entry.node for entry in reader.inputs)
    reads_points = tuple(op.kernel) == _POINT and not any(op.pad or ())
    reads_images = images is node and node not in others
    return tuple(op.stride or _ALL) if reads_points and reads_images else _ALL
