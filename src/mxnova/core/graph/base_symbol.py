# SPDX-License-Identifier: Apache-2.0
"""The base of symbols: outputs of a graph, with the names of its inputs and outputs."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from ..base.errors import MXNetError
from ..base.handles import object_of
from .node import Entry, Node, auxiliary_variables, walk

__all__ = ["BaseSymbol", "output_name", "single_entry", "symbol_of"]


class BaseSymbol:
    """A symbol without its methods; what the lower modules of this room know of it.

    Args:
        handle: its outputs, or the handle of a symbol to be like.
    """

    __slots__ = ("__weakref__", "_entries", "_nodes")
    semantics = "legacy"  # or "numpy": whose rules its methods and operators follow

    def __init__(self, handle: Iterable[Entry] | ctypes.c_void_p | None) -> None:
        if isinstance(handle, ctypes.c_void_p):
            self._entries: list[Entry] = list(object_of(handle, BaseSymbol).entries)
        else:
            self._entries = list(handle or ())
        self._nodes: list[Node] | None = None

    # The graph -----------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[Node]:
        """Its nodes, each after its inputs, in MXNet's depth-first order."""
        if self._nodes is None:
            self._nodes = walk(self._entries)
        return self._nodes

    @property
    def entries(self) -> list[Entry]:
        """Its outputs."""
        return self._entries

    def variables(self) -> tuple[list[Node], list[Node]]:
        """(arguments, auxiliary states), in the order of the nodes."""
        auxiliary = auxiliary_variables(self.nodes)
        found = [n for n in self.nodes if n.op is None]
        return (
            [n for n in found if n not in auxiliary],
            [n for n in found if n in auxiliary],
        )

    def list_arguments(self) -> list[str]:
        """Names of its arguments."""
        return [n.name for n in self.variables()[0]]

    def list_auxiliary_states(self) -> list[str]:
        """Names of its auxiliary states."""
        return [n.name for n in self.variables()[1]]

    def list_inputs(self) -> list[str]:
        """Names of all its variables."""
        return [n.name for n in self.nodes if n.op is None]

    def list_outputs(self) -> list[str]:
        """Names of its outputs."""
        return [output_name(e) for e in self._entries]

    @property
    def name(self) -> str | None:
        """The name of its node; None for a group."""
        owners = {e.node for e in self._entries}
        return self._entries[0].node.name if len(owners) == 1 else None


_CLASSES: dict[str, type[BaseSymbol]] = {}  # semantics -> the class


def register(cls: type[BaseSymbol], semantics: str = "legacy") -> type[BaseSymbol]:
    """Register `cls` as the class of symbols that functions of these semantics return."""
    _CLASSES[semantics] = cls
    return cls


def symbol_of(entries: Iterable[Entry], semantics: str = "legacy") -> Any:
    """The symbol with these outputs."""
    return _CLASSES.get(semantics, _CLASSES["legacy"])(entries)


def output_name(entry: Entry) -> str:
    """The name that a symbol lists an output under."""
    op = entry.node.op
    return entry.node.name if op is None else entry.node._prefixed(op.outputs()[entry.output])


def single_entry(symbol: BaseSymbol, what: str) -> Entry:
    """The only output of `symbol`.

    Raises:
        MXNetError: it has several.
    """
    if len(symbol._entries) != 1:
        raise MXNetError(f"{what} has {len(symbol._entries)} outputs, a single one is needed")
    return symbol._entries[0]
