# SPDX-License-Identifier: Apache-2.0
"""Image augmentation of ImageRecordIter.

Random numbers are drawn before anything is decoded, from the size in an image's header: what is
drawn does not depend on threads. `Augmentation.steps` draws them and gives what is to be done.

Images are (height, width, channels) of uint8, colors in OpenCV's order BGR.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.base import env
from ...core.base.errors import ArgumentError, argument_error
from ...core.base.opencv import require_opencv
from ...core.base.std_random import StdRandom
from ...formats.images import check_pixels
from . import colors

__all__ = ["Augmentation", "Drawing", "interpolation", "resized_short"]

Image = Any
Step = Callable[[Image], Image]

_LINEAR, _CUBIC, _AREA, _LANCZOS, _BY_SIZE, _ANY = 1, 2, 3, 4, 9, 10
_NO_LIMIT = np.float32(1e10)


def interpolation(method: int, old: tuple[int, int], new: tuple[int, int], draw: StdRandom) -> int:
    """OpenCV's number of a method, for sizes (height, width)."""
    if method == _BY_SIZE:
        if new[0] > old[0] and new[1] > old[1]:
            return _CUBIC
        return _AREA if new[0] < old[0] and new[1] < old[1] else _LINEAR
    return draw.integer(0, _LANCZOS) if method == _ANY else method


def resized_short(size: tuple[int, int], length: int) -> tuple[int, int]:
    """The (height, width) of an image whose shorter side becomes `length`."""
    height, width = size
    if height > width:
        return length * height // width, length
    return length, length * width // height


class Drawing:
    """The augmentation steps of one image, and its size after them."""

    def __init__(self, draw: StdRandom, size: tuple[int, int], method: int) -> None:
        self.draw, self.size, self.method = draw, size, method
        self.steps: list[Step] = []

    def resize(self, height: int, width: int, method: int | None = None) -> None:
        """Resize the image."""
        if method is None:
            method = interpolation(self.method, self.size, (height, width), self.draw)
        cv2 = require_opencv()
        self.steps.append(lambda image: cv2.resize(image, (width, height), interpolation=method))
        self.size = height, width

    @property
    def size(self) -> tuple[int, int]:
        """(height, width) after the steps so far.

        Raises:
            ArgumentError: at setting: they are more than images may have.
        """
        return self._size

    @size.setter
    def size(self, size: tuple[int, int]) -> None:
        check_pixels("ImageRecordIter", *size[::-1], env.get("MXNOVA_IMAGE_MAX_PIXELS"))
        self._size = size

    def resize_short(self, length: int) -> None:
        """The shorter side becomes `length`."""
        self.resize(*resized_short(self.size, length))

    def crop(self, y: int, x: int, height: int, width: int) -> None:
        """A part."""
        if (height, width) != self.size:
            self.steps.append(lambda image: image[y : y + height, x : x + width])
            self.size = height, width

    def place(self, height: int, width: int, at_random: bool) -> tuple[int, int]:
        """Return the position of a crop of this size."""
        y, x = self.size[0] - height, self.size[1] - width
        if at_random:
            return self.draw.integer(0, y), self.draw.integer(0, x)
        return y // 2, x // 2


class Augmentation:
    """MXNet's ``aug_default``.

    Args:
        params: those of `ImageRecord`.
    """

    def __init__(self, params: SimpleNamespace) -> None:
        self.params = params
        self.height, self.width = params.data_shape[1:]
        _check(params)
        p = params
        self._is_affine = (
            p.max_rotate_angle > 0
            or p.max_shear_ratio > 0
            or p.rotate > 0
            or (p.max_aspect_ratio != 0 and not p.random_resized_crop)
            or (p.max_random_scale, p.min_random_scale) != (1, 1)
            or p.max_img_size != _NO_LIMIT
            or p.min_img_size != 0
        )

        self._varies = (p.max_aspect_ratio, p.min_random_area, p.max_random_area) != (0, 1, 1)

    def steps(self, draw: StdRandom, size: tuple[int, int]) -> list[Step]:
        """Draw the augmentation steps of an image of (height, width), in order."""
        p = self.params
        drawing = Drawing(draw, size, p.inter_method)
        if p.resize != -1:
            drawing.resize_short(p.resize)
        if self._is_affine:
            _transform(drawing, p)
        if p.pad > 0:
            _frame(drawing, p)
        if p.random_resized_crop and self._varies:
            self._random_resized_crop(drawing)
        elif p.max_crop_size != -1 or p.min_crop_size != -1:
            self._crop_of_random_size(drawing)
        else:
            self._crop(drawing)
        return drawing.steps + colors.steps(draw, p)

    def _random_resized_crop(self, drawing: Drawing) -> None:
        p, (height, width) = self.params, drawing.size
        low, high = 1 - p.max_aspect_ratio, 1 + p.max_aspect_ratio
        if p.min_aspect_ratio is not None:
            low, high = p.min_aspect_ratio, p.max_aspect_ratio
        for _ in range(10):
            area = height * width * drawing.draw.uniform(p.min_random_area, p.max_random_area)
            ratio = drawing.draw.uniform(low, high)
            h, w = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
            if drawing.draw.canonical() > 0.5:
                h, w = w, h
            if h <= height and w <= width:
                drawing.crop(*drawing.place(h, w, at_random=True), h, w)
                drawing.resize(self.height, self.width)
                return
        self._crop(drawing)

    def _crop_of_random_size(self, drawing: Drawing) -> None:
        p = self.params
        if max(p.min_crop_size, p.max_crop_size) > min(drawing.size):
            size = "{1} x {0}".format(*drawing.size)
            raise ArgumentError(f"an image of {size}: smaller than max_crop_size={p.max_crop_size}")
        side = drawing.draw.integer(p.min_crop_size, p.max_crop_size)
        drawing.crop(*drawing.place(side, side, p.rand_crop), side, side)
        drawing.resize(self.height, self.width)

    def _crop(self, drawing: Drawing) -> None:
        old, new = drawing.size, (self.height, self.width)
        method = interpolation(drawing.method, old, new, drawing.draw)  # drawn, needed or not
        if old[0] < new[0]:
            drawing.resize(new[0], int(new[0] / old[0] * old[1]), method)
        if (old := drawing.size)[1] < new[1]:
            drawing.resize(int(new[1] / old[1] * old[0]), new[1], method)
        drawing.crop(*drawing.place(*new, self.params.rand_crop), *new)


