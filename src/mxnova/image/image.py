# SPDX-License-Identifier: Apache-2.0
"""Images, under MXNet's name of the module."""

from __future__ import annotations

from ..core.base.doors import facade
from .augmenter import Augmenter, RandomOrderAug, SequentialAug
from .augmenters import (
    CastAug,
    CenterCropAug,
    CreateAugmenter,
    ForceResizeAug,
    HorizontalFlipAug,
    RandomCropAug,
    RandomSizedCropAug,
    ResizeAug,
)
from .color_augmenters import (
    BrightnessJitterAug,
    ColorJitterAug,
    ColorNormalizeAug,
    ContrastJitterAug,
    HueJitterAug,
    LightingAug,
    RandomGrayAug,
    SaturationJitterAug,
)
from .cropping import (
    center_crop,
    color_normalize,
    fixed_crop,
    random_crop,
    random_size_crop,
    scale_down,
)
from .iterators import ImageIter
from .reading import (
    _get_interp_method,
    copyMakeBorder,
    imdecode,
    imread,
    imresize,
    resize_short,
)
from .rotation import imrotate, random_rotate

__all__ = [
    "Augmenter",
    "BrightnessJitterAug",
    "CastAug",
    "CenterCropAug",
    "ColorJitterAug",
    "ColorNormalizeAug",
    "ContrastJitterAug",
    "CreateAugmenter",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "HueJitterAug",
    "ImageIter",
    "LightingAug",
    "RandomCropAug",
    "RandomGrayAug",
    "RandomOrderAug",
    "RandomSizedCropAug",
    "ResizeAug",
    "SaturationJitterAug",
    "SequentialAug",
    "_get_interp_method",
    "center_crop",
    "color_normalize",
    "copyMakeBorder",
    "fixed_crop",
    "imdecode",
    "imread",
    "imresize",
    "imrotate",
    "random_crop",
    "random_rotate",
    "random_size_crop",
    "resize_short",
    "scale_down",
]


facade(__name__)
