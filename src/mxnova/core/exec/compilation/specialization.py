# SPDX-License-Identifier: Apache-2.0
"""Running a program for inference, rewritten around inputs that stay as they are.

A backend may use the values of parameters: fold one operator into another, lay out weights for its
kernels. Who knows that they stay says so with `specialize`. Otherwise they are watched: tensors
have version counters, which every write increments, so the second run with the same parameters
makes the rewritten form, and the first run after a change returns to the plain one.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Sequence
from operator import is_
from typing import Any, NamedTuple

from torch import Tensor

from ...base.errors import MXNetError
from ...runtime.torch_api import version_of
from .. import backends
from ..backends.request import wanted
from ..program.lowering import Lowered
from ..program.program import INFERENCE, Program, execute
from .explanation import Placement, explained
from .training import Training

__all__ = ["Inference"]

_log = logging.getLogger("mxnova")


class _Special(NamedTuple):
    """What is known of the watched inputs; replaced as a whole, never changed.

    Attributes:
        tensors: the watched inputs as they were last seen.
        versions: how often they had been written to.
        lowered: the rewritten program; None until they are seen a second time.
    """

    tensors: tuple[Tensor, ...]
    versions: tuple[int, ...]
    lowered: Lowered | None

    def fits(self, tensors: Sequence[Tensor]) -> bool:
        """Whether nothing has been written to since."""
        are_same = all(map(is_, tensors, self.tensors))
        return are_same and self.versions == tuple(map(version_of, tensors))


class _Choice:
    """Who compiles a program, found out when somebody asks: training passes never do.

    Args:
        program: the program.
        constants: names of inputs that never change; None: any may.
    """

    def __init__(self, program: Program, constants: frozenset[str] | None) -> None:
        self._program = program
        self._constants = constants

    @functools.cached_property
    def backend(self) -> backends.Backend | None:
        """Who compiles it."""
        found = backends.choose(self._program)
        backends.warn_of_precision(self._program, found)
        return found

    @functools.cached_property
    def watched(self) -> list[int]:
        """Which inputs the backend uses the values of."""
        backend, used = self.backend, self._constants
        if backend is None:
            return []
        if used is None:
            used = frozenset(backend.parameters(self._program.symbol))
        return [i for i, v in enumerate(self._program.variables) if v.name in used]


class Inference:
    """A program as it runs outside training; any number of threads may run it.

    Args:
        program: the program.
        constants: names of inputs that never change; None: they are watched.
    """

    def __init__(self, program: Program, constants: frozenset[str] | None = None) -> None:
        self.program = program
        self.training = Training(program)
        self._choice = _Choice(program, constants)
        self._are_constant = constants is not None
        self._special: _Special | None = None
        self._lock = threading.Lock()

    def twin(self) -> Inference:
        """The same program for other inputs: what is found out of the graph is so once for all."""
        made: Inference = object.__new__(Inference)
        made.__dict__.update(self.__dict__, _special=None, _lock=threading.Lock())
        return made

    @property
    def _watched(self) -> list[int]:
        return self._choice.watched

    @property
    def watches(self) -> bool:
        """Whether it matters if others may write to the memory of inputs."""
        return bool(self._watched)

    def prepare(self, values: Sequence[Any], shared: bool = False) -> None:
        """Looks for the backends that nodes ask for, and lets `auto` measure: no later run does.

        Args:
            values: of the program's variables, in order.
            shared: others may write to the memory of some, so that nothing is rewritten.
        """
        if wanted(self.program.symbol) and not (shared and self._watched):
            backends.measure(self.program, self._constants_of(values))

    def _constants_of(self, values: Sequence[Any]) -> dict[str, Tensor]:
        """The watched inputs, by name."""
        return {self.program.variables[i].name: values[i] for i in self._watched}

    def specialize(self, values: Sequence[Any]) -> None:
        """Compiles the program now, rewritten around the parameters among `values`."""
        if self._watched:
            self._rewritten(tuple([values[i] for i in self._watched]))
        else:
            _ = self._unconditional

    def explain(self, values: Sequence[Any]) -> list[Placement]:
        """Where each node runs once the program is compiled for `values`, and why."""
        self.specialize(values)
        special = self._special
        lowered = None if special is None else special.lowered
        constants = self._constants_of(values)
        return explained(self.program, lowered or self._unconditional, constants)

    def run(self, values: Sequence[Any], shared: bool = False) -> Sequence[Any]:
        """The outputs.

        Args:
            values: of the program's variables, in order.
            shared: others may write to the memory of some, which no counter shows.
        """
        if not self._watched:
            return execute(self._unconditional, values)
        if shared:
            return self.program.run(values)
        special = self._special
        if self._are_constant and special is not None and special.lowered is not None:
            return execute(special.lowered, values)
        tensors = tuple([values[i] for i in self._watched])
        if special is None:
            self.prepare(values)
        if special is None or not special.fits(tensors):
            self._special = _seen(tensors, None)
            return self.program.run(values)
        return execute(special.lowered or self._rewritten(tensors), values)

    @functools.cached_property
    def _unconditional(self) -> Lowered:
        """The program of a backend that uses nobody's values."""
        return self._compiled(())

    def _rewritten(self, tensors: tuple[Tensor, ...]) -> Lowered:
        """The program around these parameters; one thread makes it, others wait for it."""
        with self._lock:
            special = self._special
            if special is not None and special.lowered is not None and special.fits(tensors):
                return special.lowered
            before = _seen(tensors, None)
            lowered = self._compiled(tensors)
            if before.fits(tensors):  # else somebody wrote to them meanwhile
                self._special = before._replace(lowered=lowered)
            return lowered

    def _compiled(self, tensors: Sequence[Tensor]) -> Lowered:
        program, backend = self.program, self._choice.backend
        if backend is None:
            return program.lowered(INFERENCE)
        names = [program.variables[i].name for i in self._watched]
        constants = dict(zip(names, tensors, strict=True))
        try:
            return program.lower(backend.compile(program, constants), INFERENCE)
        except MXNetError:
            raise
        except Exception as error:  # noqa: BLE001 - a defect of a pass, torch or a runtime
            _log.warning("%s cannot compile a graph, which runs unchanged: %r", backend, error)
            return program.lowered(INFERENCE)


def _seen(tensors: tuple[Tensor, ...], lowered: Lowered | None) -> _Special:
    return _Special(tensors, tuple(map(version_of, tensors)), lowered)
