# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs: on a GPU the kernels of a group are recorded once and then started as one.

What is recorded reads and writes memory of its own: inputs are copied there, outputs from there.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ...graph.symbol import Symbol
from .group import Group, Runner, function_of
from .inductor import Inductor

if TYPE_CHECKING:
    from ..program import Program

__all__ = ["CudaGraph"]

_WARM_UP = 3  # runs before recording: cuDNN and cuBLAS choose kernels and take workspaces


class _Recorded(Group):
    """A group as a recorded graph."""

    def _make(self, data: Sequence[Tensor]) -> Any:
        function = function_of(self, data, self.values["context"])
        return _Recording(function, [t.detach().clone() for t in data])


class _Recording:
    """What was recorded, with the memory that it reads and writes."""

    def __init__(self, function: Runner, inputs: Sequence[Tensor]) -> None:
        self._inputs = inputs
        self._function = function  # has the constants, which are read in place
        device = inputs[0].device
        self._lock = threading.Lock()
        stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.no_grad(), torch.cuda.device(device):
            with torch.cuda.stream(stream):
                for _ in range(_WARM_UP):
                    function(inputs)
            torch.cuda.current_stream(device).wait_stream(stream)
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._outputs = function(inputs)

    def __call__(self, data: Sequence[Tensor]) -> list[Tensor]:
        with self._lock:
            for mine, given in zip(self._inputs, data, strict=True):
                mine.copy_(given)
            self._graph.replay()
            return [t.clone() for t in self._outputs]


class CudaGraph(Inductor):
    """The backend."""

    name = "cudagraph"
    _group = _Recorded

    def unavailable(self) -> str | None:
        """Why it cannot be used; None where it can."""
        return None if torch.cuda.is_available() else "there is no GPU that CUDA could use"

    def compile_training(self, program: Program) -> Symbol:
        """The symbol as it is: a second forward would overwrite what a backward pass needs."""
        return program.symbol

    def supports(self, program: Program) -> bool:
        """Dense graphs on one GPU."""
        return super().supports(program) and program.facts.context.device.type == "cuda"
