# SPDX-License-Identifier: Apache-2.0
"""Images turned around their middle, by bilinear sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from mxnova import ndarray as nd
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, argument_error

__all__ = ["imrotate", "random_rotate"]


def imrotate(
    src: nd.NDArray, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False
) -> nd.NDArray:
    """Rotate images; the size is kept, and pixels from outside are zero.

    Args:
        src: float32 (channels, height, width), or a batch of such.
        rotation_degrees: by how much; for a batch a number or one number for each image.
        zoom_in: enlarge, so that nothing comes in from outside.
        zoom_out: shrink, so that everything stays visible.

    Raises:
        ArgumentTypeError: another element type, or several angles for one image.
        ArgumentError: both zooms, another number of axes, or of angles than of images.

    Example:
        >>> mx.image.imrotate(mx.nd.ones((3, 6, 6)), 45).shape
        (3, 6, 6)
    """
    if zoom_in and zoom_out:
        raise ArgumentError("imrotate: zoom_in and zoom_out exclude each other")
    kind = np.dtype(src.dtype)
    if kind != np.float32:
        raise ArgumentTypeError(f"imrotate: src has elements of {kind}, must have float32")
    if src.ndim == 3:
        if not np.isscalar(rotation_degrees):
            raise ArgumentTypeError(
                f"imrotate: rotation_degrees is a {type(rotation_degrees).__name__}, "
                "must be a number for one image"
            )
        return imrotate(src.expand_dims(0), rotation_degrees, zoom_in, zoom_out)[0]
    if src.ndim != 4:
        raise ArgumentError(f"imrotate: src has {src.ndim} axes, must have 3, or 4 for a batch")
    angles = _angles(rotation_degrees, len(src))
    height, width = src.shape[2:]
    grid = _grid(angles, height, width, zoom_in, zoom_out)
    rotated: nd.NDArray = nd.BilinearSampler(src, nd.array(grid, ctx=src.context))
    return rotated


def _angles(degrees: Any, n_images: int) -> np.ndarray[Any, Any]:
    values = degrees.asnumpy() if isinstance(degrees, nd.NDArray) else np.asarray(degrees)
    if values.ndim and len(values) != n_images:
        raise ArgumentError(f"imrotate: {len(values)} angles were given for {n_images} images")
    return np.deg2rad(np.broadcast_to(values.astype(np.float64), (n_images,)))


def _grid(
    angles: np.ndarray[Any, Any], height: int, width: int, zoom_in: bool, zoom_out: bool
) -> np.ndarray[Any, Any]:
    """Where each pixel of the results comes from, from -1 to 1 along each axis: (n, 2, h, w)."""
    cos, sin = (f(angles)[:, None, None] for f in (np.cos, np.sin))
    half_height, half_width = (height - 1) / 2, (width - 1) / 2
    y, x = np.mgrid[:height, :width] - np.array([half_height, half_width])[:, None, None]
    scale = np.ones_like(cos)
    if zoom_in or zoom_out:
        # The frame around the turned image, by the image's size.
        wider = abs(cos) + abs(sin) * height / width
        higher = abs(sin) * width / height + abs(cos)
        scale = np.maximum(wider, higher) if zoom_out else 1 / np.maximum(wider, higher)
    columns, rows = scale * (x * cos - y * sin), scale * (x * sin + y * cos)
    return np.stack([columns / (half_width or 1), rows / (half_height or 1)], axis=1)


def random_rotate(
    src: nd.NDArray,
    angle_limits: tuple[float, float],
    zoom_in: bool = False,
    zoom_out: bool = False,
) -> nd.NDArray:
    """`imrotate` by an angle that NumPy's generator draws, for each image another.

    Args:
        src: as for `imrotate`.
        angle_limits: bounds of the angle in degrees.
        zoom_in: as for `imrotate`.
        zoom_out: as for `imrotate`.

    Example:
        >>> mx.image.random_rotate(mx.nd.ones((3, 6, 6)), (-10, 10)).shape
        (3, 6, 6)
    """
    try:
        low, high = angle_limits
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            str(argument_error("random_rotate", "angle_limits", angle_limits, "must be two angles"))
        ) from None
    size = len(src) if src.ndim == 4 else None
    return imrotate(src, np.random.uniform(low, high, size=size), zoom_in, zoom_out)
