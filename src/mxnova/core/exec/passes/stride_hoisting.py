# SPDX-License-Identifier: Apache-2.0
"""Positions of images that nobody reads are not computed (stride propagation).

A 1 x 1 convolution with a stride of 2 reads one position in four. What stands before it need not
compute the others: the stride moves up through what computes each position by itself, to the
convolutions there. Where another reader wants all positions of a value, the others are skipped
on the way. ResNet v1 has three such places and takes 0.9 of the time. Strides move through
QuantizeLinear and DequantizeLinear, too. Training passes move strides by the same rules, but not as
far (`stride_before_activation`).

Precondition: all readers of a value skip positions, in steps that have a common divisor. What is
left stays as it was, but for rounding where a kernel sums up in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Any

from ...graph.infer import ShapeTable
from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.nn.batch_norm import BatchNormBase
from ...op.schema import Op
from ..fused.quantize_linear import DequantizeLinear, QuantizeLinear
from ..fused.subsampling import Steps, Subsampled
from .definition import Pass
from .matching import is_image_convolution, is_pointwise
from .readers import Readers

__all__ = ["PASS", "Skipping", "with_strides_moved", "without_unread_positions"]

_ALL: Steps = (1, 1)


@dataclass(frozen=True)
class Skipping:
    """Which nodes may leave out positions.

    Attributes:
        can: whether a node may, where all its readers do.
        begins: whether one does so though its inputs have all positions.
        operator: makes, of steps, the operator that skips positions of an input.
    """

    can: Callable[[Node, Readers], bool]
    begins: Callable[[Node], bool]
    operator: Callable[[Steps], Op]


def without_unread_positions(symbol: Symbol, shapes: ShapeTable) -> Symbol:
    """`symbol` with strides where values are made instead of where they are read.

    Args:
        symbol: any symbol; it stays as it is.
        shapes: of all its nodes.
    """

    def can_skip(node: Node, readers: Readers) -> bool:
        op: Any = node.op
        if op is None or len(shapes[node][0] or ()) != 4:
            return False
        if isinstance(op, BatchNormBase):
            return op.axis == 1 and readers.reads_first_only(node)
        if isinstance(op, (QuantizeLinear, DequantizeLinear)):
            return op.axis is None
        return is_image_convolution(node) or is_pointwise(node, shapes)

    # A convolution saves work. Others would copy what a convolution can skip by itself.
    skipping = Skipping(can_skip, is_image_convolution, lambda steps: Subsampled(steps=steps))
    return with_strides_moved(symbol, skipping)


def with_strides_moved(symbol: Symbol, skipping: Skipping) -> Symbol:
    """`symbol` with strides of 1 x 1 convolutions moved up as far as nodes may skip positions."""
    if all(_asked(node, _ALL) == _ALL for node in symbol.nodes):
        return symbol
    wanted = _wanted(symbol, skipping)
    made: dict[Node, Steps] = {}  # steps in which nodes give their positions
    for node in symbol.nodes:
        befores = (made[e.node] for e in node.inputs[: _n_images(node)])
        skips = skipping.begins(node) or any(steps != _ALL for steps in befores)
        made[node] = wanted[node] if skips else _ALL
    if all(steps == _ALL for steps in made.values()):
        return symbol

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        op: Any = node.op
        if op is None or not inputs:
            return None
        if is_image_convolution(node):
            before = made[node.inputs[0].node]
            stride = _divided(_times(op.stride or _ALL, made[node]), before)
            return node.with_operator(op.changed(stride=stride), inputs)
        steps = made[node]
        if steps == _ALL:
            return None
        count = _n_images(node)
        befores = [made[e.node] for e in node.inputs[:count]]
        images = map(skipped, inputs, (_divided(steps, before) for before in befores))
        return node.copy([*images, *inputs[count:]])

    def skipped(entry: Entry, steps: Steps) -> Entry:
        if steps == _ALL:
            return entry
        if isinstance(entry.node.op, DequantizeLinear):  # integers are smaller
            integers, scale = entry.node.inputs
            return Entry(entry.node.copy([skipped(integers, steps), scale]), 0)
        # It asks for the same backend; what else is said there is the other operator's.
        attrs = {k: v for k, v in entry.node.attrs.items() if k.startswith("__")}
        name = f"{entry.node.name}_subsampled"
        return Entry(Node(skipping.operator(steps), name, attrs, [entry]), 0)

    return rewrite(symbol, replace)


def _wanted(symbol: Symbol, skipping: Skipping) -> dict[Node, Steps]:
    """The steps in which readers want the positions of nodes; of those that can skip."""
    found: dict[Node, Steps] = {e.node: _ALL for e in symbol.entries}
    readers = Readers(symbol)
    for node in reversed(symbol.nodes):
        if not skipping.can(node, readers):
            found[node] = _ALL
        of_images = _asked(node, found[node])
        for i, entry in enumerate(node.inputs):
            asked = of_images if i < _n_images(node) else _ALL
            before = found.get(entry.node, asked)
            found[entry.node] = (gcd(before[0], asked[0]), gcd(before[1], asked[1]))
    return found


def _n_images(node: Node) -> int:
    """How many of its inputs have positions; those behind are parameters."""
    with_parameters = BatchNormBase, QuantizeLinear, DequantizeLinear
    if is_image_convolution(node) or isinstance(node.op, with_parameters):
        return 1
    return len(node.inputs)


def _asked(node: Node, steps: Steps) -> Steps:
    """The steps in which a node that gives its positions in `steps` reads those of its images."""
    if not is_image_convolution(node):
        return steps
    op: Any = node.op
    reads_one = tuple(op.kernel) == _ALL and not any(op.pad or ())
    return _times(op.stride or _ALL, steps) if reads_one else _ALL


def _times(some: Steps, others: Steps) -> Steps:
    return some[0] * others[0], some[1] * others[1]


def _divided(some: Steps, others: Steps) -> Steps:
    return some[0] // others[0], some[1] // others[1]


PASS = Pass(
    "stride_hoisting",
    requires="all readers of images skip positions, in steps with a common divisor",
    ensures="positions that nobody reads are not computed",
    apply=lambda symbol, target: without_unread_positions(symbol, target.facts.shapes(symbol)),
)
