# SPDX-License-Identifier: Apache-2.0
"""Symbol <-> JSON records, and a printable listing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from ...formats import symbol_json
from ...formats.atomic import replacing
from ...formats.symbol_record import VERSION, GraphRecord, NodeRecord
from ..base.errors import FormatError, MXNetError, shown
from ..base.gc_pause import resting
from ..base.printable import printable
from ..base.scopes import is_np_shape
from ..base.shapes import parse_shape
from ..op.schema import REGISTRY
from .base_symbol import BaseSymbol, symbol_of
from .node import Entry, Node, entry_versions, parsed, walk
from .rewrite import rewrite

__all__ = ["from_json", "listing", "saving", "to_json", "without_amp_casts"]

S = TypeVar("S", bound=BaseSymbol)


@resting()
def from_json(text: str | bytes) -> Any:
    """The symbol in a JSON text of any MXNet version.

    Raises:
        FormatError: the text breaks the format.
        MXNetError: an operator is unknown or refuses its attributes.
    """
    record = symbol_json.loads(text, _inputs_of)
    symbol = _symbol(record, _Outputs(len(text)))
    if is_np_shape() and "is_np_shape" not in record.attrs:
        _to_np_shapes(symbol)
    return symbol


def _to_np_shapes(symbol: BaseSymbol) -> None:
    """Writes what is unknown of declared shapes as NumPy's shape semantics do: -1, or None."""
    for node in symbol.nodes:
        if node.op is None and "__shape__" in node.attrs:
            with suppress(ValueError):  # inference will say what is wrong with it
                dims = parse_shape(node.attrs["__shape__"])
                sizes = ",".join("-1" if d == 0 else str(d) for d in dims or ())
                node.attrs["__shape__"] = f"[{sizes}]" if dims else "None"


def _inputs_of(op: str, attrs: Mapping[str, str]) -> Mapping[str, str]:
    """Named inputs of an operator and the initializers of variables made for them."""
    if op not in REGISTRY or REGISTRY[op].signature.variadic is not None:
        return {}
    own = {f.name for f in REGISTRY[op].fields}  # old files keep the user's keys beside these
    made = parsed(op, {k: v for k, v in attrs.items() if k in own})
    return {name: made.initializers.get(name, "") for name in made.inputs()}


class _Outputs:
    """How many arrays the nodes of a text may give: those that it has room to name, and some more.

    Args:
        size: length of the text.
    """

    SPARE = 1 << 16

    def __init__(self, size: int) -> None:
        self._left = size + self.SPARE

    def take(self, count: int, where: str) -> None:
        """Raises FormatError where there are `count` too many."""
        self._left -= count
        if self._left < 0:
            raise FormatError(f"{where}: the nodes have more outputs than the text can name")


def _symbol(record: GraphRecord, outputs: _Outputs) -> Any:
    nodes: list[Node] = []
    for node_record in record.nodes:
        nodes.append(_node(node_record, nodes, outputs))
    computed = entry_versions(nodes)
    for node, node_record in zip(nodes, record.nodes, strict=True):
        versions = tuple([version for _, _, version in node_record.inputs])
        if versions != computed[node]:
            node.versions = versions
    return symbol_of(_entry(nodes, head, "heads") for head in record.heads)


def _node(record: NodeRecord, earlier: Sequence[Node], outputs: _Outputs) -> Node:
    if record.op == "null":
        return Node(None, record.name, dict(record.attrs))
    where = f"node {shown(record.name)}"
    _check_counts(record, where)
    subgraphs = [_symbol(g, outputs) for g in record.subgraphs]
    try:
        op = parsed(record.op, record.attrs, subgraphs)
    except MXNetError as error:
        raise type(error)(f"{where}: {error}") from None
    inputs = [_entry(earlier, entry, where) for entry in record.inputs]
    if len(inputs) != len(op.inputs()):
        wanted = ", ".join(op.inputs())
        raise FormatError(f"{where}: {op.name} takes {wanted}; {len(inputs)} inputs are given")
    outputs.take(len(op.outputs()), where)
    return Node(op, record.name, dict(record.attrs), inputs, subgraphs)


_COUNTS = ("num_args", "num_arrays", "num_outputs", "num_tensors", "num_weights")


