# SPDX-License-Identifier: Apache-2.0
"""Operators as functions on symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ..base.doors import leave
from ..base.errors import MXNetError, UnknownNameError, candidates
from ..base.parameter_types import attr_text
from ..base.scopes import AttrScope, NameManager
from ..op import library  # noqa: F401 - registers the operators
from ..op.calls import CallForm, documented
from ..op.schema import Op, find
from .base_symbol import BaseSymbol, single_entry, symbol_of
from .composition import COMPOSERS
from .node import Entry, Node, hidden, parsed

__all__ = ["apply", "function_of", "inputs_of", "invoke_by_name"]

_EXTRAS = {
    "name": "name of the node.",
    "attr": "attributes of the node, strings.",
    "out": "ignored.",
}


@cache
def function_of(op: str, shown: str = "") -> Callable[..., Any]:
    """The function for the operator registered as `op`, called `shown` where that is given.

    Nodes without a name are named after what the function is called.
    """
    type_ = find(op)
    form = CallForm(type_, tuple(_EXTRAS), "a Symbol")

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            if takes_none:
                kwargs = {n: v for n, v in kwargs.items() if n in names or not _is_symbol(v)}
            arrays, named, attrs, extras = form.split(args, kwargs, _is_symbol)
            texts = {k: attr_text(v) for k, v in attrs.items()}
            node_name = NameManager.get_current().get(extras.get("name"), hint)
            attr = extras.get("attr")
            return apply(type_.name, node_name, texts, arrays, named, attr, semantics)
        except Exception as error:
            leave(error)
            raise

    # MXNet composes a node without inputs with any symbols given by name, and ignores them.
    takes_none = form.variadic is None and not form.arrays
    names = frozenset((*form.parameters, *form.extras))
    hint = (shown or op).lower()
    semantics = "numpy" if op.startswith("_np") else "legacy"
    return documented(function, shown or op, form, _EXTRAS)


def _is_symbol(value: Any) -> bool:
    return isinstance(value, BaseSymbol)


def invoke_by_name(
    op_name: str, symbols: Sequence[BaseSymbol], attrs: Mapping[str, Any], name: str | None = None
) -> Any:
    """Applies the operator registered as `op_name`, with attributes as text, as a C client would.

    Args:
        op_name: canonical name or alias.
        symbols: its inputs, in order; missing ones become variables.
        attrs: parameter name -> text.
        name: name of the node.
    """
    texts = {k: attr_text(v) for k, v in attrs.items()}
    if find(op_name).counts_inputs and "num_args" not in texts:
        texts["num_args"] = str(len(symbols))
    node_name = NameManager.get_current().get(name, op_name.lower())
    return apply(op_name, node_name, texts, list(symbols), {}, None)


def apply(
    op_name: str,
    name: str,
    texts: dict[str, str],
    symbols: Sequence[BaseSymbol],
    named: Mapping[str, BaseSymbol],
    attr: dict[str, str] | None,
    semantics: str = "legacy",
) -> Any:
    """A node applying an operator; inputs that are not given become variables ``name_input``.

    The symbol has NumPy's semantics where an input has them.
    """
    if any(s.semantics == "numpy" for s in (*symbols, *named.values())):
        semantics = "numpy"
    scope = {hidden(k): attr_text(v) for k, v in AttrScope.get_current().get(attr).items()}
    attrs = {**scope, **{hidden(k): v for k, v in texts.items()}}
    op = parsed(op_name, attrs)
    inputs = inputs_of(op, name, attrs, symbols, named)
    for composer in COMPOSERS:
        inputs = composer.composed(op, inputs)
    node = Node(op, name, attrs, inputs)
    return symbol_of([Entry(node, i) for i in range(op.n_visible())], semantics)


def inputs_of(
    op: Op,
    name: str,
    attrs: dict[str, str],
    symbols: Sequence[BaseSymbol],
    named: Mapping[str, BaseSymbol],
) -> list[Entry]:
    """The inputs of a node: those given, in order or by name, and variables for the others.

    Raises:
        MXNetError: there are too many, one has several outputs, or a name is no input's.
    """
    names = op.inputs()
    if len(symbols) == 1 and len(names) > 1 and len(symbols[0].entries) == len(names):
        symbols = [symbol_of([e]) for e in symbols[0].entries]  # a group stands for its members
    given = {n: single_entry(s, f"{op.name}: {n}") for n, s in zip(names, symbols, strict=False)}
    if len(symbols) > len(names):
        raise MXNetError(f"{op.name} takes {len(names)} inputs ({', '.join(names)})")
    for key, symbol in named.items():
        if key not in names:
            raise UnknownNameError(
                f"{op.name}: there is no input {key!r}{candidates(key, names)} "
                f"(there are {', '.join(names)})"
            )
        given[key] = single_entry(symbol, f"{op.name}: {key}")
    missing = [n for n in names if n not in given]
    if missing and not op.type.named_inputs:
        raise MXNetError(f"{op.name}: every input must be given; {missing[0]} is missing")
    entries = [given.get(n) or _variable(name, n, attrs) for n in names]
    for input_name, entry in zip(names, entries, strict=True):
        if input_name in op.initializers and entry.node.op is None:
            entry.node.attrs.setdefault("__init__", op.initializers[input_name])
    return entries


def _variable(node_name: str, input_name: str, attrs: dict[str, str]) -> Entry:
    """A variable made for an input; MXNet gives it the attributes of the node."""
    name = f"{node_name}_{input_name}" if node_name else input_name
    return Entry(Node(None, name, dict(attrs)), 0)
