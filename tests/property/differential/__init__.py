# SPDX-License-Identifier: Apache-2.0
"""Programs at random, in kinds, whose steps give the same on MXNet 1.9.1 and on mxnova.

`program(kind, number)` is a list of steps as source text; the number alone makes it. `runner` runs
programs on either, `compare` tells results apart.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from . import (
    array_programs,
    error_programs,
    extreme_programs,
    graph_programs,
    mixed_programs,
    numpy_programs,
    sparse_programs,
    training_programs,
)

__all__ = ["KINDS", "program"]

KINDS: dict[str, Callable[[Random], list[str]]] = {
    "arrays": array_programs.arrays,
    "indexing": array_programs.indexing,
    "views": array_programs.views,
    "errors": error_programs.errors,
    "sparse": sparse_programs.sparse,
    "numpy": numpy_programs.functions,
    "numpy_indexing": numpy_programs.indexing,
    "control_flow": graph_programs.control_flow,
    "symbols": graph_programs.symbols,
    "gluon": graph_programs.gluon,
    "mixed": mixed_programs.mixed,
    "optimizers": training_programs.optimizers,
    "metrics": training_programs.metrics,
    "losses": training_programs.losses,
    "initializers": training_programs.initializers,
    "iterators": training_programs.iterators,
    "extremes": extreme_programs.extremes,
}


def program(kind: str, number: int) -> list[str]:
    """Program `number` of a kind."""
    return KINDS[kind](Random(f"{kind} {number}"))
