# SPDX-License-Identifier: Apache-2.0
"""The backend that measures the others once and remembers which was the fastest."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf, prod
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ...base import env
from ...base.machine_load import is_busy, waited
from ...base.shapes import is_known
from ...graph.node import Node, written_variables
from ...graph.symbol import Symbol
from ...runtime.context import wait_for
from ..program.fingerprint import identity
from .choices import Choices
from .request import DEFAULT, PRECISIONS, lowest_precision, marked

if TYPE_CHECKING:
    from ..program.program import Program

__all__ = ["Auto"]

_log = logging.getLogger("mxnova")
_SECONDS = 0.3  # of a measurement, if each candidate ran once in it
_TURNS = 3  # of each candidate, if its runs are short
# Smaller graphs run in some microseconds by any backend, so that 0.3 s of measuring never pay.
_MIN_OPERATORS = 5
_MOST_WAITING = 0.1  # of the time that measuring takes: more, and others wanted the cores


class Auto:
    """The backend.

    Args:
        backends: the others, by name.
        choose: who compiles a program; see `backends.choose`.
    """

    name = "auto"

    def __init__(self, backends: Mapping[str, Any], choose: Callable[[Any], Any]) -> None:
        self._backends = backends
        self._choose = choose
        self.choices = Choices()
        self._found: dict[str, str] = {}  # by this process

    def unavailable(self) -> str | None:
        """It can always be used."""
        return None

    def precisions(self) -> tuple[str, ...]:
        """The default backend's."""
        return PRECISIONS

    def supports(self, program: Program) -> bool:
        """Where there is something to choose from."""
        return len(self._candidates(program)) > 1

    def parameters(self, symbol: Symbol) -> set[str]:
        """What any candidate would use."""
        found: set[str] = set()
        for name, backend in self._backends.items():
            if name in env.get("MXNOVA_AUTO_BACKENDS").split() and name != self.name:
                found |= backend.parameters(marked(symbol, name))
        return found

    def refusals(self, program: Program, constants: Mapping[str, Tensor]) -> dict[Node, str]:
        """None: what another backend leaves, that one explains."""
        return {}

    def compile_training(self, program: Program) -> Symbol:
        """The symbol as it is: what trains is not measured."""
        return program.symbol

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """The symbol as the fastest candidate rewrites it; measures where `measure` did not."""
        name, form = self._decided(program, lambda: constants)
        return self._compiled(program, name, constants) if form is None else form

    def measure(self, program: Program, constants: Mapping[str, Tensor]) -> None:
        """Finds the fastest candidate, so that `compile` need not.

        Args:
            program: the program.
            constants: values of inputs that stay, by name; others of their shapes would do.
        """
        self._decided(program, lambda: _initialized(constants))

    def chosen(self, program: Program) -> str:
        """The name of what was the fastest; the default backend's where nothing was measured."""
        names = self._candidates(program)
        return self._known(identity(program, names), names) or DEFAULT

    def _known(self, key: str, names: Sequence[str]) -> str | None:
        known = self._found.get(key) or self.choices.find(key)
        return known if known in names else None

    def _decided(
        self, program: Program, given: Callable[[], Mapping[str, Tensor]]
    ) -> tuple[str, Symbol | None]:
        """The name of the fastest candidate, and what it makes of the program if that is known.

        Args:
            program: the program.
            given: values of inputs that stay; asked for only where something is measured.
        """
        names = self._candidates(program)
        key = identity(program, names)
        known = self._known(key, names)
        if known is not None:
            return known, None
        if not all(is_known(facts.shape) for facts in program.facts.inputs.values()):
            return DEFAULT, None
        constants = given()
        forms = {name: self._compiled(program, name, constants) for name in names}
        seconds, is_quiet = self._seconds(program, forms, constants)
        best = self._found[key] = min(seconds, key=lambda name: seconds[name])
        if is_quiet:
            self.choices.keep(key, best, seconds)
        return best, forms[best]

    def _seconds(
        self, program: Program, forms: Mapping[str, Symbol], constants: Mapping[str, Tensor]
    ) -> tuple[dict[str, float], bool]:
        """Seconds of a run by name, and whether nobody else wanted the cores meanwhile."""
        with _streams_kept(program):
            for make in (_normal, torch.ones):
                inputs = _inputs(program, constants, make)
                made = {n: _runner(program, form, inputs) for n, form in forms.items()}
                runners = _that_run(made)
                if runners:
                    break
            else:  # an operator refuses ones, too
                return {DEFAULT: 0.0}, False
            start, waiting = time.perf_counter(), waited()
            seconds = measured(runners)
            waiting = waited() - waiting
            is_quiet = waiting < _MOST_WAITING * (time.perf_counter() - start) and not is_busy()
        return seconds, is_quiet

    def _candidates(self, program: Program) -> list[str]:
        """Return the names of the backends to measure: the default one first.

        Only installed backends that support the program are included, and none for tiny graphs.
        """
        found = [DEFAULT]
        if program.is_small and _count_operators(program) < _MIN_OPERATORS:
            return found
        precision = lowest_precision(program.symbol)
        for name in env.get("MXNOVA_AUTO_BACKENDS").split():
            backend = self._backends.get(name)
            if backend is not None and name != self.name and not backend.unavailable():
                is_able = precision in backend.precisions() and backend.supports(program)
                found += [name] if is_able else []
        return found

    def _compiled(self, program: Program, name: str, constants: Mapping[str, Tensor]) -> Symbol:
        symbol = marked(program.symbol, name, lowest_precision(program.symbol))
        asking = program.rewritten(symbol)
        backend = self._choose(asking)
        return asking.symbol if backend is None else backend.compile(asking, constants)


