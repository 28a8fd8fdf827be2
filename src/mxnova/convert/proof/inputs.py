# SPDX-License-Identifier: Apache-2.0
"""What models are fed with to be compared: random numbers of fitting ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.base.errors import ArgumentError, candidates
from ...core.graph.symbol import Symbol

__all__ = ["Range", "feeds", "ranges_of"]

Range = tuple[float, float, bool]
"""The smallest number, the largest, and whether they are integers."""
_MOST = 1 << 26  # random numbers of an input
_USUAL: Range = (-1.0, 1.0, False)


def ranges_of(
    symbol: Symbol | None, names: Sequence[str], given: Mapping[str, Range]
) -> dict[str, Range]:
    """Of each input: what is given, the rows of a table that it picks, or from -1 to 1.

    Raises:
        ArgumentError: a name that is no input.
    """
    for name in given:
        if name not in names:
            raise ArgumentError(f"--range: there is no input {name!r}{candidates(name, names)}")
    found = dict.fromkeys(names, _USUAL)
    for node in symbol.nodes if symbol is not None else ():
        if node.op is not None and node.op.name == "Embedding":
            source = node.inputs[0].node
            while source.op is not None and source.op.name in ("Cast", "transpose", "SwapAxis"):
                source = source.inputs[0].node
            if source.name in found:
                found[source.name] = (0, int(node.op.attr("input_dim")) - 1, True)
    return {**found, **given}


def feeds(
    shapes: Sequence[Mapping[str, tuple[int, ...]]], ranges: Mapping[str, Range], seed: int
) -> list[dict[str, np.ndarray[Any, Any]]]:
    """Inputs of these shapes, one set after the other."""
    rng = np.random.default_rng(seed)
    return [
        {name: _random(rng, shape, ranges[name]) for name, shape in of_one.items()}
        for of_one in shapes
    ]


def _random(rng: np.random.Generator, sizes: tuple[int, ...], of: Range) -> np.ndarray[Any, Any]:
    low, high, whole = of
    if math.prod(sizes) > _MOST:
        raise ArgumentError(
            f"proof: random inputs of shape {sizes} take too much memory: give smaller sizes by "
            "--shape, or --no-prove"
        )
    if whole:
        return rng.integers(int(low), int(high) + 1, sizes).astype(np.float32)
    return rng.uniform(low, high, sizes).astype(np.float32)
