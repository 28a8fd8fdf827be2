# SPDX-License-Identifier: Apache-2.0
"""What each node of a module runs: the forward of its operator, as torch calls alone."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ..core.exec.program.lowering import Lowered, Runner, lower
from ..core.graph.node import Entry, Node
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..core.op.outputs import as_tuple, lone
from ..core.op.schema import Op
from ..core.runtime.context import Context, cpu
from .bodies import FORWARDS
from .gradients import differentiated
from .traceable import traceable_forward

__all__ = ["lowered_for"]


def lowered_for(train: bool, symbol: Symbol, order: Sequence[str]) -> Lowered:
    """`symbol` as a function of tensors.

    Args:
        train: run operators as in training passes.
        symbol: what to compute.
        order: names of its variables, and perhaps others, in the order of the arguments.
    """
    beside = _beside(symbol)
    variables = {n.name: n for n in beside.nodes if n.op is None}
    arguments = [variables.get(name) or Node(None, name, {}) for name in order]
    contexts = dict.fromkeys(beside.nodes, cpu())
    return lower(beside, arguments, functools.partial(_runner, train), contexts)


def _beside(symbol: Symbol) -> Symbol:
    """`symbol` whose operators without inputs are given the first variable, for its device.

    Variables of one name are one.
    """
    first = next((n for n in symbol.nodes if n.op is None), None)
    variables: dict[str, Node] = {}

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None:
            return variables.setdefault(node.name, node)
        return None if inputs or first is None else node.copy([Entry(first, 0)])

    return rewrite(symbol, replace)


def _runner(train: bool, node: Node, op: Op, _context: Context) -> Runner:
    """What a node runs."""
    forward = _forward_of(op, train)
    moves = op.writes_in_backward and train
    run = _moving(op, forward) if moves else differentiated(op, forward)
    facts = facts_of(op, train)
    run = functools.partial(run, **facts) if facts else run
    return _placed(run) if node.inputs and not op.inputs() else run


def _forward_of(op: Op, train: bool) -> Callable[..., Any]:
    with_bodies = FORWARDS.get(type(op))
    if with_bodies is None:
        return traceable_forward(op)
    bodies = [lowered_for(train, body, body.list_inputs()).function for body in op.subgraphs]
    return with_bodies(op, bodies)


def facts_of(op: Op, train: bool) -> dict[str, Any]:
    """Facts of a run: random numbers are torch's own."""
    values = {"train": train, "rng": None, "out": None, "inside": True}
    return {name: values[name] for name in op.type.signature.facts}


def _moving(op: Op, forward: Callable[..., Any]) -> Runner:
    """`forward`, which writes at once what MXNet writes in the backward pass."""

    def run(*tensors: Tensor, **facts: Any) -> Any:
        results = forward(*tensors, **facts)
        with torch.no_grad():
            write = op.on_backward(tensors, as_tuple(results)[1:], **facts)
            if write is not None:
                write()
        return results

    return run


def _placed(run: Runner) -> Runner:
    """`run` of an operator without inputs; what it makes goes to the device of `other`."""

    def make(other: Tensor) -> Any:
        return lone([made.to(other.device) for made in as_tuple(run())])

    return make
