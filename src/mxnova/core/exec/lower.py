# SPDX-License-Identifier: Apache-2.0
"""Symbol -> torch.fx.GraphModule: one call a node, tensors in, a tuple of tensors out.

The target of each call is the operator's own function, so passes can match on `op_of(node)` and
tracing backends can look inside.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable
from typing import Any, cast

import torch
from torch import fx

from ..graph.infer import StypeTable
from ..graph.node import Entry, Node
from ..graph.symbol import Symbol
from ..op.gradient import recorded
from ..op.record import Op
from .stored import run_stored

__all__ = ["lower", "op_of"]

_META = "mxnova_op"


def op_of(node: fx.Node) -> Op | None:
    """The operator that a node of a lowered graph applies, if it is one."""
    op: Op | None = node.meta.get(_META)
    return op


def lower(
    symbol: Symbol,
    *,
    train: bool,
    recording: bool,
    rng: Callable[[], torch.Generator | None] | None = None,
    device: torch.device | None = None,
    stypes: StypeTable | None = None,
) -> fx.GraphModule:
    """A module that computes the outputs of `symbol`.

    Its arguments are the arguments and auxiliary states of the symbol, in the order of
    `list_arguments() + list_auxiliary_states()`.

    Args:
        symbol: what to compute.
        train: run operators as in a training pass.
        recording: run operators so that ATen's autograd gives MXNet's gradients.
        rng: gives the random stream, asked at each run.
        device: where operators without inputs make their outputs; default: the CPU.
        stypes: storage types of all nodes' outputs; default: everything is dense.
    """
    graph = fx.Graph()
    names = _Names()
    arguments, auxiliary = symbol.variables()
    values: dict[tuple[int, int], fx.Node] = {}
    for variable in (*arguments, *auxiliary):
        values[id(variable), 0] = graph.placeholder(names.unique(variable.name))
    facts = _Facts(train, recording, rng, device, stypes)
    for node in symbol.nodes:
        if node.op is not None:
            _emit(graph, node, node.op, values, names, facts)
    graph.output(tuple(values[id(e.node), e.output] for e in symbol.entries))
    module = fx.GraphModule(torch.nn.Module(), graph, class_name="Lowered")
    module.train(train)
    return module


class _Facts:
    """The run facts of one lowering."""

    def __init__(
        self,
        train: bool,
        recording: bool,
        rng: Callable[[], torch.Generator | None] | None,
        device: torch.device | None,
        stypes: StypeTable | None,
    ) -> None:
        self.train, self.recording, self.rng, self.device = train, recording, rng, device
        self._stypes = stypes or {}

    def target(self, node: Node, op: Op) -> Callable[..., Any]:
        """The function that runs `node` under these facts."""
        run = self._on_dense(op)
        edges = [*node.inputs, *(Entry(node, i) for i in range(node.n_outputs()))]
        if self._stypes and any(self._stypes[id(n)][i] != "default" for n, i in edges):
            return functools.partial(run_stored, op, run)
        return run

    def _on_dense(self, op: Op) -> Callable[..., Any]:
        run = recorded(op) if self.recording else op.forward
        if self.device is not None and self.device.type != "cpu" and not op.inputs():
            run = _made_on(run, self.device)
        wanted = op.type.signature.facts
        fixed: dict[str, Any] = {}
        if "train" in wanted:
            fixed["train"] = self.train
        if "out" in wanted:
            fixed["out"] = None
        if "rng" in wanted and self.rng is not None:
            return _drawing(functools.partial(run, **fixed), self.rng)
        return functools.partial(run, **fixed) if fixed else run


def _made_on(run: Callable[..., Any], device: torch.device) -> Callable[..., Any]:
    def make(**facts: Any) -> Any:
        with device:
            return run(**facts)

    return make


def _drawing(
    run: Callable[..., Any], rng: Callable[[], torch.Generator | None]
) -> Callable[..., Any]:
    def draw(*tensors: Any) -> Any:
        return run(*tensors, rng=rng())

    return draw


def _emit(
    graph: fx.Graph,
    node: Node,
    op: Op,
    values: dict[tuple[int, int], fx.Node],
    names: _Names,
    facts: _Facts,
) -> None:
    name = names.unique(node.name or op.name)
    inputs = tuple(values[id(e.node), e.output] for e in node.inputs)
    call = graph.call_function(_named(facts.target(node, op), name), inputs)
    call.meta[_META] = op
    call.meta["inputs"] = [_entry_name(e) for e in node.inputs]
    call.meta["outputs"] = node.output_names()
    if len(op.outputs()) == 1:
        values[id(node), 0] = call
        return
    for i in range(len(op.outputs())):
        values[id(node), i] = graph.call_function(operator.getitem, (call, i))


def _named(target: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`target` under a name of its own, which the code that fx generates calls it by."""
    if isinstance(target, type(torch.relu)):
        return target
    named: Any = functools.partial(target)
    named.__name__, named.__module__ = name, "mxnova"
    return cast(Callable[..., Any], named)


def _entry_name(entry: Entry) -> str:
    names = entry.node.output_names()
    return names[entry.output] if entry.output < len(names) else entry.node.name


class _Names:
    """Distinct Python identifiers for node names."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def unique(self, name: str) -> str:
        base = re.sub(r"\W", "_", name) or "node"
        base = f"_{base}" if base[0].isdigit() else base
        candidate, number = base, 0
        while candidate in self._used:
            number += 1
            candidate = f"{base}_{number}"
        self._used.add(candidate)
        return candidate