def _check_counts(record: NodeRecord, where: str) -> None:
    """Refuses a node that declares more arrays than it reads, before anything is made of them."""
    if record.op not in REGISTRY or REGISTRY[record.op].signature.variadic is None:
        return
    given = len(record.inputs) + len(record.subgraphs)  # control flow counts its bodies
    for name in _COUNTS:
        text = record.attrs.get(name, "").strip()
        if text.isdecimal() and int(text[:20]) > given:
            raise FormatError(
                f"{where}: {record.op}: {name}={shown(text)}: {len(record.inputs)} inputs are given"
            )


def _entry(nodes: Sequence[Node], entry: tuple[int, int, int], where: str) -> Entry:
    node = nodes[entry[0]]
    if entry[1] >= node.n_outputs():
        count = node.n_outputs()
        raise FormatError(f"{where}: output {entry[1]} of {shown(node.name)}, which has {count}")
    return Entry(node, entry[1])


@contextmanager
def saving(
    symbol: BaseSymbol, path: str | os.PathLike[str], remove_amp_cast: bool
) -> Iterator[None]:
    """A block that writes the parameters of `symbol`, which is in the file `path` if it succeeds.

    The file is written before the block, and takes its name after it: a symbol does not stand
    beside parameters of another one where either of the files cannot be written.
    """
    text = to_json(symbol, remove_amp_cast).encode()
    with replacing(path) as file:
        file.write(text)
        file.flush()
        yield


def to_json(symbol: BaseSymbol, remove_amp_cast: bool = False) -> str:
    """The text that MXNet 1.9.1 writes for `symbol`."""
    entries = symbol.entries
    if remove_amp_cast:
        entries = without_amp_casts(symbol).entries
    record = _record(entries)
    if is_np_shape():
        record.attrs["is_np_shape"] = ("int", 1)
    record.attrs["mxnet_version"] = ("int", VERSION)
    return symbol_json.dumps(record)


def _record(entries: Sequence[Entry]) -> GraphRecord:
    nodes = walk(entries)
    number = {n: i for i, n in enumerate(nodes)}
    versions = entry_versions(nodes)
    row_ptr = [0]
    for node in nodes:
        row_ptr.append(row_ptr[-1] + node.n_outputs())
    return GraphRecord(
        nodes=[_node_record(n, number, versions) for n in nodes],
        arg_nodes=[i for i, n in enumerate(nodes) if n.op is None],
        heads=[(number[e.node], e.output, 0) for e in entries],
        node_row_ptr=row_ptr,
    )


def _node_record(
    node: Node, number: Mapping[Node, int], versions: Mapping[Node, tuple[int, ...]]
) -> NodeRecord:
    pairs = zip(node.inputs, versions[node], strict=True)
    return NodeRecord(
        op="null" if node.op is None else node.op.name,
        name=node.name,
        attrs=dict(node.attrs),
        inputs=[(number[e.node], e.output, version) for e, version in pairs],
        subgraphs=[_record(g.entries) for g in node.subgraphs],
    )


def without_amp_casts(symbol: S) -> S:
    """A copy in which no operator reads what automatic mixed precision has cast; outputs stay."""
    return rewrite(symbol, lambda node, inputs: node.copy([_uncast(e) for e in inputs]))


def _uncast(entry: Entry) -> Entry:
    op = entry.node.op
    if op is not None and op.name in ("amp_cast", "amp_multicast"):
        return entry.node.inputs[entry.output]
    return entry


def listing(symbol: BaseSymbol) -> str:
    """Outputs, then every node with inputs and attributes."""
    versions = entry_versions(symbol.nodes)
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{i}]={e.node.name}({e.output})" for i, e in enumerate(symbol.entries)]
    for node in symbol.nodes:
        if node.op is None:
            lines.append(f"Variable:{node.name}")
            continue
        lines += ["--------------------", f"Op:{node.op.name}, Name={node.name}", "Inputs:"]
        pairs = zip(node.inputs, versions[node], strict=True)
        lines += [f"\targ[{i}]={_format_entry(e, version)}" for i, (e, version) in enumerate(pairs)]
        if node.attrs:
            lines += ["Attrs:", *(f"\t{k}={v}" for k, v in sorted(node.attrs.items()))]
    return printable("\n".join(lines) + "\n", keep="\n\t")


def _format_entry(entry: Entry, version: int) -> str:
    shown_version = f" version={version}" if entry.node.op is None else ""
    return f"{entry.node.name}({entry.output}){shown_version}"
