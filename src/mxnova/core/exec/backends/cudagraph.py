# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs: on a GPU the kernels of a group are recorded once and then started as one.

What is recorded reads and writes memory of its own: inputs are copied there, outputs from there.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ...graph.symbol import Symbol
from .group import Group, with_groups
from .inductor import Inductor
from .request import parameters_of, wants

if TYPE_CHECKING:
    from ..program import Program

__all__ = ["CudaGraph"]

_WARM_UP = 3  # runs before recording: cuDNN and cuBLAS choose kernels and take workspaces


class _Recorded(Group):
    """A group as a recorded graph."""

    def _make(self, data: Sequence[Tensor]) -> Any:
        from ..program import INFERENCE, ArrayFacts, Facts, Program

        given = dict(zip(self.names, data, strict=True)) | dict(self.constants)
        facts = {n: ArrayFacts(tuple(t.shape), t.dtype) for n, t in given.items()}
        program = Program(self.body, Facts(facts, self.values["context"]))
        function = program.lowered(INFERENCE).function
        inputs = {n: t.detach().clone() for n, t in zip(self.names, data, strict=True)}
        every = inputs | {n: t.detach() for n, t in self.constants.items()}
        values = [every[v.name] for v in program.variables]
        return _Recording(function, list(inputs.values()), values, data[0].device)


class _Recording:
    """What was recorded, with the memory that it reads and writes."""

    def __init__(
        self, function: Any, inputs: Sequence[Tensor], values: Sequence[Tensor], device: Any
    ) -> None:
        self._inputs = inputs
        self._values = values  # read by what is recorded
        self._lock = threading.Lock()
        stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.no_grad(), torch.cuda.device(device):
            with torch.cuda.stream(stream):
                for _ in range(_WARM_UP):
                    function(*values)
            torch.cuda.current_stream(device).wait_stream(stream)
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._outputs = function(*values)

    def __call__(self, data: Sequence[Tensor]) -> list[Tensor]:
        with self._lock:
            for mine, given in zip(self._inputs, data, strict=True):
                mine.copy_(given)
            self._graph.replay()
            return [t.clone() for t in self._outputs]


class CudaGraph(Inductor):
    """The backend."""

    name = "cudagraph"

    def unavailable(self) -> str | None:
        """Why it cannot be used; None where it can."""
        return None if torch.cuda.is_available() else "there is no GPU that CUDA could use"

    def supports(self, program: Program) -> bool:
        """Dense graphs on one GPU."""
        return super().supports(program) and program.facts.context.device.type == "cuda"

    def parameters(self, symbol: Symbol) -> set[str]:
        """What the recorded kernels read in place."""
        return parameters_of(symbol, self.name)

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """The symbol with groups of its nodes as recorded graphs."""
        refused = self.refusals(program, constants)
        context = program.facts.context

        def made(body: Symbol, stays: dict[str, Tensor]) -> Group:
            return _Recorded(
                backend=self.name, body=body, constants=stays, precision="", context=context
            )

        return with_groups(
            program.symbol,
            lambda node: wants(node, self.name) and id(node) not in refused,
            lambda nodes: len(nodes) > 1,
            made,
            constants,
        )
