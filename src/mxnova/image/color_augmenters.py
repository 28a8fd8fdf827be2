# SPDX-License-Identifier: Apache-2.0
"""Augmenters that change colors: they take floats, and most change them in place, as in MXNet."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from mxnova import ndarray as nd

from .augmenter import Augmenter, RandomOrderAug
from .cropping import color_normalize

__all__ = [
    "BrightnessJitterAug",
    "ColorJitterAug",
    "ColorNormalizeAug",
    "ContrastJitterAug",
    "HueJitterAug",
    "LightingAug",
    "RandomGrayAug",
    "SaturationJitterAug",
]

_GRAY = (0.299, 0.587, 0.114)


class BrightnessJitterAug(Augmenter):
    """Times ``1 ± brightness``, in place.

    Args:
        brightness: the largest change, as a share.

    Example:
        >>> mx.image.BrightnessJitterAug(0.1)(mx.nd.ones((4, 4, 3))).shape
        (4, 4, 3)
    """

    def __init__(self, brightness: float):
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        src *= 1.0 + random.uniform(-self.brightness, self.brightness)
        return src


class ContrastJitterAug(Augmenter):
    """Nearer to the mean of the gray image, or away from it, by ``± contrast``, in place.

    Args:
        contrast: the largest change, as a share.

    Example:
        >>> mx.image.ContrastJitterAug(0.1)(mx.nd.ones((4, 4, 3))).shape
        (4, 4, 3)
    """

    def __init__(self, contrast: float):
        super().__init__(contrast=contrast)
        self.contrast = contrast
        self.coef = nd.array([[_GRAY]])

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        factor = 1.0 + random.uniform(-self.contrast, self.contrast)
        mean = nd.sum(src * self.coef) / (src.shape[0] * src.shape[1])
        src *= factor
        src += (1.0 - factor) * mean
        return src


class SaturationJitterAug(Augmenter):
    """Nearer to the gray image, or away from it, by ``± saturation``, in place.

    Args:
        saturation: the largest change, as a share.

    Example:
        >>> mx.image.SaturationJitterAug(0.1)(mx.nd.ones((4, 4, 3))).shape
        (4, 4, 3)
    """

    def __init__(self, saturation: float):
        super().__init__(saturation=saturation)
        self.saturation = saturation
        self.coef = nd.array([[_GRAY]])

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        factor = 1.0 + random.uniform(-self.saturation, self.saturation)
        gray = nd.sum(src * self.coef, axis=2, keepdims=True)
        src *= factor
        src += (1.0 - factor) * gray
        return src


class HueJitterAug(Augmenter):
    """The hue turned by up to ``± hue`` half turns, in the color space YIQ.

    Args:
        hue: the largest change, as a share of half a turn.

    Example:
        >>> mx.image.HueJitterAug(0.1)(mx.nd.ones((4, 4, 3))).shape
        (4, 4, 3)
    """

    def __init__(self, hue: float):
        super().__init__(hue=hue)
        self.hue = hue
        self.tyiq = np.array([_GRAY, [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
        self.ityiq = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        angle = random.uniform(-self.hue, self.hue) * math.pi
        cos, sin = math.cos(angle), math.sin(angle)
        turn = np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])
        matrix = nd.array((self.ityiq @ turn @ self.tyiq).T, ctx=src.context)
        turned: nd.NDArray = nd.dot(src, matrix)
        return turned


class ColorJitterAug(RandomOrderAug):
    """Brightness, contrast and saturation changed in random order; zeros: not at all.

    Args:
        brightness: the largest change, as a share.
        contrast: the largest change, as a share.
        saturation: the largest change, as a share.

    Example:
        >>> mx.image.ColorJitterAug(0.1, 0.1, 0.1)(mx.nd.ones((4, 4, 3))).shape
        (4, 4, 3)
    """

    def __init__(self, brightness: float, contrast: float, saturation: float):
        changes: list[Augmenter] = []
        if brightness > 0:
            changes.append(BrightnessJitterAug(brightness))
        if contrast > 0:
            changes.append(ContrastJitterAug(contrast))
        if saturation > 0:
            changes.append(SaturationJitterAug(saturation))
        super().__init__(changes)


class LightingAug(Augmenter):
    """Shifted along the principal components of colors, in place.

    Krizhevsky, Sutskever, Hinton, "ImageNet classification with deep convolutional networks", 2012.

    Args:
        alphastd: standard deviation of the shifts, which NumPy's generator draws.
        eigval: eigenvalues of the covariance of colors.
        eigvec: its eigenvectors, in columns.

    Example:
        >>> mx.image.LightingAug(0.1, np.ones(3), np.eye(3))(mx.nd.ones((4, 4, 3))).shape
        (4, 4, 3)
    """

    def __init__(self, alphastd: float, eigval: Any, eigvec: Any):
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd, self.eigval, self.eigvec = alphastd, eigval, eigvec

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        alpha = np.random.normal(0, self.alphastd, size=(3,))
        src += nd.array(np.dot(self.eigvec * alpha, self.eigval), ctx=src.context)
        return src


class ColorNormalizeAug(Augmenter):
    """`color_normalize`, in place.

    Args:
        mean: is subtracted.
        std: by which is divided.

    Example:
        >>> mx.image.ColorNormalizeAug(mx.nd.ones(3), mx.nd.full(3, 2))(
        ...     mx.nd.full((1, 1, 3), 5),
        ... ).asnumpy().ravel()
        array([2., 2., 2.], dtype=float32)
    """

    def __init__(self, mean: Any, std: Any):
        super().__init__(mean=mean, std=std)
        self.mean = None if mean is None else nd.array(mean)
        self.std = None if std is None else nd.array(std)

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(Augmenter):
    """Gray in all three channels, with probability `p`.

    Args:
        p: the probability.

    Example:
        >>> mx.image.RandomGrayAug(0.5)(mx.nd.ones((4, 4, 3))).shape
        (4, 4, 3)
    """

    def __init__(self, p: float):
        super().__init__(p=p)
        self.p = p
        self.mat = nd.array([[0.21] * 3, [0.72] * 3, [0.07] * 3])

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        return nd.dot(src, self.mat) if random.random() < self.p else src
