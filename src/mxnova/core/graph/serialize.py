# SPDX-License-Identifier: Apache-2.0
"""Symbol <-> JSON records, and a printable listing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ...formats import symbol_json
from ...formats.symbol_json import GraphRecord, NodeRecord
from ..base.errors import FormatError, MXNetError
from ..op.operator import REGISTRY
from .node import Entry, Node, parsed, walk
from .symbol import Symbol

__all__ = ["from_json", "listing", "to_json"]


def from_json(text: str | bytes) -> Symbol:
    """The symbol in a JSON text of any MXNet version.

    Raises:
        FormatError: the text breaks the format.
        MXNetError: an operator is unknown or refuses its attributes.
    """
    return _symbol(symbol_json.loads(text, _inputs_of))


def _inputs_of(op: str, attrs: Mapping[str, str]) -> Mapping[str, str]:
    """Named inputs of an operator and the initializers of variables made for them."""
    if op not in REGISTRY or REGISTRY[op].signature.variadic is not None:
        return {}
    own = {f.name for f in REGISTRY[op].fields}  # old files keep the user's keys beside these
    made = parsed(op, {k: v for k, v in attrs.items() if k in own})
    return {name: made.initializers.get(name, "") for name in made.inputs()}


def _symbol(record: GraphRecord) -> Symbol:
    nodes: list[Node] = []
    for node_record in record.nodes:
        nodes.append(_node(node_record, nodes))
    return Symbol(_entry(nodes, head, "heads") for head in record.heads)


def _node(record: NodeRecord, earlier: Sequence[Node]) -> Node:
    if record.op == "null":
        return Node(None, record.name, dict(record.attrs))
    where = f"node {record.name!r}"
    subgraphs = [_symbol(g) for g in record.subgraphs]
    try:
        op = parsed(record.op, record.attrs, subgraphs)
    except MXNetError as error:
        raise type(error)(f"{where}: {error}") from None
    inputs = [_entry(earlier, entry, where) for entry in record.inputs]
    if len(inputs) != len(op.inputs()):
        wanted = ", ".join(op.inputs())
        raise FormatError(f"{where}: {op.name} takes {wanted}; {len(inputs)} inputs are given")
    return Node(op, record.name, dict(record.attrs), inputs, subgraphs)


def _entry(nodes: Sequence[Node], entry: tuple[int, int, int], where: str) -> Entry:
    node = nodes[entry[0]]
    if entry[1] >= node.n_outputs():
        count = node.n_outputs()
        raise FormatError(f"{where}: output {entry[1]} of {node.name!r}, which has {count}")
    return Entry(node, entry[1])


def to_json(symbol: Symbol, remove_amp_cast: bool = False) -> str:
    """The text that MXNet 1.9.1 writes for `symbol`."""
    entries = symbol.entries
    if remove_amp_cast:
        entries = _without_amp_casts(symbol).entries
    return symbol_json.dumps(_record(entries))


def _record(entries: Sequence[Entry]) -> GraphRecord:
    nodes = walk(entries)
    number = {id(n): i for i, n in enumerate(nodes)}
    versions: Counter[int] = Counter()
    row_ptr = [0]
    for node in nodes:
        row_ptr.append(row_ptr[-1] + node.n_outputs())
    return GraphRecord(
        nodes=[_node_record(n, number, versions) for n in nodes],
        arg_nodes=[i for i, n in enumerate(nodes) if n.op is None],
        heads=[(number[id(e.node)], e.output, 0) for e in entries],
        node_row_ptr=row_ptr,
        attrs={"mxnet_version": ("int", symbol_json.VERSION)},
    )


def _node_record(node: Node, number: Mapping[int, int], versions: Counter[int]) -> NodeRecord:
    """The record of a node; `versions` counts how often operators wrote to each variable so far."""
    written = set() if node.op is None else {*node.op.aux, *node.op.mutates}
    for name, entry in zip(node.op.inputs() if node.op else (), node.inputs, strict=True):
        if name in written:
            versions[id(entry.node)] += 1
    return NodeRecord(
        op="null" if node.op is None else node.op.name,
        name=node.name,
        attrs=dict(node.attrs),
        inputs=[(number[id(e.node)], e.output, versions[id(e.node)]) for e in node.inputs],
        subgraphs=[_record(g.entries) for g in node.subgraphs],
    )


def _without_amp_casts(symbol: Symbol) -> Symbol:
    """A copy without the operators that automatic mixed precision put in."""
    moved: dict[tuple[int, int], Entry] = {}

    def entry_of(entry: Entry) -> Entry:
        return moved[id(entry.node), entry.output]

    for node in symbol.nodes:
        inputs = [entry_of(e) for e in node.inputs]
        if node.op is not None and node.op.name in ("amp_cast", "amp_multicast"):
            moved.update({(id(node), i): e for i, e in enumerate(inputs)})
            continue
        copy = node.copy(inputs)
        moved.update({(id(node), i): Entry(copy, i) for i in range(node.n_outputs())})
    return Symbol(entry_of(e) for e in symbol.entries)


def listing(symbol: Symbol) -> str:
    """Outputs, then every node with inputs and attributes."""
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{i}]={_shown(e)}" for i, e in enumerate(symbol.entries)]
    for node in symbol.nodes:
        if node.op is None:
            lines.append(f"Variable:{node.name}")
            continue
        lines += ["--------------------", f"Op:{node.op.name}, Name={node.name}", "Inputs:"]
        lines += [f"\targ[{i}]={_shown(e)}" for i, e in enumerate(node.inputs)]
        if node.attrs:
            lines += ["Attrs:", *(f"\t{k}={v}" for k, v in sorted(node.attrs.items()))]
    return "\n".join(lines) + "\n"


def _shown(entry: Entry) -> str:
    variable = entry.node.op is None
    return f"{entry.node.name}({entry.output}){' version=0' if variable else ''}"
