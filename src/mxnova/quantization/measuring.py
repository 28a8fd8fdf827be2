# SPDX-License-Identifier: Apache-2.0
"""Quantized models of a task, until one is as accurate as is asked for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..convert.proof.runner import Runner
from ..convert.proof.verification import Verification, compared
from ..core.base.errors import ArgumentError, MXNetError
from .accuracy import NO_SCORES, Measure, top_classes
from .layers import layers_of, ranked
from .method import Method, Task
from .outcome import Quantization, Trial
from .samples import Samples
from .search import fewest
from .target import Made

__all__ = ["measured_model"]

_TOLERANCE = 0.1  # of the largest number: a node that differs by more is marked
_COMPARED = 8  # samples that nodes are compared for
Tell = Callable[..., Any]


def measured_model(
    task: Task, samples: Samples, excluded: Collection[str], name: str, tell: Tell
) -> tuple[Made, Quantization]:
    """The model of a task that loses no more accuracy than it may, and what it came to.

    Args:
        task: what is quantized, and how.
        samples: what accuracy is measured on.
        excluded: nodes that stay in float.
        name: of the file to write, or the prefix of MXNet's.
        tell: called with what is done next.

    Raises:
        MXNetError: the model or the samples cannot be used, or too much accuracy is lost with all
            layers but one in float.
    """
    tell("prepare")
    search = _Search(task, _method(task), samples, frozenset(excluded), name, tell)
    made = search.chosen()
    proof = search.proofs.get(made.in_float) or search.proof(made)
    options = task.options
    outcome = Quantization(
        kind="",
        files=(),
        options=options,
        measure=search.measure.name,
        before=search.before,
        after=made.value,
        trials=search.trials,
        in_float=made.in_float,
        n_layers=len(search.layers),
        excluded=sorted(excluded),
        float_bytes=search.method.float_bytes(),
        bytes=0,
        samples=len(task.samples),
        measured=len(samples),
        failures={**samples.failures, **task.samples.failures},
        n_failed=task.samples.n_failed + (samples.n_failed if samples is not task.samples else 0),
        proof=proof,
    )
    return Made(made.path, search.method.onnx), outcome


def _method(task: Task) -> Method:
    """The method by its name; other packages are imported for those that need them."""
    if task.options.method == "mxnet":
        from .with_mxnet import MXNetMethod

        return MXNetMethod(task)
    if task.options.method == "nncf":
        from .with_nncf import NNCFMethod

        return NNCFMethod(task)
    from .with_ort import OnnxRuntimeMethod

    return OnnxRuntimeMethod(task)


@dataclass(frozen=True)
class _Tried:
    """A model that was made."""

    in_float: tuple[str, ...]
    path: str
    runner: Runner
    value: float | None


@dataclass
class _Search:
    """Makes models with more and more layers in float; see `measured_model`."""

    task: Task
    method: Method
    samples: Samples
    excluded: frozenset[str]
    name: str
    tell: Tell
    trials: list[Trial] = field(default_factory=list)
    proofs: dict[tuple[str, ...], Verification] = field(default_factory=dict)

    def __post_init__(self) -> None:
        graph = self.task.request.graph
        self.layers = layers_of(graph)
        if all(name in self.excluded for name in self.layers):
            raise ArgumentError(f"quantize: {self._why_nothing()}")
        classes, n_classes = self._classes(self.method.reference, "accuracy in float")
        metric = self.task.options.metric
        self.measure = Measure(self.samples, classes, n_classes, metric)
        self.before = self.measure(classes)
        if self.before is None and self.task.options.max_drop is not None:
            raise ArgumentError(f"quantize: --max-drop: {NO_SCORES}")

    def _why_nothing(self) -> str:
        if self.layers:
            return "--exclude leaves no layer to quantize"
        operators = {n.op.name for n in self.task.request.graph.nodes if n.op is not None}
        if "_contrib_quantize_v2" in operators:
            return "the network is quantized already"
        return "the network has no layers with weights, such as Convolution"

    def _classes(self, runner: Runner, text: str) -> Any:
        total = len(self.samples)
        return top_classes(
            runner, self.task.input, self.samples, lambda done: self.tell(text, done, total)
        )

    def chosen(self) -> _Tried:
        """The model with the fewest layers in float that is accurate enough."""
        full = self._tried(())
        most = self.task.options.max_drop
        if most is None or self._is_within(full, most):
            return full
        ranking = ranked(self.task.request.graph, self.proof(full).nodes, self.excluded)
        made = {0: full}

        def is_enough(count: int) -> bool:
            if count not in made:
                made[count] = self._tried(tuple(ranking[:count]))
            is_good = self._is_within(made[count], most)
            if not is_good:
                shutil.rmtree(os.path.dirname(made[count].path))
            return is_good

        count = fewest(len(ranking), is_enough)
        if count is None:
            lost = "; ".join(f"{t.value:.2%} with {len(t.in_float)}" for t in self.trials)
            raise MXNetError(
                f"quantize: --max-drop {most:g}: {self.measure.name} is {self.before:.2%} in "
                f"float, and less by more with any number of layers in float: {lost}"
            )
        return made[count]

    def _is_within(self, made: _Tried, most: float) -> bool:
        return 100 * ((self.before or 0.0) - (made.value or 0.0)) <= most + 1e-9

    def _tried(self, in_float: tuple[str, ...]) -> _Tried:
        folder = os.path.join(self.task.folder, f"trial{len(self.trials)}")
        os.mkdir(folder)
        path = os.path.join(folder, self._file())
        further = f", {len(in_float)} layers in float" if in_float else ""
        total = len(self.task.samples)
        text = f"ranges{further}"
        runner = self.method.quantize(
            self.excluded | set(in_float), path, lambda done: self.tell(text, done, total)
        )
        classes, _ = self._classes(runner, f"accuracy on integers{further}")
        value = self.measure(classes)
        self.trials.append(Trial(in_float, value))
        return _Tried(in_float, path, runner, value)

    def _file(self) -> str:
        ending = {"mxnet": "", "nncf": ".xml", "ort": ".onnx"}[self.task.options.method]
        return self.name if self.name.endswith(ending) else f"{self.name}{ending}"

    def proof(self, made: _Tried) -> Verification:
        """Outputs and nodes of a model, compared with those of the model in float."""
        self.tell("compare nodes")
        examples = self._examples()
        fed: Sequence[Any] = [{self.task.input: values} for values in examples]
        found = compared(
            self.method.reference, made.runner, fed, self.task.request.model, _TOLERANCE
        )
        self.proofs[made.in_float] = found
        return found

    def _examples(self) -> list[Any]:
        """A batch and, where the model takes any number, a sample."""
        values = self.task.example()
        fixed = self.task.samples.runner.fixed is not None
        return [values] if fixed or len(values) == 1 else [values[:_COMPARED], values[:1]]
