# SPDX-License-Identifier: Apache-2.0
"""Where the nodes of a graph run: groups of nodes on contexts of their own, copies in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from ...base.errors import MXNetError
from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.infer import Shapes
from ...op.schema import Op
from ...runtime.context import Context
from .private import private_operator

__all__ = ["Contexts", "contexts_of", "placed"]

Contexts = dict[Node, Context]
_GROUP = "__ctx_group__"


@private_operator
class CrossDeviceCopy(Op):
    """Hands what another context has computed on to `context`."""

    context: Context

    def infer_shape(self, s: Shapes) -> None:
        """The output is like the input."""
        s.same(*s.inputs, *s.outputs)

    def forward(self, data: Tensor) -> Tensor:
        """The same values there."""
        return data.to(self.context.device)


def contexts_of(
    nodes: Sequence[Node], default: Context, groups: Mapping[str, Context] | None
) -> Contexts:
    """Where each node runs.

    A node of a group runs on the group's context; any other with the first of its inputs that has
    a place, else with the first of its readers that has one, else on `default`.

    Raises:
        MXNetError: a group that `groups` does not name, or a GPU that is not there.
    """
    if not groups:
        return dict.fromkeys(nodes, default)
    for named in groups.values():
        _ = named.device
    found: Contexts = {}
    for node in nodes:
        context = _own_context(node, groups)
        if context is None:
            given = (found.get(e.node) for e in node.inputs)
            context = next((c for c in given if c is not None), None)
        if context is not None:
            found[node] = context
    for node in reversed(nodes):
        place = found.setdefault(node, default)
        for entry in node.inputs:
            found.setdefault(entry.node, place)
    return found


def _own_context(node: Node, groups: Mapping[str, Context]) -> Context | None:
    if isinstance(node.op, CrossDeviceCopy):
        return node.op.context
    group = node.attrs.get(_GROUP)
    if group is None:
        return None
    if group not in groups:
        raise MXNetError(
            f"node {node.name!r} is of ctx_group {group!r}, which group2ctx does not name "
            f"(it names {', '.join(groups)})"
        )
    return groups[group]


def placed(symbol: Symbol, contexts: Contexts) -> Symbol:
    """`symbol` with copies where a node reads what another context has computed."""
    if len(set(contexts.values())) <= 1:
        return symbol
    copies: dict[tuple[Entry, Context], Entry] = {}

    def brought(entry: Entry, source: Entry, context: Context) -> Entry:
        if contexts[source.node] == context:
            return entry
        key = (source, context)
        if key not in copies:
            op = CrossDeviceCopy(context=context)
            name = f"{source.node.name}_to_{context.device_type}{context.device_id}"
            copies[key] = Entry(Node(op, name, {}, [entry]), 0)
        return copies[key]

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        context = contexts[node]
        moved = [brought(e, s, context) for e, s in zip(inputs, node.inputs, strict=True)]
        return None if moved == list(inputs) else node.copy(moved)

    return rewrite(symbol, replace)
