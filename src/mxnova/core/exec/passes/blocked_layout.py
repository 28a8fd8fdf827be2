# SPDX-License-Identifier: Apache-2.0
"""Training passes through convolutions in oneDNN's own layout of images.

Nodes that convolve, normalize, add and pool images become groups. Inside a group images lie in
blocks of channels, from the first operator to the last; ATen calls such tensors mkldnn tensors and
has gradients for them. BatchNorm then finds a channel's items in the cache, and convolutions run by
oneDNN also where ATen multiplies matrices instead: with one thread, for small batches.

ATen does not differentiate those gradients: see `TrainingGroup`.

With ``MXNET_BACKWARD_DO_MIRROR=1`` groups have a few convolutions each, keep what goes into them,
and run once more in a backward pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from math import isqrt, prod
from typing import Any

import torch
from torch import Tensor

from ...base.shapes import is_known
from ...graph.infer import ShapeTable
from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.nn.batch_norm import BatchNorm
from ...op.nn.convolution import Convolution
from ...op.nn.pooling import Pooling
from ...runtime import tuning
from ...runtime.processor import HAS_ONEDNN
from ..fused.blocked import AddInPlace, FromBlocks, Relu, ReluInPlace, ToBlocks
from ..fused.functionalization import WritesApart
from ..fused.group import Group, with_groups
from ..fused.training_group import Function, TrainingGroup
from ..program.program import TRAINING, Facts, Program
from .definition import Pass
from .matching import is_image_convolution, is_rectifier, is_sum_of_equals

__all__ = ["PASS", "in_blocks"]


def in_blocks(symbol: Symbol, facts: Facts, mirrors: bool = False) -> Symbol:
    """`symbol` with groups for the nodes that are better run so in training; itself without any.

    Args:
        symbol: a graph.
        facts: of its inputs.
        mirrors: whether memory is worth more than time: groups keep nothing but their inputs.
    """
    on_cpu = facts.context.device.type == "cpu" and not facts.groups
    is_dense = all(a.stype == "default" for a in facts.inputs.values())
    if not (on_cpu and is_dense and HAS_ONEDNN):
        return symbol
    if not any(map(_is_convolution, symbol.nodes)):
        return symbol
    shapes, dtypes = facts.shapes(symbol), facts.dtypes(symbol)
    read = {e for n in symbol.nodes for e in n.inputs} | {*symbol.entries}
    heads = {e.node for e in symbol.entries}

    def selects(node: Node) -> bool:
        source, output = node.inputs[0] if node.inputs else (None, 0)
        if source is None or dtypes[source][output] is not torch.float32:
            return False
        if node in heads and _is_relu(node):  # its gradient reads what is written to its output
            return False
        shape = shapes[source][output]
        if shape is None or len(shape) != 4:
            return False
        return is_sum_of_equals(node, shapes, dtypes) or _takes_images(node, read)

    def is_worth(nodes: Sequence[Node]) -> bool:
        return (
            sum(_size(n, shapes) for n in nodes if _is_convolution(n))
            >= tuning.BLOCKED_LAYOUT_MIN_SIZE
        )

    def made(body: Symbol, _constants: Any) -> Group:
        return _Blocked(
            backend="aten",
            body=body,
            constants={},
            precision="float32",
            context=facts.context,
            mirrors=mirrors,
        )

    if not mirrors:
        return with_groups(symbol, selects, is_worth, made, {})
    sections = _sections([n for n in symbol.nodes if n.op is not None and selects(n)])
    return with_groups(symbol, lambda node: sections.get(node), is_worth, made, {})


def _sections(nodes: Sequence[Node]) -> dict[Node, int]:
    """The section of each node, from 1 on, with about as many convolutions as sections.

    What the sections give and what one of them needs inside is least together then.
    """
    convolves = [_is_convolution(n) for n in nodes]
    size = max(isqrt(sum(convolves)), 1)
    counts = accumulate(convolves)
    return {n: 1 + max(count - 1, 0) // size for n, count in zip(nodes, counts, strict=True)}


def _is_convolution(node: Node) -> bool:
    return isinstance(node.op, Convolution)


def _size(node: Node, shapes: ShapeTable) -> int:
    shape: Any = shapes[node][0]
    return prod(shape) if is_known(shape) else 0


def _takes_images(node: Node, read: set[Entry]) -> bool:
    """Whether the one array of images that a node takes may be blocked."""
    op = node.op
    if isinstance(op, Convolution):
        return is_image_convolution(node)
    if isinstance(op, BatchNorm):
        own = op.axis == 1 and not op.use_global_stats and not op.output_mean_var
        return own and Entry(node, 1) not in read and Entry(node, 2) not in read
    if isinstance(op, Pooling):
        is_plain = op.pool_type in ("avg", "max") and not op.global_pool
        margins = zip(op.pad, op.kernel, strict=False)
        is_placed = op.pooling_convention == "valid" and all(2 * p <= k for p, k in margins)
        return is_plain and is_placed and len(op.kernel) == 2 and op.layout in (None, "NCHW")
    return _is_relu(node)


def _is_sum(node: Node) -> bool:
    """Whether a node of a group is a sum."""
    meaning = None if node.op is None else node.op.arithmetic
    return meaning is not None and meaning.function == "add"


def _is_relu(node: Node) -> bool:
    return isinstance(node.op, Relu) or is_rectifier(node)


def _keeps_no_output(node: Node) -> bool:
    """Whether the gradient of a node does not read what it gave."""
    op = node.op
    return isinstance(op, BatchNorm) or (isinstance(op, Pooling) and op.pool_type == "avg")


# Groups -------------------------------------------------------------------------------------------


class _Blocked(TrainingGroup):
    """A group whose images lie in blocks."""

    def _prepared(self, program: Program, data: Sequence[Tensor]) -> Function | None:
        if any(t.dtype is not torch.float32 for t in data):  # other than the graph was drawn for
            return None
        shapes, dtypes = program.facts.shapes(program.symbol), program.facts.dtypes(program.symbol)
        sums = filter(_is_sum, program.symbol.nodes)
        if not all(is_sum_of_equals(n, shapes, dtypes) for n in sums):  # they broadcast now
            return None
        apart = WritesApart(_with_conversions(program.symbol), [v.name for v in program.variables])
        return apart.around(program.lower(apart.pure, TRAINING).function)


def _in_place(symbol: Symbol) -> Symbol:
    """`symbol` with sums and activations in the place of what no gradient needs again."""
    readers = Counter(e for n in symbol.nodes for e in n.inputs) + Counter(symbol.entries)
    ours: set[Node] = set()  # new sums

    def may_go(old: Entry, new: Entry) -> bool:
        made = _keeps_no_output(new.node) or new.node in ours
        return made and new.output == 0 and readers[old] == 1

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        pairs = list(zip(node.inputs, inputs, strict=True))
        if _is_relu(node):
            op = ReluInPlace() if may_go(*pairs[0]) else Relu()
            return Node(op, node.name, {}, inputs)
        if _is_sum(node):
            pairs.sort(key=lambda pair: not may_go(*pair))
            if may_go(*pairs[0]):
                made = Node(AddInPlace(), node.name, {}, [new for _, new in pairs])
                ours.add(made)
                return made
        return None

    return rewrite(symbol, replace)


def _with_conversions(symbol: Symbol) -> Symbol:
    """`symbol`, of operators that take blocked images, with images converted where they come in."""
    symbol = _in_place(symbol)
    blocks: set[Node] = set()  # nodes whose first output is blocked
    made: dict[Entry, Entry] = {}

    def converted(entry: Entry, to_blocks: bool) -> Entry:
        if (entry.node in blocks) is to_blocks or entry.output:
            return entry
        if entry not in made:
            op = ToBlocks() if to_blocks else FromBlocks()
            made[entry] = Entry(Node(op, entry.node.name, {}, [entry]), 0)
        return made[entry]

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None:
            return None
        n = 2 if isinstance(node.op, AddInPlace) or _is_sum(node) else 1
        fitting = [converted(e, i < n) for i, e in enumerate(inputs)]
        fresh = node.copy(fitting)
        blocks.add(fresh)
        return fresh

    rewritten = rewrite(symbol, replace)
    return type(symbol)([converted(e, to_blocks=False) for e in rewritten.entries])


PASS = Pass(
    "blocked_layout",
    requires="float32 images on the CPU, enough of them, that are convolved, pooled, summed up",
    ensures="groups of such nodes work on oneDNN's own layout",
    apply=lambda symbol, target: in_blocks(symbol, target.facts, target.mirrors),
)
