# SPDX-License-Identifier: Apache-2.0
"""How far two arrays are from each other, and whether that is rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.base.dtypes import widened

__all__ = ["Difference", "difference"]

Array = np.ndarray[Any, Any]
_PART = 1 << 15  # elements compared at a time, so that float64 stays in the cache
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
        seconds: how long the node took in the first model and in the second, where they tell.
    """

    name: str
    shape: str
    max_abs: float
    max_rel: float
    cosine: float
    rounding: float | None
    allowed: float
    seconds: tuple[float | None, float | None] = (None, None)

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
    apart = _compared(a, b)
    rounding = None
    if reference is not None and reference.shape == a.shape:
        rounding = _compared(a, reference).largest
    own = rounding if rounding is not None and math.isfinite(rounding) else 0.0
    # Where it is that large, float64 computes something else: other rows of a table, say.
    own = own if own <= 1e-3 * apart.scale else 0.0
    allowed = max(tolerance * apart.scale, _ROUNDING * own, steps, 1e-12)
    relative = apart.largest / apart.scale if apart.scale else apart.largest
    return Difference(name, str(a.shape), apart.largest, relative, apart.cosine, rounding, allowed)


@dataclass
class _Apart:
    """Sums over the elements of two arrays, taken a part at a time."""

    largest: float = 0.0  # difference
    scale: float = 0.0  # largest finite number of the first
    products: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of x and x, of y and y, of x and y
    are_same: bool = True

    @property
    def cosine(self) -> float:
        xx, yy, xy = self.products
        length = math.sqrt(xx) * math.sqrt(yy)
        value = xy / length if length else float(self.are_same)
        return value if math.isfinite(value) else 0.0


def _compared(a: Array, b: Array) -> _Apart:
    found = _Apart()
    flat_a, flat_b = widened(a).reshape(-1), widened(b).reshape(-1)
    for begin in range(0, flat_a.size, _PART):
        x, y = (v[begin : begin + _PART].astype(np.float64) for v in (flat_a, flat_b))
        with np.errstate(all="ignore"):
            _add(found, x, y)
    return found


def _add(found: _Apart, x: Array, y: Array) -> None:
    far = np.abs(x - y)
    largest = float(far.max())
    if not math.isfinite(largest):  # NaN and infinities are equal to themselves
        far[(x == y) | (np.isnan(x) & np.isnan(y))] = 0.0
        far[np.isnan(far)] = math.inf
        largest = float(far.max())
    sizes = np.abs(x)
    scale = float(sizes.max())
    if not math.isfinite(scale):
        scale = float(sizes[np.isfinite(sizes)].max(initial=0.0))
    found.largest, found.scale = max(found.largest, largest), max(found.scale, scale)
    found.are_same = found.are_same and largest == 0.0
    xx, yy, xy = found.products
    found.products = xx + float(x @ x), yy + float(y @ y), xy + float(x @ y)
