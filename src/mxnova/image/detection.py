# SPDX-License-Identifier: Apache-2.0
"""Images with boxes, under MXNet's name of the module."""

from __future__ import annotations

from ..core.base.doors import facade
from .det_augmenters import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomCropAug,
    DetRandomPadAug,
    DetRandomSelectAug,
)
from .det_creation import CreateDetAugmenter, CreateMultiRandCropAugmenter
from .det_iterators import ImageDetIter
from .iterators import ImageIter  # noqa: F401 - taken from here, too
from .reading import copyMakeBorder

__all__ = [
    "CreateDetAugmenter",
    "CreateMultiRandCropAugmenter",
    "DetAugmenter",
    "DetBorrowAug",
    "DetHorizontalFlipAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
    "DetRandomSelectAug",
    "ImageDetIter",
    "copyMakeBorder",
]


facade(__name__)
