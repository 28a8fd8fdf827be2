# SPDX-License-Identifier: Apache-2.0
"""Sizes and layouts that layers of one, two and three dimensions are made with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import numeric_types
from ...core.base.errors import AssertedError, shown

Size = int | Sequence[int]


def each(size: Any, dimensions: int) -> Any:
    """A number as a tuple with one for each dimension; anything else as it is."""
    if not isinstance(size, numeric_types):
        return size
    return (size.item() if isinstance(size, np.generic) else size,) * dimensions


def checked_size(layer: object, name: str, size: Any, dimensions: int) -> Any:
    """`size`, a number or one for each dimension, as the latter."""
    size = each(size, dimensions)
    if len(size) != dimensions:
        raise AssertedError(
            f"{type(layer).__name__}: {name}={shown(size)}: expected a number or "
            f"{dimensions} of them, got {len(size)}"
        )
    return size


def check_layout(layer: object, layout: Any, allowed: Sequence[str]) -> None:
    """Raises AssertedError for a layout that `layer` does not have."""
    if layout not in allowed:
        raise AssertedError(
            f"{type(layer).__name__}: layout={shown(layout)}: must be {' or '.join(allowed)}"
        )


def default(size: int, dimensions: int) -> Any:
    """The default of an argument: MXNet's are numbers for one dimension, tuples for more."""
    return size if dimensions == 1 else (size,) * dimensions
