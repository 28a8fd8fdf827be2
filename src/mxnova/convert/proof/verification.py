# SPDX-License-Identifier: Apache-2.0
"""Two models on the same inputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.base.errors import ArgumentError, MXNetError
from ..request import Request
from ..source import Model, load
from .comparison import Difference, difference
from .inputs import Range, feeds, ranges_of
from .runner import Array, Run, Runner
from .runners import MXNetRunner, runner_of

__all__ = ["Verification", "compared", "verify"]

Sizes = Mapping[str, Sequence[int | str]]
TOLERANCE = 1e-5
# Of outputs behind layers on integers: one number that is rounded otherwise moves many behind it.
# ResNet-50: 0.008.
_DRIFT = 0.05
BATCHES = (1, 3)


@dataclass(frozen=True)
class Verification:
    """What was found.

    Attributes:
        outputs: each output for each set of inputs.
        nodes: each node that both models tell of, in order, for the first inputs, or the first
            whose outputs differ.
        seconds: of the first model and of the second.
        has_reference: whether there was a run in float64 to compare with.
        on_integers: whether the second model's nodes read the integers that the first one's gave,
            so that each is compared by itself.
    """

    outputs: list[Difference]
    nodes: list[Difference]
    seconds: tuple[float, float]
    has_reference: bool
    on_integers: bool = False

    @property
    def is_equal(self) -> bool:
        """Whether all outputs and nodes are equal but for rounding."""
        return all(row.is_equal for row in (*self.outputs, *self.nodes))

    @property
    def first(self) -> Difference | None:
        """The first node above tolerance."""
        return next((row for row in self.nodes if not row.is_equal), None)

    @property
    def line(self) -> str:
        """All of it in a line."""
        worst = max((row.max_abs for row in self.outputs), default=0.0)
        first = self.first
        name = "none" if first is None else f"{first.name} ({first.max_abs:.1e})"
        nodes = f"{len(self.nodes)} nodes{' on equal integers' if self.on_integers else ''}"
        return f"max diff {worst:.1e} over {nodes}; first above tolerance: {name}"


def verify(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    epoch: int | None = None,
    shapes: Sizes | None = None,
    ranges: Mapping[str, Range] | None = None,
    inputs: Mapping[str, Array] | None = None,
    batches: Sequence[int] = BATCHES,
    tolerance: float = TOLERANCE,
    seed: int = 0,
    tell: Callable[[str], Any] = lambda text: None,
) -> Verification:
    """Runs two models on the same inputs and compares outputs, and nodes by MXNet's names.

    Args:
        a: the prefix of a checkpoint, or an .onnx, .pt2, .xml or .py file.
        b: the same.
        epoch: of checkpoints; default: the only one.
        shapes: of inputs, by name, where the files do not tell; a word leaves a size open.
        ranges: smallest and largest number of inputs, and whether they are integers.
        inputs: arrays to feed, in place of random numbers.
        batches: what sizes that are left open are, one after the other.
        tolerance: how far values may be apart, against the largest number in an array.
        seed: of random numbers.
        tell: called with what is done next.

    Raises:
        MXNetError: a model that cannot be read or run.
    """
    tell("read")
    first, second = runner_of(a, epoch), runner_of(b, epoch)
    model = _model_of(first) or _model_of(second)
    fed = _feeds(model, shapes or {}, ranges or {}, inputs, batches, seed)
    return compared(first, second, fed, model, tolerance, tell)


def _model_of(runner: Runner) -> Model | None:
    """The graph behind a runner, as far as mxnova can read it."""
    if isinstance(runner, MXNetRunner):
        return runner.model
    if runner.path.endswith(".onnx"):
        try:
            return load(runner.path)
        except MXNetError:
            return None
    return None


def _feeds(
    model: Model | None,
    shapes: Sizes,
    ranges: Mapping[str, Range],
    inputs: Mapping[str, Array] | None,
    batches: Sequence[int],
    seed: int,
) -> list[dict[str, Array]]:
    if inputs:
        return [dict(inputs)]
    if model is not None:
        known = Request(model, shapes).shapes
    elif shapes:
        known = {name: tuple(shape) for name, shape in shapes.items()}
    else:
        raise ArgumentError("verify: which inputs? Give --shape or --input")
    found = ranges_of(model.symbol if model is not None else None, list(known), ranges)
    return feeds(known, found, batches, seed)


def compared(
    first: Runner,
    second: Runner,
    fed: Iterable[dict[str, Array]],
    model: Model | None,
    tolerance: float = TOLERANCE,
    tell: Callable[[str], Any] = lambda text: None,
) -> Verification:
    """As `verify`, of models that are there."""
    outputs: list[Difference] = []
    nodes: list[Difference] = []
    seconds = [0.0, 0.0]
    has_reference = False
    quantized = first.quantized() | second.quantized()
    on_integers = False
    for number, feed in enumerate(fed):
        tell(f"inputs {number + 1}")
        a, b = first.run(feed), second.run(feed)
        seconds = [seconds[0] + a.seconds, seconds[1] + b.seconds]
        reference = _reference(model, feed, with_nodes=number == 0)
        has_reference |= reference is not None
        rows = _outputs(a, b, reference, max(tolerance, _DRIFT * bool(quantized)), number)
        outputs += rows
        was_equal = all(row.is_equal for row in nodes)
        if number == 0 or (was_equal and not all(row.is_equal for row in rows)):
            reference = reference if number == 0 else _reference(model, feed, with_nodes=True)
            a.nodes = first.nodes(feed)
            integers = {n: x for n, x in a.nodes.items() if n in quantized and x.itemsize == 1}
            apart = second.run_on(feed, integers, a.nodes) if integers else None
            on_integers = apart is not None
            b.nodes = second.nodes(feed) if apart is None else apart.nodes
            nodes = _nodes(a, b, reference, tolerance, quantized)
    return Verification(outputs, nodes, (seconds[0], seconds[1]), has_reference, on_integers)


def _reference(model: Model | None, feed: Mapping[str, Array], with_nodes: bool) -> Run | None:
    """The network in float64, where all of it can be."""
    if model is None:
        return None
    runner = MXNetRunner(model, "float64")
    try:
        return runner.all_at_once(feed) if with_nodes else Run(runner.outputs(feed))
    except MXNetError:  # an operator that has a type of its own
        return None


def _outputs(
    a: Run, b: Run, reference: Run | None, tolerance: float, number: int
) -> list[Difference]:
    if len(a.outputs) != len(b.outputs):
        raise MXNetError(f"verify: {len(a.outputs)} outputs, and {len(b.outputs)} of the second")
    truths = reference.outputs if reference is not None else [None] * len(a.outputs)
    rows = zip(a.outputs, b.outputs, truths, strict=True)
    return [
        difference(f"output {i}, inputs {number + 1}", x, y, truth, tolerance)
        for i, (x, y, truth) in enumerate(rows)
    ]


def _nodes(
    a: Run, b: Run, reference: Run | None, tolerance: float, quantized: Collection[str]
) -> list[Difference]:
    truths = reference.nodes if reference is not None else {}

    def steps(name: str, values: Array) -> float:
        return float(name in quantized and values.dtype.kind in "iu")

    return [
        difference(name, values, b.nodes[name], truths.get(name), tolerance, steps(name, values))
        for name, values in a.nodes.items()
        if name in b.nodes and np.asarray(values).dtype.kind in "fiub"
    ]
