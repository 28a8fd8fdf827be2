# SPDX-License-Identifier: Apache-2.0
"""Two models on the same inputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...core.base.dtypes import BFLOAT16
from ...core.base.errors import ArgumentError, MXNetError
from ...core.graph.drawing import GraphNode, graph_of
from ..request import Request
from ..source import Model, load
from .comparison import Difference, difference
from .inputs import Range, feeds, ranges_of
from .mxnet import MXNetRunner
from .runner import Array, Runner, Take
from .runners import runner_of

__all__ = ["Verification", "compared", "verify"]

_Seconds = tuple[float | None, float | None]
_Known = dict[str, Array]
_Told = dict[str, tuple[Array, float | None]]
Sizes = Mapping[str, Sequence[int | str]]
TOLERANCE = 1e-5
# Of outputs behind layers on integers: one number that is rounded otherwise moves many behind it.
# ResNet-50: 0.008.
_DRIFT = 0.05
# Of outputs in the runtime's default precision, such as OpenVINO's bfloat16.
_DEFAULT_PRECISION = 6e-2
BATCHES = (1, 3)


@dataclass(frozen=True)
class Verification:
    """What was found.

    Attributes:
        outputs: each output for each set of inputs.
        nodes: each node that both models tell of, in order, for the first inputs whose outputs
            differ, or else the first.
        has_reference: whether there was a run in float64 to compare with.
        graph: nodes of the network, as far as mxnova can read it.
        on_integers: whether the second model's nodes read the integers that the first one's gave,
            so that each is compared by itself.
        defaults: each output again, if the runtime of the second model computes in another
            precision by default; the line says whether they are equal but for its rounding.
        caveat: where the comparison does not hold; empty if it holds everywhere.
    """

    outputs: list[Difference]
    nodes: list[Difference]
    has_reference: bool
    graph: Sequence[GraphNode] = ()
    on_integers: bool = False
    defaults: Sequence[Difference] = ()
    caveat: str = ""

    @property
    def is_equal(self) -> bool:
        """Whether all outputs and nodes are equal but for rounding; `defaults` do not count."""
        return all(row.is_equal for row in (*self.outputs, *self.nodes))

    @property
    def first(self) -> Difference | None:
        """The first node above tolerance, or the first output if no nodes were compared."""
        return next((row for row in self.nodes or self.outputs if not row.is_equal), None)

    @property
    def line(self) -> str:
        """All of it in a line."""
        worst = max((row.max_abs for row in self.outputs), default=0.0)
        first = self.first
        name = "none" if first is None else f"{first.name} ({first.max_abs:.1e})"
        if self.nodes:
            compared = f"{len(self.nodes)} nodes{' on equal integers' if self.on_integers else ''}"
        else:
            count = len({row.name.partition(", inputs ")[0] for row in self.outputs})
            compared = f"{count} output{'s' * (count != 1)}; nodes not compared"
        parts = [f"max diff {worst:.1e} over {compared}; first above tolerance: {name}"]
        if self.defaults:
            worst = max(row.max_rel for row in self.defaults)
            is_proved = all(row.is_equal for row in self.defaults)
            parts.append(
                f"{'' if is_proved else 'not proved '}in the runtime's default precision: "
                f"{worst:.1e} of the largest output"
            )
        return "; ".join(filter(None, (*parts, self.caveat)))


def verify(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    epoch: int | None = None,
    shapes: Sizes | None = None,
    types: Mapping[str, str] | None = None,
    ranges: Mapping[str, Range] | None = None,
    inputs: Mapping[str, Array] | None = None,
    batches: Sequence[int] = BATCHES,
    tolerance: float = TOLERANCE,
    seed: int = 0,
    trust: bool = False,
    tell: Callable[[str], Any] = lambda text: None,
) -> Verification:
    """Runs two models on the same inputs and compares outputs, and nodes by MXNet's names.

    Args:
        a: the prefix of a checkpoint, or an .onnx, .pt2, .xml or .py file.
        b: the same.
        epoch: of checkpoints; default: the newest.
        shapes: of inputs, by name, where the files do not tell; a word leaves a size open.
        types: dtypes of inputs, by name, in place of those that the files declare.
        ranges: smallest and largest number of inputs, and whether they are integers.
        inputs: arrays to feed, in place of random numbers.
        batches: what sizes that are left open are, one after the other.
        tolerance: how far values may be apart, against the largest number in an array.
        seed: of random numbers.
        trust: load .py and .pt2 files, which run code of their authors, even if this installation
            did not write them.
        tell: called with what is done next.

    Raises:
        MXNetError: a model that cannot be read or run, or needs `trust`.
    """
    tell("read")
    first, second = (runner_of(path, epoch, trust, types) for path in (a, b))
    model = _model_of(first) or _model_of(second)
    fed = _feeds(model, shapes or {}, types or {}, ranges or {}, inputs, batches, seed)
    return compared(first, second, fed, model, tolerance, tell=tell)


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
    types: Mapping[str, str],
    ranges: Mapping[str, Range],
    inputs: Mapping[str, Array] | None,
    batches: Sequence[int],
    seed: int,
) -> list[dict[str, Array]]:
    if inputs:
        return [dict(inputs)]
    if model is not None:
        request = Request(model, shapes)
        known, types = request.fed(batches), request.source_types
    elif shapes:
        known = [_numbered(shapes, batch) for batch in batches]
        types = {**dict.fromkeys(shapes, "float32"), **types}
    else:
        raise ArgumentError("verify: which inputs? Give --shape or --input")
    found = ranges_of(None if model is None else model.graph, types, ranges)
    return feeds(known, found, types, seed)


def _numbered(shapes: Sizes, batch: int) -> dict[str, tuple[int, ...]]:
    """Shapes of a network that nobody can ask, with numbers for sizes that are left open."""
    return {
        name: tuple(
            size if isinstance(size, int) else 32 * batch if axis else batch
            for axis, size in enumerate(shape)
        )
        for name, shape in shapes.items()
    }


def compared(
    first: Runner,
    second: Runner,
    fed: Sequence[dict[str, Array]],
    model: Model | None,
    tolerance: float = TOLERANCE,
    is_brief: bool = False,
    tell: Callable[[str], Any] = lambda text: None,
) -> Verification:
    """As `verify`, of models that are there.

    Args:
        first: a model.
        second: another.
        fed: inputs, one set after the other.
        model: the network behind them, to compute it in float64.
        tolerance: as in `verify`.
        is_brief: take no times, and compute in float64 only what is not equal without.
        tell: called with what is done next.
    """
    comparison = _Comparison(first, second, model, tolerance, is_brief)
    tell("outputs")
    rows = [comparison.outputs(number, feed) for number, feed in enumerate(fed)]
    differing = (n for n, of_one in enumerate(rows) if not all(row.is_equal for row in of_one))
    tell("nodes")
    nodes = comparison.nodes(fed[next(differing, 0)])
    outputs = [row for of_one in rows for row in of_one]
    graph = graph_of(model.graph, list(fed[0])) if model is not None else ()
    return Verification(
        outputs,
        nodes,
        comparison.has_reference,
        graph,
        comparison.on_integers,
        comparison.defaults,
    )


@dataclass
class _Comparison:
    """Two models side by side; see `compared`."""

    first: Runner
    second: Runner
    model: Model | None
    tolerance: float
    is_brief: bool
    has_reference: bool = False
    on_integers: bool = False
    defaults: list[Difference] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.quantized = self.first.quantized() | self.second.quantized()

    def outputs(self, number: int, feed: dict[str, Array]) -> list[Difference]:
        a = self.first.outputs(feed)
        if self.is_brief:  # nobody takes the time of another run
            self.first.release()
        b = self.second.outputs(feed)
        if len(a) != len(b):
            raise MXNetError(f"verify: {len(a)} outputs, and {len(b)} of the second")
        seconds: _Seconds = (None, None)
        if not self.is_brief:
            seconds = self.first.seconds(feed), self.second.seconds(feed)
        names = [f"output {i}, inputs {number + 1}" for i in range(len(a))]
        tolerance = max(self.tolerance, _DRIFT * bool(self.quantized))
        rows = _Rows(tolerance, keeps_all=not self.is_brief)
        for name, x, y in zip(names, a, b, strict=True):
            rows.add(name, x, y, seconds)
        for name, x, y in zip(names, a, self.second.default_outputs(feed) or (), strict=False):
            self.defaults.append(
                difference(f"{name}, default precision", x, y, None, _DEFAULT_PRECISION)
            )

        def truths(reference: MXNetRunner, known: _Known) -> None:
            known.update(zip(names, reference.outputs(feed), strict=True))

        return self._judged(rows, truths)

    def nodes(self, feed: dict[str, Array]) -> list[Difference]:
        theirs = self._on_integers(feed) if self.quantized else None
        self.on_integers = theirs is not None
        if theirs is None:
            theirs = {}
            self.second.nodes(feed, _into(theirs))
        adds_up = bool(self.quantized) and (self.first.drifts or self.second.drifts)
        rows = _Rows(max(self.tolerance, _DRIFT * adds_up), keeps_all=not self.is_brief)

        def take(name: str, array: Array, seconds: float | None) -> None:
            if name in theirs and (array.dtype.kind in "fiub" or array.dtype == BFLOAT16):
                other, their_seconds = theirs.pop(name)
                steps = float(name in self.quantized and array.dtype.kind in "iu")
                rows.add(name, array, other, (seconds, their_seconds), steps)

        def truths(reference: MXNetRunner, known: _Known) -> None:
            reference.nodes(feed, lambda name, array, _: known.update({name: array}))

        if theirs:
            self.first.nodes(feed, take)
        return self._judged(rows, truths)

    def _on_integers(self, feed: dict[str, Array]) -> _Told | None:
        """What the second model's nodes give on the integers of the first one's."""
        mine: _Told = {}
        self.first.nodes(feed, _into(mine))
        integers = {n: x for n, (x, _) in mine.items() if n in self.quantized and x.itemsize == 1}
        found = self.second.run_on(feed, integers, mine) if integers else None
        return None if found is None else {name: (values, None) for name, values in found.items()}

    def _judged(
        self, rows: _Rows, truths: Callable[[MXNetRunner, _Known], None]
    ) -> list[Difference]:
        """The rows, after a look at values in float64 where there is need for them."""
        if self.model is not None and rows.kept:
            known: _Known = {}
            try:
                truths(MXNetRunner(self.model, "float64"), known)
                self.has_reference = True
                rows.judge(known)
            except MXNetError:  # an operator that has a type of its own
                pass
        return list(rows.rows.values())


class _Rows:
    """Differences by name, and the arrays of those that float64 shall judge.

    Args:
        tolerance: as in `verify`.
        keeps_all: whether float64 shall judge those that are equal without, too.
    """

    def __init__(self, tolerance: float, keeps_all: bool) -> None:
        self.rows: dict[str, Difference] = {}
        self.kept: dict[str, tuple[Array, Array, float]] = {}
        self._tolerance, self._keeps_all = tolerance, keeps_all

    def add(self, name: str, a: Array, b: Array, seconds: _Seconds, steps: float = 0.0) -> None:
        row = difference(name, a, b, None, self._tolerance, steps)
        self.rows[name] = replace(row, seconds=seconds)
        if self._keeps_all or not row.is_equal:
            self.kept[name] = a, b, steps

    def judge(self, truths: Mapping[str, Array]) -> None:
        for name, (a, b, steps) in self.kept.items():
            row = difference(name, a, b, truths.get(name), self._tolerance, steps)
            self.rows[name] = replace(row, seconds=self.rows[name].seconds)


def _into(found: _Told) -> Take:
    """What puts values, and how long they took, there."""
    return lambda name, values, seconds: found.update({name: (values, seconds)})
