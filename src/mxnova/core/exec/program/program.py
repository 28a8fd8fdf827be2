# SPDX-License-Identifier: Apache-2.0
"""Program: a symbol compiled for known inputs. Whatever runs a graph runs one of these.

A symbol becomes runnable in this order:

    completed     operators that left open what they make are made definite
    merged        what it says twice is computed once
    instantiated  operators that keep a state get one of their own
    placed        copies are inserted between contexts
    lowered       a function, one for each mode (training or not, recorded or not)

A backend may rewrite the placed symbol before it is lowered: see `specialization`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from ...base import env
from ...base.gc_pause import resting
from ...base.shapes import PartialShape
from ...graph.common_expressions import without_common_expressions
from ...graph.completion import completed, completions
from ...graph.infer import DTypeTable, ShapeTable, infer_dtypes, infer_shapes, infer_stypes
from ...graph.node import Entry, Node, written_variables
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.gradient import recorded
from ...op.schema import Op
from ...runtime.context import Context
from ...runtime.profiler import PROFILER
from ...runtime.resource import random_stream
from ...runtime.threads import single_threaded
from .errors import refuse
from .gradient_path import unreached
from .integer_execution import integer_runner, meets_integers
from .interpreter import Interpreter, Observer, Timer
from .losses import head_losses, loss_runner
from .lowering import Lowered, Runner, lower
from .placement import contexts_of, placed
from .sparse_execution import sparse_runner
from .workload import is_small_graph

__all__ = [
    "INFERENCE",
    "TRAINING",
    "ArrayFacts",
    "Facts",
    "Mode",
    "Program",
    "ProgramTable",
    "Settled",
]


class ArrayFacts(NamedTuple):
    """What is known of an array before it is there."""

    shape: PartialShape
    dtype: torch.dtype | None
    stype: str = "default"


class Mode(NamedTuple):
    """How a program runs.

    Attributes:
        train: operators as in training.
        recording: so that gradients flow.
        heads_apart: so that those of losses at the heads begin with a `Loss` there.
    """

    train: bool = False
    recording: bool = False
    heads_apart: bool = False


INFERENCE = Mode()
TRAINING = Mode(train=True, recording=True)


@dataclass(frozen=True)
class Facts:
    """What a program is compiled for.

    Attributes:
        inputs: what is known of each input, by name.
        context: where nodes run that belong to no group.
        groups: contexts of groups of nodes.
        keeps_state: operators that keep a state do so from run to run, as in an executor; else
            each run has its own, and any number of threads may run the program.
        stream: gives the random stream of a context.
    """

    inputs: Mapping[str, ArrayFacts]
    context: Context
    groups: Mapping[str, Context] | None = None
    keeps_state: bool = False
    stream: Callable[[Context], torch.Generator | None] = field(default=random_stream)

    @property
    def on_gpu(self) -> bool:
        """Whether nodes run on a GPU that belong to no group."""
        return self.context.device.type == "cuda"

    def shapes(self, symbol: Symbol) -> ShapeTable:
        """Shapes of all outputs of all nodes."""
        return infer_shapes(symbol.nodes, {n: a.shape for n, a in self.inputs.items()})

    def is_integer(self, name: str) -> bool:
        """Whether an input holds integers."""
        known = self.inputs.get(name)
        dtype = None if known is None else known.dtype
        return dtype is not None and not dtype.is_floating_point

    def dtypes(self, symbol: Symbol) -> DTypeTable:
        """Element types of all outputs of all nodes."""
        return infer_dtypes(symbol.nodes, {n: a.dtype for n, a in self.inputs.items()})


class Settled(NamedTuple):
    """What shapes and types decide of how a graph runs.

    Attributes:
        operators: those that become definite, by the number of their node.
        is_small: whether one thread is enough for it.
    """

    operators: Mapping[int, Op]
    is_small: bool

    @classmethod
    def of(cls, symbol: Symbol, shapes: ShapeTable, dtypes: DTypeTable) -> Settled:
        """Decides.

        Args:
            symbol: the graph.
            shapes: of all outputs of its nodes.
            dtypes: element types of the same.
        """
        return cls(completions(symbol, shapes, dtypes), is_small_graph(symbol, shapes))


class Program:
    """A symbol compiled for known inputs; any number of threads may run it.

    Attributes:
        facts: what it is compiled for.
        symbol: what it runs, a graph of its own: changes to the one that was given do not reach it.
        variables: the inputs: arguments, then auxiliary states.
        integers: which of them hold integers, by number.
        is_small: whether one thread is enough for it.

    Args:
        symbol: what to compute.
        facts: what is known of it.
        settled: what shapes and types decide, where the caller has asked already.
        order: names of the inputs, in the order in which `variables` shall be.

    Raises:
        MXNetError: the facts contradict each other or the symbol.
    """

    def __init__(
        self,
        symbol: Symbol,
        facts: Facts,
        settled: Settled | None = None,
        order: Sequence[str] | None = None,
    ) -> None:
        if settled is None:
            settled = Settled.of(symbol, facts.shapes(symbol), facts.dtypes(symbol))
        symbol = completed(symbol, settled.operators)
        if env.get("MXNET_ELIMINATE_COMMON_EXPR"):
            symbol = without_common_expressions(symbol)
        if facts.keeps_state:
            symbol = _instantiated(symbol)
        contexts = contexts_of(symbol.nodes, facts.context, facts.groups)
        self.facts, self.is_small = facts, settled.is_small
        self.variables = [n for part in symbol.variables() for n in part]
        if order is not None:
            self.variables.sort(key=lambda variable: order.index(variable.name))
        self.symbol = placed(symbol, contexts)
        self.integers = tuple(i for i, v in enumerate(self.variables) if facts.is_integer(v.name))
        self._lowered: dict[Mode, Lowered] = {}

    @classmethod
    def ready(cls, symbol: Symbol, facts: Facts) -> Program:
        """The program of a part of a rewritten symbol, which is run as it stands."""
        made: Program = object.__new__(cls)
        made.facts, made.symbol, made.is_small, made._lowered = facts, symbol, False, {}
        made.variables = [n for part in symbol.variables() for n in part]
        return made

    @functools.cached_property
    def drawing_contexts(self) -> tuple[Context, ...]:
        """Where its operators draw random numbers."""
        nodes = self.symbol.nodes
        contexts = contexts_of(nodes, self.facts.context, self.facts.groups)
        drawing = (n for n in nodes if n.op is not None and n.op.draws)
        return tuple(dict.fromkeys(contexts[n] for n in drawing))

    @functools.cached_property
    def recorded(self) -> Program:
        """The program as backward passes need it: where zeros start gradients are further results.

        See `gradient_path.unreached`.
        """
        further = unreached(self.symbol)
        if not further:
            return self
        return self.rewritten(type(self.symbol)([*self.symbol.entries, *further]))

    def lowered(self, mode: Mode) -> Lowered:
        """The function for a mode, made when it is first asked for.

        Where gradients are recorded, it is that of `recorded`.
        """
        if mode.recording and self.recorded is not self:
            return self.recorded.lowered(mode)
        found = self._lowered.get(mode)
        return found or self._lowered.setdefault(mode, self.lower(self.symbol, mode))

    def rewritten(self, symbol: Symbol) -> Program:
        """The program of a rewritten form of `symbol`, of the same inputs."""
        made: Program = object.__new__(Program)
        made.__dict__.update(self.__dict__, symbol=symbol, _lowered={})
        made.__dict__.pop("drawing_contexts", None)
        made.__dict__.pop("recorded", None)
        return made

    @resting()
    def lower(self, symbol: Symbol, mode: Mode = INFERENCE) -> Lowered:
        """The function of a rewritten form of `symbol`, of the same inputs."""
        runners = _Runners(symbol, self.facts, mode)
        contexts = contexts_of(symbol.nodes, self.facts.context, self.facts.groups)
        lowered = lower(symbol, self.variables, runners.runner, contexts)
        if self.is_small:
            lowered.run = single_threaded(lowered.function)
        return lowered

    def run(
        self, values: Sequence[Any], mode: Mode = INFERENCE, observers: Sequence[Observer] = ()
    ) -> Sequence[Any]:
        """The outputs, as they go along edges; after them the further results of `recorded`.

        Args:
            values: of `variables`, in order.
            mode: how; with gradients recorded there may be further results.
            observers: who watches.

        Raises:
            MXNetError: whatever an operator raised, with node, operator and inputs.
        """
        return execute(self.lowered(mode), values, observers)


def execute(
    lowered: Lowered, values: Sequence[Any], observers: Sequence[Observer] = ()
) -> Sequence[Any]:
    """The outputs of a lowered graph: of its code, or step by step where somebody watches."""
    if observers or PROFILER.symbolic:
        watching = (*observers, Timer()) if PROFILER.symbolic else observers
        return Interpreter(lowered, values, watching).run()
    try:
        return lowered.run(*values)
    except Exception as error:
        failed = lowered.failed(error)
        if failed is None:
            raise
        refuse(error, *failed)


def _instantiated(symbol: Symbol) -> Symbol:
    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        own = None if node.op is None else node.op.instance()
        return None if own is None or own is node.op else node.with_operator(own, inputs)

    operators = [n.op for n in symbol.nodes if n.op is not None]
    if all(type(op).instance is Op.instance for op in operators):
        return symbol
    return rewrite(symbol, replace)


# What nodes run -----------------------------------------------------------------------------------


class _Runners:
    """What the nodes of one symbol run in one mode."""

    def __init__(self, symbol: Symbol, facts: Facts, mode: Mode) -> None:
        self._mode = mode
        self._stream = facts.stream
        stored = {n: a.stype for n, a in facts.inputs.items()}
        self._stypes = infer_stypes(symbol.nodes, stored)
        self._dtypes = facts.dtypes(symbol) if mode.recording else None
        self._losses = head_losses(symbol) if mode.heads_apart else set[Node]()

    def runner(self, node: Node, op: Op, context: Context) -> Runner:
        """What `node` runs. Only nodes that touch something sparse look at what they are given."""
        on_dense = self._on_dense(op, context)
        stypes = [self._stypes[e.node][e.output] for e in node.inputs]
        if all(s == "default" for s in (*stypes, *self._stypes[node])):
            if self._dtypes is None or not meets_integers(node, self._dtypes):
                return loss_runner(op) if node in self._losses else on_dense
            return integer_runner(node, op, on_dense, self._facts(context), self._dtypes)
        return sparse_runner(op, on_dense, self._facts(context), stypes)

    def _facts(self, context: Context) -> Callable[[], Mapping[str, Any]]:
        train, stream = self._mode.train, self._stream
        return lambda: {"train": train, "rng": stream(context), "out": None, "inside": True}

    def _on_dense(self, op: Op, context: Context) -> Runner:
        run: Runner = recorded(op) if self._mode.recording else op.forward
        wanted = op.type.signature.facts
        fixed: dict[str, Any] = {}
        if "train" in wanted:
            fixed["train"] = self._mode.train
        if "out" in wanted:
            fixed["out"] = None
        if "inside" in wanted:
            fixed["inside"] = True
        draws = "rng" in wanted and op.draws
        if "rng" in wanted and not draws:
            fixed["rng"] = None
        run = functools.partial(run, **fixed) if fixed else run
        if draws:
            run = _drawing(run, functools.partial(self._stream, context))
        if context.device.type != "cpu" and not op.inputs():
            run = _made_on(run, context.device)
        return run


def _drawing(run: Runner, stream: Callable[[], torch.Generator | None]) -> Runner:
    return lambda *tensors: run(*tensors, rng=stream())


def _made_on(run: Runner, device: torch.device) -> Runner:
    def make() -> Any:
        with device:
            return run()

    return make


def _inputs_of(symbol: Symbol) -> list[Node]:
    return [n for n in symbol.nodes if n.op is None]


# Programs by their inputs -------------------------------------------------------------------------

_KEPT = 4096


class ProgramTable:
    """The programs of one symbol for inputs of various shapes, types and contexts.

    Inputs for which shapes and types decide the same share a program.

    Args:
        symbol: what to compute.
        keeps_state: see `Facts`.
    """

    def __init__(self, symbol: Symbol, keeps_state: bool = False) -> None:
        self.symbol = symbol
        self.n_outputs = len(symbol.entries)
        self.names = symbol.list_inputs()
        at = {name: i for i, name in enumerate(self.names)}
        states = symbol.list_auxiliary_states()
        # Which input each variable of the programs is.
        self.order = [at[n] for n in (*symbol.list_arguments(), *states)]
        self.states = [at[n] for n in states]
        written = written_variables(symbol.nodes)
        self.written = [i for i, n in enumerate(_inputs_of(symbol)) if n in written]
        self._keeps_state = keeps_state
        self._programs: dict[Any, Any] = {}

    def find(
        self,
        context: Context,
        inputs: tuple[tuple[Any, ...], ...],
        make: Callable[[Program], Any],
        rng: torch.Generator | None = None,
    ) -> Any:
        """What `make` made of the program for inputs like these.

        Args:
            context: where it runs.
            inputs: shape, element type and storage type of each input, in the order of `names`.
            make: called once for a program.
            rng: the random stream; default: that of the context.
        """
        key = (context, rng, inputs)
        found = self._programs.get(key)
        if found is None:
            if len(self._programs) > _KEPT:
                self._programs.clear()
            found = self._programs[key] = self._made(context, inputs, make, rng)
        return found

    @resting()
    def _made(
        self,
        context: Context,
        inputs: tuple[tuple[Any, ...], ...],
        make: Callable[[Program], Any],
        rng: torch.Generator | None,
    ) -> Any:
        stream = random_stream if rng is None else lambda _context: rng
        known = [ArrayFacts(tuple(shape), *types) for shape, *types in inputs]
        named = dict(zip(self.names, known, strict=True))
        facts = Facts(named, context, None, self._keeps_state, stream)
        settled = Settled.of(self.symbol, facts.shapes(self.symbol), facts.dtypes(self.symbol))
        stypes = tuple(i.stype for i in known)
        integers = tuple(facts.is_integer(name) for name in self.names)
        operators = tuple(settled.operators.items())
        shared = (context, rng, stypes, integers, operators, settled.is_small)
        found = self._programs.get(shared)
        if found is None:
            found = make(Program(self.symbol, facts, settled))
            found = self._programs.setdefault(shared, found)
        return found
