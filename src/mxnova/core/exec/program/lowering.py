# SPDX-License-Identifier: Apache-2.0
"""Symbol -> steps, one a node, and straight Python code that runs them: values in, values out.

The code has one line a step and no branches, lookups or handlers. What is needed to say which
node failed, where it runs and what its arrays are called stands in the steps, which observers of a
run (`interpreter`) go through instead of the code.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import linecache
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from ...base.unique_names import FreeNames, to_identifier
from ...graph.node import Entry, Node
from ...graph.symbol import Symbol
from ...op.schema import Op
from ...runtime.context import Context

__all__ = ["Lowered", "Runner", "Step", "array_names", "lower"]

Runner = Callable[..., Any]  # what a node runs: its inputs to its output, or a tuple of several


class Step(NamedTuple):
    """One node, ready to run.

    Attributes:
        node: the node.
        op: its operator.
        context: where it runs.
        run: values of its inputs to its output, or to a tuple of its outputs.
        inputs: names of the values that it takes.
        outputs: names of those that it gives.
        last: names of those that nobody needs after it.
    """

    node: Node
    op: Op
    context: Context
    run: Runner
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    last: tuple[str, ...]


class Lowered:
    """A graph as a function; immutable, so that any number of threads may run it.

    Attributes:
        arguments: names of the values that it takes.
        results: names of those that it gives.
        steps: what it does, in order.
        source: its code.
        function: the code, compiled: values of the arguments to a tuple of results.
        run: the same for who runs the whole graph.
    """

    def __init__(
        self, arguments: Sequence[str], steps: Sequence[Step], results: Sequence[str]
    ) -> None:
        self.arguments = tuple(arguments)
        self.steps = tuple(steps)
        self.results = tuple(results)
        names = [*arguments, *(name for step in steps for name in step.outputs)]
        self.source = self._written(dict(zip(names, names, strict=True)))
        self._code = _CODES.get(self.source) or self._code_for(names)
        functions: dict[str, Any] = {f"_{step.outputs[0]}": step.run for step in steps}
        functions["__builtins__"] = vars(builtins)  # PyTorch's compiler looks for them there
        # Not among its own globals: a cycle would hold folded weights of dropped networks.
        self.function: Callable[..., tuple[Any, ...]] = FunctionType(self._code.code, functions)
        self.run: Callable[..., tuple[Any, ...]] = self.function

    def _code_for(self, names: Sequence[str]) -> _Code:
        """The code, compiled with numbers for `names`: as all graphs of this structure have it."""
        numbers = {name: f"v{i}" for i, name in enumerate(names)}
        code = _renamed(_compiled(self._written(numbers)), numbers)
        return _CODES.setdefault(self.source, _Code(self.source, code))

    def _written(self, names: Mapping[str, str]) -> str:
        """The code, with `names` in place of those of its values."""
        lines = [f"def forward({_listed(self.arguments, names)}):"]
        for step in self.steps:
            lines += _lines(step, names)
        lines.append(f"    return ({''.join(f'{names[n]}, ' for n in self.results)})")
        return "\n".join(lines) + "\n"

    def failed(self, error: BaseException) -> tuple[Step, list[Any]] | None:
        """(step, its inputs) that raised `error`; None where it comes from no step."""
        trace = error.__traceback__
        while trace is not None:
            frame = trace.tb_frame
            if frame.f_code.co_filename == self._code.file:
                step = self._step_of_line.get(trace.tb_lineno)
                values = frame.f_locals
                return None if step is None else (step, [values.get(n) for n in step.inputs])
            trace = trace.tb_next
        return None

    @functools.cached_property
    def _step_of_line(self) -> dict[int, Step]:
        names = dict.fromkeys([*self.arguments, *(n for s in self.steps for n in s.outputs)], "")
        return dict(enumerate((step for step in self.steps for _ in _lines(step, names)), 2))


def _lines(step: Step, names: Mapping[str, str]) -> list[str]:
    """What a step is in the code: at most three lines."""
    made = _listed(step.outputs, names)
    lines = [f"    {made} = _{names[step.outputs[0]]}({_listed(step.inputs, names)})"]
    if len(step.outputs) == 1:
        # A function of several outputs may have one of them only, in a tuple.
        lines.append(f"    if type({made}) is tuple: {made}, = {made}")
    if step.last:
        lines.append(f"    del {_listed(step.last, names)}")
    return lines


def _listed(values: Sequence[str], names: Mapping[str, str]) -> str:
    return ", ".join([names[value] for value in values])


@functools.lru_cache(maxsize=64)
def _compiled(source: str) -> CodeType:
    """The code of the function that `source` defines."""
    module = compile(source, "<mxnova program>", "exec")
    (code,) = (c for c in module.co_consts if isinstance(c, CodeType))
    return code


def _renamed(code: CodeType, numbers: Mapping[str, str]) -> CodeType:
    """`code` with the names that its values and functions have by `numbers`."""
    names = {number: name for name, number in numbers.items()}
    names |= {f"_{number}": f"_{name}" for name, number in numbers.items()}
    return code.replace(
        co_names=tuple([names.get(n, n) for n in code.co_names]),
        co_varnames=tuple([names[n] for n in code.co_varnames]),
    )


_files = itertools.count()


class _Code:
    """Code whose lines tracebacks of what operators raise show.

    Attributes:
        file: what tracebacks call it.
        code: what is run.
    """

    def __init__(self, source: str, code: CodeType) -> None:
        self.file = f"<mxnova program {next(_files)}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[self.file] = (len(source), None, lines, self.file)
        self.code = code.replace(co_filename=self.file)

    def __del__(self, lines: dict[str, Any] = linecache.cache) -> None:
        lines.pop(self.file, None)  # bound above: at exit the module's names are gone


# Of graphs that are there; one in training and in inference has the same source, as a rule.
_CODES: WeakValueDictionary[str, _Code] = WeakValueDictionary()


def lower(
    symbol: Symbol, variables: Sequence[Node], runner: Callable[[Node, Op, Context], Runner],
    contexts: Mapping[Node, Context],
) -> Lowered:  # fmt: skip
    """The steps of `symbol`.

    Args:
        symbol: what to compute.
        variables: its inputs, in the order of the arguments; some may be unused.
        runner: gives what a node runs.
        contexts: where each node runs.
    """
    names = FreeNames(("tuple", "type"))  # The generated code calls these functions.
    values = {Entry(v, 0): names.free(to_identifier(v.name)) for v in variables}
    arguments = list(values.values())
    drafts: list[tuple[Node, Op, tuple[str, ...], tuple[str, ...]]] = []
    for node in symbol.nodes:
        if node.op is None:
            continue
        inputs = tuple(values[e] for e in node.inputs)
        outputs = tuple(names.free(to_identifier(n)) for n in array_names(node))
        values.update((Entry(node, i), n) for i, n in enumerate(outputs))
        drafts.append((node, node.op, inputs, outputs))
    results = [values[e] for e in symbol.entries]
    last = _last_uses([(i, o) for _, _, i, o in drafts], results)
    steps = [
        Step(node, op, contexts[node], runner(node, op, contexts[node]), ins, outs, gone)
        for (node, op, ins, outs), gone in zip(drafts, last, strict=True)
    ]
    return Lowered(arguments, steps, results)


def array_names(node: Node) -> list[str]:
    """Names of all arrays that `node` gives, hidden ones included."""
    return [_array_name(node, i) for i in range(node.n_outputs())]


def _array_name(node: Node, output: int) -> str:
    if node.op is None:
        return node.name
    own = node.op.outputs()[output]
    return f"{node.name}_{own}" if node.name else own


def _last_uses(
    drafts: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], results: Sequence[str]
) -> list[tuple[str, ...]]:
    """For each step the values that neither a later step nor the caller needs."""
    needed = set(results)
    found = []
    for inputs, outputs in reversed(drafts):
        gone = tuple(dict.fromkeys(n for n in (*inputs, *outputs) if n not in needed))
        needed.update(inputs)
        found.append(gone)
    return found[::-1]
