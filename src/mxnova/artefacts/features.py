# SPDX-License-Identifier: Apache-2.0
"""Shapes of inputs that only products with parameters read: those of linear models."""

from __future__ import annotations

from collections.abc import Mapping

from ..formats.params import ArrayRecord
from ..formats.symbol_record import GraphRecord
from .side_files import Shapes

__all__ = ["features_of"]

# operator -> (which of its inputs is the parameter, which axis of that counts the features)
_PRODUCTS = {"FullyConnected": (1, 1), "dot": (1, 0)}


def features_of(graph: GraphRecord, arrays: Mapping[str, ArrayRecord]) -> Shapes | None:
    """Shapes (N, features) of all inputs; None where the parameters do not tell them.

    Args:
        graph: the network.
        arrays: its parameters, by the names of variables.
    """
    found: Shapes = {}
    for number, node in enumerate(graph.nodes):
        if node.op == "null" and node.name not in arrays:
            readers = [n for n in graph.nodes if any(e[0] == number for e in n.inputs)]
            if all(_is_label(reader.op, number, reader.inputs) for reader in readers):
                continue
            sizes = {_features(graph, n.op, n.inputs, number, arrays) for n in readers}
            size = sizes.pop()
            if sizes or size is None:
                return None
            found[node.name] = ("N", size)
    return found or None


def _is_label(op: str, number: int, inputs: list[tuple[int, int, int]]) -> bool:
    """Whether variable `number` is the second input of a loss."""
    return op.endswith("Output") and len(inputs) == 2 and inputs[1][0] == number != inputs[0][0]


def _features(
    graph: GraphRecord,
    op: str,
    inputs: list[tuple[int, int, int]],
    number: int,
    arrays: Mapping[str, ArrayRecord],
) -> int | None:
    if op not in _PRODUCTS or not inputs or inputs[0][0] != number:
        return None
    place, axis = _PRODUCTS[op]
    array = arrays.get(graph.nodes[inputs[place][0]].name) if place < len(inputs) else None
    return array.shape[axis] if array is not None and axis < len(array.shape) else None
