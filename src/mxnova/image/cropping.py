# SPDX-License-Identifier: Apache-2.0
"""Parts of images. Sizes are (width, height); places are (x, y, width, height).

Random numbers come from Python's generator, in MXNet's order: the same seed, the same places.
"""

from __future__ import annotations

import math
import random
from typing import Any

from mxnova import ndarray as nd
from mxnova.core.base.errors import AssertedError

from ..core.base.doors import door
from ..core.base.user_warnings import warn_user
from .reading import _get_interp_method, imresize

__all__ = [
    "center_crop",
    "color_normalize",
    "fixed_crop",
    "random_crop",
    "random_size_crop",
    "scale_down",
]

_Size = tuple[int, int]
_Place = tuple[int, int, int, int]


@door
def scale_down(src_size: _Size, size: _Size) -> _Size:
    """`size` made smaller, in proportion, until it fits into `src_size`.

    Args:
        src_size: (width, height) of the image.
        size: (width, height) that is wanted.

    Example:
        >>> mx.image.scale_down((6, 6), (8, 4))
        (6, 3)
    """
    src_width, src_height = src_size
    width, height = map(float, size)
    if height > src_height:
        width, height = width * src_height / height, src_height
    if width > src_width:
        width, height = src_width, height * src_width / width
    return int(width), int(height)


@door
def fixed_crop(
    src: nd.NDArray, x0: int, y0: int, w: int, h: int, size: _Size | None = None, interp: int = 2
) -> nd.NDArray:
    """A part of an image.

    Args:
        src: an image.
        x0: first column.
        y0: first row.
        w: number of columns.
        h: number of rows.
        size: bring the part to this (width, height).
        interp: see `_get_interp_method`.

    Example:
        >>> mx.image.fixed_crop(mx.nd.ones((6, 6, 3), dtype="uint8"), 1, 1, 4, 4).shape
        (4, 4, 3)
    """
    part = src[y0 : y0 + h, x0 : x0 + w]
    if size is None or (w, h) == tuple(size):
        return part
    interp = _get_interp_method(interp, (h, w, size[1], size[0]))
    return imresize(part, *size, interp=interp)


@door
def random_crop(src: nd.NDArray, size: _Size, interp: int = 2) -> tuple[nd.NDArray, _Place]:
    """A random part of an image, as large as `size` or as fits, brought to `size`; its place.

    Args:
        src: the image (height, width, channels).
        size: (width, height) of the result.
        interp: how pixels between pixels are found: 0 nearest, 1 linear, 2 area, 3 cubic, 4
            Lanczos; 9 and 10 choose.

    Example:
        >>> cropped, place = mx.image.random_crop(mx.nd.ones((6, 6, 3), dtype="uint8"), (4, 4))
        >>> cropped.shape
        (4, 4, 3)
    """
    height, width = src.shape[:2]
    w, h = scale_down((width, height), size)
    x0, y0 = random.randint(0, width - w), random.randint(0, height - h)
    return fixed_crop(src, x0, y0, w, h, size, interp), (x0, y0, w, h)


@door
def center_crop(src: nd.NDArray, size: _Size, interp: int = 2) -> tuple[nd.NDArray, _Place]:
    """The middle of an image, as large as `size` or as fits, brought to `size`; its place.

    Args:
        src: the image (height, width, channels).
        size: (width, height) of the result.
        interp: how pixels between pixels are found: 0 nearest, 1 linear, 2 area, 3 cubic, 4
            Lanczos; 9 and 10 choose.

    Example:
        >>> cropped, place = mx.image.center_crop(mx.nd.ones((6, 6, 3), dtype="uint8"), (4, 4))
        >>> cropped.shape
        (4, 4, 3)
    """
    height, width = src.shape[:2]
    w, h = scale_down((width, height), size)
    x0, y0 = (width - w) // 2, (height - h) // 2
    return fixed_crop(src, x0, y0, w, h, size, interp), (x0, y0, w, h)


_ATTEMPTS = 10


@door
def random_size_crop(
    src: nd.NDArray,
    size: _Size,
    area: float | tuple[float, float],
    ratio: tuple[float, float],
    interp: int = 2,
    **kwargs: Any,
) -> tuple[nd.NDArray, _Place]:
    """A part of random size and proportions, brought to `size`; its place.

    Where ten random parts don't fit into the image, it is the middle.

    Args:
        src: an image.
        size: (width, height) of the result.
        area: bounds of the part's share of the image's area; a number: up to the whole image.
        ratio: bounds of its width by its height.
        interp: see `_get_interp_method`.
        **kwargs: `min_area`, the former name of `area`.

    Example:
        >>> cropped, place = mx.image.random_size_crop(
        ...     mx.nd.ones((6, 6, 3), dtype="uint8"),
        ...     (4, 4),
        ...     0.5,
        ...     (0.9, 1.1),
        ... )
        >>> cropped.shape
        (4, 4, 3)
    """
    if "min_area" in kwargs:
        warn_user("min_area is now area", DeprecationWarning)
        area = kwargs.pop("min_area")
    if kwargs:
        raise AssertedError(f"random_size_crop: there are no arguments {', '.join(kwargs)}")
    height, width = src.shape[:2]
    low, high = area if isinstance(area, (tuple, list)) else (area, 1.0)
    log_ratio = math.log(ratio[0]), math.log(ratio[1])
    for _ in range(_ATTEMPTS):
        target = random.uniform(low, high) * height * width
        proportion = math.exp(random.uniform(*log_ratio))
        w, h = round(math.sqrt(target * proportion)), round(math.sqrt(target / proportion))
        if w <= width and h <= height:
            x0, y0 = random.randint(0, width - w), random.randint(0, height - h)
            return fixed_crop(src, x0, y0, w, h, size, interp), (x0, y0, w, h)
    return center_crop(src, size, interp)


@door
def color_normalize(src: nd.NDArray, mean: Any, std: Any = None) -> nd.NDArray:
    """`src`, of which `mean` has been subtracted and which `std` has divided, in place.

    Args:
        src: an image of floats.
        mean: a number or array; or None.
        std: a number or array; or None.

    Example:
        >>> mx.image.color_normalize(
        ...     mx.nd.full((1, 1, 3), 5),
        ...     mx.nd.ones(3),
        ...     mx.nd.full(3, 2),
        ... ).asnumpy().ravel()
        array([2., 2., 2.], dtype=float32)
    """
    if mean is not None:
        src -= mean
    if std is not None:
        src /= std
    return src
