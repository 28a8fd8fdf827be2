# SPDX-License-Identifier: Apache-2.0
"""Images: reading, resizing, cropping, augmentation."""

from __future__ import annotations

from . import image
from .image import *  # noqa: F403
from .image import __all__ as _names

__all__ = ["image", *(name for name in _names if not name.startswith("_"))]
