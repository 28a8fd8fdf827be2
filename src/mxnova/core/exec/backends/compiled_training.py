# SPDX-License-Identifier: Apache-2.0
"""Groups that are compiled, forwards and backwards, for training passes.

Compilers see functions without side effects. What moves with a backward pass, such as BatchNorm's
statistics, is moved outside: the function gives what it needs as further results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.gradient import Writer
from ...op.record import Op, OpType
from ..program import TRAINING, Program
from .training_group import Function, TrainingGroup

__all__ = ["CompiledTraining", "training_refusal"]


def training_refusal(node: Node) -> str | None:
    """Why `node` is not compiled for training passes; None where it is."""
    op: Any = node.op
    if "rng" in op.type.signature.facts:
        return "it draws random numbers in training"
    if op.differentiable is not True or op.backward is not None:
        return "its gradient is not the derivative of what it computes"
    if op.writes or op.mutates or set(op.aux) - set(op.writes_in_backward):
        return "it writes to its inputs"
    return None


class CompiledTraining(TrainingGroup):
    """A group as a function that somebody compiles."""

    def _compiled(self, function: Function, data: Sequence[Tensor]) -> Function:
        """The compiled form of `function` for inputs like `data`, which has a gradient, too."""
        raise NotImplementedError

    def _prepared(self, program: Program, data: Sequence[Tensor]) -> Function:
        pure, moving = _without_writes(program.symbol)
        names = [v.name for v in program.variables]
        compiled = self._compiled(program.lower(pure, TRAINING).function, data)
        if not moving:
            return compiled
        n_own = len(program.symbol.entries)

        def run(*values: Tensor) -> Sequence[Tensor]:
            results = compiled(*values)
            own, further = results[:n_own], iter(results[n_own:])
            if not torch.is_grad_enabled():
                return tuple(own)
            given = dict(zip(names, values, strict=True))
            writes = [_write(node, given, [next(further) for _ in node.op.outputs()])  # type: ignore[union-attr]
                      for node in moving]  # fmt: skip
            found: Sequence[Tensor] = _Moving.apply([w for w in writes if w], *own)  # type: ignore[no-untyped-call]
            return found

        return run


def _write(
    node: Node, given: dict[str, Tensor], results: Sequence[Tensor]
) -> Callable[[], None] | None:
    """What the backward pass of `node` writes, whose inputs it writes to are among `given`."""
    op: Any = node.op
    inputs: Any = [given.get(e.node.name) if e.node.op is None else None for e in node.inputs]
    found: Callable[[], None] | None = op.on_backward(inputs, results, train=True)
    return found


class _Moving(torch.autograd.Function):
    """Hands results through; its backward pass writes."""

    @staticmethod
    def forward(ctx: Any, writes: Sequence[Callable[[], None]], *results: Tensor) -> Any:
        ctx.writers = [Writer(w) for w in writes]
        return tuple([r.view_as(r) for r in results])

    @staticmethod
    def backward(ctx: Any, *d_results: Tensor) -> Any:
        for write in ctx.writers:
            write(d_results[0])
        return None, *d_results


class _Pure(Op):
    """An operator in training, without what its backward pass would write.

    Attributes:
        own: the operator.
    """

    own: Op
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def inputs(self) -> tuple[str, ...]:
        """Those of the operator."""
        return self.own.inputs()

    def outputs(self) -> tuple[str, ...]:
        """Those of the operator."""
        return self.own.outputs()

    def forward(self, *data: Tensor) -> Any:
        """Runs the operator as in training."""
        return self.own.forward(*data, train=True)


_Pure.type = OpType(["_Pure"], _Pure, _Pure.forward)


def _without_writes(symbol: Symbol) -> tuple[Symbol, list[Node]]:
    """`symbol` without writes in backward passes, and the nodes that had some.

    The outputs of those nodes, in their order, are heads after its own.
    """
    moving: list[Node] = []
    further: list[Entry] = []

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None or not node.op.writes_in_backward:
            return None
        made = Node(_Pure(own=node.op), node.name, {}, inputs)
        moving.append(node)
        further.extend(Entry(made, i) for i in range(len(node.op.outputs())))
        return made

    pure = rewrite(symbol, replace)
    return type(symbol)([*pure.entries, *further]), moving
