# SPDX-License-Identifier: Apache-2.0
"""Pictures of ten textures, drawn by formulas: what small image networks learn within minutes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["CLASSES", "textures"]

Array = np.ndarray
Pattern = Callable[[Array, Array, np.random.Generator], Array]


def _stripes(u: Array, v: Array, rng: np.random.Generator) -> Array:
    return np.sin(u)


def _checks(u: Array, v: Array, rng: np.random.Generator) -> Array:
    return np.sign(np.sin(u) * np.sin(v))


def _dots(u: Array, v: Array, rng: np.random.Generator) -> Array:
    return np.where(np.sin(u) + np.sin(v) > 1, 1.0, -1.0)


def _rings(u: Array, v: Array, rng: np.random.Generator) -> Array:
    return np.sin(np.hypot(u - rng.uniform(-3, 3), v - rng.uniform(-3, 3)))


def _waves(u: Array, v: Array, rng: np.random.Generator) -> Array:
    return np.sin(u + 1.5 * np.sin(v))


_PATTERNS: tuple[Pattern, ...] = (_stripes, _checks, _dots, _rings, _waves)
_WAVELENGTHS = ((5.0, 8.0), (9.0, 14.0))  # pixels: fine, coarse

CLASSES = [f"{size}_{pattern.__name__[1:]}" for pattern in _PATTERNS for size in ("fine", "coarse")]


def textures(count: int, seed: int = 0, side: int = 64) -> tuple[Array, Array]:
    """Images (count, 3, side, side) from 0 to 1, float32, and their classes, float32.

    Angle, place, colors, contrast and noise are drawn anew for each image.

    Args:
        count: of images.
        seed: of random numbers.
        side: of an image, in pixels.
    """
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(CLASSES), count)
    images = np.stack([_image(label, rng, side) for label in labels])
    return images, labels.astype(np.float32)


def _image(label: int, rng: np.random.Generator, side: int) -> Array:
    angle = rng.uniform(0, np.pi)
    frequency = 2 * np.pi / rng.uniform(*_WAVELENGTHS[label % 2])
    y, x = np.mgrid[:side, :side] - side / 2
    u = frequency * (np.cos(angle) * x + np.sin(angle) * y) + rng.uniform(0, 2 * np.pi)
    v = frequency * (np.cos(angle) * y - np.sin(angle) * x) + rng.uniform(0, 2 * np.pi)
    pattern = _PATTERNS[label // 2](u, v, rng)[None]
    middle, contrast = rng.uniform(0.35, 0.65, (3, 1, 1)), rng.uniform(0.1, 0.3, (3, 1, 1))
    noise = rng.normal(0, rng.uniform(0.02, 0.1), (3, side, side))
    return np.clip(middle + contrast * pattern + noise, 0, 1).astype(np.float32)
