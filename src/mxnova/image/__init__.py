# SPDX-License-Identifier: Apache-2.0
"""Images: reading, resizing, cropping, augmentation, iterators."""

from __future__ import annotations

from ..core.base.doors import facade
from . import detection, image
from . import detection as det
from .detection import *  # noqa: F403
from .detection import __all__ as _names_of_detection
from .image import *  # noqa: F403
from .image import __all__ as _names

__all__ = [
    "det",
    "detection",
    "image",
    *sorted({n for n in (*_names, *_names_of_detection) if not n.startswith("_")}),
]


facade(__name__)
