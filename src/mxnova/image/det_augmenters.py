# SPDX-License-Identifier: Apache-2.0
"""Augmenters of images with boxes.

Labels are arrays of rows ``class, left, top, right, bottom, ...``, places from 0 to 1. Random
numbers come from Python's generator, in MXNet's order.
"""

from __future__ import annotations

import logging
import random
from math import sqrt
from typing import Any

import numpy as np

from mxnova import ndarray as nd
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError

from .augmenter import Augmenter, Described
from .cropping import fixed_crop
from .reading import copyMakeBorder

__all__ = [
    "DetAugmenter",
    "DetBorrowAug",
    "DetHorizontalFlipAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
    "DetRandomSelectAug",
]

_log = logging.getLogger("mxnova")

_Range = tuple[float, float]
_Labels = np.ndarray
_Changed = tuple[nd.NDArray, _Labels]


class DetAugmenter(Described):
    """The base of augmenters of images with boxes; `dumps` returns its arguments.

    Args:
        **kwargs: arguments of the derived class; arrays become lists.

    Example:
        >>> isinstance(mx.image.DetHorizontalFlipAug(0.5), mx.image.DetAugmenter)
        True
    """

    def __call__(self, src: nd.NDArray, label: _Labels) -> _Changed:
        raise NotImplementedError(f"{type(self).__name__} has no __call__")


class DetBorrowAug(DetAugmenter):
    """An augmenter that leaves boxes where they are, of images alone.

    Args:
        augmenter: an augmenter of images.

    Raises:
        ArgumentTypeError: `augmenter` is something else.

    Example:
        >>> image, label = mx.image.DetBorrowAug(mx.image.CastAug())(
        ...     mx.nd.ones((4, 4, 3)),
        ...     np.zeros((1, 5)),
        ... )
        >>> image.shape
        (4, 4, 3)
    """

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            found = type(augmenter).__name__
            raise ArgumentTypeError(f"DetBorrowAug: augmenter is a {found}, must be an Augmenter")
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> Any:
        """Name, and what the augmenter dumps."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: nd.NDArray, label: _Labels) -> _Changed:
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """Apply a random one of several augmenters, or none with probability `skip_prob`.

    Args:
        aug_list: augmenters, of which one is chosen.
        skip_prob: the probability that none is.

    Example:
        >>> image, label = mx.image.DetRandomSelectAug([mx.image.DetHorizontalFlipAug(1)], 0.5)(
        ...     mx.nd.ones((4, 4, 3)),
        ...     np.zeros((1, 5)),
        ... )
        >>> image.shape
        (4, 4, 3)
    """

    def __init__(self, aug_list: Any, skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        self.aug_list = list(aug_list) if isinstance(aug_list, (list, tuple)) else [aug_list]
        for augmenter in self.aug_list:
            if not isinstance(augmenter, DetAugmenter):
                found = type(augmenter).__name__
                text = f"a {found} where a DetAugmenter was expected"
                raise ArgumentError(f"DetRandomSelectAug: aug_list: {text}")
        self.skip_prob = skip_prob if self.aug_list else 1

    def dumps(self) -> Any:
        """Name, and what the augmenters dump."""
        return [type(self).__name__.lower(), [a.dumps() for a in self.aug_list]]

    def __call__(self, src: nd.NDArray, label: _Labels) -> _Changed:
        if random.random() < self.skip_prob:
            return src, label
        random.shuffle(self.aug_list)
        drawn: tuple[nd.NDArray, np.ndarray] = self.aug_list[0](src, label)
        return drawn


class DetHorizontalFlipAug(DetAugmenter):
    """Left and right exchanged, with probability `p`; in place for the labels.

    Args:
        p: the probability.

    Example:
        >>> image, label = mx.image.DetHorizontalFlipAug(1)(
        ...     mx.nd.ones((4, 4, 3)),
        ...     np.array([[0, 0.1, 0.1, 0.3, 0.3]]),
        ... )
        >>> label
        array([[0. , 0.7, 0.1, 0.9, 0.3]])
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: nd.NDArray, label: _Labels) -> _Changed:
        if random.random() < self.p:
            src = nd.flip(src, axis=1)
            label[:, [1, 3]] = 1 - label[:, [3, 1]]
        return src, label


