# SPDX-License-Identifier: Apache-2.0
"""Symbol JSON of every MXNet version, read into one current form, and written back.

The text comes from strangers. Reading it is linear in its length, recurses no deeper than
`MAX_DEPTH`, and fails with `FormatError` that names the node. What MXNet 1.9.1 reads but never
writes is refused where accepting it would burden every later pass: inputs from nodes further down
the list, output indices beyond any node's, text after the closing brace.

What older versions meant is brought up to date by `symbol_upgrade`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mxnova.core.base.errors import FormatError, shown

from . import bounded_json
from .bounded_json import FACTOR
from .kinds import what_it_is
from .symbol_record import Entry, GraphRecord, NodeRecord, variables
from .symbol_upgrade import InputsOf, no_inputs, upgrade

__all__ = ["FACTOR", "dumps", "loads", "parse"]

MAX_DEPTH = 100  # brackets: 4 for a level of subgraphs, so 24 levels of control flow
MAX_INDEX = 2**31 - 1


def loads(text: str | bytes, inputs_of: InputsOf = no_inputs) -> GraphRecord:
    """The graph in `text`, in the form of MXNet 1.9.1.

    Without `inputs_of`, nodes of old files keep what only their operator can resolve: missing
    auxiliary states stay missing and ``weight_lr_mult`` stays with the operator. Operator names and
    values of attributes are those of the file.
    """
    return upgrade(parse(text), inputs_of)


# -- Reading ---------------------------------------------------------------------------------------


def parse(text: str | bytes) -> GraphRecord:
    """The graph in `text` as its version of MXNet meant it, checked but not upgraded."""
    try:
        return _graph(_document(text))
    except FormatError as error:
        raise FormatError(f"symbol JSON: {error}{what_it_is(text, b'{')}") from None


def _document(text: str | bytes) -> object:
    # MXNet writes control characters as they are
    return bounded_json.loads(text, max_depth=MAX_DEPTH, strict=False)


def _graph(raw: object) -> GraphRecord:
    fields = _fields(raw, required=_GRAPH_REQUIRED, known=_GRAPH_KNOWN)
    nodes: list[NodeRecord] = []
    for index, raw_node in enumerate(_array(fields["nodes"], "nodes")):
        try:
            nodes.append(_node(raw_node, nodes))
        except FormatError as error:
            raise FormatError(f"node {index}{_label(raw_node)}: {error}") from None
    for index in _sources(fields["arg_nodes"], "arg_nodes", nodes):
        if nodes[index].op != "null":
            op = _shown(nodes[index].op)
            raise FormatError(f"arg_nodes: node {index} is of {op}, not a variable")
    return GraphRecord(
        nodes=nodes,
        arg_nodes=variables(nodes),
        heads=_entries(fields["heads"], "heads", nodes),
        node_row_ptr=_row_ptr(fields.get("node_row_ptr", []), len(nodes)),
        attrs=_graph_attrs(fields.get("attrs", {})),
    )


def _node(raw: object, earlier: Sequence[NodeRecord]) -> NodeRecord:
    fields = _fields(raw, required=_NODE_REQUIRED, known=_NODE_KNOWN)
    node = NodeRecord(
        op=_text(fields["op"], "op"),
        name=_text(fields["name"], "name"),
        attrs=_node_attrs(fields),
        inputs=_entries(fields["inputs"], "inputs", earlier),
        control_deps=_sources(fields.get("control_deps", []), "control_deps", earlier),
    )
    if node.op == "null" and (node.inputs or fields.get("subgraphs")):
        raise FormatError("a variable with inputs or subgraphs")
    for index, raw_subgraph in enumerate(_array(fields.get("subgraphs", []), "subgraphs")):
        try:
            node.subgraphs.append(_graph(raw_subgraph))
        except FormatError as error:
            raise FormatError(f"subgraph {index}: {error}") from None
    return node


def _node_attrs(fields: Mapping[str, object]) -> dict[str, str]:
    """Attributes from `param` (0.8) below `attr` (to 0.11) or `attrs`, the later of the two."""
    attrs = _text_map(fields["param"], "param") if "param" in fields else {}
    if own := [name for name in fields if name in ("attr", "attrs")]:
        attrs = attrs | [_text_map(fields[name], name) for name in own][-1]
    return attrs


_NODE_REQUIRED = frozenset({"op", "name", "inputs"})
_NODE_KNOWN = _NODE_REQUIRED | {
    "param", "attr", "attrs", "backward_source_id", "control_deps", "subgraphs"
}  # fmt: skip
_GRAPH_REQUIRED = frozenset({"nodes", "arg_nodes", "heads"})
_GRAPH_KNOWN = _GRAPH_REQUIRED | {"node_row_ptr", "attrs"}


def _fields(raw: object, *, required: frozenset[str], known: frozenset[str]) -> Mapping[str, Any]:
    if type(raw) is not dict:
        raise FormatError(f"{_shown(raw)} where an object was expected")
    if missing := required - raw.keys():
        raise FormatError(f"the field {min(missing)!r} is missing")
    if unknown := raw.keys() - known:
        raise FormatError(f"unknown field {_shown(min(unknown))}")
    return raw


def _array(value: object, name: str) -> list[object]:
    if type(value) is not list:
        raise FormatError(f"{name}: {_shown(value)} where an array was expected")
    return value


def _text(value: object, name: str) -> str:
    if type(value) is not str:
        raise FormatError(f"{name}: {_shown(value)} where a string was expected")
    if "\0" in value:
        raise FormatError(f"{name}: {_shown(value)} holds a NUL character")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise FormatError(f"{name}: {_shown(value)} holds half a surrogate pair") from None
    return value


def _text_map(value: object, name: str) -> dict[str, str]:
    if type(value) is not dict:
        raise FormatError(f"{name}: {_shown(value)} where an object was expected")
    for key, text in value.items():
        _text(text, f"{name}: {_text(key, name)[:60]}")
    return value


def _index(value: object, name: str) -> int:
    if type(value) is not int:
        raise FormatError(f"{name}: {_shown(value)} where an integer was expected")
    if not 0 <= value <= MAX_INDEX:
        raise FormatError(f"{name}: {value} is not in 0..{MAX_INDEX}")
    return value


def _source(value: object, name: str, nodes: Sequence[NodeRecord]) -> int:
    node = _index(value, name)
    if node >= len(nodes):
        raise FormatError(f"{name}: node {node} is not among the {len(nodes)} listed before")
    return node


def _sources(value: object, name: str, nodes: Sequence[NodeRecord]) -> list[int]:
    return [_source(item, name, nodes) for item in _array(value, name)]


def _entries(value: object, name: str, nodes: Sequence[NodeRecord]) -> list[Entry]:
    """Outputs of `nodes`: ``[node, output, version]``, or ``[node, output]`` as 0.8 wrote them."""
    entries: list[Entry] = []
    for position, entry in enumerate(_array(value, name)):
        where = f"{name}[{position}]"
        if type(entry) is not list or len(entry) not in (2, 3):
            raise FormatError(f"{where}: {_shown(entry)} is not [node, output, version]")
        node, output = _source(entry[0], where, nodes), _index(entry[1], where)
        if output and nodes[node].op == "null":
            raise FormatError(f"{where}: output {output} of a variable, which has one")
        entries.append((node, output, _index(entry[2], where) if len(entry) == 3 else 0))
    return entries


def _row_ptr(value: object, n_nodes: int) -> list[int]:
    """`value` where it can be true; files edited by hand keep a stale one, which MXNet ignores."""
    pointers = [_index(item, "node_row_ptr") for item in _array(value, "node_row_ptr")]
    fits = len(pointers) == n_nodes + 1 and pointers[0] == 0 and pointers == sorted(pointers)
    return pointers if fits else []


_GRAPH_ATTR_TYPES = {"int": int, "size_t": int, "str": str, "list_int": int, "list_str": str}


def _graph_attrs(value: object) -> dict[str, tuple[str, object]]:
    """Attributes of the whole graph, each a pair of type name and value."""
    if type(value) is not dict:
        raise FormatError(f"attrs: {_shown(value)} where an object was expected")
    return {
        _text(name, "attrs"): _typed(pair, f"attrs: {name[:60]}") for name, pair in value.items()
    }


def _typed(pair: object, name: str) -> tuple[str, object]:
    if type(pair) is not list or len(pair) != 2 or _text(pair[0], name) not in _GRAPH_ATTR_TYPES:
        raise FormatError(f"{name}: {_shown(pair)} is not a pair of known type and value")
    type_name, value = pair
    items = _array(value, name) if type_name.startswith("list_") else [value]
    for item in items:
        if type(item) is not _GRAPH_ATTR_TYPES[type_name]:
            raise FormatError(f"{name}: {_shown(item)} is not of type {type_name}")
        if isinstance(item, str):
            _text(item, name)
    return type_name, value


def _label(raw_node: object) -> str:
    name = raw_node.get("name") if isinstance(raw_node, dict) else None
    return f" ({_shown(name)})" if isinstance(name, str) else ""


def _shown(value: object) -> str:
    return shown(value, 60)


# -- Writing ---------------------------------------------------------------------------------------


def dumps(graph: GraphRecord) -> str:
    """The text that MXNet 1.9.1 writes for `graph`, byte for byte.

    One exception: attribute names are escaped, where MXNet writes a file that it cannot read.
    """
    return _graph_text(graph, "")


def _graph_text(graph: GraphRecord, indent: str) -> str:
    inner = indent + "  "
    fields = [
        f'"nodes": {_spread([_node_text(node, inner + "  ") for node in graph.nodes], inner)}',
        f'"arg_nodes": {_listed(map(str, graph.arg_nodes), inner)}',
        f'"heads": {_entries_text(graph.heads, inner)}',
    ]
    if graph.node_row_ptr:
        fields.insert(2, f'"node_row_ptr": {_listed(map(str, graph.node_row_ptr), inner)}')
    if graph.attrs:
        attrs = {name: _typed_text(*pair) for name, pair in graph.attrs.items()}
        fields.append(f'"attrs": {_mapping(attrs, inner)}')
    return _spread(fields, indent, "{}")


def _node_text(node: NodeRecord, indent: str) -> str:
    inner = indent + "  "
    fields = [f'"op": {_quoted(node.op)}', f'"name": {_quoted(node.name)}']
    if node.attrs:
        attrs = {name: _quoted(value) for name, value in node.attrs.items()}
        fields.append(f'"attrs": {_mapping(attrs, inner)}')
    fields.append(f'"inputs": {_entries_text(node.inputs, inner)}')
    if node.control_deps:
        fields.append(f'"control_deps": {_listed(map(str, node.control_deps), inner)}')
    if node.subgraphs:
        subgraphs = [_graph_text(subgraph, inner + "  ") for subgraph in node.subgraphs]
        fields.append(f'"subgraphs": {_spread(subgraphs, inner)}')
    return _spread(fields, indent, "{}")


def _entries_text(entries: Sequence[Entry], indent: str) -> str:
    return _listed((f"[{node}, {output}, {version}]" for node, output, version in entries), indent)


def _typed_text(type_name: str, value: object) -> str:
    return f"[{_quoted(type_name)}, {json.dumps(value, ensure_ascii=False)}]"


def _mapping(texts: Mapping[str, str], indent: str) -> str:
    items = [f"{_quoted(name)}: {texts[name]}" for name in sorted(texts)]
    return _spread(items, indent, "{}") if len(items) > 1 else f"{{{items[0]}}}"


def _listed(items: Iterable[str], indent: str) -> str:
    texts = list(items)
    return _spread(texts, indent) if len(texts) > 10 else f"[{', '.join(texts)}]"


def _spread(items: Sequence[str], indent: str, brackets: str = "[]") -> str:
    """Each item on its own line; MXNet leaves a blank after the comma."""
    if not items:
        return brackets
    body = f", \n{indent}  ".join(items)
    return f"{brackets[0]}\n{indent}  {body}\n{indent}{brackets[1]}"


_ESCAPES = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_ESCAPED = re.compile(r'["\\\n\r\t]')


def _quoted(text: str) -> str:
    return f'"{_ESCAPED.sub(lambda match: _ESCAPES[match[0]], text)}"'
