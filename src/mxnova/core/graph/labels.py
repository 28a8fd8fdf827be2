# SPDX-License-Identifier: Apache-2.0
"""Labels of losses: inputs that gradients read and outputs do not."""

from __future__ import annotations

from ..base.unique_names import FreeNames
from ..op.gradient import ignores_head
from .base_symbol import BaseSymbol
from .node import Entry, Node
from .rewrite import S, rewrite

__all__ = ["labels_of", "without_label_graphs"]


def labels_of(symbol: BaseSymbol) -> set[str]:
    """Return the names of the variables that only losses read, as their labels.

    The labels of CTCLoss, softmax_cross_entropy and MakeLoss are not among them: the outputs of
    these operators depend on the label.
    """
    is_label: dict[str, bool] = {}
    for node in symbol.nodes:
        place = _label_place(node)
        for number, entry in enumerate(node.inputs):
            if entry.node.op is None:
                name = entry.node.name
                is_label[name] = is_label.get(name, True) and number == place
    outputs = {e.node.name for e in symbol.entries if e.node.op is None}
    return {name for name, found in is_label.items() if found} - outputs


def without_label_graphs(symbol: S) -> S:
    """Return `symbol` with a new variable in place of each label that is computed.

    Training graphs reshape, slice or match their labels (``Reshape(softmax_label)``) before a loss
    reads them. Outputs do not depend on these nodes, and their inputs are unknown at inference.
    """
    taken = FreeNames(node.name for node in symbol.nodes)

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        place = _label_place(node)
        if place is None or place >= len(inputs) or inputs[place].node.op is None:
            return None
        inputs[place] = Entry(Node(None, taken.free(f"{node.name}_label"), {}), 0)
        return node.copy(inputs)

    return rewrite(symbol, replace)


def _label_place(node: Node) -> int | None:
    """Return the position of the input that is a label without effect on the outputs, or None."""
    if node.op is None or not ignores_head(node.op):
        return None
    names = node.op.inputs()
    return names.index("label") if "label" in names else None
