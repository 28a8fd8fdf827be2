# SPDX-License-Identifier: Apache-2.0
"""How far two arrays are from each other, and whether that is rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Difference", "difference"]

Array = np.ndarray[Any, Any]
_ROUNDING = 16  # times the error that the first model has itself, against float64


@dataclass(frozen=True)
class Difference:
    """Two values of one name.

    Attributes:
        name: of the node or output.
        shape: of the first, or of both as text where they differ.
        max_abs: the largest difference.
        max_rel: the largest difference, against the largest number.
        cosine: of the angle between both.
        rounding: what the first is off from float64, or None.
        allowed: how large `max_abs` may be.
    """

    name: str
    shape: str
    max_abs: float
    max_rel: float
    cosine: float
    rounding: float | None
    allowed: float

    @property
    def is_equal(self) -> bool:
        """Whether it is within what is allowed."""
        return self.max_abs <= self.allowed


def difference(
    name: str,
    a: Array,
    b: Array,
    reference: Array | None,
    tolerance: float,
    steps: float = 0.0,
) -> Difference:
    """How far `b` is from `a`.

    NaN and infinities are equal to themselves, and infinitely far from all else.

    Args:
        name: what they are called.
        a: of the first model.
        b: of the second.
        reference: the same in float64, or None.
        tolerance: how far they may be apart, against the largest number of `a`; what is a multiple
            of the first model's own rounding is allowed, too.
        steps: how far integers may be apart that real numbers were rounded to.
    """
    if a.shape != b.shape:
        shape = f"{a.shape} and {b.shape}"
        return Difference(name, shape, math.inf, math.inf, 0.0, None, 0.0)
    x, y = a.astype(np.float64), b.astype(np.float64)
    largest = _distance(x, y)
    finite = np.abs(x[np.isfinite(x)])
    scale = float(finite.max()) if finite.size else 0.0
    rounding = None
    if reference is not None and reference.shape == a.shape:
        rounding = _distance(x, reference.astype(np.float64))
    own = rounding if rounding is not None and math.isfinite(rounding) else 0.0
    # Where it is that large, float64 computes something else: other rows of a table, say.
    own = own if own <= 1e-3 * scale else 0.0
    allowed = max(tolerance * scale, _ROUNDING * own, steps, 1e-12)
    relative = largest / scale if scale else largest
    return Difference(name, str(a.shape), largest, relative, _cosine(x, y), rounding, allowed)


def _distance(x: Array, y: Array) -> float:
    if not x.size:
        return 0.0
    with np.errstate(all="ignore"):
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        far = np.where(same, 0.0, np.abs(x - y))
    far[np.isnan(far)] = math.inf
    return float(far.max())


def _cosine(x: Array, y: Array) -> float:
    with np.errstate(all="ignore"):
        length = math.sqrt(float((x * x).sum()) * float((y * y).sum()))
        value = float((x * y).sum()) / length if length else float(np.array_equal(x, y))
    return value if math.isfinite(value) else 0.0
