# SPDX-License-Identifier: Apache-2.0
"""What cannot be a torch module, or cannot be traced, and why: all of it in one error."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..core.base.errors import MXNetError
from ..core.graph.infer import infer_stypes
from ..core.graph.node import Node
from ..core.graph.symbol import Symbol
from .open_sizes import Facts, open_nodes

__all__ = ["check", "untraceable"]


def check(symbol: Symbol, facts: Facts) -> None:
    """Refuses a graph with nodes that cannot run on tensors alone.

    Raises:
        MXNetError: with each of them: node, operator and reason.
    """
    refused = [*_told(symbol, _reason), *_sparse(symbol), *_without_shape(symbol, facts)]
    if refused:
        raise MXNetError("to_torch: " + "; ".join(refused))


def untraceable(symbol: Symbol) -> list[str]:
    """What torch.export and torch.compile cannot take: node, operator and reason of each."""
    return list(_told(symbol, lambda node: node.op.untraceable if node.op else None))


def _told(symbol: Symbol, reason: Callable[[Node], str | None]) -> Iterator[str]:
    """What there is to say of nodes, those in bodies of others included."""
    for node in symbol.nodes:
        if node.op is None:
            continue
        said = reason(node)
        if said:
            yield _about(node, said)
        for body in node.op.subgraphs:
            yield from _told(body, reason)


def _about(node: Node, reason: str) -> str:
    name = "variable" if node.op is None else node.op.name
    return f"node {node.name!r} ({name}): {reason}"


def _reason(node: Node) -> str | None:
    if node.op is not None and node.op.is_opaque:
        return "it runs Python code of its own on arrays"
    return None


def _sparse(symbol: Symbol) -> Iterator[str]:
    """Nodes that give sparse arrays: modules have dense ones only."""
    table = infer_stypes(symbol.nodes, {})
    for node in symbol.nodes:
        for stype in {*table[node]} - {"default"}:
            yield _about(node, f"it gives arrays stored as {stype}, and tensors here are dense")


def _without_shape(symbol: Symbol, facts: Facts) -> Iterator[str]:
    """Nodes whose shapes follow from those of inputs, none of which is known."""
    if any(name in facts.shapes for name in facts.inputs):
        return
    for node in open_nodes(symbol, facts):
        yield _about(node, "inputs decide how much it makes: give their shapes as shapes=")
