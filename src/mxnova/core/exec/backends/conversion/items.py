# SPDX-License-Identifier: Apache-2.0
"""Whether the items of a batch can go through a model apart, and how many at once."""

from __future__ import annotations

from math import prod
from typing import Any

from ....graph.node import Node
from ....op.nn.fully_connected import FullyConnected
from ....runtime import tuning
from ....runtime.threads import pays_apart, thread_count
from ...program.workload import multiplications
from .graph import Part

__all__ = ["items_for_a_thread"]


def items_for_a_thread(part: Part) -> int:
    """How many items each of ATen's threads takes; 0 where the batch is better left together.

    It is where a thread would have little to do, or products few rows, or items meet.
    """
    threads = thread_count()
    sizes = {shape[0] if shape else 0 for shape in part.shapes.values()}
    batch = sizes.pop() if len(sizes) == 1 else 0
    if not batch or batch % threads:
        return 0
    products = [n for n in part.body.nodes if isinstance(n.op, FullyConnected)]
    if not pays_apart(batch, sum(multiplications(n, part.table) for n in products)):
        return 0
    if min(_rows(n, part) for n in products) < tuning.THREAD_MIN_ROWS * threads:
        return 0
    return batch // threads if _are_apart(part) else 0


def _rows(node: Node, part: Part) -> int:
    """How many rows a fully connected layer multiplies by its weights."""
    output: Any = part.table[node][0]
    return prod(output[:-1])


def _are_apart(part: Part) -> bool:
    """Whether items along the first axis of all inputs and heads do not know of each other."""
    axes: dict[Node, int | None] = {}  # None for what stays
    for node in part.body.nodes:
        if node.op is None:
            axes[node] = None if node.name in part.constants else 0
            continue
        axis = _axis_after(node, [axes[e.node] for e in node.inputs], part)
        if axis is None:
            return False
        axes[node] = axis
    return all(axes[e.node] == 0 for e in part.body.entries)


def _axis_after(node: Node, axes: list[int | None], part: Part) -> int | None:
    """The axis of items of what a node computes; None where it has none."""
    if node.op is None or not axes or axes[0] is None:
        return None
    return node.op.item_axis(axes, [part.table[e.node][e.output] for e in node.inputs])
