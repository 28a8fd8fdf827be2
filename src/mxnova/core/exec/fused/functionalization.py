# SPDX-License-Identifier: Apache-2.0
"""Graphs whose backward passes write to arrays, such as BatchNorm's statistics, as pure functions.

The function gives what the writes need as further results, and one step behind it writes all of it
in a row. Between operators that stream batches through the caches each little call would start with
cold ones, and take ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.gradient import Writer
from ...op.infer import DTypes, Shapes
from ...op.schema import Op
from ..program.private import private_operator
from .training_group import Function

__all__ = ["WritesApart"]


class WritesApart:
    """A graph, and apart from it what its backward passes write.

    Args:
        symbol: the graph.
        names: of its inputs, in the order of the function's arguments.

    Attributes:
        pure: the graph without writes; its further heads are what nodes that write give behind
            their first output, which may be large and is not needed.
    """

    def __init__(self, symbol: Symbol, names: Sequence[str]) -> None:
        self.pure, moving = _without_writes(symbol)
        self._names = tuple(names)
        self._n_own = len(symbol.entries)
        self._writers = [_NodeThatWrites(node, symbol) for node in moving]

    def around(self, function: Function) -> Function:
        """What runs the graph, writes included.

        Args:
            function: runs the pure graph.
        """
        if not self._writers:
            return function

        def run(*values: Tensor) -> Sequence[Tensor]:
            results = function(*values)
            own, further = results[: self._n_own], iter(results[self._n_own :])
            if not torch.is_grad_enabled():
                return tuple(own)
            given = dict(zip(self._names, values, strict=True))
            writes = [(w.write(given, further), w.heads) for w in self._writers]
            found: Sequence[Tensor] = _Moving.apply([w for w in writes if w[0]], *own)  # type: ignore[no-untyped-call]
            return found

        return run


class _NodeThatWrites:
    """A node of a group whose backward pass writes, where gradients flow through it.

    Attributes:
        heads: numbers of the group's outputs that are computed from it.
    """

    def __init__(self, node: Node, symbol: Symbol) -> None:
        self._node = node
        self._variables = [n.name for n in type(symbol)([Entry(node, 0)]).nodes if n.op is None]
        behind = {node}
        for other in symbol.nodes:
            if any(e.node in behind for e in other.inputs):
                behind.add(other)
        self.heads = [i for i, e in enumerate(symbol.entries) if e.node in behind]

    def write(
        self, given: dict[str, Tensor], results: Iterator[Tensor]
    ) -> Callable[[], None] | None:
        """What its backward pass writes.

        Args:
            given: inputs of the group, those that it writes to among them.
            results: what the node gave behind its first output comes next.
        """
        op: Any = self._node.op
        own = [next(results) for _ in op.outputs()[1:]]
        if not any(given[name].requires_grad for name in self._variables):
            return None
        entries = self._node.inputs
        inputs: Any = [given.get(e.node.name) if e.node.op is None else None for e in entries]
        # Inductor gives the statistics of float16 images in float16.
        own = [t.to(inputs[-1].dtype) for t in own]
        found: Callable[[], None] | None = op.on_backward(inputs, own, train=True)
        return found


class _Moving(torch.autograd.Function):
    """Hands results through; its backward pass writes what stands before results with gradients."""

    @staticmethod
    def forward(
        ctx: Any, writes: Sequence[tuple[Callable[[], None], Sequence[int]]], *results: Tensor
    ) -> Any:
        ctx.set_materialize_grads(False)
        ctx.writers = [(Writer(write), heads) for write, heads in writes]
        return tuple([r.view_as(r) for r in results])

    @staticmethod
    def backward(ctx: Any, *d_results: Tensor | None) -> Any:
        for write, heads in ctx.writers:
            given = [d for d in (d_results[i] for i in heads) if d is not None]
            if given:
                write(given[0])
        return None, *d_results


@private_operator
class _Pure(Op):
    """An operator in training, without what its backward pass would write.

    Attributes:
        own: the operator.
    """

    own: Op

    def inputs(self) -> tuple[str, ...]:
        """Those of the operator."""
        return self.own.inputs()

    def outputs(self) -> tuple[str, ...]:
        """Those of the operator."""
        return self.own.outputs()

    def infer_shape(self, s: Shapes) -> None:
        """That of the operator."""
        self.own.infer_shape(s)

    def infer_dtype(self, t: DTypes) -> None:
        """That of the operator: statistics of float16 images are float32."""
        self.own.infer_dtype(t)

    def forward(self, *data: Tensor) -> Any:
        """Runs the operator as in training."""
        return self.own.forward(*data, train=True)


def _without_writes(symbol: Symbol) -> tuple[Symbol, list[Node]]:
    """`symbol` without writes in backward passes, and the nodes that had some.

    What those nodes give behind their first outputs are heads after its own, in their order.
    """
    moving: list[Node] = []
    further: list[Entry] = []

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None or not node.op.writes_in_backward:
            return None
        made = Node(_Pure(own=node.op), node.name, {}, inputs)
        moving.append(node)
        further.extend(Entry(made, i) for i in range(1, len(node.op.outputs())))
        return made

    pure = rewrite(symbol, replace)
    return type(symbol)([*pure.entries, *further]), moving
