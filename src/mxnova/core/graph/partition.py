# SPDX-License-Identifier: Apache-2.0
"""Partitioning: groups of nodes become one node each, which has the group as its subgraph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .base_symbol import output_name, symbol_of
from .node import Entry, Node, entry_versions, parsed
from .rewrite import S, rewrite

__all__ = ["Becomes", "Group", "Selection", "grouped", "partitioned"]

Selection = Callable[[Node], Any]
_PLACE = "__ctx_group__"


@dataclass(eq=False)
class Becomes:
    """The node that replaces a group: its operator, name, attributes and output.

    Attributes:
        operator: the operator that has the group as its subgraph.
        stem: its node's name, before its number.
        attrs: its attributes.
        output: what the name of its only output ends with; None: names of what is inside.
    """

    operator: str = "_CachedOp"
    stem: str = "_CachedOp"
    attrs: dict[str, str] = field(default_factory=dict)
    output: str | None = None


def partitioned(symbol: S, selects: Selection, shared: bool = False) -> S:
    """`symbol` with groups of selected nodes in the subgraphs of nodes named ``_CachedOp0``, ….

    A group is connected by what its nodes read of each other, belongs to one ``ctx_group``, and is
    as large as it can be without reading what others make of its own outputs.

    Args:
        symbol: any symbol; it stays as it is.
        selects: says of a node that is no variable whether it shall be in a group: nothing of what
            is false; nodes of which it says different things are in different groups.
        shared: whether all that read one thing through the border of a group read it as one input
            or output of the group; else each gets its own, as in MXNet.
    """
    groups = grouped(symbol.nodes, selects)
    numbers = _handed_out(symbol.entries, groups, shared)
    parts: dict[Group, _Part] = {}
    part_of: dict[Node, _Part] = {}  # by a node inside

    def outside(reader: Node | None, at: int, entry: Entry) -> Entry:
        part = part_of.get(entry.node)
        return entry if part is None else part.output(entry, numbers[reader, at])

    def inside(part: _Part, reader: Node, at: int, entry: Entry) -> Entry:
        source = part_of.get(entry.node)
        if source is part:
            return entry
        name = output_name(entry) if source is None else source.output_name(entry)
        return part.variable(outside(reader, at, entry), name)

    def replace(node: Node, inputs: list[Entry]) -> Node:
        group = groups.get(node)
        if group is None:
            return node.copy([outside(node, i, e) for i, e in enumerate(inputs)])
        part = parts.get(group)
        if part is None:
            part = parts[group] = _Part(len(parts), group, shared)
        made = node.copy([inside(part, node, i, e) for i, e in enumerate(inputs)])
        part_of[made] = part
        return made

    rewritten = rewrite(symbol, replace)
    entries = [outside(None, i, e) for i, e in enumerate(rewritten.entries)]
    for part in parts.values():
        part.finish()
    return type(symbol)(entries)


class _Part:
    """A group on its way into a node.

    Attributes:
        node: the node, an empty one until `finish`.
    """

    def __init__(self, number: int, group: Group, shared: bool) -> None:
        self._becomes = group.label if isinstance(group.label, Becomes) else Becomes()
        attrs = dict(self._becomes.attrs)
        if group.place is not None:
            attrs[_PLACE] = group.place
        self.node = Node(None, f"{self._becomes.stem}{number}", attrs)
        self._shared = shared
        self._heads: dict[int, Entry] = {}
        self._variables: dict[Entry, Entry] = {}
        self._sources: dict[Node, Entry] = {}  # by the variable that stands for it
        self._names: set[str] = set()
        self._counts: dict[str, int] = {}  # stem -> the first number that may be free

    def variable(self, source: Entry, name: str) -> Entry:
        """Return the variable inside a subgraph for an output of the surrounding graph."""
        found = self._variables.get(source) if self._shared else None
        if found is None:
            found = Entry(Node(None, self._free_name(name), {}), 0)
            self._variables[source] = found
            self._sources[found.node] = source
        return found

    def _free_name(self, stem: str) -> str:
        count = self._counts.get(stem, 0)
        while f"{stem}{count}" in self._names:
            count += 1
        self._names.add(f"{stem}{count}")
        self._counts[stem] = count + 1
        return f"{stem}{count}"

    def output(self, inner: Entry, number: int) -> Entry:
        """The output of `node`, of this number, that hands `inner` out."""
        self._heads[number] = inner
        return Entry(self.node, number)

    def output_name(self, inner: Entry) -> str:
        """The name of such an output."""
        return f"{self.node.name}_{self._becomes.output or output_name(inner)}"

    def finish(self) -> None:
        """Completes `node`."""
        body = symbol_of(self._heads[number] for number in sorted(self._heads))
        self.node.op = parsed(self._becomes.operator, self._becomes.attrs, [body])
        self.node.subgraphs = (body,)
        variables = [n for n in body.nodes if n.op is None]
        self.node.inputs = [self._sources[n] for n in variables]
        if any(n.versions is not None for n in body.nodes):
            versions = {
                entry.node: version
                for n, own in entry_versions(body.nodes).items()
                for entry, version in zip(n.inputs, own, strict=True)
            }
            self.node.versions = tuple([versions.get(n, 0) for n in variables])


# Which nodes belong together ----------------------------------------------------------------------


class Group:
    """Nodes that shall become one.

    Attributes:
        nodes: the nodes.
        sources: nodes of operators outside that they read, in order.
        first: the least position of a node.
        last: the greatest.
        place: the ``ctx_group`` of all of them.
        label: what the selection says of them.
    """

    __slots__ = ("first", "label", "last", "nodes", "place", "sources")

    def __init__(self, node: Node, position: int, label: Any) -> None:
        self.nodes = [node]
        self.sources = dict.fromkeys(e.node for e in node.inputs if e.node.op is not None)
        self.first = self.last = position
        self.place = node.attrs.get(_PLACE)
        self.label = label

    def has_one_output(self) -> bool:
        """Whether the group has one output, which all its readers share."""
        return isinstance(self.label, Becomes) and self.label.output is not None

    def belongs_with(self, other: Group) -> bool:
        """Whether the two may be one as far as their nodes themselves go."""
        return self.place == other.place and bool(self.label == other.label)


def grouped(nodes: Sequence[Node], selects: Selection) -> dict[Node, Group]:
    """The group of each selected node."""
    labels = {n: selects(n) for n in nodes if n.op is not None}
    groups = {n: Group(n, i, labels[n]) for i, n in enumerate(nodes) if n.op is not None}
    selected = {node: None for node, label in labels.items() if label}
    for node in nodes:
        if node not in selected:
            continue
        for source in (e.node for e in node.inputs if e.node in selected):
            one, other = groups[source], groups[node]
            if one is not other and one.belongs_with(other) and _may_join(one, other, groups):
                _join(one, other, groups)
    return {node: groups[node] for node in selected}


def _may_join(one: Group, other: Group, groups: dict[Node, Group]) -> bool:
    """Whether nothing that the two read needs, through further groups, what they make."""
    first = min(one.first, other.first)
    seen = {one, other}
    pending = [
        group for source in (*one.sources, *other.sources) if (group := groups[source]) not in seen
    ]
    while pending:
        group = pending.pop()
        if group is one or group is other:
            return False
        if group in seen or group.last < first:
            continue
        seen.add(group)
        pending += [groups[source] for source in group.sources]
    return True


def _join(one: Group, other: Group, groups: dict[Node, Group]) -> None:
    """Makes one group of two."""
    large, small = (one, other) if len(one.nodes) >= len(other.nodes) else (other, one)
    large.nodes += small.nodes
    large.first = min(one.first, other.first)
    large.last = max(one.last, other.last)
    for node in small.nodes:
        groups[node] = large
        large.sources.pop(node, None)
    for source in small.sources:
        if groups[source] is not large:
            large.sources[source] = None


def _handed_out(
    heads: Sequence[Entry], groups: dict[Node, Group], shared: bool
) -> dict[tuple[Node | None, int], int]:
    """The number of the output of a group that goes to each reader outside it.

    Readers are (a node, number of its input), or (None, number of a head). Outputs are
    numbered in the order in which one meets them who goes from heads to inputs, depth first.
    """
    found: dict[tuple[Node | None, int], int] = {}
    known: dict[Group, dict[object, int]] = {group: {} for group in groups.values()}
    seen: set[Node] = set()
    pending: list[tuple[Node | None, int, Entry]] = [(None, i, e) for i, e in enumerate(heads)]
    pending.reverse()
    while pending:
        reader, at, entry = pending.pop()
        group = groups.get(entry.node)
        if group is not None and (reader is None or groups.get(reader) is not group):
            numbers = known[group]
            key = entry if shared or group.has_one_output() else (reader, at)
            found[reader, at] = numbers.setdefault(key, len(numbers))
        if entry.node not in seen:
            seen.add(entry.node)
            inputs = list(enumerate(entry.node.inputs))
            pending += [(entry.node, i, e) for i, e in reversed(inputs)]
    return found
