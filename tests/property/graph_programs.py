# SPDX-License-Identifier: Apache-2.0
"""Random graphs, and the ways of running them, which must agree.

A recipe is a list of operators over numbered values; it is drawn once and read by every way: array
by array, bound, as a CachedOp, rewritten for inference, and after a round trip through JSON.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from operator import attrgetter
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import torch

import mxnova as mx
from mxnova.core.exec.backends import BY_NAME
from mxnova.core.exec.passes import batch_split, pipeline
from mxnova.core.runtime import tuning

__all__ = ["check", "check_prefixes", "check_twins", "draw"]

N_OPERATORS = 30
RTOL = 2e-3  # folding BatchNorm into float32 weights moves the last digits, depth multiplies that


@dataclass
class Step:
    """One operator: what it reads and which value its first output is."""

    op: str
    attrs: dict[str, Any]
    inputs: list[int]
    first: int


@dataclass
class Recipe:
    """A graph: values are numbered, variables and outputs of steps in one count."""

    shapes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    variables: dict[int, str] = field(default_factory=dict)
    states: set[int] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)

    def variable(self, shape: tuple[int, ...], kind: str = "x", state: bool = False) -> int:
        """A new variable."""
        number = len(self.shapes)
        self.shapes[number] = shape
        self.variables[number] = f"{kind}{number}"
        if state:
            self.states.add(number)
        return number

    def add(self, op: str, inputs: list[int], *shapes: tuple[int, ...], **attrs: Any) -> int:
        """A new operator; gives its first output."""
        first = len(self.shapes)
        for i, shape in enumerate(shapes):
            self.shapes[first + i] = shape
        self.steps.append(Step(op, attrs, inputs, first))
        return first

    def run(self, world: Any, values: dict[int, Any]) -> list[Any]:
        """The heads, made by the operators of `world` (mx.nd or mx.sym) from the variables."""
        values = dict(values)
        for step in self.steps:
            made = attrgetter(step.op)(world)(*(values[i] for i in step.inputs), **step.attrs)
            several = isinstance(made, list) or (isinstance(made, mx.sym.Symbol) and len(made) > 1)
            for i, value in enumerate(made if several else [made]):
                values[step.first + i] = value
        return [values[i] for i in self.heads]

    def symbol(self) -> Any:
        """The graph."""
        variables = {i: mx.sym.var(name) for i, name in self.variables.items()}
        return mx.sym.Group(self.run(mx.sym, variables))


# Drawing ------------------------------------------------------------------------------------------

_UNARY = ("tanh", "sigmoid", "relu", "softsign", "sin", "arctan", "abs", "identity", "negative")
_BINARY = ("elemwise_add", "elemwise_sub", "elemwise_mul", "broadcast_maximum")
_BROADCAST = ("broadcast_add", "broadcast_sub", "broadcast_minimum")


def _unary(rng: Random, graph: Recipe, x: int) -> None:
    graph.add(rng.choice(_UNARY), [x], graph.shapes[x])


def _scaled(rng: Random, graph: Recipe, x: int) -> None:
    graph.add("_mul_scalar", [x], graph.shapes[x], scalar=rng.choice((0.5, -0.25, 0.75)))


def _activation(rng: Random, graph: Recipe, x: int) -> None:
    if rng.random() < 0.5:
        kind = rng.choice(("relu", "tanh", "sigmoid"))
        graph.add("Activation", [x], graph.shapes[x], act_type=kind)
    else:
        graph.add("LeakyReLU", [x], graph.shapes[x], act_type="leaky", slope=0.1)


def _binary(rng: Random, graph: Recipe, x: int) -> None:
    shape = graph.shapes[x]
    same = [i for i, s in graph.shapes.items() if s == shape and i not in graph.states]
    graph.add(rng.choice(_BINARY), [x, rng.choice(same)], shape)


def _broadcast(rng: Random, graph: Recipe, x: int) -> None:
    shape = graph.shapes[x]
    small = graph.variable(tuple(1 if rng.random() < 0.5 else n for n in shape), "b")
    graph.add(rng.choice(_BROADCAST), [x, small], shape)


def _split_and_joined(rng: Random, graph: Recipe, x: int) -> None:
    """Slices and their concatenation in another order; each may be read by others, too."""
    shape = graph.shapes[x]
    if len(shape) < 2 or shape[1] % 2:
        return
    half = (shape[0], shape[1] // 2, *shape[2:])
    first = graph.add("SliceChannel", [x], half, half, num_outputs=2, axis=1)
    graph.add("Concat", [first + 1, first], shape, dim=1)


def _turned(rng: Random, graph: Recipe, x: int) -> None:
    shape = graph.shapes[x]
    axes = list(range(len(shape)))
    rng.shuffle(axes)
    turned = graph.add("transpose", [x], tuple(shape[a] for a in axes), axes=tuple(axes))
    back = tuple(axes.index(i) for i in range(len(axes)))
    graph.add("transpose", [turned], shape, axes=back)


def _flat(rng: Random, graph: Recipe, x: int) -> None:
    shape = graph.shapes[x]
    flat = (shape[0], int(np.prod(shape[1:])))
    graph.add("Flatten", [x], flat)


def _dense(rng: Random, graph: Recipe, x: int) -> None:
    shape, width = graph.shapes[x], rng.choice((4, 6))
    weight = graph.variable((width, int(np.prod(shape[1:]))), "w")
    bias = graph.variable((width,), "b")
    graph.add("FullyConnected", [x, weight, bias], (shape[0], width), num_hidden=width)


def _normalized(rng: Random, graph: Recipe, x: int) -> None:
    size = graph.shapes[x][1:2]
    inputs = [x, graph.variable(size, "g"), graph.variable(size, "b")]
    inputs += [graph.variable(size, "m", True), graph.variable(size, "v", True)]
    graph.add("BatchNorm", inputs, graph.shapes[x], fix_gamma=rng.random() < 0.3)


def _convolved(rng: Random, graph: Recipe, x: int) -> None:
    """What inference rewrites, or nearly: a convolution, a BatchNorm, a sum, an activation."""
    shape = graph.shapes[x]
    if len(shape) != 4:
        return
    kernel = rng.choice((1, 3))
    inputs = [x, graph.variable((shape[1], shape[1], kernel, kernel), "w")]
    no_bias = rng.random() < 0.5
    if not no_bias:
        inputs.append(graph.variable((shape[1],), "b"))
    attrs = {"kernel": (kernel, kernel), "pad": (kernel // 2,) * 2, "num_filter": shape[1]}
    last = graph.add("Convolution", inputs, shape, **attrs, no_bias=no_bias)
    if rng.random() < 0.7:
        _normalized(rng, graph, last)
        last = len(graph.shapes) - 1
    if rng.random() < 0.5:
        _binary(rng, graph, last)
        last = len(graph.shapes) - 1
    if rng.random() < 0.5:
        _activation(rng, graph, last)


def _padded(rng: Random, graph: Recipe, x: int) -> None:
    shape = graph.shapes[x]
    if len(shape) != 4:
        return
    large = (*shape[:2], shape[2] + 2, shape[3] + 2)
    padded = graph.add("Pad", [x], large, mode="constant", pad_width=(0, 0, 0, 0, 1, 1, 1, 1))
    inputs = [padded, graph.variable((shape[1], shape[1], 3, 3), "w")]
    graph.add("Convolution", inputs, shape, kernel=(3, 3), num_filter=shape[1], no_bias=True)


def _strided(rng: Random, graph: Recipe, x: int) -> None:
    """What two 1 x 1 convolutions read, of which each skips positions."""
    shape = graph.shapes[x]
    if len(shape) != 4 or min(shape[2:]) < 3:
        return
    weight = graph.variable((shape[1], shape[1], 3, 3), "w")
    attrs = {"num_filter": shape[1], "no_bias": True}
    read = graph.add("Convolution", [x, weight], shape, kernel=(3, 3), pad=(1, 1), **attrs)
    read = graph.add("relu", [read], shape)
    small = (*shape[:2], *((n + 1) // 2 for n in shape[2:]))
    for _ in range(2):
        inputs = [read, graph.variable((shape[1], shape[1], 1, 1), "w")]
        graph.add("Convolution", inputs, small, kernel=(1, 1), stride=(2, 2), **attrs)


def _weighed(rng: Random, graph: Recipe, x: int) -> None:
    """A product whose weights are computed from parameters."""
    shape = graph.shapes[x]
    weight = graph.variable((4, int(np.prod(shape[1:]))), "w")
    halved = graph.add("_mul_scalar", [weight], graph.shapes[weight], scalar=0.5)
    graph.add("FullyConnected", [x, halved], (shape[0], 4), num_hidden=4, no_bias=True)


def _reduced(rng: Random, graph: Recipe, x: int) -> None:
    shape = graph.shapes[x]
    axis = rng.randrange(len(shape))
    kept = tuple(1 if i == axis else n for i, n in enumerate(shape))
    reduced = graph.add("mean", [x], kept, axis=axis, keepdims=True)
    graph.add("broadcast_add", [x, reduced], shape)


def _soft(rng: Random, graph: Recipe, x: int) -> None:
    graph.add("softmax", [x], graph.shapes[x], axis=-1)


def _blocked(rng: Random, graph: Recipe, x: int) -> None:
    blocked = graph.add("BlockGrad", [x], graph.shapes[x])
    graph.add("elemwise_add", [x, blocked], graph.shapes[x])


_MAKERS: list[Callable[[Random, Recipe, int], None]] = [
    _unary, _unary, _scaled, _activation, _binary, _binary, _broadcast, _split_and_joined, _turned,
    _flat, _dense, _normalized, _convolved, _convolved, _reduced, _soft, _blocked,
    _padded, _strided, _weighed,
]  # fmt: skip


def draw(rng: Random) -> Recipe:
    """A graph of at least 30 operators with shared nodes and two to four outputs."""
    graph = Recipe()
    for shape in ((2, 4, 5, 5), (2, 4, 5, 5), (2, 6)):
        graph.variable(shape)
    while len(graph.steps) < N_OPERATORS:
        values = [i for i in graph.shapes if len(graph.shapes[i]) >= 2 and i not in graph.states]
        recent = values[-6:] if rng.random() < 0.7 else values
        rng.choice(_MAKERS)(rng, graph, rng.choice(recent))
    made = [i for i in graph.shapes if i not in graph.variables]
    graph.heads = [made[-1], *rng.sample(made[:-1], rng.randint(1, 3))]
    return graph


# Running ------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What one way of running gave."""

    outputs: list[np.ndarray]
    gradients: dict[str, np.ndarray] = field(default_factory=dict)
    states: dict[str, np.ndarray] = field(default_factory=dict)