def _check(p: SimpleNamespace) -> None:
    if p.inter_method not in (0, 1, 2, 3, 4, _BY_SIZE, _ANY):
        raise argument_error("ImageRecordIter", "inter_method", p.inter_method, "see mx.image")
    if p.resize != -1 and p.resize < 1:
        raise argument_error("ImageRecordIter", "resize", p.resize, "must be positive, or -1")
    if p.random_resized_crop:
        needed = {"min_random_scale": 1, "max_random_scale": 1, "min_crop_size": -1}
        for name, value in {**needed, "max_crop_size": -1, "rand_crop": False}.items():
            if (given := getattr(p, name)) != value:
                text = f"must be {value} with random_resized_crop"
                raise argument_error("ImageRecordIter", name, given, text)


def _transform(drawing: Drawing, p: SimpleNamespace) -> None:
    """A turn, a shear, a scale and another aspect ratio at once."""
    draw, (height, width) = drawing.draw, drawing.size
    shear = draw.uniform(0, 1) * p.max_shear_ratio * 2 - p.max_shear_ratio
    angle = draw.integer(-p.max_rotate_angle, p.max_rotate_angle)
    angle = p.rotate if p.rotate > 0 else angle
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    scale = ratio = 1.0
    if not p.random_resized_crop:  # which draws its own
        spread = p.max_random_scale - p.min_random_scale
        scale = draw.uniform(0, 1) * spread + p.min_random_scale
        ratio = _ratio(draw, p)
    down = 2 * scale / (1 + ratio)
    across = ratio * down
    new_width, new_height = (
        max(p.min_img_size, min(p.max_img_size, scale * length)) for length in (width, height)
    )
    turn = np.array(
        [
            [down * cos - shear * sin * across, down * sin + shear * cos * across],
            [-sin * across, cos * across],
        ],
        np.float32,
    )
    moved = turn @ np.array([width, height], np.float32)
    shift = (np.array([new_width, new_height], np.float32) - moved) / 2
    matrix = np.column_stack([turn, shift])
    new = int(new_height), int(new_width)
    method = interpolation(drawing.method, drawing.size, new, draw)
    fill = (p.fill_value,) * 3
    cv2 = require_opencv()
    drawing.steps.append(
        partial(
            cv2.warpAffine,
            M=matrix,
            dsize=new[::-1],
            flags=method,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=fill,
        )
    )
    drawing.size = new


def _ratio(draw: StdRandom, p: SimpleNamespace) -> float:
    """An aspect ratio: from the least to the greatest, or around 1 where there is no least one."""
    low, spread = 1 - p.max_aspect_ratio, 2 * p.max_aspect_ratio
    if p.min_aspect_ratio is not None:
        low, spread = p.min_aspect_ratio, p.max_aspect_ratio - p.min_aspect_ratio
    ratio: float = draw.uniform(0, 1) * spread + low
    return ratio


def _frame(drawing: Drawing, p: SimpleNamespace) -> None:
    cv2, fill, by = require_opencv(), (p.fill_value,) * 3, p.pad
    drawing.steps.append(
        lambda image: cv2.copyMakeBorder(image, by, by, by, by, cv2.BORDER_CONSTANT, value=fill)
    )
    drawing.size = drawing.size[0] + 2 * by, drawing.size[1] + 2 * by
