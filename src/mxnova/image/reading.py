# SPDX-License-Identifier: Apache-2.0
"""Images from files and bytes, and brought to other sizes. OpenCV does the work.

Images are arrays (height, width, channels), colors in the order RGB.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from mxnova import ndarray as nd
from mxnova.core.base.errors import ArgumentError, AssertedError, argument_error
from mxnova.ndarray import _internal
from mxnova.util import is_np_array

from ..core.base.doors import door

__all__ = ["copyMakeBorder", "imdecode", "imread", "imresize", "resize_short"]


def _of_front_end(image: nd.NDArray) -> nd.NDArray:
    """An image as one of `mx.np` where that is in force."""
    return image.as_np_ndarray() if is_np_array() else image


@door
def imread(filename: str, *args: Any, **kwargs: Any) -> nd.NDArray:
    """The image in a file: uint8 (height, width, channels).

    Args:
        filename: path of a JPEG, PNG or other file that OpenCV decodes.
        *args: `flag`: 1: three channels, 0: one gray channel; `to_rgb`: RGB, or BGR.
        **kwargs: the same, and `out`.

    Raises:
        MissingFileError: there is no such file.
        MXNetError: it holds no image.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "black.png")
        >>> _, png = mx.recordio.unpack(
        ...     mx.recordio.pack_img((0, 0, 0, 0), np.zeros((2, 3, 3), np.uint8), img_fmt=".png"),
        ... )
        >>> n_bytes = path.write_bytes(png)
        >>> mx.image.imread(str(path)).shape
        (2, 3, 3)
    """
    return _of_front_end(_internal._cvimread(filename, *args, **kwargs))


@door
def imdecode(buf: Any, *args: Any, **kwargs: Any) -> nd.NDArray:
    """The image in the bytes of a file: uint8 (height, width, channels).

    Args:
        buf: bytes, bytearray, or an array of uint8.
        *args: as for `imread`.
        **kwargs: as for `imread`.

    Raises:
        ArgumentError: `buf` is something else.
        MXNetError: there is no image in it.

    Example:
        >>> _, png = mx.recordio.unpack(
        ...     mx.recordio.pack_img((0, 0, 0, 0), np.zeros((2, 3, 3), np.uint8), img_fmt=".png"),
        ... )
        >>> mx.image.imdecode(png).shape
        (2, 3, 3)
    """
    if not isinstance(buf, nd.NDArray):
        if not isinstance(buf, (bytes, bytearray, np.ndarray)):
            raise ArgumentError(
                f"imdecode: buf is a {type(buf).__name__}, must be bytes or an array of uint8"
            )
        buf = nd.array(np.frombuffer(buf, np.uint8), dtype=np.uint8)
    return _of_front_end(_internal._cvimdecode(buf, *args, **kwargs))


@door
def imresize(src: nd.NDArray, w: int, h: int, *args: Any, **kwargs: Any) -> nd.NDArray:
    """An image of another size.

    Args:
        src: an image.
        w: new width.
        h: new height.
        *args: `interp`, see `_get_interp_method`; default: bilinear.
        **kwargs: the same, and `out`.

    Example:
        >>> mx.image.imresize(mx.nd.ones((6, 6, 3), dtype="uint8"), 4, 2).shape
        (2, 4, 3)
    """
    return _of_front_end(_internal._cvimresize(src, w, h, *args, **kwargs))


@door
def copyMakeBorder(  # noqa: N802 - OpenCV's name
    src: nd.NDArray, top: int, bot: int, left: int, right: int, *args: Any, **kwargs: Any
) -> nd.NDArray:
    """An image with a frame around it.

    Args:
        src: an image.
        top: height of the frame above.
        bot: height of the frame below.
        left: width of the frame on the left.
        right: width of the frame on the right.
        *args: `type`: what the frame holds, a color (0), the border's pixels (1), or the image
            mirrored (2, 4) or repeated (3); `value` or `values`: the color.
        **kwargs: the same, and `out`.

    Example:
        >>> mx.image.copyMakeBorder(mx.nd.ones((2, 2, 3), dtype="uint8"), 1, 1, 1, 1).shape
        (4, 4, 3)
    """
    return _of_front_end(_internal._cvcopyMakeBorder(src, top, bot, left, right, *args, **kwargs))


_NEAREST, _BILINEAR, _CUBIC, _AREA, _LANCZOS, _BY_SIZE, _ANY = 0, 1, 2, 3, 4, 9, 10


def _get_interp_method(interp: int, sizes: Sequence[int] = ()) -> int:
    """The interpolation that OpenCV is told.

    Args:
        interp: nearest pixel (0), bilinear (1), bicubic (2), mean of the area (3), Lanczos over 8
            pixels (4); by the sizes (9): bicubic to enlarge, area to shrink, else bilinear; any of
            the first five (10).
        sizes: old height and width, new height and width; without them 9 is bicubic.

    Raises:
        ArgumentError: there is no such interpolation.
    """
    if interp == _ANY:
        return random.randint(_NEAREST, _LANCZOS)
    if interp != _BY_SIZE:
        if not _NEAREST <= interp <= _LANCZOS:
            raise argument_error("interpolation", "interp", interp, "must be 0 to 4, 9 or 10")
        return interp
    if not sizes:
        return _CUBIC
    if len(sizes) != 4:
        raise AssertedError(f"interpolation: sizes={sizes}: must be 4: old and new height, width")
    old_height, old_width, height, width = sizes
    if height > old_height and width > old_width:
        return _CUBIC
    return _AREA if height < old_height and width < old_width else _BILINEAR


@door
def resize_short(src: nd.NDArray, size: int, interp: int = 2) -> nd.NDArray:
    """An image whose shorter side is `size` long, of the same proportions.

    Args:
        src: an image.
        size: the new length.
        interp: see `_get_interp_method`.

    Example:
        >>> mx.image.resize_short(mx.nd.ones((4, 8, 3), dtype="uint8"), 2).shape
        (2, 4, 3)
    """
    height, width = src.shape[:2]
    if height > width:
        new_height, new_width = size * height // width, size
    else:
        new_height, new_width = size, size * width // height
    interp = _get_interp_method(interp, (height, width, new_height, new_width))
    return imresize(src, new_width, new_height, interp=interp)
