# SPDX-License-Identifier: Apache-2.0
"""Source coordinates of resized axes, in all of ONNX's modes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .site import RefusalError

__all__ = ["Geometry", "matrix", "nearest"]


@dataclass(frozen=True)
class Geometry:
    """How an image is resized.

    Attributes:
        mode: nearest, linear or cubic.
        where: how coordinates are transformed.
        rounding: which pixel is the nearest.
        cubic: the coefficient of cubic interpolation.
    """

    mode: str
    where: str
    rounding: str
    cubic: float = -0.75

    @property
    def repeats(self) -> bool:
        """Whether a whole scale repeats pixels."""
        if self.mode != "nearest":
            return False
        if self.where == "asymmetric":
            return self.rounding == "floor"
        return self.where == "half_pixel" and self.rounding.startswith("round")


def _places(before: int, size: int, scale: float, geometry: Geometry) -> np.ndarray:
    """For each pixel its coordinate in the image before."""
    x = np.arange(size, dtype=np.float64)
    if geometry.where == "asymmetric":
        return x / scale
    if geometry.where == "align_corners":
        return x * (before - 1) / (before * scale - 1) if before * scale > 1 else x * 0
    if geometry.where == "half_pixel" or (geometry.where == "pytorch_half_pixel" and size > 1):
        return (x + 0.5) / scale - 0.5
    if geometry.where == "pytorch_half_pixel":
        return x * 0
    if geometry.where == "half_pixel_symmetric":
        center = before / 2 * (1 - size / (before * scale))
        return center + (x + 0.5) / scale - 0.5
    raise RefusalError(f"attribute coordinate_transformation_mode={geometry.where}")


_ROUNDING: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5), "floor": np.floor, "ceil": np.ceil,
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
}  # fmt: skip


def nearest(before: int, size: int, scale: float, geometry: Geometry) -> np.ndarray:
    """For each pixel the one that it is a copy of."""
    if geometry.rounding not in _ROUNDING:
        raise RefusalError(f"attribute nearest_mode={geometry.rounding}")
    places = _ROUNDING[geometry.rounding](_places(before, size, scale, geometry))
    clipped: np.ndarray = np.clip(places, 0, before - 1).astype(np.int64)
    return clipped


def matrix(before: int, size: int, scale: float, geometry: Geometry) -> np.ndarray:
    """Weights (size, before) of the pixels before; those beyond the edge count for the edge."""
    places = _places(before, size, scale, geometry)
    first = np.floor(places)
    offsets = (0, 1) if geometry.mode == "linear" else (-1, 0, 1, 2)
    found, rows = np.zeros((size, before)), np.arange(size)
    for offset in offsets:
        distance = np.abs(places - first - offset)
        weights = 1 - distance if geometry.mode == "linear" else _cubic(distance, geometry.cubic)
        columns = np.clip(first + offset, 0, before - 1).astype(np.int64)
        np.add.at(found, (rows, columns), weights)
    return found


def _cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """Keys' kernel."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))
