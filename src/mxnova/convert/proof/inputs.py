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
# Integers may be pixels (8 bits), or lengths and positions, which are valid if they are small.
_BY_TYPE: dict[str, Range] = {
    "uint8": (0, 255, True), "int8": (-128, 127, True), "bool": (0, 1, True),
    "int32": (1, 2, True), "int64": (1, 2, True),
}  # fmt: skip
_LARGEST_INDEX = {"uint8": 256, "int8": 128, "float16": 2048, "bfloat16": 256}


def ranges_of(
    symbol: Symbol | None, types: Mapping[str, str], given: Mapping[str, Range]
) -> dict[str, Range]:
    """Return the range of each input: the given one, or one that suits its use and dtype.

    Args:
        symbol: the network; inputs that it reads as rows of a table get numbers of rows.
        types: dtypes of the inputs by name.
        given: ranges that replace the chosen ones.

    Raises:
        ArgumentError: `given` names no input.
    """
    for name in given:
        if name not in types:
            raise ArgumentError(f"--range: there is no input {name!r}{candidates(name, types)}")
    found = {name: _BY_TYPE.get(dtype, _USUAL) for name, dtype in types.items()}
    for node in symbol.nodes if symbol is not None else ():
        if node.op is not None and node.op.name == "Embedding":
            source = node.inputs[0].node
            while source.op is not None and source.op.name in ("Cast", "transpose", "SwapAxis"):
                source = source.inputs[0].node
            if source.name in found:
                rows = int(node.op.attr("input_dim"))
                largest = min(rows, _LARGEST_INDEX.get(types[source.name], rows)) - 1
                found[source.name] = (0, largest, True)
    return {**found, **given}


def feeds(
    shapes: Sequence[Mapping[str, tuple[int, ...]]],
    ranges: Mapping[str, Range],
    types: Mapping[str, str],
    seed: int,
) -> list[dict[str, np.ndarray[Any, Any]]]:
    """Return random inputs, a set for each set of shapes."""
    rng = np.random.default_rng(seed)
    return [
        {n: _random(rng, shape, ranges[n], _array_type(types[n])) for n, shape in of_one.items()}
        for of_one in shapes
    ]


def _array_type(dtype: str) -> np.dtype[Any]:
    # NumPy has no bfloat16, and models that were converted to float16 read float32, too.
    return np.dtype("float32" if dtype in ("bfloat16", "float16") else dtype)


def _random(
    rng: np.random.Generator, sizes: tuple[int, ...], of: Range, dtype: np.dtype[Any]
) -> np.ndarray[Any, Any]:
    low, high, whole = of
    if math.prod(sizes) > _MOST:
        raise ArgumentError(
            f"proof: random inputs of shape {sizes} take too much memory: give smaller sizes by "
            "--shape, or --no-prove"
        )
    if whole:
        return rng.integers(int(low), int(high) + 1, sizes).astype(dtype)
    return rng.uniform(low, high, sizes).astype(dtype)
