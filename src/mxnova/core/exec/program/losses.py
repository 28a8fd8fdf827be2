# SPDX-License-Identifier: Apache-2.0
"""Losses at the heads of a graph, which are differentiated without autograd.

Their gradients depend on nothing that comes from behind them, so a backward pass begins with these:
a loss need not be a step of ATen's graph, where one in Python takes three times as long.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import Tensor

from ...graph.node import Node
from ...graph.symbol import Symbol
from ...op.gradient import Reads, explicit_gradients, ignores_head
from ...op.schema import Op

__all__ = ["Loss", "head_losses", "loss_runner"]


class Loss(NamedTuple):
    """The result of a loss, along the edge that leaves the graph.

    Attributes:
        value: the result, a leaf; a gradient of it means nothing.
        op: the operator.
        inputs: what gradients flow from it to.
        kept: what its backward reads.
    """

    value: Tensor
    op: Op
    inputs: Sequence[Tensor]
    kept: Sequence[Tensor]

    def gradients(self) -> list[tuple[Tensor, Tensor]]:
        """(input, its gradient) for each input that gradients flow to."""
        found = explicit_gradients(self.op, (self.value,), self.kept)  # nobody reads the first
        pairs = zip(self.inputs, found, strict=False)  # trailing inputs get none
        return [(t, g) for t, g in pairs if g is not None and t.requires_grad]


def head_losses(symbol: Symbol) -> set[Node]:
    """The losses whose result leaves the graph and is read nowhere in it."""
    read = {e.node for node in symbol.nodes for e in node.inputs}
    heads = Counter(e.node for e in symbol.entries)
    return {node for node, n in heads.items() if n == 1 and node not in read and _is_loss(node)}


def _is_loss(node: Node) -> bool:
    op = node.op
    return (
        op is not None
        and ignores_head(op)
        and node.n_outputs() == 1
        and not (op.type.signature.facts or op.writes_in_backward)
    )


def loss_runner(op: Op) -> Callable[..., Loss]:
    """What a node runs that is one of `head_losses`."""
    return functools.partial(_run, op)


def _run(op: Op, *tensors: Tensor) -> Loss:
    plain = [t.detach() for t in tensors]
    value = op.forward(*plain)
    arrays = (*plain, value)
    kept = [arrays[i] for i in Reads.of(op).kept]
    return Loss(value.data.requires_grad_(), op, tensors, kept)