def _count_operators(program: Program) -> int:
    return sum(node.op is not None for node in program.symbol.nodes)


def _inputs(
    program: Program, constants: Mapping[str, Tensor], make: Callable[..., Tensor]
) -> list[Tensor]:
    """Values to measure with.

    Args:
        program: the program, whose shapes are known.
        constants: values of inputs that stay.
        make: makes the others.
    """
    written = written_variables(program.symbol.nodes)
    found = []
    for variable in program.variables:
        facts = program.facts.inputs[variable.name]
        value = constants.get(variable.name)
        shape: Any = facts.shape
        if value is None:
            value = make(shape, dtype=facts.dtype, device=program.facts.context.device)
        found.append(value.clone() if variable in written else value)
    return found


def _initialized(constants: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """The constants; others where all are 0, as in an executor whose parameters are set later."""
    if any(value.any() for value in constants.values()):
        return constants
    made = {}
    for name, value in constants.items():
        is_vector = value.dim() < 2  # such as variances, which are above 0
        make = torch.ones if is_vector else _normal
        made[name] = make(value.shape, dtype=value.dtype, device=value.device)
        if not is_vector and value.is_floating_point():
            made[name] /= max(prod(value.shape[1:]), 1) ** 0.5  # sums stay of the size of the data
    return made


def _normal(shape: Sequence[int], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Standard normal numbers; of other types than floats ones.

    Branches on data cost nothing where they are predicted, as on ones: with ONNX Runtime's PReLU a
    network of MTCNN takes 1.9 times as long on these numbers.
    """
    if not dtype.is_floating_point:
        return torch.ones(shape, dtype=dtype, device=device)
    generator = torch.Generator().manual_seed(0)
    return torch.randn(tuple(shape), generator=generator).to(device, dtype)


@contextmanager
def _streams_kept(program: Program) -> Iterator[None]:
    """A block after which random streams go on as if nothing had been drawn in it."""
    streams = [program.facts.stream(c) for c in program.drawing_contexts]
    states = [(s, s.get_state()) for s in streams if s is not None]
    try:
        yield
    finally:
        for stream, state in states:
            stream.set_state(state)


def _runner(program: Program, symbol: Symbol, inputs: Sequence[Tensor]) -> Callable[[], Any]:
    function, context = program.lower(symbol).function, program.facts.context

    def run() -> None:
        function(*inputs)
        wait_for(context)

    return run


def _that_run(runners: Mapping[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """Those that run without an error, made ready by that; none where the default one fails."""
    found, failed = {}, {}
    with torch.no_grad():
        for name, run in runners.items():
            try:
                run()
                found[name] = run
            except Exception as reason:  # noqa: BLE001 - whatever a runtime raises
                failed[name] = reason
    if DEFAULT not in found:  # an operator refuses the numbers
        return {}
    for name, why in failed.items():
        _log.warning("auto: %s cannot run a graph: %s", name, why)
    return found


def measured(runners: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """The least seconds of a run of each, in turns, so that what else happens hits all alike.

    A turn has several runs where there is time: idle threads of the runtime before it look for work
    for some milliseconds, on the cores that the first run needs.
    """
    found = dict.fromkeys(runners, inf)
    with torch.no_grad():
        end = time.perf_counter() + _SECONDS
        while inf in found.values() or time.perf_counter() < end:
            for name, run in runners.items():
                found[name] = min(found[name], _turn(run, _SECONDS / _TURNS / len(runners)))
    return found


def _turn(run: Callable[[], Any], seconds: float) -> float:
    """The least seconds of a run, of those that begin within `seconds`."""
    least, begin = inf, time.perf_counter()
    while least == inf or time.perf_counter() < begin + seconds:
        start = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - start)
    return least
