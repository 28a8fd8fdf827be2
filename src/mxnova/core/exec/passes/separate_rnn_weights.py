# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers whose weights come one by one take them so in training passes.

The operator reads one vector, which layers join of their weights. Joining them, and joining what
autograd gives for the vector's parts, are two passes over all weights in each step.
"""

from __future__ import annotations

from math import prod
from typing import Any

from ...base.shapes import is_known
from ...graph.infer import ShapeTable
from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.nn.rnn import RNN
from ...op.numpy import shape  # noqa: F401 - registers operators
from ...op.schema import find
from ...op.tensor import split  # noqa: F401 - registers an operator
from ...op.tensor.reshape import Reshape
from ..fused.rnn import SeparateWeightsRNN
from ..program.program import Facts
from .definition import Pass

__all__ = ["PASS", "with_weights_apart"]

_JOINED = find("_rnn_param_concat")
_RESHAPES = (find("_np_reshape"), find("_npx_reshape"))


def with_weights_apart(symbol: Symbol, facts: Facts) -> Symbol:
    """`symbol` with recurrent layers that read their weights from where they are.

    Args:
        symbol: a graph.
        facts: of its inputs.
    """
    if not any(_is_joined(node) for node in symbol.nodes):
        return symbol
    shapes = facts.shapes(symbol)

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if not _is_joined(node):
            return None
        own: Any = node.op
        joined, now = node.inputs[1].node, inputs[1].node
        wanted = own.weight_shapes(_shape(node.inputs[0], shapes)[2])
        if [_shape(e, shapes) for e in joined.inputs] != [(prod(s),) for s in wanted]:
            return None
        weights = [_flat(e) for e in now.inputs]
        op = SeparateWeightsRNN(own=own, shapes=tuple(wanted))
        return Node(op, node.name, dict(node.attrs), [inputs[0], *weights, *inputs[2:]])

    return rewrite(symbol, replace)


def _is_joined(node: Node) -> bool:
    """Whether `node` is a recurrent layer whose vector of parameters is put together."""
    if not isinstance(node.op, RNN):
        return False
    source = node.inputs[1].node.op
    return source is not None and source.type is _JOINED


def _shape(entry: Entry, shapes: ShapeTable) -> tuple[Any, ...]:
    found = shapes[entry.node][entry.output]
    return tuple(found) if is_known(found) else ()


def _flat(entry: Entry) -> Entry:
    """What `entry` is a reshaped form of."""
    op = entry.node.op
    is_reshaped = isinstance(op, Reshape) or (op is not None and op.type in _RESHAPES)
    return entry.node.inputs[0] if is_reshaped else entry


PASS = Pass(
    "separate_rnn_weights",
    requires="a recurrent layer's vector of parameters is joined of its weights",
    ensures="the layer reads its weights from where they are",
    apply=lambda symbol, target: with_weights_apart(symbol, target.facts),
)
