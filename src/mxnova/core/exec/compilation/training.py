# SPDX-License-Identifier: Apache-2.0
"""Running a program for training passes: recorded, so that gradients can be computed."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...base import env
from ...runtime.profiler import PROFILER
from .. import backends
from ..passes.definition import Target
from ..passes.pipeline import TRAINING as TRAINING_PASSES
from ..passes.pipeline import enabled, rewritten
from ..program.interpreter import Observer
from ..program.lowering import Lowered
from ..program.program import TRAINING, Program, execute

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

    def run(self, values: Sequence[Any], observers: Sequence[Observer] = ()) -> Sequence[Any]:
        """The outputs and what `Program.recorded` has further.

        Who watches sees the nodes of the graph as it was given.

        Args:
            values: of the program's variables, in order.
            observers: who watches.
        """
        if observers or PROFILER.symbolic:
            return self._program.run(values, TRAINING, observers)
        return execute(self._unwatched, values)

    @functools.cached_property
    def _unwatched(self) -> Lowered:
        program = self._program.recorded
        symbol = backends.for_training(program)
        symbol = rewritten(TRAINING_PASSES, symbol, self._target)
        is_same = symbol is program.symbol
        return program.lowered(TRAINING) if is_same else program.lower(symbol, TRAINING)
