# SPDX-License-Identifier: Apache-2.0
"""NNVM's graphs: a symbol with attributes of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..core.base.errors import ArgumentError, UnknownNameError, candidates
from ..core.base.handles import find, free, give
from ..core.graph.serialize import from_json
from ..core.graph.symbol import Symbol
from .arguments import text, texts
from .border import extern
from .interface import NULL
from .returns import return_text

__all__: list[str] = []


class Graph:
    """A symbol with attributes.

    Attributes:
        symbol: the outputs.
        attrs: name -> JSON, in NNVM's form ``["type", value]``.
    """

    noun = "graph"

    def __init__(self, symbol: Symbol, attrs: dict[str, str]) -> None:
        self.symbol = symbol
        self.attrs = attrs


def _save_json(graph: Graph) -> Graph:
    saved = json.dumps(["str", graph.symbol.tojson(remove_amp_cast=False)])
    return Graph(graph.symbol, {**graph.attrs, "json": saved})


def _load_json(graph: Graph) -> Graph:
    if "json" not in graph.attrs:
        raise ArgumentError("LoadJSON: the graph has no attribute 'json'")
    return Graph(from_json(json.loads(graph.attrs["json"])[1]), graph.attrs)


_PASSES: dict[str, Callable[[Graph], Graph]] = {"LoadJSON": _load_json, "SaveJSON": _save_json}


@extern
def NNGraphCreate(symbol: int, graph: Any) -> None:
    graph[0] = give(Graph(find(symbol, Symbol), {}))


@extern
def NNGraphFree(handle: int) -> None:
    free(handle, Graph)


@extern
def NNGraphGetSymbol(graph: int, symbol: Any) -> None:
    symbol[0] = give(Symbol(find(graph, Graph).symbol.entries))


@extern
def NNGraphSetJSONAttr(handle: int, key: Any, json_value: Any) -> None:
    value = text(json_value)
    try:
        kind, _ = json.loads(value)
    except (ValueError, TypeError):
        kind = None
    if not isinstance(kind, str):
        raise ArgumentError('an attribute of a graph is JSON such as ["str", "value"]')
    find(handle, Graph).attrs[text(key)] = value


@extern
def NNGraphGetJSONAttr(handle: int, key: Any, json_out: Any, success: Any) -> None:
    value = find(handle, Graph).attrs.get(text(key))
    success[0] = value is not None
    if value is None:
        json_out[0] = NULL
    else:
        return_text(json_out, value)


@extern
def NNGraphSetNodeEntryListAttr_(handle: int, key: Any, list: int) -> None:
    names = find(list, Symbol).list_outputs()
    find(handle, Graph).attrs[text(key)] = json.dumps(["list_str", names])


@extern
def NNGraphApplyPasses(src: int, num_pass: int, pass_names: Any, dst: Any) -> None:
    graph = find(src, Graph)
    for name in texts(num_pass, pass_names):
        if name not in _PASSES:
            known = ", ".join(_PASSES)
            hint = candidates(name, _PASSES)
            raise UnknownNameError(f"there is no pass {name!r}{hint} (there are {known})")
        graph = _PASSES[name](graph)
    dst[0] = give(graph)


@extern
def NNAddControlDeps(handle: int, src_dep: int) -> None:
    """Checks its arguments: an operator's only effects are its outputs, so no order is needed."""
    for symbol in (handle, src_dep):
        find(symbol, Symbol)
