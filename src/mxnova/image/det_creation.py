# SPDX-License-Identifier: Apache-2.0
"""Lists of augmenters for detection, from the arguments of `ImageDetIter`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mxnova.core.base.errors import AssertedError

from .augmenter import Augmenter
from .augmenters import CastAug, ForceResizeAug, ResizeAug, imagenet_components, statistic
from .color_augmenters import (
    ColorJitterAug,
    ColorNormalizeAug,
    HueJitterAug,
    LightingAug,
    RandomGrayAug,
)
from .det_augmenters import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomCropAug,
    DetRandomPadAug,
    DetRandomSelectAug,
)

__all__ = ["CreateDetAugmenter", "CreateMultiRandCropAugmenter"]


def CreateMultiRandCropAugmenter(  # noqa: N802 - MXNet's name
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """Create a random choice of DetRandomCropAugs; each argument may be a list of values.

    Args:
        min_object_covered: see DetRandomCropAug.
        aspect_ratio_range: see DetRandomCropAug.
        area_range: see DetRandomCropAug.
        min_eject_coverage: see DetRandomCropAug.
        max_attempts: see DetRandomCropAug.
        skip_prob: the probability of none of them.

    Raises:
        AssertedError: lists of different lengths.

    Example:
        >>> type(mx.image.CreateMultiRandCropAugmenter()).__name__
        'DetRandomSelectAug'
    """
    columns = [min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts]
    columns = [column if isinstance(column, list) else [column] for column in columns]
    n = max(map(len, columns))
    if any(len(column) not in (1, n) for column in columns):
        lengths = [len(column) for column in columns]
        text = f"lists of {lengths} values: must have as many"
        raise AssertedError(f"CreateMultiRandCropAugmenter: {text}")
    rows: Iterable[Sequence[Any]] = zip(
        *(c * n if len(c) == 1 else c for c in columns), strict=True
    )
    return DetRandomSelectAug([DetRandomCropAug(*row) for row in rows], skip_prob)


def CreateDetAugmenter(  # noqa: N802 - MXNet's name
    data_shape: tuple[int, int, int],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    pad_val: Any = (127, 127, 127),
) -> list[DetAugmenter]:
    """The usual augmenters for images with boxes.

    Args:
        data_shape: (channels, height, width) of the results.
        resize: bring the shorter side to this length first; 0: don't.
        rand_crop: the probability of a random part.
        rand_pad: the probability of a frame around.
        rand_gray: the probability of gray.
        rand_mirror: exchange left and right of half of the images.
        mean: see CreateAugmenter.
        std: see CreateAugmenter.
        brightness: see BrightnessJitterAug.
        contrast: see ContrastJitterAug.
        saturation: see SaturationJitterAug.
        pca_noise: see LightingAug, with the components of ImageNet.
        hue: see HueJitterAug.
        inter_method: see `_get_interp_method`.
        min_object_covered: see DetRandomCropAug.
        aspect_ratio_range: see DetRandomCropAug and DetRandomPadAug.
        area_range: bounds of a part's area, and of a frame's, by the image's.
        min_eject_coverage: see DetRandomCropAug.
        max_attempts: see DetRandomCropAug.
        pad_val: see DetRandomPadAug.

    Example:
        >>> len(mx.image.CreateDetAugmenter((3, 4, 4), rand_mirror=0.5)) > 0
        True
    """
    chosen: list[DetAugmenter] = []

    def borrow(augmenter: Augmenter) -> None:
        chosen.append(DetBorrowAug(augmenter))

    if resize > 0:
        borrow(ResizeAug(resize, inter_method))
    if rand_crop > 0:
        chosen.append(
            CreateMultiRandCropAugmenter(
                min_object_covered,
                aspect_ratio_range,
                area_range,
                min_eject_coverage,
                max_attempts,
                skip_prob=1 - rand_crop,
            )
        )
    if rand_mirror > 0:
        chosen.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:
        pad = DetRandomPadAug(aspect_ratio_range, (1.0, area_range[1]), max_attempts, pad_val)
        chosen.append(DetRandomSelectAug([pad], 1 - rand_pad))
    borrow(ForceResizeAug((data_shape[2], data_shape[1]), inter_method))
    borrow(CastAug())
    if brightness or contrast or saturation:
        borrow(ColorJitterAug(brightness, contrast, saturation))
    if hue:
        borrow(HueJitterAug(hue))
    if pca_noise > 0:
        borrow(LightingAug(pca_noise, *imagenet_components()))
    if rand_gray > 0:
        borrow(RandomGrayAug(rand_gray))
    mean, std = statistic("mean", mean, np.array), statistic("std", std, np.array)
    if mean is not None or std is not None:
        borrow(ColorNormalizeAug(mean, std))
    return chosen
