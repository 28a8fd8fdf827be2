# SPDX-License-Identifier: Apache-2.0
"""Running a program for training passes: recorded, so that gradients can be computed."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...base import env
from ...graph.symbol import Symbol
from ...runtime.profiler import PROFILER
from .. import backends
from ..passes.definition import Target
from ..passes.pipeline import TRAINING as TRAINING_PASSES
from ..passes.pipeline import enabled, rewritten
from ..program.interpreter import Observer
from ..program.lowering import Lowered
from ..program.program import TRAINING, Mode, Program, execute

__all__ = ["Training"]


class Training:
    """A program as it runs in training; any number of threads may run it.

    Args:
        program: the program.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        passes = enabled() if env.get("MXNOVA_FUSE") else frozenset[str]()
        mirrors = bool(env.get("MXNET_BACKWARD_DO_MIRROR"))
        self._target = Target(program.facts, passes, mirrors=mirrors)

    def run(
        self,
        values: Sequence[Any],
        observers: Sequence[Observer] = (),
        heads_apart: bool = False,
    ) -> Sequence[Any]:
        """The outputs and what `Program.recorded` has further.

        Who watches sees the nodes of the graph as it was given.

        Args:
            values: of the program's variables, in order.
            observers: who watches.
            heads_apart: whether losses at the heads may give a `Loss` each; where somebody watches
                they give tensors that autograd knows.
        """
        if observers or PROFILER.symbolic:
            return self._program.run(values, TRAINING, observers)
        return execute(self._with_heads_apart if heads_apart else self._recorded, values)

    @functools.cached_property
    def _recorded(self) -> Lowered:
        return self._lowered(TRAINING)

    @functools.cached_property
    def _with_heads_apart(self) -> Lowered:
        return self._lowered(TRAINING._replace(heads_apart=True))

    def _lowered(self, mode: Mode) -> Lowered:
        program = self._program.recorded
        symbol = self._symbol
        return program.lowered(mode) if symbol is program.symbol else program.lower(symbol, mode)

    @functools.cached_property
    def _symbol(self) -> Symbol:
        symbol = backends.for_training(self._program.recorded)
        return rewritten(TRAINING_PASSES, symbol, self._target)
