# SPDX-License-Identifier: Apache-2.0
"""Checks of a graph that something has rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..base.errors import MXNetError
from ..base.shapes import PartialShape, is_known
from ..op.schema import REGISTRY
from .infer import infer_shapes
from .node import Node, parsed
from .symbol import Symbol

__all__ = ["lint", "problems"]


def lint(
    symbol: Symbol, made_by: str, before: Symbol, shapes: Mapping[str, PartialShape] | None = None
) -> None:
    """Check that a rewritten graph is well-formed and has the interface of the original.

    Args:
        symbol: the graph.
        made_by: who made it, for the text of the error.
        before: what it was made of.
        shapes: of variables by name, where they are known.

    Raises:
        MXNetError: it is not; the text lists what is wrong.
    """
    known = {*problems(before)}
    found = [problem for problem in problems(symbol) if problem not in known]
    if not found:
        found = list(_differences(symbol, before, shapes or {}))
    if found:
        raise MXNetError(f"{made_by}: broken graph: {'; '.join(found)}")


def problems(symbol: Symbol) -> Iterator[str]:
    """Yield the faults of a graph: cycles, missing outputs, names, attributes."""
    if (cycle := _cycle(symbol)) is not None:
        yield f"node {cycle.name!r} reads what is made of its own outputs"
        return
    variables: dict[str, Node] = {}
    for node in symbol.nodes:
        if node.op is None and variables.setdefault(node.name, node) is not node:
            yield f"two variables are named {node.name!r}"
        yield from _problems_of(node)
    for entry in symbol.entries:
        if not 0 <= entry.output < entry.node.n_outputs():
            yield f"head: node {entry.node.name!r} has no output {entry.output}"


def _problems_of(node: Node) -> Iterator[str]:
    for entry in node.inputs:
        if not 0 <= entry.output < entry.node.n_outputs():
            yield f"node {node.name!r}: {entry.node.name!r} has no output {entry.output}"
    if node.op is None:
        if node.inputs:
            yield f"variable {node.name!r} has inputs"
        return
    wanted = len(node.op.inputs())
    if len(node.inputs) != wanted:
        yield f"node {node.name!r}: {node.op.name} of {len(node.inputs)} inputs, not {wanted}"
    if REGISTRY.get(node.op.name) is node.op.type:
        try:
            parsed(node.op.name, node.attrs, node.subgraphs)
        except (MXNetError, ValueError, TypeError) as error:
            yield f"node {node.name!r}: attributes: {error}"


def _cycle(symbol: Symbol) -> Node | None:
    """A node on a cycle; None where there is none: nodes are listed after what they read."""
    position = {node: i for i, node in enumerate(symbol.nodes)}
    cyclic = (
        node for node, i in position.items() if any(position[e.node] >= i for e in node.inputs)
    )
    return next(cyclic, None)


def _differences(
    symbol: Symbol, before: Symbol, known: Mapping[str, PartialShape]
) -> Iterator[str]:
    """In what heads and variables differ."""
    added = set(symbol.list_inputs()) - set(before.list_inputs())
    if added:
        yield f"new variables {sorted(added)}"
    if len(symbol.entries) != len(before.entries):
        yield f"{len(symbol.entries)} heads instead of {len(before.entries)}"
        return
    try:
        shapes = _head_shapes(symbol, known)
    except MXNetError as error:
        yield f"shapes are not inferred any more: {error}"
        return
    for i, (new, old) in enumerate(zip(shapes, _head_shapes(before, known), strict=True)):
        if is_known(old) and new != old:
            yield f"head {i} has shape {new}, not {old}"


def _head_shapes(symbol: Symbol, known: Mapping[str, PartialShape]) -> list[Any]:
    table = infer_shapes(symbol.nodes, dict(known))
    return [table[entry.node][entry.output] for entry in symbol.entries]
