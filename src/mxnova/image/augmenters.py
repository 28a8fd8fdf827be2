# SPDX-License-Identifier: Apache-2.0
"""Augmenters: what is done to an image before it is trained with, as objects that can be listed.

Images are (height, width, channels). Random numbers come from Python's generator unless it says
otherwise.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from mxnova import ndarray as nd
from mxnova.core.base.errors import AssertedError

from ..core.base.doors import door
from .augmenter import Augmenter
from .color_augmenters import (
    ColorJitterAug,
    ColorNormalizeAug,
    HueJitterAug,
    LightingAug,
    RandomGrayAug,
)
from .cropping import center_crop, random_crop, random_size_crop
from .reading import _get_interp_method, imresize, resize_short

__all__ = [
    "CastAug",
    "CenterCropAug",
    "CreateAugmenter",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "RandomCropAug",
    "RandomSizedCropAug",
    "ResizeAug",
    "imagenet_components",
    "statistic",
]

_Size = tuple[int, int]


# Sizes --------------------------------------------------------------------------------------------


class ResizeAug(Augmenter):
    """`resize_short`.

    Args:
        size: the length of the shorter side.
        interp: how pixels between pixels are found: 0 nearest, 1 linear, 2 area, 3 cubic, 4
            Lanczos; 9 and 10 choose.

    Example:
        >>> mx.image.ResizeAug(2)(mx.nd.ones((4, 4, 3), dtype="uint8")).shape
        (2, 2, 3)
    """

    def __init__(self, size: int, interp: int = 2):
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(Augmenter):
    """The image brought to (width, height).

    Args:
        size: (width, height) of the result.
        interp: how pixels between pixels are found: 0 nearest, 1 linear, 2 area, 3 cubic, 4
            Lanczos; 9 and 10 choose.

    Example:
        >>> mx.image.ForceResizeAug((2, 2))(mx.nd.ones((4, 4, 3), dtype="uint8")).shape
        (2, 2, 3)
    """

    def __init__(self, size: _Size, interp: int = 2):
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        sizes = (*src.shape[:2], self.size[1], self.size[0])
        return imresize(src, *self.size, interp=_get_interp_method(self.interp, sizes))


class RandomCropAug(Augmenter):
    """`random_crop`.

    Args:
        size: (width, height) of the result.
        interp: how pixels between pixels are found: 0 nearest, 1 linear, 2 area, 3 cubic, 4
            Lanczos; 9 and 10 choose.

    Example:
        >>> mx.image.RandomCropAug((2, 2))(mx.nd.ones((4, 4, 3), dtype="uint8")).shape
        (2, 2, 3)
    """

    def __init__(self, size: _Size, interp: int = 2):
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        return random_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """`random_size_crop`.

    Args:
        size: (width, height) of the result.
        area: the least share of the image, or (least, largest).
        ratio: (least, largest) ratio of width to height.
        interp: how pixels between pixels are found: 0 nearest, 1 linear, 2 area, 3 cubic, 4
            Lanczos; 9 and 10 choose.
        **kwargs: ``min_area``, the old name of `area`.

    Example:
        >>> mx.image.RandomSizedCropAug((2, 2), 0.5, (0.9, 1.1))(
        ...     mx.nd.ones((8, 8, 3), dtype="uint8"),
        ... ).shape
        (2, 2, 3)
    """

    def __init__(
        self,
        size: _Size,
        area: float | tuple[float, float],
        ratio: tuple[float, float],
        interp: int = 2,
        **kwargs: Any,
    ):
        area = kwargs.pop("min_area", area)
        if kwargs:
            raise AssertedError(f"RandomSizedCropAug: there are no arguments {', '.join(kwargs)}")
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.size, self.area, self.ratio, self.interp = size, area, ratio, interp

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class CenterCropAug(Augmenter):
    """`center_crop`.

    Args:
        size: (width, height) of the result.
        interp: how pixels between pixels are found: 0 nearest, 1 linear, 2 area, 3 cubic, 4
            Lanczos; 9 and 10 choose.

    Example:
        >>> mx.image.CenterCropAug((2, 2))(mx.nd.ones((4, 4, 3), dtype="uint8")).shape
        (2, 2, 3)
    """

    def __init__(self, size: _Size, interp: int = 2):
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        return center_crop(src, self.size, self.interp)[0]


class HorizontalFlipAug(Augmenter):
    """Left and right exchanged, with probability `p`.

    Args:
        p: the probability.

    Example:
        >>> mx.image.HorizontalFlipAug(0.5)(mx.nd.ones((4, 4, 3))).shape
        (4, 4, 3)
    """

    def __init__(self, p: float):
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        return nd.flip(src, axis=1) if random.random() < self.p else src


class CastAug(Augmenter):
    """Cast to another dtype.

    Args:
        typ: the element type.

    Example:
        >>> mx.image.CastAug()(mx.nd.ones((4, 4, 3), dtype="uint8")).dtype
        <class 'numpy.float32'>
    """

    def __init__(self, typ: Any = "float32"):
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: nd.NDArray) -> nd.NDArray:
        return src.astype(self.typ)


# Lists of them ------------------------------------------------------------------------------------

_IMAGENET_MEAN = (123.68, 116.28, 103.53)
_IMAGENET_STD = (58.395, 57.12, 57.375)
_IMAGENET_EIGENVALUES = (55.46, 4.794, 1.148)
_IMAGENET_EIGENVECTORS = (
    (-0.5675, 0.7192, 0.4009),
    (-0.5808, -0.0045, -0.8140),
    (-0.5836, -0.6948, 0.4203),
)


@door
def CreateAugmenter(  # noqa: N802 - MXNet's name
    data_shape: tuple[int, int, int],
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """The usual augmenters for images to train with.

    Args:
        data_shape: (channels, height, width) of the results.
        resize: bring the shorter side to this length first; 0: don't.
        rand_crop: cut a random part instead of the middle.
        rand_resize: a part of random size and proportions; needs `rand_crop`.
        rand_mirror: exchange left and right of half of the images.
        mean: three numbers to subtract; True: those of ImageNet.
        std: three numbers to divide by; True: those of ImageNet.
        brightness: see BrightnessJitterAug.
        contrast: see ContrastJitterAug.
        saturation: see SaturationJitterAug.
        hue: see HueJitterAug.
        pca_noise: see LightingAug, with the components of ImageNet.
        rand_gray: the probability of gray.
        inter_method: see `_get_interp_method`.

    Example:
        >>> len(mx.image.CreateAugmenter((3, 4, 4), rand_mirror=True))
        3
    """
    if rand_resize and not rand_crop:
        raise AssertedError("CreateAugmenter: rand_resize=True: needs rand_crop=True")
    size = (data_shape[2], data_shape[1])
    chosen: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    if rand_resize:
        chosen.append(RandomSizedCropAug(size, 0.08, (3.0 / 4.0, 4.0 / 3.0), inter_method))
    else:
        chosen.append((RandomCropAug if rand_crop else CenterCropAug)(size, inter_method))
    if rand_mirror:
        chosen.append(HorizontalFlipAug(0.5))
    chosen.append(CastAug())
    if brightness or contrast or saturation:
        chosen.append(ColorJitterAug(brightness, contrast, saturation))
    if hue:
        chosen.append(HueJitterAug(hue))
    if pca_noise > 0:
        chosen.append(LightingAug(pca_noise, *imagenet_components()))
    if rand_gray > 0:
        chosen.append(RandomGrayAug(rand_gray))
    mean, std = statistic("mean", mean), statistic("std", std)
    if mean is not None or std is not None:
        chosen.append(ColorNormalizeAug(mean, std))
    return chosen


@door
def imagenet_components() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Eigenvalues and eigenvectors of the colors of ImageNet."""
    return np.array(_IMAGENET_EIGENVALUES), np.array(_IMAGENET_EIGENVECTORS)


@door
def statistic(name: str, value: Any, array: Callable[[Any], Any] = nd.array) -> Any:
    """Return the `mean` or `std` for normalization; True selects that of ImageNet, as `array`."""
    if value is True:
        return array(_IMAGENET_MEAN if name == "mean" else _IMAGENET_STD)
    if value is not None and np.shape(value) not in ((1,), (3,)):
        raise AssertedError(f"CreateAugmenter: {name}={value!r}: must be 1 or 3 numbers")
    return value