class Given:
    """Values of the variables and head gradients of one recipe, by name."""

    def __init__(self, graph: Recipe, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.graph = graph
        self.values = {}
        for number, name in graph.variables.items():
            shape = graph.shapes[number]
            scale = 1 / np.sqrt(max(1, np.prod(shape[1:]))) if name[0] == "w" else 1
            drawn = rng.uniform(0.5, 1.5, shape) if name[0] in "vg" else rng.normal(size=shape)
            self.values[name] = (drawn * scale).astype("f")
        self.heads = [rng.normal(size=graph.shapes[i]).astype("f") for i in graph.heads]

    def arrays(self) -> dict[str, Any]:
        """Fresh arrays."""
        return {name: mx.nd.array(value) for name, value in self.values.items()}

    def head_gradients(self) -> list[Any]:
        """Fresh arrays."""
        return [mx.nd.array(h) for h in self.heads]

    def run(self, arrays: dict[str, Any]) -> list[Any]:
        """The outputs, operator by operator."""
        by_number = {i: arrays[name] for i, name in self.graph.variables.items()}
        return self.graph.run(mx.nd, by_number)


def _trained(given: Given, run: Callable[[dict[str, Any]], list[Any]], names: list[str]) -> Outcome:
    """A recorded training pass of a function of arrays."""
    arrays = given.arrays()
    states = {given.graph.variables[i] for i in given.graph.states}
    for name in names:
        if name not in states:
            arrays[name].attach_grad()
    with mx.autograd.record():
        outputs = run(arrays)
    mx.autograd.backward(outputs, given.head_gradients())
    return Outcome(
        [o.asnumpy() for o in outputs],
        {n: arrays[n].grad.asnumpy() for n in names if n not in states},
        {n: arrays[n].asnumpy() for n in names if n in states},
    )


def _as_function(symbol: Any) -> Callable[[dict[str, Any]], list[Any]]:
    op = mx.nd.CachedOp(symbol)
    return lambda arrays: op(*(arrays[n] for n in symbol.list_inputs()))


def _executor(given: Given, symbol: Any) -> Any:
    arrays = given.arrays()
    names, states = symbol.list_arguments(), symbol.list_auxiliary_states()
    gradients = {n: mx.nd.zeros(arrays[n].shape) for n in names}
    return symbol.bind(
        mx.cpu(), {n: arrays[n] for n in names}, gradients, "write", {n: arrays[n] for n in states}
    )


def _bound(given: Given, symbol: Any) -> Outcome:
    executor = _executor(given, symbol)
    outputs = [o.asnumpy() for o in executor.forward(is_train=True)]
    executor.backward(given.head_gradients())
    return Outcome(
        outputs,
        {n: a.asnumpy() for n, a in executor.grad_dict.items()},
        {n: a.asnumpy() for n, a in executor.aux_dict.items()},
    )


def _inferred(given: Given, symbol: Any) -> list[tuple[str, Outcome]]:
    """Plain, watched until it is rewritten, and rewritten at once."""
    plain, asked = _executor(given, symbol), _executor(given, symbol)
    found = []
    for way in ("first forward", "second forward", "third forward"):
        found.append((way, Outcome([o.asnumpy() for o in plain.forward()])))
    asked.optimize()
    outputs = [o.asnumpy() for o in asked.forward()]
    asked.backward(given.head_gradients())
    found.append(("optimized", Outcome(outputs)))
    return found


def _by_backends(given: Given, symbol: Any) -> list[tuple[str, Outcome]]:
    """Through those that run models, where they are installed; one image at a time."""
    found = []
    for name in ("openvino", "onnxruntime"):
        if BY_NAME[name].unavailable() is None:
            found.append((name, _optimized(given, symbol.optimize_for(name))))
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with mock.patch.object(batch_split, "images_at_once", return_value=1):
            found.append(("image by image", _optimized(given, symbol)))
    finally:
        torch.set_num_threads(threads)
    return found


def _optimized(given: Given, symbol: Any) -> Outcome:
    executor = _executor(given, symbol)
    executor.optimize()
    first = [o.asnumpy() for o in executor.forward()]
    again = [o.asnumpy() for o in executor.forward()]
    assert all(map(np.array_equal, first, again)), "a second run gives something else"
    return Outcome(first)


def check(graph: Recipe, seed: int = 0) -> None:
    """Raises AssertionError where two ways of running a graph disagree."""
    given, symbol = Given(graph, seed), graph.symbol()
    again = mx.sym.load_json(symbol.tojson())
    assert again.tojson() == symbol.tojson()
    names = symbol.list_inputs()
    wanted = _trained(given, given.run, names)
    _agree(wanted, _trained(given, _as_function(symbol), names), "CachedOp")
    _agree(wanted, _bound(given, symbol), "bind")
    _agree(wanted, _bound(given, again), "JSON")
    plain = Outcome([o.asnumpy() for o in given.run(given.arrays())])
    for way, outcome in [
        *_inferred(given, symbol),
        *_inferred(given, again),
        *_by_backends(given, symbol),
    ]:
        _agree(plain, outcome, way)
    function = _as_function(symbol)
    for _ in range(3):
        outcome = Outcome([o.asnumpy() for o in function(given.arrays())])
        _agree(plain, outcome, "CachedOp, inference")


def check_prefixes(graph: Recipe, seed: int = 0) -> set[str]:
    """Every prefix of the lists of passes must give the same; which passes change the graph."""
    graph = replace(graph, heads=_unread(graph))
    given, symbol = Given(graph, seed), graph.symbol()
    changing = set()
    with ExitStack() as stack:
        for module, name, value in _EAGER:
            stack.enter_context(mock.patch.object(module, name, value))
        environment = stack.enter_context(mock.patch.dict(os.environ))
        plain, steps = Outcome([o.asnumpy() for o in given.run(given.arrays())]), None
        for names in _prefixes(pipeline.INFERENCE):
            environment["MXNOVA_PASSES"] = ",".join(names)
            found, before = _predicted(given, symbol), steps
            _agree(plain, found[0], f"passes up to {names[-1]}")
            steps = found[1]
            changing |= {names[-1]} if before is not None and steps != before else set()
        trained = _trained(given, given.run, symbol.list_inputs())
        for names in _prefixes(pipeline.TRAINING):
            environment["MXNOVA_PASSES"] = ",".join(names)
            _agree(trained, _bound(given, symbol), f"training passes up to {names[-1]}")
    return changing


def _unread(graph: Recipe) -> list[int]:
    """Values that nothing reads: with these as heads all of a graph is computed."""
    read = {i for step in graph.steps for i in step.inputs}
    return [i for i in graph.shapes if i not in read and i not in graph.variables]


def _prefixes(passes: Sequence[Any]) -> list[list[str]]:
    names = [each.name for each in passes]
    return [names[: i + 1] for i in range(len(names))]


def _predicted(given: Given, symbol: Any) -> tuple[Outcome, list[str]]:
    """With all but data constant; the outputs, and the names of what ran."""
    states = set(symbol.list_auxiliary_states())
    data = {n: v for n, v in given.values.items() if n[0] == "x" and n in symbol.list_arguments()}
    parameters = {
        f"{'aux' if n in states else 'arg'}:{n}": mx.nd.array(v)
        for n, v in given.values.items()
        if n not in data
    }
    predictor = mx.Predictor(symbol, parameters, {n: v.shape for n, v in data.items()})
    special = predictor.graph_network.inference._special
    steps = [] if special is None else [_described(s.op) for s in special.lowered.steps]
    return Outcome(list(predictor.predict(**data))), steps


def _described(op: Any) -> Any:
    """What tells operators apart that passes have changed."""
    body = getattr(op, "body", None)
    if body is not None:
        return [_described(n.op) for n in body.nodes if n.op is not None]
    return op.name, *(getattr(op, name, None) for name in ("in_place", "pad", "stride"))


# Graphs that are drawn are too small to be worth most passes.
_EAGER = [
    (batch_split, "images_at_once", lambda *_: 1),
    (tuning, "BLOCKED_LAYOUT_MIN_SIZE", 0),
    (tuning, "FUSED_LINEAR_MIN_MULTIPLICATIONS", 0),
    (tuning, "FUSED_LINEAR_MIN_ROWS", 0),
]


def _agree(wanted: Outcome, found: Outcome, way: str) -> None:
    pairs = [(f"output {i}", a, b) for i, (a, b) in enumerate(zip(wanted.outputs, found.outputs))]
    for kind, some, others in (
        ("gradient", wanted.gradients, found.gradients),
        ("state", wanted.states, found.states),
    ):
        pairs += [(f"{kind} of {n}", some[n], others[n]) for n in others]
    # Gradients that cancel, as those of biases before BatchNorm, are rounding errors of large ones.
    largest = max((float(np.abs(g).max()) for g in wanted.gradients.values()), default=0.0)
    for what, a, b in pairs:
        scale = max(1e-2, 1e-2 * largest, float(np.abs(a).max()))
        worst = float(np.abs(a - b).max())
        assert worst <= RTOL * scale, f"{way}: {what} is off by {worst:g} of {scale:g}"


# Twins --------------------------------------------------------------------------------------------

# Operators that mean the same for arrays of one shape, and what they need besides.
_TWINS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "elemwise_add": [
        ("broadcast_add", {}),
        ("_internal._npi_add", {}),
        ("_internal._grad_add", {}),
    ],
    "elemwise_sub": [("broadcast_sub", {}), ("_internal._npi_subtract", {})],
    "elemwise_mul": [("broadcast_mul", {}), ("_internal._npi_multiply", {})],
    "broadcast_add": [("_internal._npi_add", {})],
    "broadcast_sub": [("_internal._npi_subtract", {})],
    "_mul_scalar": [("_internal._npi_multiply_scalar", {})],
    "relu": [("_internal._npx_relu", {}), ("Activation", {"act_type": "relu"})],
    "sigmoid": [("_internal._npx_sigmoid", {}), ("Activation", {"act_type": "sigmoid"})],
    "tanh": [("_internal._npi_tanh", {}), ("Activation", {"act_type": "tanh"})],
    "softsign": [("Activation", {"act_type": "softsign"})],
    "identity": [("_internal._np_copy", {})],
    "Convolution": [("Convolution_v1", {})],
}


