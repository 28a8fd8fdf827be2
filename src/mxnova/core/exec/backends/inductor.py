# SPDX-License-Identifier: Apache-2.0
"""torch.compile: nodes without state or sparse arrays run as code that Inductor writes.

In training passes forwards and backwards: `compiled_training`. Needs a C++ compiler, on GPUs
Triton. What it makes is kept by torch between processes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ...graph.node import Node
from ...graph.symbol import Symbol
from ...op.nn.activation import LeakyReLU
from ...op.nn.dropout import Dropout
from ...op.nn.rnn import RNN
from ...runtime import torch_api
from ..calls.custom import Custom
from ..fused.group import Group, function_of, with_groups
from ..fused.training_group import Function, TrainingGroup
from .compiled_training import CompiledTraining, training_refusal
from .request import PRECISIONS, parameters_of, wants

if TYPE_CHECKING:
    from ..program.program import Program

__all__ = ["Inductor"]


class _Compiled(Group):
    """A group as a compiled function."""

    def _make(self, data: Sequence[Tensor]) -> Any:
        function = function_of(self, data, self.values["context"])

        def run(*values: Tensor) -> Any:
            return function(values)

        # Dynamo counts what it compiles of one code object, and gives up after eight.
        run.__code__ = run.__code__.replace()
        compiled: Any = torch.compile(run, dynamic=False, options={"freezing": True})

        def runner(values: Sequence[Tensor]) -> Sequence[Tensor]:
            with torch.no_grad():
                found: Sequence[Tensor] = compiled(*values)
            return found

        return runner


class _CompiledTraining(CompiledTraining):
    """A group as a compiled function and its compiled gradient."""

    def _compiled(self, function: Function, data: Sequence[Tensor]) -> Function:
        compiled: Any = torch.compile(function, dynamic=False)
        ready: set[Any] = set()

        def run(*values: Tensor) -> Any:
            kind = (torch.is_grad_enabled(), *[t.requires_grad for t in values])
            if kind in ready:
                return compiled(*values)
            # Compiles: a donated buffer would be gone in a second backward pass.
            with torch_api.without_donated_buffers():
                results = compiled(*values)
            ready.add(kind)
            return results

        return run


class Inductor:
    """The backend."""

    name = "inductor"
    _group: type[Group] = _Compiled
    _training_group: type[TrainingGroup] = _CompiledTraining

    def unavailable(self) -> str | None:
        """Why it cannot be used; None where it can."""
        compiler = os.environ.get("CXX", "c++")
        if shutil.which(compiler) is None and shutil.which("g++") is None:
            return "it needs a C++ compiler: install g++, or name one in CXX"
        return None

    def precisions(self) -> tuple[str, ...]:
        """What the operators' own kernels compute in."""
        return PRECISIONS[:1]

    def supports(self, program: Program) -> bool:
        """Dense graphs on one device."""
        facts = program.facts
        return not facts.groups and all(a.stype == "default" for a in facts.inputs.values())

    def parameters(self, symbol: Symbol) -> set[str]:
        """Names of what layers call weights, biases, statistics and the like."""
        return parameters_of(symbol, self.name)

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """The symbol with groups of its nodes, each as one function."""
        refused = self.refusals(program, constants)
        return self._grouped(program, self._group, refused, constants)

    def compile_training(self, program: Program) -> Symbol:
        """The symbol with groups of its nodes, each as one function that has a gradient."""
        reasons = {n: _refusal(n) or training_refusal(n) for n in program.symbol.nodes if n.op}
        refused = {i: reason for i, reason in reasons.items() if reason is not None}
        return self._grouped(program, self._training_group, refused, {})

    def _grouped(
        self,
        program: Program,
        group: type[Group],
        refused: Mapping[Node, str],
        constants: Mapping[str, Tensor],
    ) -> Symbol:
        context = program.facts.context

        def made(body: Symbol, stays: dict[str, Tensor]) -> Group:
            return group(
                backend=self.name,
                body=body,
                constants=stays,
                precision="",
                context=context,
                mirrors=False,
            )

        return with_groups(
            program.symbol,
            lambda node: wants(node, self.name) and node not in refused,
            lambda nodes: len(nodes) > 1,
            made,
            constants,
        )

    def refusals(self, program: Program, constants: Mapping[str, Tensor]) -> dict[Node, str]:
        """Why nodes of operators are not compiled."""
        found: dict[Node, str] = {}
        for node in program.symbol.nodes:
            reason = None if node.op is None else _refusal(node)
            if reason is not None:
                found[node] = reason
        return found


def _refusal(node: Node) -> str | None:
    op: Any = node.op
    if op.subgraphs or node.subgraphs:
        return "its body is a graph"
    if op.draws and not isinstance(op, (Dropout, LeakyReLU, RNN)):
        return "it draws random numbers"
    if isinstance(op, Custom):
        return "it is written in Python"
    return None
