# SPDX-License-Identifier: Apache-2.0
"""OpenCV, which only images need: it is an extra, and loaded when it is first used."""

from __future__ import annotations

import os
import sys
from types import ModuleType

from . import env
from .errors import MXNetError

__all__ = ["require_opencv"]


_OPENCV_LIMIT = "OPENCV_IO_MAX_IMAGE_PIXELS"


def require_opencv() -> ModuleType:
    """Import OpenCV and return it, with MXNOVA_IMAGE_MAX_PIXELS as the limit of its decoders.

    Raises:
        MXNetError: OpenCV is not installed; the message contains the command that installs it.
    """
    try:
        if "cv2" in sys.modules or _OPENCV_LIMIT in os.environ:
            import cv2
        else:
            # OpenCV reads the variable once, while it is loaded. Child processes do not need it.
            os.environ[_OPENCV_LIMIT] = str(env.get("MXNOVA_IMAGE_MAX_PIXELS"))
            try:
                import cv2
            finally:
                os.environ.pop(_OPENCV_LIMIT, None)
    except ImportError as error:
        raise MXNetError(f"images need OpenCV: pip install mxnova[image] ({error})") from None
    return cv2
