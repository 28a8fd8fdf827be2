# SPDX-License-Identifier: Apache-2.0
"""How much memory a run of a graph needs at most for what its operators give."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

import torch

from ...base.shapes import PartialShape, is_known
from ...graph.infer import DTypeTable, ShapeTable
from ...graph.node import Entry
from ...graph.symbol import Symbol
from .gradient_path import gradient_path

__all__ = ["bytes_needed"]


def bytes_needed(
    symbol: Symbol, shapes: ShapeTable, dtypes: DTypeTable, arguments: Collection[str]
) -> int:
    """The most that outputs of operators take together while the graph runs.

    An output stays until its last reader has run; the graph's own and, until a backward pass, those
    on the way of a gradient stay longer. Arrays that are bound are not part of it, nor is what an
    operator needs while it runs.

    Args:
        symbol: what runs.
        shapes: of all its nodes.
        dtypes: of all its nodes.
        arguments: names of those whose gradients are wanted.
    """
    kept = set(gradient_path(symbol, arguments))
    kept |= {entry.node for entry in symbol.entries}
    last_reader = {e: node for node in symbol.nodes for e in node.inputs}
    size = most = 0
    for node in symbol.nodes:
        if node.op is None:
            continue
        made = [Entry(node, i) for i in range(node.n_outputs())]
        size += sum(_bytes(shapes[node][i], dtypes[node][i]) for _, i in made)
        most = max(most, size)
        unread = [e for e in made if e not in last_reader]
        done = [e for e in {*node.inputs} if last_reader[e] == node]
        size -= sum(
            _bytes(shapes[e.node][e.output], dtypes[e.node][e.output])
            for e in (*unread, *done)
            if e.node.op is not None and e.node not in kept
        )
    return most


def _bytes(shape: PartialShape, dtype: torch.dtype | None) -> int:
    if shape is None or not is_known(shape):
        return 0
    known: tuple[int, ...] = shape
    return prod(known) * (dtype or torch.float32).itemsize