def _twin_of(rng: Random, graph: Recipe) -> Recipe:
    """The graph with most operators exchanged for others that mean the same."""
    steps = []
    for step in graph.steps:
        name, more = rng.choice(_TWINS.get(step.op, [(step.op, {})]))
        steps.append(replace(step, op=name, attrs=step.attrs | more))
    return replace(graph, steps=steps)


def _meaning(op: Any) -> Any:
    """What a step does, by whatever name."""
    if op.arithmetic is not None:
        return op.arithmetic.function
    return op.activation or ("copy" if op.copies else op.name.removesuffix("_v1"))


def _steps(given: Given) -> tuple[list[Any], list[np.ndarray]]:
    executor = _executor(given, given.graph.symbol())
    executor.optimize()
    special = executor._inference._special
    steps = [] if special is None else [_meaning(s.op) for s in special.lowered.steps]
    return steps, [o.asnumpy() for o in executor.forward()]


def check_twins(graph: Recipe, rng: Random, seed: int) -> int:
    """A graph and its twin must lower to the same steps, and give the same; how many steps."""
    steps, outputs = _steps(Given(graph, seed))
    twin_steps, twin_outputs = _steps(Given(_twin_of(rng, graph), seed))
    assert twin_steps == steps
    for one, other in zip(outputs, twin_outputs, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-6)
    return len(steps)
