# SPDX-License-Identifier: Apache-2.0
"""Control flow as calls of torch: loops step by step, branches by ``torch.cond``.

A loop over an axis has as many steps as the axis has items when it is traced. A while loop that is
traced has all of its steps, those after its end without effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ..core.exec.calls.control_flow import CachedGraph, Cond, Foreach, WhileLoop
from ..core.op.outputs import lone
from ..core.op.schema import Op
from ..core.runtime.torch_api import is_traced

__all__ = ["FORWARDS"]

Body = Callable[..., tuple[Tensor, ...]]
Bodies = Sequence[Body]  # of an operator, each of them a function of its inputs
Forward = Callable[..., Any]


def _graph(op: CachedGraph, bodies: Bodies) -> Forward:
    (body,) = bodies
    return lambda *data, **_facts: lone(body(*data))


def _foreach(op: Foreach, bodies: Bodies) -> Forward:
    (body,) = bodies
    n_data, n_states = len(op.in_data_locs), len(op.in_state_locs)
    places = (*op.in_data_locs, *op.in_state_locs, *op.remain_locs)
    # Which of the operator's inputs feeds each of the body's.
    sources = [places.index(i) for i in range(len(places))]

    def step(values: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return body(*[values[i] for i in sources])

    def forward(*data: Tensor, **_facts: Any) -> Any:
        rows = [array.unbind(0) for array in data[:n_data]]
        states, rest = data[n_data : n_data + n_states], data[n_data + n_states :]
        stacked = []
        for row in zip(*rows, strict=True):
            results = step([*row, *states, *rest])
            stacked.append(results[: op.num_out_data])
            states = results[op.num_out_data :]
        if not stacked:
            blank = [array.new_zeros(array.shape[1:]) for array in data[:n_data]]
            return lone((*_no_rows(op, step([*blank, *states, *rest])), *states))
        return lone((*_columns(stacked), *states))

    return forward


def _no_rows(op: Foreach | WhileLoop, results: Sequence[Tensor]) -> list[Tensor]:
    """The stacked outputs of no step, by the results of one that was tried."""
    return [r.new_zeros((0, *r.shape)) for r in results[: op.num_out_data]]


def _columns(stacked: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    return [torch.stack(column) for column in zip(*stacked, strict=True)]


class _WhileLoop:
    """A while loop, whose steps are known only as it runs, or are all traced.

    Args:
        op: the operator.
        bodies: its condition and its body.
    """

    def __init__(self, op: WhileLoop, bodies: Bodies) -> None:
        self._op = op
        self._condition, self._body = bodies
        # Which of the operator's inputs are the loop variables.
        self._variables = [op.func_input_locs[i] for i in op.func_var_locs]

    def __call__(self, *data: Tensor, **_facts: Any) -> Any:
        return self._traced(data) if is_traced() else self._run(data)

    def _goes_on(self, values: Sequence[Tensor]) -> Tensor:
        (found,) = self._condition(*[values[i] for i in self._op.cond_input_locs])
        return found.flatten()[0] != 0

    def _step(self, values: Sequence[Tensor]) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """(outputs to be stacked, new loop variables)."""
        results = self._body(*[values[i] for i in self._op.func_input_locs])
        return results[: self._op.num_out_data], results[self._op.num_out_data :]

    def _put(self, values: Sequence[Tensor], variables: Sequence[Tensor]) -> list[Tensor]:
        changed = list(values)
        for at, value in zip(self._variables, variables, strict=True):
            changed[at] = value
        return changed

    def _finals(self, values: Sequence[Tensor]) -> list[Tensor]:
        return [values[i] for i in self._variables]

    def _run(self, data: Sequence[Tensor]) -> Any:
        values = list(data)
        stacked: list[tuple[Tensor, ...]] = []
        while len(stacked) < self._op.max_iterations and bool(self._goes_on(values)):
            outputs, variables = self._step(values)
            stacked.append(outputs)
            values = self._put(values, variables)
        columns = _columns(stacked) if stacked else _no_rows(self._op, self._step(values)[0])
        missing = self._op.max_iterations - len(stacked)
        filled = [torch.cat([c, c.new_zeros((missing, *c.shape[1:]))]) for c in columns]
        return lone((*filled, *self._finals(values)))

    def _traced(self, data: Sequence[Tensor]) -> Any:
        values = list(data)
        stacked: list[list[Tensor]] = []
        runs = torch.ones((), dtype=torch.bool, device=data[0].device)
        for _ in range(self._op.max_iterations):
            runs = runs & self._goes_on(values)
            # Behind the end the first step is repeated, whose numbers are as good as any.
            safe = [torch.where(runs, v, first) for v, first in zip(values, data, strict=True)]
            outputs, variables = self._step(safe)
            stacked.append([torch.where(runs, o, 0) for o in outputs])
            kept = zip(variables, self._finals(values), strict=True)
            values = self._put(values, [torch.where(runs, new, old) for new, old in kept])
        return lone((*_columns(stacked), *self._finals(values)))


def _cond(op: Cond, bodies: Bodies) -> Forward:
    condition, *branches = bodies
    locations = (op.then_input_locs, op.else_input_locs)

    def branch(number: int) -> Callable[..., tuple[Tensor, ...]]:
        def run(*data: Tensor) -> tuple[Tensor, ...]:
            results = branches[number](*[data[i] for i in locations[number]])
            return tuple([r.clone() for r in results])  # torch.cond refuses its operands

        return run

    then, otherwise = branch(0), branch(1)

    def forward(*data: Tensor, **_facts: Any) -> Any:
        (found,) = condition(*[data[i] for i in op.cond_input_locs])
        holds = found.flatten()[0] != 0
        if torch.compiler.is_compiling():
            return lone(torch.cond(holds, then, otherwise, data))
        if is_traced():  # by a transform, whose items may go different ways
            pairs = zip(then(*data), otherwise(*data), strict=True)
            return lone([torch.where(holds, a, b) for a, b in pairs])
        return lone(then(*data) if bool(holds) else otherwise(*data))

    return forward


FORWARDS: dict[type[Op], Callable[[Any, Bodies], Forward]] = {
    CachedGraph: _graph,
    Cond: _cond,
    Foreach: _foreach,
    WhileLoop: _WhileLoop,
}
"""What makes the forward of an operator with bodies."""
