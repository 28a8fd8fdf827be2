# SPDX-License-Identifier: Apache-2.0
"""The rewrite itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from ....graph.infer import DTypeTable
from ....graph.node import Entry, Node
from ....graph.rewrite import Replacement, rewrite
from ....graph.symbol import Symbol
from ...fused.constant import Constant
from . import arithmetic, conversions, fused, layers  # noqa: F401 - they fill the table
from .site import RULES, Graph, Site, UnsupportedError

__all__ = ["OPERATORS", "Lowered", "is_quantized", "with_qdq"]

OPERATORS = frozenset(RULES)
"""Names of the int8 operators that there are rules for."""


def is_quantized(node: Node) -> bool:
    """Whether a node applies an int8 operator."""
    return node.op is not None and RULES.get(node.op.name) is not None


class Lowered(NamedTuple):
    """A graph in QDQ.

    Attributes:
        symbol: the graph.
        constants: values of its constant variables, by name.
        refused: nodes that could not be lowered, by name, with the reason.
    """

    symbol: Symbol
    constants: dict[str, Tensor]
    refused: dict[str, str]

    def closed(self, source: Symbol) -> Symbol:
        """The graph with its new constants inside, of which `source` has no variables."""
        known = {node.name for node in source.nodes if node.op is None}

        def constant(node: Node, inputs: list[Entry]) -> Node | None:
            if node.op is not None or node.name in known:
                return None
            return Node(Constant(value=self.constants[node.name], absorbed=()), node.name, {})

        return rewrite(self.symbol, constant)


def with_qdq(
    symbol: Symbol,
    constants: Mapping[str, Tensor],
    dtypes: DTypeTable,
    selects: Callable[[Node], bool] = is_quantized,
) -> Lowered:
    """`symbol` with float operators between QuantizeLinear and DequantizeLinear.

    Each node gives the same integers to one step: what lies in the middle of two may be rounded the
    other way. Float nodes are kept.

    Args:
        symbol: any symbol; it is not changed.
        constants: values of constant variables, by name.
        dtypes: of all its nodes.
        selects: which of its int8 nodes are lowered.
    """
    graph = Graph(constants, (node.name for node in symbol.nodes))
    refused: dict[str, str] = {}

    def replace(node: Node, inputs: list[Entry]) -> Replacement:
        if node.op is None or not selects(node):
            return None
        graph.begin(node)
        if graph.values(inputs) is not None:
            return graph.apply(node.op, node.name, inputs)
        types = [dtypes[e.node][e.output] or torch.float32 for e in node.inputs]
        try:
            found = RULES[node.op.name](Site(node.name, node.op, inputs, types, graph))
        except UnsupportedError as error:
            refused[node.name] = str(error)
            return None
        for entry, name in zip(found, node.value_names(), strict=True):
            if entry.node.op is not None and entry not in inputs and entry.output == 0:
                entry.node.name = name
        return found

    lowered = rewrite(symbol, replace)
    return Lowered(lowered, graph.constants, refused)
