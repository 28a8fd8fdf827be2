# SPDX-License-Identifier: Apache-2.0
"""How an encoded image becomes an input of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError, MXNetError, argument_error, candidates, shown
from ..core.base.opencv import require_opencv
from ..formats.images import decode_image

__all__ = ["Picture"]

Array = np.ndarray[Any, Any]

_MAX_SIDE = 1 << 15  # pixels; what OpenCV resizes to
_MAX_NUMBER = float(np.finfo(np.float32).max)
_INTERPOLATIONS = {"linear": "INTER_LINEAR", "cubic": "INTER_CUBIC", "area": "INTER_AREA"}


@dataclass(frozen=True)
class Picture:
    """How an encoded image becomes an input of shape (1, channels, height, width).

    Attributes:
        size: height and width to resize to; None: as it is.
        mean: subtracted from the pixels, one number or one for each channel.
        scale: multiplied with what is left, one number or one for each channel.
        bgr: whether channels are in the order blue, green, red.
        gray: whether there is one channel only.
        interpolation: how it is resized: linear, cubic or area.
    """

    size: tuple[int, int] | None = None
    mean: tuple[float, ...] = (0.0,)
    scale: tuple[float, ...] = (1.0,)
    bgr: bool = False
    gray: bool = False
    interpolation: str = "linear"

    @classmethod
    def of(
        cls,
        size: str | Sequence[int] | None = None,
        mean: str | float | Sequence[float] = 0.0,
        scale: float | Sequence[float] = 1.0,
        bgr: bool = False,
        gray: bool = False,
        interpolation: str = "linear",
    ) -> Picture:
        """From options of the command line, or numbers.

        Raises:
            ArgumentError: a value that cannot be used.
        """
        if not isinstance(interpolation, str) or interpolation not in _INTERPOLATIONS:
            hint = candidates(shown(interpolation), _INTERPOLATIONS)
            raise ArgumentError(f"preprocessing: interpolation {shown(interpolation)}{hint}")
        return cls(
            None if size is None else _size(size),
            _numbers("--mean", mean),
            _numbers("--scale", scale),
            bool(bgr),
            bool(gray),
            interpolation,
        )

    @classmethod
    def of_mapping(cls, options: Mapping[str, Any]) -> Picture:
        """From the preprocessing that a compiled model or an archive notes.

        Raises:
            ArgumentError: an option that is not known, or a value that cannot be used.
        """
        known = [field.name for field in fields(cls)]
        for name in options:
            if name not in known:
                raise ArgumentError(f"preprocessing: {name!r}{candidates(name, known)}")
        return cls.of(**options)

    def fitted(self, shape: Sequence[int]) -> Picture:
        """The same for an input of this shape: its size, where none is told, and one channel.

        Args:
            shape: of the input, (N, channels, height, width); -1: any size.
        """
        size = self.size
        if size is None and min(shape[2:4]) > 0:
            size = (shape[2], shape[3])
        return replace(self, size=size, gray=self.gray or shape[1] == 1)

    def decode(self, name: str, encoded: bytes) -> Array:
        """Decode an image and preprocess it into an input of shape (1, channels, height, width).

        Args:
            name: name of the image for error messages.
            encoded: content of an image file.

        Raises:
            MXNetError: OpenCV is not installed, or the image is too large or cannot be decoded.
        """
        cv2 = require_opencv()
        pixels = decode_image(
            name, encoded, cv2.IMREAD_GRAYSCALE if self.gray else cv2.IMREAD_COLOR
        )
        if self.size is not None:
            how = getattr(cv2, _INTERPOLATIONS[self.interpolation])
            try:
                pixels = cv2.resize(pixels, self.size[::-1], interpolation=how)
            except cv2.error as error:
                raise MXNetError(f"{name}: OpenCV cannot resize it: {error.err}") from None
        pixels = pixels[:, :, None] if self.gray else pixels
        if not self.bgr:
            pixels = pixels[:, :, ::-1]
        values = pixels.astype(np.float32) - np.array(self.mean, np.float32)
        values *= np.array(self.scale, np.float32)
        return np.ascontiguousarray(values.transpose(2, 0, 1)[None])


def _size(given: str | Sequence[int]) -> tuple[int, int]:
    sides = given.lower().split("x") if isinstance(given, str) else [str(side) for side in given]
    if len(sides) != 2 or not all(s.isdecimal() and len(s) < 9 for s in sides):
        raise argument_error("predict", "--size", given, "must look like 224x224")
    height, width = map(int, sides)
    if not (1 <= height <= _MAX_SIDE and 1 <= width <= _MAX_SIDE):
        raise argument_error("predict", "--size", given, f"sides are from 1 to {_MAX_SIDE} pixels")
    return height, width


def _numbers(option: str, given: str | float | Sequence[float]) -> tuple[float, ...]:
    try:
        parts = given.split(",") if isinstance(given, str) else np.ravel(given).tolist()
        numbers = tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) not in (1, 3) or not all(abs(n) <= _MAX_NUMBER for n in numbers):
        raise argument_error("predict", option, given, "must be one number, or three: R,G,B")
    return numbers
