# SPDX-License-Identifier: Apache-2.0
"""From an image's bytes to a batch's elements: channels in front, mirrored, normalized."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.base.errors import argument_error
from ...core.base.opencv import require_opencv
from ...core.base.std_random import StdRandom

__all__ = ["Normalization", "Plain"]

Image = Any
Fill = Callable[[Image, np.ndarray], None]


class Normalization:
    """Floats: ``(pixel - mean) * scale * contrast + illumination``, by ``std``.

    Args:
        params: those of `ImageRecord`.
        mean: an image to subtract; None: the means of channels.
        is_random: whether random numbers are drawn.
    """

    dtype = "float32"

    def __init__(
        self, params: SimpleNamespace, mean: np.ndarray | None = None, is_random: bool = True
    ) -> None:
        p = self._params = params
        n_channels = params.data_shape[0]
        names = "rgba"[:n_channels]
        means = [getattr(p, f"mean_{c}") for c in names]
        self._mean: np.ndarray | None = np.array(means, np.float32)
        if mean is not None:
            self._mean = mean
        elif not np.any(self._mean):
            self._mean = None
        std = np.array([getattr(p, f"std_{c}") for c in names], np.float32)
        std[std == 0] = 1
        self._factor = np.float32(p.scale) / std
        self._std = std
        self._is_random = is_random

    def draw(self, random: StdRandom) -> Fill:
        """Draw the normalization of one image, and return the function that applies it."""
        p = self._params
        if not self._is_random:
            return partial(self._fill, False, self._factor, np.zeros_like(self._std))
        mirror = _mirror(p, random)
        contrast = np.float32(1 + random.uniform(-1, 1) * p.max_random_contrast)
        light = np.float32(random.uniform(-1, 1) * p.max_random_illumination * p.scale)
        return partial(self._fill, mirror, self._factor * contrast, light / self._std)

    def _fill(
        self, mirror: bool, factor: np.ndarray, light: np.ndarray, image: Image, out: np.ndarray
    ) -> None:
        for channel, plane in enumerate(_planes(image, mirror)):
            row = out[channel]
            row[...] = plane
            if self._mean is not None:
                row -= self._mean[channel]
            if factor[channel] != 1:
                row *= factor[channel]
            if light[channel]:
                row += light[channel]


class Plain:
    """Bytes as they are; in int8 all beyond 127 are 127.

    Args:
        params: those of `ImageRecord`.
        dtype: uint8 or int8.
    """

    def __init__(self, params: SimpleNamespace, dtype: str) -> None:
        self._params, self.dtype = params, dtype

    def draw(self, random: StdRandom) -> Fill:
        """Draw the normalization of one image, and return the function that applies it."""
        mirror = _mirror(self._params, random)

        def fill(image: Image, out: np.ndarray) -> None:
            for channel, plane in enumerate(_planes(image, mirror)):
                out[channel] = plane if self.dtype == "uint8" else np.minimum(plane, 127)

        return fill


def _mirror(p: SimpleNamespace, random: StdRandom) -> bool:
    return (p.rand_mirror and random.coin()) or p.mirror


def _planes(image: Image, mirror: bool) -> list[np.ndarray]:
    """The channels, red first."""
    cv2 = require_opencv()
    planes = list(cv2.split(image))
    if len(planes) >= 3:
        planes[0], planes[2] = planes[2], planes[0]
    return [cv2.flip(plane, 1) for plane in planes] if mirror else planes


def check_channels(name: str, params: SimpleNamespace) -> None:
    """Refuses shapes that are not (channels, height, width)."""
    if len(params.data_shape) != 3 or min(params.data_shape) < 1:
        text = "must be (channels, height, width)"
        raise argument_error(name, "data_shape", params.data_shape, text)
