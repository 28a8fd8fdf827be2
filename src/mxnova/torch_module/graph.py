# SPDX-License-Identifier: Apache-2.0
"""A symbol as two functions of tensors, for training passes and for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.exec.program.lowering import Lowered, lower
from ..core.graph.node import Entry, Node
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..core.runtime.context import cpu
from .running import runner_for

__all__ = ["Graph"]


class Graph:
    """A symbol, ready to run; immutable, so that copies of a module share it.

    Args:
        symbol: what to compute.
        order: names of its variables, in the order of the functions' arguments.

    Attributes:
        symbol: the same.
        order: the same.
        arguments: names of the functions' arguments, Python identifiers.
        functions: values of the variables to a tuple of outputs, by whether it is a training pass.
    """

    def __init__(self, symbol: Symbol, order: Sequence[str]) -> None:
        self.symbol = symbol
        self.order = tuple(order)
        lowered = {train: _lowered(symbol, self.order, train) for train in (False, True)}
        self.arguments = lowered[False].arguments
        self.functions: dict[bool, Callable[..., tuple[Any, ...]]] = {
            train: low.function for train, low in lowered.items()
        }
        self._lowered = lowered  # whose source tracebacks show

    def __deepcopy__(self, memo: Any) -> Graph:
        return self

    def __reduce__(self) -> Any:
        return type(self), (self.symbol, self.order)


def _lowered(symbol: Symbol, order: Sequence[str], train: bool) -> Lowered:
    variables = {n.name: n for n in symbol.nodes if n.op is None}
    beside = _beside(symbol)
    found = {n.name: n for n in beside.nodes if n.op is None}
    contexts = dict.fromkeys(map(id, beside.nodes), cpu())
    inputs = [found.get(name, variables.get(name, Node(None, name, {}))) for name in order]
    return lower(beside, inputs, runner_for(train), contexts)


def _beside(symbol: Symbol) -> Symbol:
    """`symbol` whose operators without inputs are given the first variable, for its device."""
    first = next((n for n in symbol.nodes if n.op is None), None)

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None or inputs or first is None:
            return None
        return node.copy([Entry(first, 0)])

    return rewrite(symbol, replace)
