# SPDX-License-Identifier: Apache-2.0
"""What each node of a module runs: the forward of its operator, as torch calls alone."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..core.exec.program.lowering import Runner
from ..core.graph.node import Node
from ..core.op.record import Op, as_tuple, lone
from ..core.runtime.context import Context
from .gradients import differentiated
from .traceable import traceable_forward

__all__ = ["runner_for"]


def runner_for(train: bool) -> Callable[[Node, Op, Context], Runner]:
    """What gives the function that a node runs, in training passes or in others."""
    return functools.partial(_runner, train)


def _runner(train: bool, node: Node, op: Op, _context: Context) -> Runner:
    forward = traceable_forward(op)
    moves = op.writes_in_backward and train
    run = _moving(op, forward) if moves else differentiated(op, forward)
    facts = facts_of(op, train)
    run = functools.partial(run, **facts) if facts else run
    return _beside(run) if node.inputs and not op.inputs() else run


def facts_of(op: Op, train: bool) -> dict[str, Any]:
    """Facts of a run: random numbers are torch's own."""
    values = {"train": train, "rng": None, "out": None, "inside": True}
    return {name: values[name] for name in op.type.signature.facts}


def _moving(op: Op, forward: Callable[..., Any]) -> Runner:
    """`forward`, which writes at once what MXNet writes in the backward pass."""

    def run(*tensors: Tensor, **facts: Any) -> Any:
        results = forward(*tensors, **facts)
        with torch.no_grad():
            write = op.on_backward(tensors, as_tuple(results), **facts)
            if write is not None:
                write()
        return results

    return run


def _beside(run: Runner) -> Runner:
    """`run` of an operator without inputs; what it makes goes to the device of `other`."""

    def make(other: Tensor) -> Any:
        return lone([made.to(other.device) for made in as_tuple(run())])

    return make
