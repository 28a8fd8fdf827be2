# SPDX-License-Identifier: Apache-2.0
"""Backends: each rewrites programs for the kernels that it knows.

A backend is registered under a name. Nodes may ask for one by name (`request`); what is left, and
all of a graph that asks for none, goes to the first of the default ones that supports it. To add
one, write a module with an object that has the methods of `Backend`, and `register` it here.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from torch import Tensor

from ...base import env
from ...base.errors import MXNetError, UnknownNameError, candidates
from ...graph.node import Node
from ...graph.symbol import Symbol
from ...runtime.context import Context
from ..program.program import Program
from .aten import Aten
from .auto import Auto
from .conversion.model_backend import ModelBackend
from .cudagraph import CudaGraph
from .inductor import Inductor
from .onednn import OneDNN
from .onnxruntime import ONNXRuntime
from .openvino import OpenVINO, OpenVINOStreams
from .request import DEFAULT, lowest_precision, wanted

__all__ = [
    "BACKENDS",
    "BY_NAME",
    "Backend",
    "Chain",
    "choose",
    "chosen",
    "for_training",
    "is_worth_measuring",
    "measure",
    "named",
    "names",
    "register",
    "warn_of_precision",
]

_log = logging.getLogger("mxnova")


class Backend(Protocol):
    """Rewrites programs for inference."""

    def supports(self, program: Program) -> bool:
        """Whether it has something to do with `program`."""

    def parameters(self, symbol: Symbol) -> set[str]:
        """Names of the inputs whose values it would use."""

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """The rewritten symbol of `program`, of the same variables.

        Args:
            program: what to rewrite; it stays as it is.
            constants: values of inputs that stay, by name.
        """


class NamedBackend(Backend, Protocol):
    """A backend that runs what asks for it."""

    name: str

    def unavailable(self) -> str | None:
        """Why it cannot be used here; None where it can."""

    def precisions(self) -> tuple[str, ...]:
        """What it lets products be computed in here, of `request.PRECISIONS`."""

    def refusals(self, program: Program, constants: Mapping[str, Tensor]) -> dict[Node, str]:
        """Why it leaves nodes that ask for it."""

    def compile_training(self, program: Program) -> Symbol:
        """The symbol of `program` as it runs in training; as it is where it compiles none."""


BACKENDS: dict[str, Backend] = {}
BY_NAME: dict[str, NamedBackend] = {}


def register(name: str, backend: Backend) -> None:
    """Makes `backend` one of those that every program is shown to; later ones are asked later."""
    BACKENDS[name] = backend


def names() -> list[str]:
    """Names of the backends that may be asked for."""
    return [DEFAULT, *BY_NAME]


def is_worth_measuring(context: Context) -> bool:
    """Whether `auto` may choose something else there: CUDA graphs, OpenVINO or ONNX Runtime."""
    wished = env.get("MXNOVA_AUTO_BACKENDS").split()
    if context.device.type == "cuda":
        return CudaGraph.name in wished
    runtimes = (b for b in BY_NAME.values() if isinstance(b, ModelBackend) and b.name in wished)
    return any(not runtime.unavailable() for runtime in runtimes)


def named(name: str) -> NamedBackend | None:
    """The backend of a name; None for the default ones.

    Raises:
        UnknownNameError: there is none.
        MXNetError: it cannot be used here; the text says what is missing.
    """
    if name == DEFAULT:
        return None
    if name not in BY_NAME:
        raise UnknownNameError(f"there is no backend {name!r}{candidates(name, names())}")
    reason = BY_NAME[name].unavailable()
    if reason is not None:
        raise MXNetError(f"backend {name!r}: {reason}")
    return BY_NAME[name]


class Chain:
    """Several backends, each of which gets what those before it have made."""

    def __init__(self, stages: Sequence[Any]) -> None:
        self.stages = stages

    def supports(self, program: Program) -> bool:
        """Whether one of them has something to do."""
        return any(stage.supports(program) for stage in self.stages)

    def parameters(self, symbol: Symbol) -> set[str]:
        """What any of them would use."""
        return set().union(*(stage.parameters(symbol) for stage in self.stages))

    def compile(self, program: Program, constants: Mapping[str, Tensor]) -> Symbol:
        """What is left when all have rewritten it."""
        for stage in self.stages:
            if stage.supports(program):
                program = program.rewritten(stage.compile(program, constants))
        return program.symbol


def choose(program: Program) -> Backend | None:
    """Who compiles `program`: the backends that its nodes ask for, then a default one.

    Raises:
        MXNetError: one of them does not compute in the precision that is asked for.
    """
    default = next((b for b in BACKENDS.values() if b.supports(program)), None)
    asked = [b for b in map(_usable, wanted(program.symbol)) if b and b.supports(program)]
    precision = lowest_precision(program.symbol)
    for backend in asked:
        _check_precision(backend, precision)
    if not asked:
        return default
    return Chain([*asked, *([] if default is None else [default])])


def warn_of_precision(program: Program, backend: Backend | None) -> None:
    """Warns where products are asked for in a type that they are not computed in.

    Args:
        program: the program.
        backend: who compiles it.
    """
    if lowest_precision(program.symbol) == "float32":
        return
    if program.facts.on_gpu:
        _log.warning("a GPU computes in the types of the arrays: cast these to bfloat16")
    elif backend is None:
        _log.warning("nothing is computed in bfloat16: no operator here has a kernel for it")


def measure(program: Program, constants: Mapping[str, Tensor]) -> None:
    """Lets `auto` choose now, where nodes ask for it, so that no run has to wait for that.

    Args:
        program: the program.
        constants: values of inputs that stay, by name.
    """
    if "auto" in wanted(program.symbol) and _AUTO.supports(program):
        _AUTO.measure(program, constants)


def chosen(program: Program) -> str:
    """The backend that `auto` has found to be the fastest for `program`."""
    return _AUTO.chosen(program)


def _check_precision(backend: NamedBackend, precision: str) -> None:
    if precision not in backend.precisions():
        text = f"it computes in {', '.join(backend.precisions())} here"
        raise MXNetError(f"backend {backend.name!r}: precision={precision!r}: {text}")


def for_training(program: Program) -> Symbol:
    """The symbol of `program` as the backends that its nodes ask for run it in training."""
    for backend in map(_usable, wanted(program.symbol)):
        if backend is not None and backend.supports(program):
            program = program.rewritten(backend.compile_training(program))
    return program.symbol


def _usable(name: str) -> NamedBackend | None:
    """The backend of a name that a graph brings along, which may be made for another machine."""
    try:
        return named(name)
    except MXNetError as reason:
        _log.warning("%s; nodes that ask for it run as others do", reason)
        return None


register(DEFAULT, Aten())
BY_NAME["onednn"] = OneDNN()
BY_NAME["openvino"] = OpenVINO()
BY_NAME["openvino-streams"] = OpenVINOStreams()
BY_NAME["onnxruntime"] = ONNXRuntime()
BY_NAME["inductor"] = Inductor()
BY_NAME["cudagraph"] = CudaGraph()
BY_NAME["auto"] = _AUTO = Auto(BY_NAME, lambda program: choose(program))
