# SPDX-License-Identifier: Apache-2.0
"""Whether the items of a batch can go through a model apart, and how many at once."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch

from ....graph.node import Node
from ...work import WORTH_A_THREAD, multiplications
from ..pointwise import POINTWISE
from .graph import Part

__all__ = ["items_for_a_thread"]

_LEAST_ROWS = 64  # of one product: with less, reading its weights takes as long

_ELEMENT_BY_ELEMENT = POINTWISE | {"Dropout", "LeakyReLU"}


def _exchanged(op: Any, axis: int, rank: int) -> int:
    one, other = op.dim1 % rank, op.dim2 % rank
    if axis == one:
        return int(other)
    return int(one) if axis == other else axis


def _beside_its_own(op: Any, axis: int, rank: int) -> int | None:
    return None if op.attr("axis") % rank == axis else axis


def _in_rows(op: Any, axis: int, rank: int) -> int | None:
    return None if op.flatten or axis == rank - 1 else axis


# Operator, axis of items and rank of the first input -> axis of items of the output; None where
# items meet. Further inputs stay.
_LAYERS: dict[str, Callable[[Any, int, int], int | None]] = {
    "FullyConnected": _in_rows,
    "LayerNorm": _beside_its_own,
    "SwapAxis": _exchanged,
    "_FusedAttention": lambda op, axis, rank: axis if axis == 1 else None,
}


def items_for_a_thread(part: Part) -> int:
    """How many items each of ATen's threads takes; 0 where the batch is better left together.

    It is where a thread would have little to do, or products few rows, or items meet.
    """
    threads = torch.get_num_threads()
    sizes = {shape[0] if shape else 0 for shape in part.shapes.values()}
    batch = sizes.pop() if len(sizes) == 1 else 0
    if threads < 2 or not batch or batch % threads:
        return 0
    products = [n for n in part.body.nodes if n.op is not None and n.op.name == "FullyConnected"]
    if sum(multiplications(n, part.table) for n in products) < WORTH_A_THREAD * threads:
        return 0
    if min(_rows(n, part) for n in products) < _LEAST_ROWS * threads:
        return 0
    return batch // threads if _are_apart(part) else 0


def _rows(node: Node, part: Part) -> int:
    """How many rows a fully connected layer multiplies by its weights."""
    output: Any = part.table[id(node)][0]
    return prod(output[:-1])


def _are_apart(part: Part) -> bool:
    """Whether items along the first axis of all inputs and heads do not know of each other."""
    axes: dict[int, int | None] = {}  # by id of the node; None for what stays
    for node in part.body.nodes:
        if node.op is None:
            axes[id(node)] = None if node.name in part.constants else 0
            continue
        axis = _axis_after(node, [axes[id(e.node)] for e in node.inputs], part)
        if axis is None:
            return False
        axes[id(node)] = axis
    return all(axes[id(e.node)] == 0 for e in part.body.entries)


def _axis_after(node: Node, axes: list[int | None], part: Part) -> int | None:
    """The axis of items of what a node computes; None where it has none."""
    op: Any = node.op
    if not axes or axes[0] is None:
        return None
    if op.name in _ELEMENT_BY_ELEMENT:
        return axes[0] if len(set(axes)) == 1 else None
    if op.name not in _LAYERS or any(axis is not None for axis in axes[1:]):
        return None
    source = node.inputs[0]
    shape: Any = part.table[id(source.node)][source.output]
    return _LAYERS[op.name](op, axes[0], len(shape))
