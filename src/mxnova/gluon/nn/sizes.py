# SPDX-License-Identifier: Apache-2.0
"""Sizes and layouts that layers of one, two and three dimensions are made with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import numeric_types
from ...core.base.errors import AssertedError, shown

Size = int | Sequence[int]


def each(size: Any, dimensions: int) -> Any:
    """A number as a tuple with one for each dimension; anything else as it is."""
    return (size,) * dimensions if isinstance(size, numeric_types) else size


def checked_size(layer: object, name: str, size: Any, dimensions: int) -> Any:
    size = each(size, dimensions)
    if len(size) != dimensions:
        raise AssertedError(
            f"{type(layer).__name__}: {name}={shown(size)}: expected a number or "
            f"{dimensions} of them, got {len(size)}"
        )
    return size


def check_layout(layer: object, layout: Any, allowed: Sequence[str]) -> None:
    if layout not in allowed:
        raise AssertedError(
            f"{type(layer).__name__}: layout={shown(layout)}: must be {' or '.join(allowed)}"
        )


def default(size: int, dimensions: int) -> Any:
    return size if dimensions == 1 else (size,) * dimensions
