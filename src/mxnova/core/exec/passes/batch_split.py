# SPDX-License-Identifier: Apache-2.0
"""Batches of images shared out among threads, each of which computes its images by itself.

Precondition: images of a batch do not know of each other, throughout a group of nodes with enough
work. Threads then meet once a run instead of at the end of each operator, where on a machine that
others use they wait for whichever of them is not running: ResNet-50, batch 8, beside six busy
processes on two cores takes 255 ms instead of 530.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from torch import Tensor

from ...graph.infer import ShapeTable
from ...graph.node import Node
from ...graph.symbol import Symbol
from ...op.nn.convolution import Convolution
from ...runtime import tuning
from ...runtime.threads import pays_apart, thread_count
from ..fused.batches import BatchGroup
from ..fused.convolution import FusedConvolution
from ..fused.group import Group, with_groups
from ..program.workload import multiplications
from .definition import Pass, Target
from .matching import parameter_names

__all__ = ["PASS", "images_at_once", "images_of", "with_batches_apart"]


# What may be shared out ---------------------------------------------------------------------------


def _is_apart(
    node: Node, shapes: ShapeTable, parameters: set[str], constants: Mapping[str, Tensor]
) -> bool:
    """Whether a node computes each item along the first axis by itself."""
    variables = {e.node.name for e in node.inputs if e.node.op is None}
    if node.op is None or (variables & parameters) - constants.keys():
        return False
    axes = [None if e.node.op is None and e.node.name in constants else 0 for e in node.inputs]
    return node.op.item_axis(axes, [shapes[e.node][e.output] for e in node.inputs]) == 0


def images_at_once(symbol: Symbol, shapes: ShapeTable) -> int:
    """How many images a thread takes at once; 0 where the batch is better left together."""
    convolutions = [n for n in symbol.nodes if isinstance(n.op, Convolution)]
    sizes = {shapes[n][0][0] for n in convolutions if multiplications(n, shapes)}  # type: ignore[index]
    if len(sizes) != 1:
        return 0
    batch: Any = sizes.pop()
    work = sum(multiplications(n, shapes) for n in convolutions)
    if not pays_apart(batch, work):
        return 0
    least = ceil(tuning.THREAD_MIN_MULTIPLICATIONS * batch / work)
    return int(min(max(least, tuning.THREAD_MIN_IMAGES), ceil(batch / thread_count())))


def with_batches_apart(
    symbol: Symbol,
    shapes: ShapeTable,
    images: int,
    parameters: set[str],
    constants: Mapping[str, Tensor],
) -> Symbol:
    """`symbol` with groups of nodes that run on some images at a time.

    Args:
        symbol: any symbol; it stays as it is.
        shapes: of all its nodes.
        images: how many a thread takes at once.
        parameters: names of variables that have no axis for images.
        constants: values of variables that stay, by name.
    """

    def selects(node: Node) -> bool:
        if not node.inputs:
            return False
        read = node.inputs[0].node
        is_data = read.op is not None or read.name not in parameters
        return is_data and _is_apart(node, shapes, parameters, constants)

    def is_worth(nodes: Sequence[Node]) -> bool:
        return sum(isinstance(n.op, FusedConvolution) for n in nodes) > 1

    def made(body: Symbol, stays: dict[str, Tensor]) -> Group:
        return BatchGroup(backend="aten", body=body, constants=stays, precision="", images=images)

    kept = {n: t for n, t in constants.items() if n in parameters}
    return with_groups(symbol, selects, is_worth, made, kept)


def images_of(symbol: Symbol, target: Target) -> int:
    """How many images a thread takes at once; decided once for a target, before it is fused."""
    if "batch_split" not in target.passes:
        return 0
    if target.images is None:
        target.images = images_at_once(symbol, target.facts.shapes(symbol))
    return target.images


def _split(symbol: Symbol, target: Target) -> Symbol:
    images = images_of(symbol, target)
    if not images:
        return symbol
    parameters = parameter_names(symbol.nodes) | target.constants.keys()
    shapes = target.facts.shapes(symbol)
    return with_batches_apart(symbol, shapes, images, parameters, target.constants)


PASS = Pass(
    "batch_split",
    requires="two threads, a batch, groups of nodes that compute each image by itself, enough work",
    ensures="threads take some images each through a whole group",
    apply=_split,
)
