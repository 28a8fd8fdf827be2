# SPDX-License-Identifier: Apache-2.0
"""Who reads what in a symbol."""

from __future__ import annotations

from collections import defaultdict

from ...graph.node import Entry, Node
from ...graph.symbol import Symbol
from ...op.traits import Activation

__all__ = ["Readers"]


class Readers:
    """The readers of each entry of a symbol; None stands for whoever asks for its outputs."""

    def __init__(self, symbol: Symbol) -> None:
        self._readers: defaultdict[Entry, list[Node | None]] = defaultdict(list)
        for node in symbol.nodes:
            for entry in node.inputs:
                self._readers[entry].append(node)
        for entry in symbol.entries:
            self._readers[entry].append(None)

    def of(self, entry: Entry) -> list[Node | None]:
        """All readers, in order; one that reads twice is there twice."""
        return self._readers.get(entry, [])

    def only(self, entry: Entry) -> Node | None:
        """The operator that alone reads an entry, if there is one."""
        readers = self.of(entry)
        return readers[0] if len(readers) == 1 else None

    def activation_after(self, entry: Entry) -> tuple[Node, Activation] | None:
        """The operator that alone reads an entry, where it is an activation function, and which."""
        reader = self.only(entry)
        found = None if reader is None or reader.op is None else reader.op.activation
        return None if reader is None or found is None else (reader, found)

    def reads_first_only(self, node: Node) -> bool:
        """Whether nobody reads an output of `node` but the first."""
        return not any(self.of(Entry(node, i)) for i in range(1, node.n_outputs()))
