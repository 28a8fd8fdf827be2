# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs: on a GPU the kernels of a group are recorded once and then started as one.

Outside training those of the graph as the default backend rewrites it. In training passes those of
its gradient, too. Updates are few kernels already, and stay apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...graph.symbol import Symbol
from ..fused.group import Group, Runner, function_of
from ..fused.training_group import Function
from .aten import Aten
from .compiled_training import CompiledTraining
from .graph_capture import KernelRecording
from .inductor import Inductor

if TYPE_CHECKING:
    from ..program.program import Program

__all__ = ["CudaGraph"]


class _Recorded(Group):
    """A group as a recorded graph."""

    def _make(self, data: Sequence[Tensor]) -> Runner:
        context = self.values["context"]
        function = function_of(self, data, context)
        recording = KernelRecording(lambda *values: tuple(function(values)), context.device)
        return lambda values: recording(*values)


class _RecordedTraining(CompiledTraining):
    """A group as two recorded graphs, one forwards and one backwards."""

    def _compiled(self, function: Function, data: Sequence[Tensor]) -> Function:
        return KernelRecording(function, self.values["context"].device)


class CudaGraph(Inductor):
    """The backend."""

    name = "cudagraph"
    _default = Aten()
    _group = _Recorded
    _training_group = _RecordedTraining

    def unavailable(self) -> str | None:
        """Why it cannot be used; None where it can."""
        return None if torch.cuda.is_available() else "there is no GPU that CUDA could use"

    def supports(self, program: Program) -> bool:
        """Dense graphs on one GPU."""
        return super().supports(program) and program.facts.on_gpu

    def parameters(self, symbol: Symbol) -> set[str]:
        """What the default backend would use, and all other parameters."""
        return super().parameters(symbol) | self._default.parameters(symbol)

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """The symbol with groups of its nodes, each as one recording."""
        if self._default.supports(program):
            program = program.rewritten(self._default.compile(program, constants))
        return super().compile(program, constants)
