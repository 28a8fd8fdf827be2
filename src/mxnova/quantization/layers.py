# SPDX-License-Identifier: Apache-2.0
"""Layers that can stay in float, and which of them lose most on integers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..convert.proof.comparison import Difference
from ..core.base.errors import ArgumentError, candidates
from ..core.graph.node import Node
from ..core.graph.symbol import Symbol

__all__ = ["checked_names", "layer_of", "layers_of", "ranked"]

_LAYERS = frozenset({"Convolution", "Deconvolution", "FullyConnected", "RNN"})


def layers_of(symbol: Symbol) -> list[str]:
    """Names of the layers with weights, which every method makes integers of, in order."""
    return [n.name for n in symbol.nodes if n.op is not None and n.op.name in _LAYERS]


def checked_names(symbol: Symbol, names: Sequence[str]) -> frozenset[str]:
    """`names` as a set, each that of a node.

    Raises:
        ArgumentError: one is not.
    """
    known = [node.name for node in symbol.nodes if node.op is not None]
    for name in names:
        if name not in known:
            raise ArgumentError(
                f"quantize: --exclude {name}: the network has no such node{candidates(name, known)}"
            )
    return frozenset(names)


def layer_of(symbol: Symbol, name: str) -> str:
    """The layer whose value a node passes on, such as the convolution before a BatchNorm."""
    node = next((n for n in symbol.nodes if n.name == name), None)
    while node is not None and node.op is not None and node.op.name not in _LAYERS:
        node = node.inputs[0].node if node.inputs else None
    return name if node is None or node.op is None else node.name


def ranked(symbol: Symbol, rows: Sequence[Difference], excluded: Collection[str]) -> list[str]:
    """Layers, that first whose own error is largest.

    An error is 1 - the cosine of the angle between a value in float and on integers. A layer's own
    is what its output has more of than its input, since errors add up from layer to layer.

    Args:
        symbol: the network in float.
        rows: its values, compared.
        excluded: layers that are in float already.
    """
    errors = {row.name: 1.0 - row.cosine for row in rows}
    readers: dict[Node, list[Node]] = {}
    for node in symbol.nodes:
        for entry in node.inputs:
            readers.setdefault(entry.node, []).append(node)
    found = {
        node.name: _behind(node, errors, readers) - _before(node, errors)
        for node in symbol.nodes
        if node.op is not None and node.op.name in _LAYERS and node.name not in excluded
    }
    return sorted(found, key=lambda name: -found[name])


def _before(node: Node, errors: Mapping[str, float]) -> float:
    """The error of what a layer reads."""
    while node.inputs:
        node = node.inputs[0].node
        if node.name in errors:
            return errors[node.name]
    return 0.0


def _behind(node: Node, errors: Mapping[str, float], readers: Mapping[Node, list[Node]]) -> float:
    """The error of what a layer gives, or of the first value behind it that both models tell."""
    while node.name not in errors:
        following = readers.get(node, [])
        if len(following) != 1:
            return 0.0
        node = following[0]
    return errors[node.name]
