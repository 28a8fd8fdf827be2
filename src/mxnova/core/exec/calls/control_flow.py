# SPDX-License-Identifier: Apache-2.0
"""Operators whose bodies are graphs: control flow, and groups of nodes made one.

Inputs of control flow are listed once, and numbers (`…_locs`) say which input of a body each of
them feeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from ...base.errors import argument_error
from ...base.params import AnyCount, Longs
from ...base.shapes import PartialShape
from ...graph.infer import infer_dtypes, infer_shapes
from ...graph.node import Node
from ...graph.symbol import Symbol
from ...op.declaration import operator
from ...op.gradient import is_source, starting
from ...op.infer import DTypes, Shapes
from ...op.outputs import lone, numbered
from ...op.schema import Op
from ...op.traits import InputShapes
from ...runtime.context import Context, context_at, current_context
from ..program.program import Mode, Program, ProgramTable
from ..program.sparse_execution import dense_edge, tracked_of

__all__ = ["CachedGraph", "Cond", "Foreach", "WhileLoop"]


class _Body:
    """A subgraph as a function of its inputs, in the order of `list_inputs`."""

    def __init__(self, symbol: Symbol, keeps_state: bool) -> None:
        self._symbol = symbol
        self._programs = ProgramTable(symbol, keeps_state)
        self._names = self._programs.names

    @cached_property
    def has_sources(self) -> bool:
        """Whether an operator in it gives gradients though zeros arrive."""
        return any(n.op is not None and is_source(n.op) for n in self._symbol.nodes)

    def run(
        self,
        inputs: Sequence[Tensor],
        train: bool,
        rng: torch.Generator | None,
        starts: list[Tensor],
    ) -> tuple[Tensor, ...]:
        """The outputs for these inputs; to `starts` goes what wants zeros in a backward pass."""
        kinds = tuple([(t.shape, t.dtype, "default") for t in inputs])
        context = _context_of(inputs)
        program: Program = self._programs.find(context, kinds, _itself, rng)
        values = [inputs[i] for i in self._programs.order]
        results = program.run(values, Mode(train, torch.is_grad_enabled()))
        n = len(self._symbol.entries)
        starts += [tracked_of(r) for r in results[0 if self.has_sources else n :]]
        return tuple([_dense(r) for r in results[:n]])

    def shapes(
        self, inputs: Sequence[PartialShape], outputs: Sequence[PartialShape] = ()
    ) -> tuple[list[Any], list[Any]]:
        """(inputs, outputs): what is known of their shapes, given this of them."""
        known = dict(zip(self._names, inputs, strict=True))
        made = zip(self._symbol.entries, outputs, strict=False)
        return self._listed(infer_shapes(self._symbol.nodes, known, made))

    def dtypes(
        self,
        inputs: Sequence[torch.dtype | None],
        outputs: Sequence[torch.dtype | None] = (),
    ) -> tuple[list[Any], list[Any]]:
        """(inputs, outputs): what is known of their element types, given this of them."""
        known = dict(zip(self._names, inputs, strict=True))
        made = zip(self._symbol.entries, outputs, strict=False)
        return self._listed(infer_dtypes(self._symbol.nodes, known, made))

    def _listed(self, table: dict[Node, list[Any]]) -> tuple[list[Any], list[Any]]:
        variables = [n for n in self._symbol.nodes if n.op is None]
        outputs = [table[e.node][e.output] for e in self._symbol.entries]
        return [table[n][0] for n in variables], outputs

    def __len__(self) -> int:
        return len(self._names)


def _itself(program: Program) -> Program:
    return program


def _context_of(inputs: Sequence[Tensor]) -> Context:
    """The first input's; without inputs the current one."""
    return context_at(inputs[0].device) if inputs else current_context()


def _dense(edge: Any) -> Tensor:
    return edge if isinstance(edge, Tensor) else dense_edge(edge)


class _WithBodies(Op):
    """What operators with bodies have in common."""

    _keeps_state = False

    @cached_property
    def bodies(self) -> list[_Body]:
        """The subgraphs as functions."""
        return [_Body(s, self._keeps_state) for s in self.subgraphs]

    def instance(self) -> Op:
        """The operator with bodies whose operators keep their states."""
        own = object.__new__(type(self))
        own.__dict__.update(self.__dict__, _keeps_state=True)
        own.__dict__.pop("bodies", None)
        return own

    @cached_property
    def starts_gradients(self) -> bool:  # type: ignore[override]
        """Whether an operator in a body does."""
        return any(body.has_sources for body in self.bodies)


