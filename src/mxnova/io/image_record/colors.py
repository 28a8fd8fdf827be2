# SPDX-License-Identifier: Apache-2.0
"""Random changes of colors, drawn first and done later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.base.opencv import require_opencv
from ...core.base.std_random import StdRandom

__all__ = ["steps"]

Image = Any
Step = Callable[[Image], Image]


def steps(draw: StdRandom, p: SimpleNamespace) -> list[Step]:
    """Draw the color augmentation steps of an image."""
    found: list[Step] = []
    if p.brightness or p.contrast or p.saturation:
        found += _jitter(draw, p)
    if p.random_h or p.random_s or p.random_l:
        found.append(_hls(draw, p))
    if p.pca_noise:
        found.append(_pca(draw, p.pca_noise))
    return found


def _jitter(draw: StdRandom, p: SimpleNamespace) -> list[Step]:
    changes = [
        (p.brightness, _brightness),
        (p.contrast, _contrast),
        (p.saturation, _saturation),
    ]
    factors = [draw.uniform(-strength, strength) + 1 for strength, _ in changes]
    order = [0, 1, 2]
    draw.shuffle(order)
    return [partial(changes[i][1], factor=factors[i]) for i in order]


def _brightness(image: Image, factor: float) -> Image:
    return require_opencv().addWeighted(image, factor, image, 0, 0)


def _contrast(image: Image, factor: float) -> Image:
    cv2 = require_opencv()
    mean = cv2.mean(_gray(image))[0]
    return cv2.addWeighted(image, factor, image, 0, (1 - factor) * mean)


def _saturation(image: Image, factor: float) -> Image:
    cv2 = require_opencv()
    gray = cv2.cvtColor(_gray(image), cv2.COLOR_GRAY2BGR)
    return cv2.addWeighted(image, factor, gray, 1 - factor, 0)


def _gray(image: Image) -> Image:
    """With red's weight for blue and blue's for red, as in MXNet."""
    cv2 = require_opencv()
    return cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)


# Krizhevsky et al., 2012: eigenvectors of ImageNet's colors times their deviations, RGB.
_EIGENVECTORS = np.array(
    [
        [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
        [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
        [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
    ]
)


def _pca(draw: StdRandom, deviation: float) -> Step:
    alphas = [deviation * alpha for _ in range(2) for alpha in draw.normals()][:3]
    shift = (_EIGENVECTORS @ alphas)[::-1]
    return lambda image: np.clip(image + shift, 0, 255).astype(np.uint8)


def _hls(draw: StdRandom, p: SimpleNamespace) -> Step:
    by = [int((2 * _leaning(draw) - 1) * most) for most in (p.random_h, p.random_s, p.random_l)]
    shift, limit = np.array([by[0], by[2], by[1]]), np.array([180, 255, 255])
    cv2 = require_opencv()

    def turn(image: Image) -> Image:
        hls = cv2.cvtColor(image, cv2.COLOR_BGR2HLS)
        hls = np.clip(hls + shift, 0, limit).astype(np.uint8)
        return cv2.cvtColor(hls, cv2.COLOR_HLS2BGR)

    return turn


def _leaning(draw: StdRandom) -> float:
    """A number from 0 to 1, of two draws as MXNet makes it."""
    first, second = draw.canonical(), draw.canonical()
    return 0.2 * first + 0.8 * second
