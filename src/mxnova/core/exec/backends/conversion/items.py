# SPDX-License-Identifier: Apache-2.0
"""Whether the items of a batch can go through a model apart, and how many at once."""

from __future__ import annotations

from math import ceil, prod
from typing import Any

from ....graph.node import Node
from ....op.nn.fully_connected import FullyConnected
from ....runtime import tuning
from ....runtime.threads import pays_apart, thread_count
from ...program.workload import multiplications
from .graph import Part

__all__ = ["items_at_once", "items_for_a_thread"]


def items_for_a_thread(part: Part) -> int:
    """How many items each of ATen's threads takes; 0 where the batch is better left together.

    It is where a thread would have little to do, or products few rows, or items meet.
    """
    batch, threads = _batch_of(part), thread_count()
    products = [n for n in part.body.nodes if isinstance(n.op, FullyConnected)]
    if not pays_apart(batch, sum(multiplications(n, part.table) for n in products)):
        return 0
    if min(_rows(n, part) for n in products) < tuning.THREAD_MIN_ROWS * threads:
        return 0
    return batch // threads if _item_axes(part) is not None else 0


def items_at_once(part: Part) -> int:
    """How many items a thread takes at once, so that caches hold them; 0: they are left together.

    They are as few as give products enough rows for the weights that are read each time, and 0
    where threads would have little to do, or items meet.
    """
    batch = _batch_of(part)
    products = [n for n in part.body.nodes if n.op is not None and n.op.is_product]
    work = sum(multiplications(n, part.table) for n in products)
    axes = _item_axes(part) if pays_apart(batch, work) else None
    if axes is None:
        return 0
    read = {e for n in products for e in n.inputs[1:2] if axes[e.node] is None}
    weights = sum(prod(part.table[e.node][e.output] or ()) for e in read)
    enough = ceil(tuning.THREAD_ENOUGH_ROWS * weights * batch / work)
    most = batch // thread_count()
    return next((n for n in range(enough, most) if n and most % n == 0), most)


def _batch_of(part: Part) -> int:
    """How many items the inputs have along their first axis; 0 if threads cannot share them out."""
    sizes = {shape[0] if shape else 0 for shape in part.shapes.values()}
    batch = sizes.pop() if len(sizes) == 1 else 0
    return 0 if batch % thread_count() else batch


def _rows(node: Node, part: Part) -> int:
    """How many rows a fully connected layer multiplies by its weights."""
    output: Any = part.table[node][0]
    return prod(output[:-1])


def _item_axes(part: Part) -> dict[Node, int | None] | None:
    """The axis of items of what each node computes; None where items know of each other.

    It is None for what stays, and the first one for all inputs and heads.
    """
    axes: dict[Node, int | None] = {}
    for node in part.body.nodes:
        read = [axes[e.node] for e in node.inputs]
        if node.op is None:
            axes[node] = None if node.name in part.constants else 0
        elif read.count(None) == len(read):
            axes[node] = None
        else:
            shapes = [part.table[e.node][e.output] for e in node.inputs]
            axes[node] = None if read[0] is None else node.op.item_axis(read, shapes)
            if axes[node] is None:
                return None
    return axes if all(axes[e.node] == 0 for e in part.body.entries) else None