class _ControlFlow(_WithBodies):
    """What loops and branches have in common."""

    num_args: AnyCount
    num_outputs: AnyCount

    def n_variadic(self) -> int:
        """`num_args` counts the bodies too."""
        return self.num_args - len(self.subgraphs)

    def outputs(self) -> tuple[str, ...]:
        """output0, output1, …; a lone one is named output."""
        if self.num_outputs == 1:
            return ("output",)
        return numbered("output", self.num_outputs)

    def check_locations(self, name: str, count: int) -> tuple[int, ...]:
        """The locations in parameter `name`, each of which must be below `count`."""
        locations: tuple[int, ...] = self.attr(name)
        if any(not 0 <= at < count for at in locations):
            raise argument_error(self.name, name, locations, f"must be from 0 to {count - 1}")
        return locations


class _Loop(_ControlFlow):
    """What operators that stack outputs have in common."""

    num_out_data: int

    def no_rows(self, body: _Body, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The stacked outputs of no step; one is tried to see their shapes."""
        if not self.num_out_data:
            return []
        with torch.no_grad():
            results = body.run(inputs, False, None, [])
        return [r.new_zeros((0, *r.shape)) for r in results[: self.num_out_data]]


def _spread(facts: Sequence[Any], locations: Sequence[int]) -> list[Any]:
    return [facts[i] for i in locations]


@operator("_foreach", named_inputs=False)
class Foreach(_Loop):
    """Runs a body over the first axis of arrays, carrying states from step to step.

    Args:
        data: the arrays to step over, then the initial states, then what the body reads besides.
        num_args: number of inputs, the body included.
        num_outputs: number of outputs: stacked ones, then the final states.
        num_out_data: number of stacked outputs.
        in_state_locs: which inputs of the body are states.
        in_data_locs: which are slices of the arrays stepped over.
        remain_locs: which are the rest.
    """

    num_args: AnyCount
    num_outputs: AnyCount
    num_out_data: int
    in_state_locs: Longs
    in_data_locs: Longs
    remain_locs: Longs

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _locations(self) -> tuple[int, ...]:
        """For each input of the operator, the input of the body that it feeds."""
        return (*self.in_data_locs, *self.in_state_locs, *self.remain_locs)

    def _fed(self, values: Sequence[Any]) -> list[Any]:
        fed: list[Any] = [None] * len(self.bodies[0])
        for location, value in zip(self._locations(), values, strict=True):
            fed[location] = value
        return fed

    def body_shapes(self, shapes: InputShapes) -> list[list[PartialShape]]:
        """Stepping drops the first axis."""
        n_data = len(self.in_data_locs)
        sliced = [shape[1:] if shape is not None else None for shape in shapes[:n_data]]
        return [self._fed([*sliced, *shapes[n_data:]])]

    def infer_shape(self, s: Shapes) -> None:
        """The body's shapes; stacking adds an axis."""
        for parameter in ("in_data_locs", "in_state_locs", "remain_locs"):
            self.check_locations(parameter, len(self.bodies[0]))
        n_data = len(self.in_data_locs)
        known = [s.known(n) for n in s.inputs]
        steps: Any = next((k[0] for k in known[:n_data] if k), None)
        inputs, outputs = self.bodies[0].shapes(*self.body_shapes(known))
        for i, (name, at) in enumerate(zip(s.inputs, self._locations(), strict=True)):
            shape = inputs[at]
            if shape is not None and (i >= n_data or steps is not None):
                s[name] = (steps, *shape) if i < n_data else shape
        for i, (name, shape) in enumerate(zip(s.outputs, outputs, strict=True)):
            if shape is not None and (i >= self.num_out_data or steps is not None):
                s[name] = (steps, *shape) if i < self.num_out_data else shape

    def infer_dtype(self, t: DTypes) -> None:
        """The body's element types."""
        known = [t.known(n) for n in t.inputs]
        inputs, outputs = self.bodies[0].dtypes(self._fed(known))
        for name, at in zip(t.inputs, self._locations(), strict=True):
            t[name] = inputs[at]
        for name, dtype in zip(t.outputs, outputs, strict=True):
            t[name] = dtype

    def forward(self, *data: Tensor, train: bool, rng: Any) -> Any:
        """Steps over the arrays."""
        n_data, n_states = len(self.in_data_locs), len(self.in_state_locs)
        slices = [array.unbind(0) for array in data[:n_data]]
        states = list(data[n_data : n_data + n_states])
        rest = data[n_data + n_states :]
        body, stacked, starts = self.bodies[0], [], list[Tensor]()
        for step in zip(*slices, strict=True):
            results = body.run(self._fed([*step, *states, *rest]), train, rng, starts)
            stacked.append(results[: self.num_out_data])
            states = list(results[self.num_out_data :])
        if not stacked:
            blank = [array.new_zeros(array.shape[1:]) for array in data[:n_data]]
            return lone((*self.no_rows(body, self._fed([*blank, *states, *rest])), *states))
        columns = (torch.stack(column) for column in zip(*stacked, strict=True))
        return lone(starting((*columns, *states), starts))


@operator("_while_loop", named_inputs=False)
class WhileLoop(_Loop):
    """Runs a body while a condition on the loop variables holds, at most `max_iterations` times.

    Args:
        data: everything that condition and body read.
        num_args: number of inputs, condition and body included.
        num_outputs: number of outputs: stacked ones, then the final loop variables.
        num_out_data: number of stacked outputs, `max_iterations` long; steps not run are zeros.
        max_iterations: the most steps.
        cond_input_locs: input of the operator that feeds each input of the condition.
        func_input_locs: input of the operator that feeds each input of the body.
        func_var_locs: which inputs of the body are the loop variables.
    """

    num_args: AnyCount
    num_outputs: AnyCount
    num_out_data: int
    max_iterations: int
    cond_input_locs: Longs
    func_input_locs: Longs
    func_var_locs: Longs

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def body_shapes(self, shapes: InputShapes) -> list[list[PartialShape]]:
        """Those of the condition and of the body."""
        return [_spread(shapes, at) for at in (self.cond_input_locs, self.func_input_locs)]

    def infer_shape(self, s: Shapes) -> None:
        """The body's shapes; loop variables keep theirs."""
        self.check_locations("cond_input_locs", len(s.inputs))
        self.check_locations("func_input_locs", len(s.inputs))
        self.check_locations("func_var_locs", len(self.func_input_locs))
        known = [s.known(n) for n in s.inputs]
        inputs, outputs = self.bodies[1].shapes(_spread(known, self.func_input_locs))
        for at, shape in zip(self.func_input_locs, inputs, strict=True):
            s[s.inputs[at]] = shape
        for i, (name, shape) in enumerate(zip(s.outputs, outputs, strict=True)):
            if shape is not None:
                s[name] = (self.max_iterations, *shape) if i < self.num_out_data else shape

    def infer_dtype(self, t: DTypes) -> None:
        """The body's element types."""
        known = [t.known(n) for n in t.inputs]
        inputs, outputs = self.bodies[1].dtypes(_spread(known, self.func_input_locs))
        for at, dtype in zip(self.func_input_locs, inputs, strict=True):
            t[t.inputs[at]] = dtype
        for name, dtype in zip(t.outputs, outputs, strict=True):
            t[name] = dtype

    def forward(self, *data: Tensor, train: bool, rng: Any) -> Any:
        """Steps while the condition holds."""
        condition, body = self.bodies
        values: list[Tensor] = list(data)
        stacked: list[tuple[Tensor, ...]] = []
        starts: list[Tensor] = []
        variables = _spread(self.func_input_locs, self.func_var_locs)
        while len(stacked) < self.max_iterations:
            (go_on,) = condition.run(_spread(values, self.cond_input_locs), train, rng, starts)
            if not bool(go_on.flatten()[0]):
                break
            results = body.run(_spread(values, self.func_input_locs), train, rng, starts)
            stacked.append(results[: self.num_out_data])
            for at, value in zip(variables, results[self.num_out_data :], strict=True):
                values[at] = value
        if stacked:
            columns = [torch.stack(column) for column in zip(*stacked, strict=True)]
        else:
            columns = self.no_rows(body, _spread(values, self.func_input_locs))
        filled = (_filled(column, self.max_iterations) for column in columns)
        return lone(starting((*filled, *_spread(values, variables)), starts))


def _filled(column: Tensor, length: int) -> Tensor:
    """`column` with rows of zeros after it, `length` long."""
    missing = length - len(column)
    if not missing:
        return column
    return torch.cat([column, column.new_zeros((missing, *column.shape[1:]))])


@operator("_cond", named_inputs=False)
class Cond(_ControlFlow):
    """Runs one of two bodies, as a condition says.

    Args:
        data: everything that condition and bodies read.
        num_args: number of inputs, condition and bodies included.
        num_outputs: number of outputs.
        cond_input_locs: input of the operator that feeds each input of the condition.
        then_input_locs: the same for the body that runs when it holds.
        else_input_locs: the same for the other body.
    """

    num_args: AnyCount
    num_outputs: AnyCount
    cond_input_locs: Longs
    then_input_locs: Longs
    else_input_locs: Longs

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def body_shapes(self, shapes: InputShapes) -> list[list[PartialShape]]:
        """Those of the condition and of both bodies."""
        locations = self.cond_input_locs, self.then_input_locs, self.else_input_locs
        return [_spread(shapes, at) for at in locations]

    def infer_shape(self, s: Shapes) -> None:
        """The bodies' shapes, which must agree."""
        for name in ("cond_input_locs", "then_input_locs", "else_input_locs"):
            self.check_locations(name, len(s.inputs))
        for body, locations in self._branches():
            inputs, outputs = body.shapes([s.known(s.inputs[i]) for i in locations])
            for at, shape in zip(locations, inputs, strict=True):
                s[s.inputs[at]] = shape
            for output, shape in zip(s.outputs, outputs, strict=True):
                s[output] = shape

    def infer_dtype(self, t: DTypes) -> None:
        """The bodies' element types, which must agree."""
        for body, locations in self._branches():
            inputs, outputs = body.dtypes([t.known(t.inputs[i]) for i in locations])
            for at, dtype in zip(locations, inputs, strict=True):
                t[t.inputs[at]] = dtype
            for name, dtype in zip(t.outputs, outputs, strict=True):
                t[name] = dtype

    def _branches(self) -> list[tuple[_Body, tuple[int, ...]]]:
        _, then_body, else_body = self.bodies
        return [(then_body, self.then_input_locs), (else_body, self.else_input_locs)]

    def forward(self, *data: Tensor, train: bool, rng: Any) -> Any:
        """Runs the chosen body."""
        condition, starts = self.bodies[0], list[Tensor]()
        (holds,) = condition.run(_spread(data, self.cond_input_locs), train, rng, starts)
        body, locations = self._branches()[0 if bool(holds.flatten()[0]) else 1]
        return lone(starting(body.run(_spread(data, locations), train, rng, starts), starts))


@operator("_CachedOp", named_inputs=False)
class CachedGraph(_WithBodies):
    """Runs a graph: what a group of nodes becomes that is made one node.

    Args:
        data: the graph's inputs, in the order that it lists them in.
    """

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(self, *, subgraphs: Any = (), **values: Any) -> None:
        super().__init__(subgraphs=subgraphs, **values)
        names: list[str] = []
        states: set[str] = set()
        for graph in subgraphs:
            names += graph.list_inputs()
            states |= {*graph.list_auxiliary_states()}
        inputs = zip(numbered("arg", len(names)), names, strict=True)
        written = [arg for arg, name in inputs if name in states]
        self.__dict__.update(mutates=tuple(written), _n_inputs=len(names))

    def n_variadic(self) -> int:
        """As many as the graph has."""
        return int(self.__dict__["_n_inputs"])

    def outputs(self) -> tuple[str, ...]:
        """Those of the graph; one that it has already had is named as MXNet's copies are."""
        names: dict[str, None] = {}
        for name in (n for graph in self.subgraphs for n in graph.list_outputs()):
            stem, _, suffix = name.rpartition("_")
            middle = "_copy0"
            while name in names:
                name = f"{stem}{middle}_{suffix}"
                middle += "_0_copy"
            names[name] = None
        return tuple(names)

    def body_shapes(self, shapes: InputShapes) -> list[InputShapes]:
        """Its own."""
        return [shapes]

    def infer_shape(self, s: Shapes) -> None:
        """The graph's shapes."""
        self._state(s, self.bodies[0].shapes)

    def infer_dtype(self, t: DTypes) -> None:
        """The graph's element types."""
        self._state(t, self.bodies[0].dtypes)

    def _state(self, facts: Any, inferred: Callable[..., tuple[list[Any], list[Any]]]) -> None:
        inputs, outputs = (
            [facts.known(n) for n in names] for names in (facts.inputs, facts.outputs)
        )
        inputs, outputs = inferred(inputs, outputs)
        for name, fact in zip((*facts.inputs, *facts.outputs), (*inputs, *outputs), strict=True):
            facts[name] = fact

    def forward(self, *data: Tensor, train: bool, rng: Any) -> Any:
        """Runs the graph."""
        starts: list[Tensor] = []
        return lone(starting(self.bodies[0].run(data, train, rng, starts), starts))
