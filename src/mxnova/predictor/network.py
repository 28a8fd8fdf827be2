# SPDX-License-Identifier: Apache-2.0
"""What a predictor runs: a network with its parameters, at some shapes of its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..core.base.dtypes import DType
from ..core.base.errors import ArgumentError, candidates

__all__ = ["Array", "Network", "Steps", "unknown_input"]

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Steps(Protocol):
    """A run of a network node by node.

    Attributes:
        count: number of nodes, variables included.
    """

    count: int

    def run(self, index: int) -> None:
        """Runs a node; they are run in order."""

    def results(self) -> list[Any]:
        """The outputs, when all have run."""


class Network(Protocol):
    """A network; any number of threads may run it. Values are of its own kind.

    Attributes:
        inputs: names of its inputs.
        missing: names of variables that have no values, and that outputs depend on.
        output_names: names of its outputs.
        output_shapes: their shapes; None where they depend on the data.
    """

    inputs: tuple[str, ...]
    missing: Sequence[str]
    output_names: list[str]
    output_shapes: list[Shape | None]

    def input_facts(self, name: str) -> tuple[Shape, DType]:
        """Shape and element type of an input, or another variable that is no parameter."""

    def output_type(self, index: int) -> DType:
        """Element type of an output."""

    def value(self, name: str, data: Any, copied: bool) -> Any:
        """What is given for an input, in its shape and element type."""

    def run(self, fed: Mapping[str, Any], monitor: Any = None) -> list[Any]:
        """The outputs; inputs that are not fed are zeros."""

    def steps(self, fed: Mapping[str, Any], monitor: Any = None) -> Steps:
        """The same, node by node."""

    def array(self, value: Any, copy: bool) -> Array:
        """A value as NumPy's array."""

    def reshaped(self, shapes: Mapping[str, Sequence[int]]) -> Network:
        """The network at other shapes of all inputs; parameters are shared."""

    def explain(self) -> list[Any]:
        """Where each operator node runs, and why."""


def unknown_input(name: str, names: Sequence[str]) -> ArgumentError:
    """The error of a name that no input has."""
    return ArgumentError(f"Predictor: there is no input {name!r}{candidates(name, names)}")
