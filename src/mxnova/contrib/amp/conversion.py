# SPDX-License-Identifier: Apache-2.0
"""A symbol in mixed precision: the pass that puts casts between its operators."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import torch

from ...core.base.errors import MXNetError
from ...core.graph.infer import infer_dtypes
from ...core.graph.node import Entry, Node
from ...core.graph.rewrite import Replacement, rewrite
from ...core.graph.symbol import Symbol
from ...core.op.dtypes import dtype_name
from ...core.op.schema import find
from ..naming import name_behind
from .precision import LOW, SINGLE, WIDEST, Rules

__all__ = ["in_mixed_precision", "low_parameters", "needed_in_low_precision"]

_SINGLE = torch.float32


class _Pass:
    """Goes over the nodes of a symbol once, and knows which outputs are in which precision.

    Types are known from the operators that decide them; what follows from the types of variables
    alone is unknown, since arrays of any type may be bound to those.

    Args:
        rules: what each operator computes in.
        excluded: names of nodes that compute in float32.
        direct: variables that are of low precision themselves.
    """

    def __init__(self, rules: Rules, excluded: Collection[str], direct: Collection[str]) -> None:
        self._rules = rules
        self._excluded = frozenset(excluded)
        self._direct = frozenset(direct)
        self._types: dict[Entry, torch.dtype | None] = {}
        self._casts: dict[tuple[Entry, torch.dtype], Entry] = {}

    def replace(self, node: Node, inputs: list[Entry]) -> Replacement:
        """What stands for `node` in the new symbol."""
        if node.op is None:
            return self._made(node, (), None)
        kind = SINGLE if node.name in self._excluded else self._rules.kind_of(node.op)
        steps = {LOW: self._low, SINGLE: self._single, WIDEST: self._widest}
        step = self._either if kind is None else steps.get(kind, self._either)
        return step(node, inputs)

    def outputs(self, symbol: Symbol) -> Symbol:
        """The symbol with its outputs in float32."""
        return type(symbol)([self._cast(e, _SINGLE) for e in symbol.entries])

    def _low(self, node: Node, inputs: list[Entry]) -> Node:
        low = self._rules.dtype
        cast = [e if self._is_direct(e) else self._cast(e, low) for e in inputs]
        return self._made(node, cast, low)

    def _single(self, node: Node, inputs: list[Entry]) -> Node:
        return self._made(node, [self._as_single(e) for e in inputs], _SINGLE)

    def _as_single(self, entry: Entry) -> Entry:
        """Variables count as float32 here, other than in all other places."""
        plain = entry.node.op is None and not self._is_direct(entry)
        return entry if plain else self._cast(entry, _SINGLE)

    def _is_direct(self, entry: Entry) -> bool:
        return entry.node.op is None and entry.node.name in self._direct

    def _widest(self, node: Node, inputs: list[Entry]) -> Node:
        if all(self._is_there(e, self._rules.dtype) or self._is_there(e, _SINGLE) for e in inputs):
            single = any(self._is_there(e, _SINGLE) for e in inputs)
            dtype = _SINGLE if single else self._rules.dtype
            return self._made(node, [self._cast(e, dtype) for e in inputs], dtype)
        if len(inputs) == 1:
            return self._made(node, inputs, None)
        attrs = {"num_outputs": str(len(inputs))}
        name = f"{name_behind(inputs[0])}_amp_multicast"
        multicast = Node(find("amp_multicast").of(attrs), name, attrs, inputs)
        self._note(multicast, [None] * len(inputs))
        return self._made(node, [Entry(multicast, i) for i in range(len(inputs))], None)

    def _either(self, node: Node, inputs: list[Entry]) -> Node:
        types = [self._type(e) for e in inputs]
        if not types or types[0] is None:
            return self._made(node, inputs, None)
        try:
            inferred = _types_of_outputs(node, types)
        except MXNetError:  # it does not take both at once
            return self._single(node, inputs)
        made = node.copy(inputs)
        known = (self._rules.dtype, _SINGLE)
        self._note(made, [dtype if dtype in known else None for dtype in inferred])
        return made

    def _made(self, node: Node, inputs: Sequence[Entry], dtype: torch.dtype | None) -> Node:
        """`node` on other inputs, with outputs of type `dtype`."""
        made = node.copy(inputs)
        self._note(made, [dtype] * node.n_outputs())
        return made

    def _note(self, made: Node, types: Sequence[torch.dtype | None]) -> None:
        self._types.update({Entry(made, i): dtype for i, dtype in enumerate(types)})

    def _type(self, entry: Entry) -> torch.dtype | None:
        return self._types[entry]

    def _is_there(self, entry: Entry, dtype: torch.dtype) -> bool:
        """Whether an output, or a cast of it, has a type."""
        return self._types[entry] is dtype or (entry, dtype) in self._casts

    def _cast(self, entry: Entry, dtype: torch.dtype) -> Entry:
        """An output in a type; what is cast once is not cast again."""
        if self._types[entry] is dtype:
            return entry
        if (entry, dtype) not in self._casts:
            attrs = {"dtype": dtype_name(dtype)}
            name = f"{name_behind(entry)}_amp_cast_{dtype_name(dtype)}"
            cast = Node(find("amp_cast").of(attrs), name, attrs, [entry])
            self._note(cast, [dtype])
            self._casts[entry, dtype] = Entry(cast, 0)
        return self._casts[entry, dtype]


def _types_of_outputs(
    node: Node, types: Sequence[torch.dtype | None]
) -> Sequence[torch.dtype | None]:
    """The types of a node's outputs for those of its inputs, as far as they follow from them."""
    variables = [Node(None, str(i), {}) for i in range(len(types))]
    alone = node.copy([Entry(v, 0) for v in variables])
    known = {v.name: dtype for v, dtype in zip(variables, types, strict=True)}
    return infer_dtypes([*variables, alone], known)[alone]


