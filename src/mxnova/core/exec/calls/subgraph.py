# SPDX-License-Identifier: Apache-2.0
"""Bodies of loops: nodes drawn inside a named scope, cut out of the graph they were drawn in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...base.errors import ArgumentError
from ...base.scopes import AttrScope, NameManager
from ...graph.base_symbol import output_name, symbol_of
from ...graph.functions import function_of
from ...graph.node import Entry, Node, hidden, parsed
from ...graph.rewrite import rewrite
from ...graph.symbol import Group, Symbol

__all__ = ["Body", "applied", "closed", "cut", "placeholder", "placeholder_name", "scope_name"]

_KEY = "__subgraph_name__"


def scope_name(name: str) -> str:
    """A name that no other body has: numbered, and after the body that it stands in."""
    outer = _scope_attrs().get(_KEY)
    return AttrScope.numbered(f"{outer}${name}" if outer else name)


def placeholder(symbol: Symbol) -> Symbol:
    """The variable that stands for `symbol` inside a body; to be made in the body's scope."""
    variable = Node(None, placeholder_name(symbol), _scope_attrs())
    found: Symbol = symbol_of([Entry(variable, 0)], symbol.semantics)
    return found


def placeholder_name(symbol: Symbol) -> str:
    """The name of that variable."""
    entry = symbol.entries[0]
    return f"{entry.node.name}-{entry.output}"


def _scope_attrs() -> dict[str, str]:
    return {hidden(k): v for k, v in AttrScope.get_current().get(None).items()}


class Body(NamedTuple):
    """A graph of its own.

    Attributes:
        symbol: its outputs.
        captured: input name -> what of the surrounding graph it stands for.
    """

    symbol: Symbol
    captured: dict[str, Entry]

    def input_names(self) -> list[str]:
        """Names of its inputs.

        Raises:
            ArgumentError: two have the same.
        """
        names = self.symbol.list_inputs()
        if len(set(names)) < len(names):
            raise ArgumentError(f"a body's inputs have equal names: {', '.join(names)}")
        return names

    def source(self, name: str) -> Entry:
        """What feeds an input that is no placeholder: outer graph, or a variable of its own."""
        if name in self.captured:
            return self.captured[name]
        inner = next(n for n in self.symbol.nodes if n.op is None and n.name == name)
        return Entry(inner.copy([]), 0)


def closed(outputs: Sequence[Symbol], scope: str, distinct: int | None = None) -> Symbol:
    """`outputs` as heads of a body: those that are inputs or drawn outside are copied.

    Args:
        outputs: single outputs.
        scope: name of the body; it must be in force.
        distinct: heads from this one on are copied also when an earlier head has their name.
    """
    inputs = set(Group(outputs).list_inputs())
    taken = set() if distinct is None else {o.name for o in outputs[:distinct]}

    def must_copy(i: int, output: Symbol) -> bool:
        node = output.entries[0].node
        repeated = distinct is not None and i >= distinct and node.name in taken
        return node.name in inputs or repeated or node.attrs.get(_KEY) != scope

    identity = function_of("identity")
    return Group(identity(o) if must_copy(i, o) else o for i, o in enumerate(outputs))


def cut(drawn: Symbol, scope: str) -> Body:
    """The part of `drawn` inside `scope`, on variables where it reads something outside."""
    outside: dict[Node, Entry] = {}  # by the variable that stands for it

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | list[Entry]:
        if node.attrs.get(_KEY) == scope:
            return node.copy(inputs)
        entries = [Entry(node, i) for i in range(node.n_outputs())]
        variables = [Node(None, output_name(e), {}) for e in entries]
        outside.update(zip(variables, entries, strict=True))
        return [Entry(v, 0) for v in variables]

    body = rewrite(drawn, replace)
    return Body(body, {n.name: outside[n] for n in body.nodes if n in outside})


def applied(
    op: str, bodies: Sequence[Body], inputs: Sequence[Entry], **attrs: Any
) -> Iterator[Symbol]:
    """The outputs, one by one, of a control-flow operator on `inputs`."""
    texts = {k: str(v) for k, v in attrs.items()}
    texts["num_args"] = str(len(bodies) + len(inputs))
    texts.update(_scope_attrs())
    subgraphs = [b.symbol for b in bodies]
    name = NameManager.get_current().get(None, op)
    node = Node(parsed(op, texts, subgraphs), name, texts, inputs, subgraphs)
    semantics = subgraphs[-1].semantics
    return (symbol_of([Entry(node, i)], semantics) for i in range(node.n_outputs()))
