# SPDX-License-Identifier: Apache-2.0
"""Running a lowered graph step by step, under the eyes of observers.

The profiler, monitors, hooks and callers who want to go one step at a time use it; everybody else
runs the compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ...nd.array import NDArray
from ...nd.wrapping import wrap_value
from ...runtime.profiler import PROFILER, clock
from .errors import refuse
from .lowering import Lowered, Step, array_names
from .sparse_execution import value_of

__all__ = ["Interpreter", "Observer", "Tell", "Teller", "Timer"]


class Observer(Protocol):
    """Who watches a run."""

    def before(self, step: Step, inputs: list[Any]) -> None:
        """Called before a step, with its inputs, which it may replace."""

    def after(self, step: Step, outputs: Sequence[Any]) -> None:
        """Called after a step, with its outputs."""


class Interpreter:
    """One run of a lowered graph.

    Args:
        lowered: the graph.
        values: values of its arguments.
        observers: who watches.
    """

    def __init__(
        self, lowered: Lowered, values: Sequence[Any], observers: Sequence[Observer] = ()
    ) -> None:
        self._lowered = lowered
        self._values = dict(zip(lowered.arguments, values, strict=True))
        self._observers = observers

    def run(self) -> tuple[Any, ...]:
        """The results of all steps."""
        for step in self._lowered.steps:
            self.step(step)
        return self.results()

    def step(self, step: Step) -> None:
        """Runs one step; those before it must have run.

        Raises:
            MXNetError: what the operator raised, with node, operator and inputs.
        """
        values = self._values
        inputs = [values[n] for n in step.inputs]
        for observer in self._observers:
            observer.before(step, inputs)
        try:
            made = step.run(*inputs)
            outputs = made if type(made) is tuple else (made,)
            values.update(zip(step.outputs, outputs, strict=True))
        except Exception as error:  # noqa: BLE001 - operators may raise anything
            refuse(error, step, inputs)
        for observer in self._observers:
            observer.after(step, outputs)
        for name in step.last:
            del values[name]

    def results(self) -> tuple[Any, ...]:
        """The results, once all steps have run."""
        return tuple(self._values[n] for n in self._lowered.results)


# Observers ----------------------------------------------------------------------------------------


class Timer:
    """Tells the profiler of every step."""

    def __init__(self) -> None:
        self._start = 0

    def before(self, step: Step, inputs: Sequence[Any]) -> None:
        """Starts the clock."""
        self._start = clock()

    def after(self, step: Step, outputs: Sequence[Any]) -> None:
        """Records the step under its operator's name."""
        result = tuple(value_of(o) for o in outputs)
        PROFILER.ran(step.op.name, self._start, step.context, result, step.node.name)


Tell = Callable[[str, str, NDArray], None]  # array name, operator, array


class Teller:
    """Tells a function of the arrays that pass by: ``fc_output``, ``bn_mean``, ….

    Args:
        tell: the function.
        inputs: also of what each node is given, as ``fc_data``, ``fc_weight``, ….
        variables: before that, where it is a variable, by its own name.
        hidden: also of outputs that symbols do not list.
    """

    def __init__(self, tell: Tell, inputs: bool, variables: bool, hidden: bool = True) -> None:
        self._tell = tell
        self._inputs = inputs
        self._variables = variables
        self._hidden = hidden

    def before(self, step: Step, inputs: Sequence[Any]) -> None:
        """Tells of the inputs, where they are wanted."""
        if not self._inputs:
            return
        sources = [e.node for e in step.node.inputs]
        for name, source, edge in zip(_input_names(step), sources, inputs, strict=True):
            if self._variables and source.op is None:
                self._show(source.name, step, edge)
            self._show(f"{step.node.name}_{name}", step, edge)

    def after(self, step: Step, outputs: Sequence[Any]) -> None:
        """Tells of the outputs."""
        names = array_names(step.node)
        count = len(names) if self._hidden else step.op.n_visible()
        for name, edge in zip(names[:count], outputs[:count], strict=True):
            self._show(name, step, edge)

    def _show(self, name: str, step: Step, edge: Any) -> None:
        self._tell(name, step.op.name, wrap_value(value_of(edge), step.context))


# Operators of one input that MXNet has a name for; it numbers the input of any other.
# fmt: off
_OF_NAMED_DATA = frozenset({
    "BilinearResize2D", "Dropout", "L2Normalization", "LRN", "MakeLoss", "Pad", "Pooling",
    "Pooling_v1", "SliceChannel", "SwapAxis", "_unravel_index", "all_finite", "depth_to_space",
    "diag", "im2col", "log_softmax", "moments", "repeat", "reverse", "space_to_depth",
    "squeeze", "tile",
})
# fmt: on


def _input_names(step: Step) -> Sequence[str]:
    """What MXNet's monitor calls the inputs of a node."""
    names = step.op.inputs()
    if names == ("data",) and step.op.name not in _OF_NAMED_DATA:
        signature = step.op.type.signature
        return ("input0",) if signature.inputs == names else names
    return names