def in_mixed_precision(
    symbol: Symbol,
    rules: Rules,
    excluded: Collection[str] = (),
    low_variables: Collection[str] = (),
) -> Symbol:
    """The symbol with casts between its operators; its outputs are float32.

    Args:
        symbol: it stays as it is.
        rules: what each operator computes in.
        excluded: names of nodes that compute in float32.
        low_variables: variables that will hold arrays of the low precision.
    """
    steps = _Pass(rules, excluded, low_variables)
    return steps.outputs(rewrite(symbol, steps.replace))


def low_parameters(
    symbol: Symbol, rules: Rules, excluded: Collection[str], data: Collection[str]
) -> set[str]:
    """Variables whose arrays may be of the low precision, as far as types tell.

    Args:
        symbol: as it is in float32.
        rules: what each operator computes in.
        excluded: names of nodes that compute in float32.
        data: variables that are given in float32.
    """
    names = {name for name in symbol.list_inputs() if name not in data}
    converted = in_mixed_precision(symbol, rules, excluded, names)
    return needed_in_low_precision(converted, rules, data)


def needed_in_low_precision(converted: Symbol, rules: Rules, data: Collection[str]) -> set[str]:
    """Variables whose arrays must be of the low precision, since types beside them are.

    Args:
        converted: a symbol in mixed precision.
        rules: what each operator computes in.
        data: variables that are given in float32.
    """
    undeclared = rewrite(converted, _without_type)
    parameters = [n for n in undeclared.nodes if n.op is None and n.name not in data]
    table = infer_dtypes(undeclared.nodes, dict.fromkeys(data, _SINGLE))
    return {n.name for n in parameters if table[n][0] is rules.dtype}


def _without_type(node: Node, inputs: list[Entry]) -> Node:
    made = node.copy(inputs)
    if node.op is None:
        made.attrs.pop("__dtype__", None)
    return made
