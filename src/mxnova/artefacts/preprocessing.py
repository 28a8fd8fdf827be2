# SPDX-License-Identifier: Apache-2.0
"""How an image becomes an input of a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..core.base import env
from ..core.base.errors import FormatError, MXNetError, shown
from ..core.base.opencv import require_opencv
from ..formats.image_size import check_image_size

__all__ = ["Preprocessing"]

_INTERPOLATIONS = {"linear": "INTER_LINEAR", "cubic": "INTER_CUBIC", "area": "INTER_AREA"}
_MAX_SIDE = 1 << 15  # pixels; what OpenCV resizes to


@dataclass(frozen=True)
class Preprocessing:
    """An image as float32 of shape (1, channels, height, width): ``(pixels - mean) * scale``.

    Attributes:
        size: height and width that it is resized to; None: it stays as large as it is.
        mean: subtracted from values between 0 and 255: one number, or one for each channel in the
            order red, green, blue.
        scale: multiplied with afterwards, likewise.
        bgr: whether channels come in the order blue, green, red; `mean` and `scale` too, then.
        channels: 3, or 1 for gray.
        interpolation: how it is resized: linear, cubic or area.
    """

    size: tuple[int, int] | None = None
    mean: tuple[float, ...] = (0.0,)
    scale: tuple[float, ...] = (1.0,)
    bgr: bool = False
    channels: int = 3
    interpolation: str = "linear"

    def array(self, content: bytes | bytearray | memoryview, name: str = "image") -> Any:
        """The NumPy array of an encoded image.

        Args:
            content: the bytes of a JPEG, PNG or any other file that OpenCV decodes.
            name: what errors call it.

        Raises:
            MXNetError: it is no such image, or has more pixels than ``MXNOVA_IMAGE_MAX_PIXELS``;
                OpenCV is not installed.
        """
        cv2 = require_opencv()
        encoded = np.frombuffer(content, np.uint8)
        check_image_size(name, encoded.data, env.get("MXNOVA_IMAGE_MAX_PIXELS"))
        flag = cv2.IMREAD_COLOR if self.channels == 3 else cv2.IMREAD_GRAYSCALE
        try:
            pixels = cv2.imdecode(encoded, flag) if encoded.size else None
            if pixels is not None and self.size is not None:
                how = getattr(cv2, _INTERPOLATIONS[self.interpolation])
                pixels = cv2.resize(pixels, self.size[::-1], interpolation=how)
        except cv2.error as error:
            raise MXNetError(f"{name}: OpenCV cannot read it: {error.err}") from None
        if pixels is None:
            raise MXNetError(f"{name}: no image that OpenCV can read")
        pixels = pixels.reshape(*pixels.shape[:2], self.channels)
        if not self.bgr:
            pixels = pixels[:, :, ::-1]
        values = pixels.astype(np.float32) - np.array(self.mean, np.float32)
        values *= np.array(self.scale, np.float32)
        return np.ascontiguousarray(values.transpose(2, 0, 1)[None])

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> Preprocessing:
        """From a JSON object that `to_json` made.

        Raises:
            FormatError: it is another one.
        """
        known = asdict(cls())
        unknown = sorted(set(value) - set(known))
        if unknown:
            raise FormatError(f"preprocessing: unknown entry {shown(unknown[0])}")
        told = {**known, **value}
        size = told["size"]
        is_good = (
            (size is None or (_are(size, int, 2) and all(0 < side <= _MAX_SIDE for side in size)))
            and all(_are(told[n], (int, float), 1, told["channels"]) for n in ("mean", "scale"))
            and told["bgr"] in (True, False)
            and told["channels"] in (1, 3)
            and told["interpolation"] in _INTERPOLATIONS
        )
        if not is_good:
            raise FormatError(f"preprocessing: no such values: {shown(dict(value))}")
        return cls(
            size=None if size is None else (size[0], size[1]),
            mean=tuple(map(float, told["mean"])),
            scale=tuple(map(float, told["scale"])),
            bgr=bool(told["bgr"]),
            channels=told["channels"],
            interpolation=told["interpolation"],
        )


def _are(value: Any, kind: Any, *lengths: int) -> bool:
    """Whether it is a list of so many numbers."""
    return (
        isinstance(value, (list, tuple))
        and len(value) in lengths
        and all(isinstance(n, kind) and not isinstance(n, bool) and n == n for n in value)
    )
