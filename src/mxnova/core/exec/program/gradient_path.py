# SPDX-License-Identifier: Apache-2.0
"""Where gradients flow in a graph: what needs them, what lets them through, what has none."""

from __future__ import annotations

from collections.abc import Collection

from ...base.errors import MXNetError
from ...graph.node import Entry, Node
from ...graph.symbol import Symbol
from ...op.gradient import ignores_head, is_source

__all__ = ["gradient_path", "is_read", "refuse_without_gradient", "unreached"]


def gradient_path(symbol: Symbol, arguments: Collection[str]) -> list[Node]:
    """The nodes of operators that a gradient passes on its way from an output to an argument.

    Args:
        symbol: a graph.
        arguments: names of those whose gradients are wanted.
    """
    reached = _reached(symbol)
    needing: set[Node] = set()  # what is computed from the arguments
    path: list[Node] = []
    for node in symbol.nodes:
        if node.op is None:
            wanted = node.name in arguments
        else:
            wanted = not _stops(node) and any(e.node in needing for e in node.inputs)
        if wanted:
            needing.add(node)
            if node.op is not None and node in reached:
                path.append(node)
    return path


def _reached(symbol: Symbol) -> set[Node]:
    """The nodes that gradients of the outputs come to."""
    reached = {e.node for e in symbol.entries}
    for node in reversed(symbol.nodes):
        if node in reached and not _stops(node):
            reached.update(e.node for e in node.inputs)
    return reached


def unreached(symbol: Symbol) -> list[Entry]:
    """What needs a gradient of zeros, which may not come to it from the outputs.

    These are results of operators that give gradients whatever comes, and of those that write in
    backward passes. MXNet hands zeros on where an operator has no slope, ATen nothing.
    """
    heads, reached = {e.node for e in symbol.entries}, _reached(symbol)
    found: list[Entry] = []
    for node in symbol.nodes:
        op = node.op
        if op is None or node in heads:
            continue
        if is_source(op):
            found += [Entry(node, i) for i in range(node.n_outputs())]
        elif op.writes_in_backward and node not in reached:
            found.append(Entry(node, 0))
    return found


def is_read(head: Node, arguments: Collection[str]) -> bool:
    """Whether gradients of `arguments` depend on the gradient that `head` is given.

    They do not where each way from it to them passes a loss, or what has no slope.
    """
    rest, seen = [head], {head}
    for node in rest:  # grows
        if node.op is None:
            if node.name in arguments:
                return True
            continue
        if _stops(node) or ignores_head(node.op):
            continue
        fresh = [e.node for e in node.inputs if e.node not in seen]
        seen.update(fresh)
        rest += fresh
    return False


def _stops(node: Node) -> bool:
    op = node.op
    return op is not None and op.differentiable is False


def refuse_without_gradient(symbol: Symbol, arguments: Collection[str]) -> None:
    """Raises where wanted gradients pass an operator that has none, and no zeros in its place.

    Args:
        symbol: a graph.
        arguments: names of those whose gradients are wanted.

    Raises:
        MXNetError: the text names the node.
    """
    for node in gradient_path(symbol, arguments):
        op = node.op
        if op is not None and op.differentiable is None:
            raise MXNetError(
                f"bind: node {node.name!r}: operator {op.name} has no gradient; give its inputs "
                f"grad_req='null', or put BlockGrad around it"
            )
