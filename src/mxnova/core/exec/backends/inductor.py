# SPDX-License-Identifier: Apache-2.0
"""torch.compile: nodes without state or sparse arrays run as code that Inductor writes.

Needs a C++ compiler, on GPUs Triton. What it makes is kept by torch between processes.
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
from .group import Group, function_of, with_groups
from .request import parameters_of, wants

if TYPE_CHECKING:
    from ..program import Program

__all__ = ["Inductor"]


class _Compiled(Group):
    """A group as a compiled function."""

    def _make(self, data: Sequence[Tensor]) -> Any:
        function = function_of(self, data, self.values["context"])

        def run(*values: Tensor) -> Any:
            return function(values)

        compiled: Any = torch.compile(run, dynamic=False, options={"freezing": True})

        def runner(values: Sequence[Tensor]) -> Sequence[Tensor]:
            with torch.no_grad():
                found: Sequence[Tensor] = compiled(*values)
            return found

        return runner


class Inductor:
    """The backend."""

    name = "inductor"
    _group: type[Group] = _Compiled

    def unavailable(self) -> str | None:
        """Why it cannot be used; None where it can."""
        compiler = os.environ.get("CXX", "c++")
        if shutil.which(compiler) is None and shutil.which("g++") is None:
            return "it needs a C++ compiler: install g++, or name one in CXX"
        return None

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
        context = program.facts.context

        def made(body: Symbol, stays: dict[str, Tensor]) -> Group:
            return self._group(
                backend=self.name, body=body, constants=stays, precision="", context=context
            )

        return with_groups(
            program.symbol,
            lambda node: wants(node, self.name) and id(node) not in refused,
            lambda nodes: len(nodes) > 1,
            made,
            constants,
        )

    def refusals(self, program: Program, constants: Mapping[str, Tensor]) -> dict[int, str]:
        """Why nodes of operators, by id, are not compiled."""
        found: dict[int, str] = {}
        for node in program.symbol.nodes:
            reason = None if node.op is None else _refusal(node)
            if reason is not None:
                found[id(node)] = reason
        return found


def _refusal(node: Node) -> str | None:
    op: Any = node.op
    if op.subgraphs or node.subgraphs:
        return "its body is a graph"
    if "rng" in op.type.signature.facts and op.name not in ("Dropout", "RNN", "LeakyReLU"):
        return "it draws random numbers"
    if op.name == "Custom":
        return "it is written in Python"
    return None