# Cropping and padding -----------------------------------------------------------------------------


class _Resizing(DetAugmenter):
    """Draws frames of random size and proportions, as TensorFlow does for distorted boxes."""

    aspect_ratio_range: _Range
    area_range: _Range
    max_attempts: int

    def _set_ranges(self, ratios: _Range, areas: _Range, attempts: int) -> None:
        self.aspect_ratio_range, self.area_range, self.max_attempts = ratios, areas, attempts
        self.enabled = 0 < areas[1] >= areas[0] and 0 < ratios[0] <= ratios[1]
        if not self.enabled:
            text = "%s: aspect_ratio_range=%s, area_range=%s: does nothing"
            _log.warning(text, type(self).__name__, ratios, areas)

    def _areas(self, height: int, width: int) -> _Range:
        return self.area_range[0] * height * width, self.area_range[1] * height * width


def _pair(value: Any) -> Any:
    return value if isinstance(value, (tuple, list)) else (value, value)


class DetRandomCropAug(_Resizing):
    """A random part in which enough of the boxes is left; boxes that are cut off too much go.

    Args:
        min_object_covered: the part must show more than this share of each box that it touches.
        aspect_ratio_range: bounds of its width by its height.
        area_range: bounds of its share of the image's area.
        min_eject_coverage: boxes of which no more than this share is left go.
        max_attempts: how many parts are tried before the image stays as it is.

    Example:
        >>> image, label = mx.image.DetRandomCropAug()(
        ...     mx.nd.ones((8, 8, 3), dtype="uint8"),
        ...     np.array([[0, 0.1, 0.1, 0.9, 0.9]]),
        ... )
        >>> image.shape[2]
        3
    """

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ) -> None:
        aspect_ratio_range, area_range = _pair(aspect_ratio_range), _pair(area_range)
        super().__init__(
            min_object_covered=min_object_covered,
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            min_eject_coverage=min_eject_coverage,
            max_attempts=max_attempts,
        )
        self.min_object_covered = min_object_covered
        self.min_eject_coverage = min_eject_coverage
        self._set_ranges(aspect_ratio_range, area_range, max_attempts)

    def __call__(self, src: nd.NDArray, label: _Labels) -> _Changed:
        height, width = src.shape[:2]
        found = self._part(label, height, width)
        if found is None:
            return src, label
        (x, y, w, h), label = found
        return fixed_crop(src, x, y, w, h, None), label

    def _part(
        self, label: _Labels, height: int, width: int
    ) -> tuple[tuple[int, int, int, int], _Labels] | None:
        if not self.enabled or height <= 0 or width <= 0:
            return None
        for _ in range(self.max_attempts):
            size = self._size(height, width)
            if size is None:
                continue
            h, w = size
            y, x = random.randint(0, max(0, height - h)), random.randint(0, max(0, width - w))
            places = x / width, y / height, (x + w) / width, (y + h) / height
            frame = np.array(places, label.dtype)
            if w * h >= 2 and self._shows_enough(label, frame, height * width):
                left = self._left(label, frame)
                if left is not None:
                    return (x, y, w, h), left
        return None

    def _size(self, height: int, width: int) -> tuple[int, int] | None:
        low, high = self._areas(height, width)
        ratio = random.uniform(*self.aspect_ratio_range)
        if ratio <= 0:
            return None
        h, highest = round(sqrt(low / ratio)), round(sqrt(high / ratio))
        if round(highest * ratio) > width:
            highest = int((width + 0.4999999) / ratio)
        highest = min(highest, height)
        h = min(h, highest)
        if h < highest:
            h = random.randint(h, highest)
        if round(h * ratio) * h < low:
            h += 1
        if round(h * ratio) * h > high:
            h -= 1
        w = round(h * ratio)
        fits = low <= w * h <= high and 0 <= h <= height and 0 <= w <= width
        return (h, w) if fits else None

    def _shows_enough(self, label: _Labels, frame: np.ndarray, n_pixels: int) -> bool:
        boxes = label[:, 1:5]
        boxes = boxes[_areas_of(boxes) * n_pixels > 2]
        if not len(boxes):
            return False
        shown = np.concatenate(
            [np.maximum(boxes[:, :2], frame[:2]), np.minimum(boxes[:, 2:], frame[2:])], axis=1
        )
        shares = _areas_of(shown) / _areas_of(boxes)
        shares = shares[shares > 0]
        return bool(shares.size and shares.min() > self.min_object_covered)

    def _left(self, label: _Labels, frame: np.ndarray) -> _Labels | None:
        """The labels within a frame, None if no box is left."""
        size = frame[2:] - frame[:2]
        out = label.copy()
        out[:, 1:5] = np.clip((label[:, 1:5] - np.tile(frame[:2], 2)) / np.tile(size, 2), 0, 1)
        shares = _areas_of(out[:, 1:5]) * size.prod() / _areas_of(label[:, 1:5])
        stays = (out[:, 3] > out[:, 1]) & (out[:, 4] > out[:, 2])
        stays &= shares > self.min_eject_coverage
        return out[stays] if stays.any() else None


