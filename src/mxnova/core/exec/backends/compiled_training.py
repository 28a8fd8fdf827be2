# SPDX-License-Identifier: Apache-2.0
"""Groups that are compiled, forwards and backwards, for training passes.

Compilers see functions without side effects: what moves with a backward pass is moved outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from ...graph.node import Node
from ..fused.functionalization import WritesApart
from ..fused.training_group import Function, TrainingGroup
from ..program.program import TRAINING, Program

__all__ = ["CompiledTraining", "training_refusal"]


def training_refusal(node: Node) -> str | None:
    """Why `node` is not compiled for training passes; None where it is."""
    op: Any = node.op
    if op.draws:
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
        apart = WritesApart(program.symbol, [v.name for v in program.variables])
        return apart.around(self._compiled(program.lower(apart.pure, TRAINING).function, data))
