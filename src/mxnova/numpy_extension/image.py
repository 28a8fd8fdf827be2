# SPDX-License-Identifier: Apache-2.0
"""Images with NumPy's semantics."""

from typing import Any

from ..core.base.doors import leave
from ..core.facade import operator_names
from ..ndarray.numpy_extension import image as _operators
from ..util import is_np_array

__all__ = ["is_np_array"]


_FUNCTIONS = (  # of mx.image, which follow the semantics in force
    "CreateAugmenter", "CreateDetAugmenter", "CreateMultiRandCropAugmenter", "center_crop",
    "color_normalize", "copyMakeBorder", "fixed_crop", "imdecode", "imread", "imresize", "imrotate",
    "random_crop", "random_rotate", "random_size_crop", "resize_short", "scale_down",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    try:
        if name in _FUNCTIONS:
            from .. import image  # OpenCV comes with it

            return getattr(image, name)
        return getattr(_operators, name)
    except Exception as error:
        leave(error)
        raise


def __dir__() -> list[str]:
    return sorted({*operator_names("_npx__image_"), *_FUNCTIONS, "is_np_array"})
