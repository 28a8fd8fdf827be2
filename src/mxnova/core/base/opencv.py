# SPDX-License-Identifier: Apache-2.0
"""OpenCV, which only images need: it is an extra, and loaded when it is first used."""

from __future__ import annotations

from types import ModuleType

from .errors import MXNetError

__all__ = ["require_opencv"]


def require_opencv() -> ModuleType:
    """OpenCV.

    Raises:
        MXNetError: it is not installed; the text says how to install it.
    """
    try:
        import cv2
    except ImportError as error:
        raise MXNetError(f"images need OpenCV: pip install mxnova[image] ({error})") from None
    return cv2
