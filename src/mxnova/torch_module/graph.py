# SPDX-License-Identifier: Apache-2.0
"""A symbol as two functions of tensors, for training passes and for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.graph.symbol import Symbol
from .open_sizes import Facts, sized
from .refusals import untraceable
from .running import lowered_for

__all__ = ["Graph"]


class Graph:
    """A symbol, ready to run; immutable, so that copies of a module share it.

    Args:
        symbol: what to compute.
        order: names of its variables, in the order of the functions' arguments.
        facts: what is known of them.

    Attributes:
        symbol: the same.
        order: the same.
        untraceable: what torch.export and torch.compile cannot take.
        functions: values of the variables to a tuple of outputs, by whether it is a training pass.
    """

    def __init__(self, symbol: Symbol, order: Sequence[str], facts: Facts) -> None:
        self.symbol, self.facts = symbol, facts
        self.order = tuple(order)
        self.untraceable = untraceable(symbol)
        complete = sized(symbol, facts)
        lowered = {train: lowered_for(train, complete, self.order) for train in (False, True)}
        self.functions: dict[bool, Callable[..., tuple[Any, ...]]] = {
            train: low.function for train, low in lowered.items()
        }
        self._lowered = lowered  # whose source tracebacks show

    def __deepcopy__(self, memo: Any) -> Graph:
        return self

    def __reduce__(self) -> Any:
        return type(self), (self.symbol, self.order, self.facts)