def _areas_of(boxes: np.ndarray) -> np.ndarray:
    sides = np.maximum(0, boxes[:, 2:] - boxes[:, :2])
    areas: np.ndarray = sides[:, 0] * sides[:, 1]
    return areas


class DetRandomPadAug(_Resizing):
    """The image somewhere in a larger frame.

    Args:
        aspect_ratio_range: bounds of the frame's width by its height.
        area_range: bounds of its area, by the image's.
        max_attempts: how many frames are tried before the image stays as it is.
        pad_val: the frame's color.

    Example:
        >>> image, label = mx.image.DetRandomPadAug()(
        ...     mx.nd.ones((8, 8, 3), dtype="uint8"),
        ...     np.array([[0, 0.1, 0.1, 0.9, 0.9]]),
        ... )
        >>> image.shape[2]
        3
    """

    def __init__(
        self,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: Any = (128, 128, 128),
    ) -> None:
        aspect_ratio_range, area_range = _pair(aspect_ratio_range), _pair(area_range)
        super().__init__(
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            max_attempts=max_attempts,
            pad_val=pad_val,
        )
        self.pad_val = pad_val if isinstance(pad_val, (list, tuple)) else (pad_val,)
        self._set_ranges(aspect_ratio_range, area_range, max_attempts)
        self.enabled = self.enabled and self.area_range[1] > 1

    def __call__(self, src: nd.NDArray, label: _Labels) -> _Changed:
        height, width = src.shape[:2]
        frame = self._frame(height, width)
        if frame is None:
            return src, label
        x, y, w, h = frame
        sides = y, h - y - height, x, w - x - width
        src = copyMakeBorder(src, *sides, 16, values=self.pad_val)
        label = label.copy()
        label[:, [1, 3]] = (label[:, [1, 3]] * width + x) / w
        label[:, [2, 4]] = (label[:, [2, 4]] * height + y) / h
        return src, label

    def _frame(self, height: int, width: int) -> tuple[int, int, int, int] | None:
        if not self.enabled or height <= 0 or width <= 0:
            return None
        low, high = self._areas(height, width)
        for _ in range(self.max_attempts):
            ratio = random.uniform(*self.aspect_ratio_range)
            if ratio <= 0:
                continue
            h, highest = round(sqrt(low / ratio)), round(sqrt(high / ratio))
            if round(h * ratio) < width:
                h = int((width + 0.499999) / ratio)
            h = min(max(h, height), highest)
            if h < highest:
                h = random.randint(h, highest)
            w = round(h * ratio)
            if h - height < 2 or w - width < 2:
                continue  # not worth it
            y, x = random.randint(0, max(0, h - height)), random.randint(0, max(0, w - width))
            return x, y, w, h
        return None


# Lists of them ------------------------------------------------------------------------------------
