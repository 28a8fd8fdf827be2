# SPDX-License-Identifier: Apache-2.0
"""Operators whose names start with an underscore, on symbols."""

from typing import Any

from ..core.base.scopes import NameManager
from ..core.facade import internal_names, operators
from ..core.graph.base_symbol import single_entry
from ..core.graph.functions import function_of
from ..core.graph.node import Entry, Node, parsed
from ..core.graph.serialize import from_json
from ..core.graph.symbol import Symbol

__getattr__ = operators(__name__, function_of)


def _CachedOp(*data: Symbol, subgraph: str, name: str | None = None, **_flags: Any) -> Symbol:  # noqa: N802
    """One node that runs a graph.

    Args:
        data: its inputs, in the order of the graph's `list_inputs()`.
        subgraph: the JSON of the graph.
        name: the name of the node.
        _flags: how MXNet plans memory; they change no result.
    """
    body = from_json(subgraph)
    inputs = [single_entry(symbol, "_CachedOp: data") for symbol in data]
    node_name = NameManager.get_current().get(name, "_cachedop")
    node = Node(parsed("_CachedOp", {}, [body]), node_name, {}, inputs, [body])
    return Symbol(Entry(node, i) for i in range(len(body.entries)))


def __dir__() -> list[str]:
    return internal_names()
