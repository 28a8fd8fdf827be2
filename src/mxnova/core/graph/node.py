# SPDX-License-Identifier: Apache-2.0
"""Nodes of a graph, and walking over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...formats.symbol_record import USER_KEYS
from ..op.schema import Op, find

__all__ = [
    "Entry",
    "Node",
    "auxiliary_variables",
    "entry_versions",
    "hidden",
    "parsed",
    "walk",
    "written_inputs",
    "written_variables",
]


class Entry(NamedTuple):
    """Output number `output` of `node`."""

    node: Node
    output: int


class Node:
    """A variable (`op` is None) or the application of an operator to entries.

    Attributes:
        attrs: all attributes as text: the operator's and, as ``__x__``, the user's.
        subgraphs: bodies of a control-flow operator.
        versions: the versions of its inputs in files, where they are not what `entry_versions`
            computes.
    """

    __slots__ = ("attrs", "inputs", "name", "op", "subgraphs", "versions")

    def __init__(
        self,
        op: Op | None,
        name: str,
        attrs: dict[str, str],
        inputs: Sequence[Entry] = (),
        subgraphs: Sequence[Any] = (),
        versions: tuple[int, ...] | None = None,
    ) -> None:
        self.op = op
        self.name = name
        self.attrs = attrs
        self.inputs = list(inputs)
        self.subgraphs = tuple(subgraphs)
        self.versions = versions

    def output_names(self) -> list[str]:
        """Names of its visible outputs: its own for a variable, else ``name_output``."""
        if self.op is None:
            return [self.name]
        return [self._prefixed(n) for n in self.op.outputs()[: self.op.n_visible()]]

    def value_names(self) -> list[str]:
        """Names of its visible outputs in exported models: its own, numbered if several."""
        count = 1 if self.op is None else self.op.n_visible()
        return [self.name] if count == 1 else [f"{self.name}{i}" for i in range(count)]

    def _prefixed(self, name: str) -> str:
        return f"{self.name}_{name}" if self.name else name

    def n_outputs(self) -> int:
        """Number of outputs, hidden ones included."""
        return 1 if self.op is None else len(self.op.outputs())

    def set_attrs(self, attrs: Mapping[str, str]) -> None:
        """Adds attributes; those of the operator take effect.

        Raises:
            ArgumentError: the operator refuses one; nothing has changed then.
        """
        merged = {**self.attrs, **{hidden(k): v for k, v in attrs.items()}}
        if self.op is not None:
            self.op = parsed(self.op.name, merged, self.subgraphs)
        self.attrs = merged

    def copy(self, inputs: Sequence[Entry]) -> Node:
        """Return a copy of the node with other inputs."""
        versions = self.versions if len(inputs) == len(self.inputs) else None
        return Node(self.op, self.name, dict(self.attrs), inputs, self.subgraphs, versions)

    def with_operator(self, op: Op, inputs: Sequence[Entry]) -> Node:
        """A node of the same name and attributes that applies another operator."""
        return Node(op, self.name, dict(self.attrs), inputs, self.subgraphs)


def hidden(key: str) -> str:
    """The form that attribute `key` is stored in."""
    return f"__{key}__" if key in USER_KEYS else key


def parsed(op: str, attrs: Mapping[str, str], subgraphs: Sequence[Any] = ()) -> Op:
    """The operator registered as `op` with the parameters in `attrs`."""
    own = {k: v for k, v in attrs.items() if not (k.startswith("__") and k.endswith("__"))}
    return find(op).of(own, subgraphs)


def walk(heads: Iterable[Entry]) -> list[Node]:
    """All nodes that `heads` need, each after its inputs, in MXNet's depth-first order."""
    order: list[Node] = []
    seen: set[Node] = set()
    for head in heads:
        if head.node in seen:
            continue
        seen.add(head.node)
        stack = [(head.node, 0)]
        while stack:
            node, at = stack.pop()
            while at < len(node.inputs) and node.inputs[at].node in seen:
                at += 1
            if at == len(node.inputs):
                order.append(node)
                continue
            stack.append((node, at + 1))
            child = node.inputs[at].node
            seen.add(child)
            stack.append((child, 0))
    return order


def written_inputs(node: Node) -> list[bool]:
    """Return for each input whether the operator writes to it, as auxiliary states are."""
    written = set() if node.op is None else {*node.op.aux, *node.op.mutates}
    return [name in written for name in (node.op.inputs() if node.op else ())]


def entry_versions(nodes: Iterable[Node]) -> dict[Node, tuple[int, ...]]:
    """Return the versions of each node's inputs: how often operators have written to them so far.

    MXNet keeps the versions of a file, and counts from 0 for what it composes.
    """
    counts: Counter[Node] = Counter()
    versions: dict[Node, tuple[int, ...]] = {}
    for node in nodes:
        counts.update(e.node for e, w in zip(node.inputs, written_inputs(node), strict=False) if w)
        computed = tuple([counts[entry.node] for entry in node.inputs])
        versions[node] = computed if node.versions is None else node.versions
    return versions


def auxiliary_variables(nodes: Iterable[Node]) -> set[Node]:
    """The variables that a Symbol lists apart, since an operator writes to them."""
    return _variables_read_as(nodes, lambda op: (*op.aux, *op.mutates))


def written_variables(nodes: Iterable[Node]) -> set[Node]:
    """All variables that an operator writes to."""
    return _variables_read_as(
        nodes, lambda op: (*op.aux, *op.mutates, *op.writes, *op.writes_in_backward)
    )


def _variables_read_as(
    nodes: Iterable[Node], names_of: Callable[[Op], tuple[str, ...]]
) -> set[Node]:
    found: set[Node] = set()
    for node in nodes:
        names = () if node.op is None else names_of(node.op)
        if node.op is None or not names:
            continue
        for name, entry in zip(node.op.inputs(), node.inputs, strict=False):
            if name in names and entry.node.op is None:
                found.add(entry.node)
    return found
