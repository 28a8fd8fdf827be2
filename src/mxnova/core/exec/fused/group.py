# SPDX-License-Identifier: Apache-2.0
"""Groups of nodes that a backend runs as one: the operator for it, and how graphs get there."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from ...graph.infer import infer_dtypes, infer_shapes
from ...graph.node import Entry, Node
from ...graph.partition import Selection, grouped, partitioned
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.infer import DTypes, Shapes
from ...op.outputs import numbered
from ...op.schema import Op
from ...runtime.context import Context
from ..program.private import private_operator
from ..program.program import ArrayFacts, Facts, Program, execute
from .constant import Constant

__all__ = ["Group", "Runner", "function_of", "with_groups"]

Runner = Callable[[Sequence[Tensor]], Sequence[Tensor]]
"""Runs a group: its inputs to its outputs."""

_KEPT = 16  # runners of a group, one for each set of shapes


@private_operator
class Group(Op):
    """Nodes as one operator, made ready for the shapes that it meets.

    Attributes:
        backend: name of who runs it.
        body: the nodes, on variables.
        constants: values of variables that stay, by name.
        precision: what products may be computed in.
    """

    backend: str
    body: Symbol
    constants: Mapping[str, Tensor]
    precision: str
    is_opaque = True

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        variables = (n.name for n in self.body.nodes if n.op is None)
        self.__dict__.update(
            names=[n for n in variables if n not in self.constants],
            _runners=OrderedDict(),
            _lock=threading.Lock(),
        )

    names: list[str]
    _runners: OrderedDict[Any, Runner]
    _lock: threading.Lock

    def inputs(self) -> tuple[str, ...]:
        """The variables that do not stay."""
        return numbered("arg", len(self.names))

    def outputs(self) -> tuple[str, ...]:
        """The heads of the body."""
        return numbered("output", len(self.body.entries))

    def infer_shape(self, s: Shapes) -> None:
        """Those of the body."""
        known = {name: s.known(arg) for name, arg in zip(self.names, s.inputs, strict=True)}
        known.update((n, tuple(t.shape)) for n, t in self.constants.items())
        table = infer_shapes(self.body.nodes, known)
        for name, entry in zip(s.outputs, self.body.entries, strict=True):
            s[name] = table[entry.node][entry.output]

    def infer_dtype(self, t: DTypes) -> None:
        """Those of the body."""
        known = {name: t.known(arg) for name, arg in zip(self.names, t.inputs, strict=True)}
        known.update((n, c.dtype) for n, c in self.constants.items())
        table = infer_dtypes(self.body.nodes, known)
        for name, entry in zip(t.outputs, self.body.entries, strict=True):
            t[name] = table[entry.node][entry.output]

    def nodes(self) -> list[Node]:
        """What it runs."""
        return [n for n in self.body.nodes if n.op is not None]

    def forward(self, *data: Tensor) -> Any:
        """Runs the group."""
        key = tuple([(t.shape, t.dtype) for t in data])
        runner = self._runners.get(key) or self._made(key, data)
        results = runner(data)
        return tuple(results) if len(results) != 1 else results[0]

    def _make(self, data: Sequence[Tensor]) -> Runner:
        """What runs inputs like these."""
        raise NotImplementedError

    def _made(self, key: Any, data: Sequence[Tensor]) -> Runner:
        with self._lock:
            runner = self._runners.get(key)
            if runner is None:
                runner = self._runners[key] = self._make(data)
                while len(self._runners) > _KEPT:
                    self._runners.popitem(last=False)
            return runner


def function_of(
    group: Group, data: Sequence[Tensor], context: Context, watched: bool = False
) -> Runner:
    """What runs the nodes of a group one after the other, on inputs like `data`.

    Args:
        group: the group.
        data: its inputs.
        context: where it runs.
        watched: whether the profiler sees each node, and errors name it.
    """
    given = dict(zip(group.names, data, strict=True)) | dict(group.constants)
    facts = {n: ArrayFacts(tuple(t.shape), t.dtype) for n, t in given.items()}
    program = Program.ready(group.body, Facts(facts, context))
    lowered = program.lower(program.symbol)
    constants = {n: t.detach() for n, t in group.constants.items()}
    order = [v.name for v in program.variables]
    names = group.names

    def run(values: Sequence[Tensor]) -> Sequence[Tensor]:
        every = dict(zip(names, values, strict=True)) | constants
        inputs = [every[n] for n in order]
        return execute(lowered, inputs) if watched else lowered.function(*inputs)

    return run


def _value(node: Node, constants: Mapping[str, Tensor]) -> Tensor | None:
    if isinstance(node.op, Constant):
        return node.op.value
    return constants.get(node.name) if node.op is None else None


def with_groups(
    symbol: Symbol,
    selects: Selection,
    is_worth: Callable[[Sequence[Node]], bool],
    made: Callable[[Symbol, dict[str, Tensor]], Group],
    constants: Mapping[str, Tensor],
) -> Symbol:
    """`symbol` with its selected nodes in groups, each as large as it can be.

    Args:
        symbol: any symbol; it stays as it is.
        selects: whether a node that is no variable may be in a group.
        is_worth: whether nodes that would become one group shall.
        made: body and constants of a group -> its operator.
        constants: values of variables that stay, by name.
    """
    groups = grouped(symbol.nodes, selects)
    good = {i for i, g in groups.items() if is_worth(g.nodes)}
    bodies = {id(s) for n in symbol.nodes for s in n.subgraphs}  # there already
    variables = {n.name: n for n in symbol.nodes if n.op is None}
    parts = partitioned(symbol, lambda node: node in good and selects(node), shared=True)

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None:
            return variables[node.name]
        if not node.subgraphs or id(node.subgraphs[0]) in bodies:
            return None
        (body,) = node.subgraphs
        names = [n.name for n in body.nodes if n.op is None]
        outer = dict(zip(names, node.inputs, strict=True))
        known = {n: _value(e.node, constants) for n, e in outer.items()}
        stays = {n: value for n, value in known.items() if value is not None}
        rest = [e for n, e in zip(names, inputs, strict=True) if n not in stays]
        return Node(made(body, stays), node.name, dict(node.attrs), rest)

    return rewrite(parts, replace)
