# SPDX-License-Identifier: Apache-2.0
"""Backends: each a module that rewrites programs for the kernels it knows.

A backend is registered under a name. The first one that supports a program is asked to compile it.
To add one, write a module with an object that has the methods of `Backend`, and `register` it here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from torch import Tensor

from ...graph.symbol import Symbol
from ..program import Program
from .convolution_fusion import ConvolutionFusion

__all__ = ["BACKENDS", "Backend", "choose", "register"]


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


BACKENDS: dict[str, Backend] = {}


def register(name: str, backend: Backend) -> None:
    """Makes `backend` known; later ones are asked later."""
    BACKENDS[name] = backend


def choose(program: Program) -> Backend | None:
    """The first backend that supports `program`."""
    return next((b for b in BACKENDS.values() if b.supports(program)), None)


register("onednn", ConvolutionFusion())
