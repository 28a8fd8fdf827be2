# SPDX-License-Identifier: Apache-2.0
"""Groups of nodes that run in a form of their own in training passes.

A group is one step of ATen's graph. Gradients of what it runs come from ATen, but as a rule they
have no gradients themselves: blocked images have none, compiled functions neither. In passes that
will be differentiated again the nodes run as they are, therefore.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from ...op.gradient import no_writes
from ..program.program import TRAINING, ArrayFacts, Facts, Program
from .group import Group, Runner

__all__ = ["Function", "TrainingGroup"]

Function = Callable[..., Any]  # inputs of a group to a tuple of its outputs


class TrainingGroup(Group):
    """A group that runs in training; its values have the context, and whether it `mirrors`.

    A group that mirrors keeps nothing but its inputs, and runs once more in a backward pass.
    """

    def _prepared(self, program: Program, data: Sequence[Tensor]) -> Function | None:
        """What it runs; None: its nodes as they are.

        Args:
            program: of the group's body, for inputs like `data`.
            data: inputs.
        """
        raise NotImplementedError

    def _make(self, data: Sequence[Tensor]) -> Runner:
        facts = {
            n: ArrayFacts(tuple(t.shape), t.dtype) for n, t in zip(self.names, data, strict=True)
        }
        program = Program(self.body, Facts(facts, self.values["context"]), order=self.names)
        plain = program.lower(program.symbol, TRAINING).function
        prepared = self._prepared(program, data)
        if prepared is None:
            return lambda values: plain(*values)
        mirrors: bool = self.values["mirrors"]
        return lambda values: _run(prepared, plain, mirrors, values)


def _run(prepared: Function, plain: Function, mirrors: bool, values: Sequence[Tensor]) -> Any:
    if not torch.is_grad_enabled() or not any(t.requires_grad for t in values):
        return prepared(*values)
    return _Pass.apply(prepared, plain, mirrors, *values)  # type: ignore[no-untyped-call]


class _Pass(torch.autograd.Function):
    """A group as one step, with a graph of its own, which ATen frees with what the step keeps."""

    @staticmethod
    def forward(
        ctx: Any, prepared: Function, plain: Function, mirrors: bool, *values: Tensor
    ) -> tuple[Tensor, ...]:
        ctx.set_materialize_grads(False)  # what gets no gradient moves no statistics either
        ctx.plain, ctx.was_differentiated = plain, False
        ctx.prepared = prepared if mirrors else None
        ctx.constants = [None if t.requires_grad else t for t in values]
        variables = [t for t in values if t.requires_grad]
        results, leaves = _differentiable(prepared, ctx.constants, variables, not mirrors)
        kept = () if mirrors else (*results, *leaves)
        ctx.n = 0 if mirrors else len(results), len(variables)
        ctx.save_for_backward(*variables, *kept)
        return tuple([r.detach() for r in results])

    @staticmethod
    def backward(ctx: Any, *d_results: Tensor | None) -> tuple[Any, ...]:
        n_results, n_variables = ctx.n
        variables = ctx.saved_tensors[:n_variables]
        if torch.is_grad_enabled():
            ctx.was_differentiated = True
            results = ctx.plain(*_filled(ctx.constants, variables))
            found = _gradients(results, variables, d_results, create_graph=True)
        else:
            if ctx.prepared is None:
                kept = ctx.saved_tensors[n_variables:]
                results, leaves = kept[:n_results], kept[n_results:]
            else:
                results, leaves = _differentiable(ctx.prepared, ctx.constants, variables, True)
            with no_writes() if ctx.was_differentiated else nullcontext():
                found = _gradients(results, leaves, d_results)
        gradients = iter(found)
        of_values = [next(gradients) if c is None else None for c in ctx.constants]
        return (None, None, None, *of_values)


def _filled(constants: Sequence[Any], variables: Sequence[Any]) -> list[Any]:
    """`constants` with `variables` where there are none."""
    given = iter(variables)
    return [next(given) if c is None else c for c in constants]


def _differentiable(
    run: Function, constants: Sequence[Any], variables: Sequence[Tensor], records: bool
) -> tuple[Sequence[Tensor], Sequence[Tensor]]:
    """(results, leaves that gradients flow to) of a run with a graph of its own."""
    leaves = [t.detach().requires_grad_() for t in variables]
    with torch.set_grad_enabled(records):
        return run(*_filled(constants, leaves)), leaves


def _gradients(
    results: Sequence[Tensor],
    leaves: Sequence[Tensor],
    heads: Sequence[Tensor | None],
    **options: Any,
) -> Sequence[Tensor | None]:
    pairs = [
        (r, h) for r, h in zip(results, heads, strict=True) if r.requires_grad and h is not None
    ]
    outputs, d_outputs = zip(*pairs, strict=True)
    return torch.autograd.grad(
        outputs, leaves, d_outputs, retain_graph=True, allow_unused=True, **options
    )
