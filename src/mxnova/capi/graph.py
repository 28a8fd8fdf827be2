# SPDX-License-Identifier: Apache-2.0
"""NNVM's graphs: a symbol with attributes of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ..core.base.errors import ArgumentError, UnknownNameError, candidates
from ..core.base.handles import find, free, give
from ..core.base.shapes import is_known, to_user
from ..core.graph.node import Node
from ..core.graph.serialize import from_json
from ..core.graph.symbol import Symbol
from .arguments import text, texts
from .entry_points import extern
from .enums import dtype_at, flag_of
from .interface import NULL
from .returns import return_text

__all__: list[str] = []

T = TypeVar("T")


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
    saved = _value(graph, "json", str)
    if saved is None:
        raise ArgumentError("LoadJSON: the graph has no attribute 'json'")
    return Graph(from_json(saved), graph.attrs)


def _infer_shape(graph: Graph) -> Graph:
    given = {n: tuple(s) for n, s in _given(graph, "shape_inputs").items() if s}
    shapes = _of_all_entries(graph, graph.symbol._shape_table((), given))
    told = [to_user(shape) or () for shape in shapes]
    return _inferred(graph, "shape", "list_shape", told, sum(not is_known(s) for s in shapes))


def _infer_type(graph: Graph) -> Graph:
    given = {n: dtype_at(f) for n, f in _given(graph, "dtype_inputs").items() if f != -1}
    dtypes = _of_all_entries(graph, graph.symbol._dtype_table((), given))
    told = [-1 if dtype is None else flag_of(dtype) for dtype in dtypes]
    return _inferred(graph, "dtype", "list_int", told, dtypes.count(None))


def _given(graph: Graph, key: str) -> dict[str, Any]:
    """What an attribute says of inputs, by name; it may stop before the last one."""
    names = [node.name for node in graph.symbol.nodes if node.op is None]
    values = _value(graph, key, list) or []
    if len(values) > len(names):
        raise ArgumentError(f"{key}: tells of {len(values)} inputs, and the graph has {len(names)}")
    return dict(zip(names, values, strict=False))


def _of_all_entries(graph: Graph, table: Mapping[Node, Sequence[Any]]) -> list[Any]:
    return [fact for node in graph.symbol.nodes for fact in table[node]]


def _inferred(graph: Graph, what: str, kind: str, told: list[Any], n_unknown: int) -> Graph:
    attrs = {name: text for name, text in graph.attrs.items() if name != f"{what}_inputs"}
    attrs[what] = json.dumps([kind, told])
    attrs[f"{what}_num_unknown_nodes"] = json.dumps(["size_t", n_unknown])
    return Graph(graph.symbol, attrs)


def _value(graph: Graph, name: str, kind: type[T]) -> T | None:
    """The value of an attribute; None where there is none."""
    if name not in graph.attrs:
        return None
    value = json.loads(graph.attrs[name])[1]
    if not isinstance(value, kind):
        raise ArgumentError(f"attribute {name!r} of the graph must be a {kind.__name__}")
    return value


_PASSES: dict[str, Callable[[Graph], Graph]] = {
    "InferShape": _infer_shape,
    "InferType": _infer_type,
    "LoadJSON": _load_json,
    "SaveJSON": _save_json,
}


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
