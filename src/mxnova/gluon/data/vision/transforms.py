# SPDX-License-Identifier: Apache-2.0
"""Transformations of images, as blocks.

Images are (height, width, channels) until `ToTensor`, then (channels, height, width). Blocks that
are hybrid also take batches where their operators do.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from mxnova import image
from mxnova.core.base.errors import argument_error

from ....core.base.doors import facade
from ...block import Block, HybridBlock
from ...nn import HybridSequential, Sequential

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "CropResize",
    "Normalize",
    "RandomApply",
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomHue",
    "RandomLighting",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSaturation",
    "Resize",
    "Rotate",
    "ToTensor",
]


class Compose(Sequential):
    """Transformations, one after the other; neighbors that are hybrid are compiled together.

    Args:
        transforms: blocks, or functions.
    """

    def __init__(self, transforms: Sequence[Any]):
        super().__init__()
        run: list[Any] = []
        for transform in [*transforms, None]:
            if isinstance(transform, HybridBlock):
                run.append(transform)
                continue
            if len(run) > 1:
                together = HybridSequential()
                together.add(*run)
                together.hybridize()
                self.add(together)
            elif run:
                self.add(*run)
            run = []
            if transform is not None:
                self.add(transform)


class RandomApply(Sequential):
    """`transforms` with probability `p`, else nothing.

    Args:
        transforms: a block or function; a list: one after the other.
        p: the probability.
    """

    def __init__(self, transforms: Any, p: float = 0.5):
        super().__init__()
        self.transforms = Compose(transforms) if isinstance(transforms, list) else transforms
        self.p = p

    def forward(self, x: Any) -> Any:
        """`x`, changed or not."""
        return x if self.p < random.random() else self.transforms(x)


class Cast(HybridBlock):
    """Cast to another dtype."""

    def __init__(self, dtype: Any = "float32"):
        super().__init__()
        self._dtype = dtype

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x` of that type."""
        return F.cast(x, self._dtype)


class ToTensor(HybridBlock):
    """Numbers from 0 to 255 become float32 from 0 to 1, channels first."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, as a tensor."""
        return F.image.to_tensor(x)


class Normalize(HybridBlock):
    """``(x - mean) / std``, of tensors with channels first.

    Args:
        mean: one number, or one for each channel.
        std: one number, or one for each channel.
    """

    def __init__(self, mean: Any = 0.0, std: Any = 1.0):
        super().__init__()
        self._mean = mean
        self._std = std

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, normalized."""
        return F.image.normalize(x, self._mean, self._std)


# Geometry -----------------------------------------------------------------------------------------


class Rotate(Block):
    """`image.imrotate` of float32 tensors with channels first.

    Args:
        rotation_degrees: by how much.
        zoom_in: enlarge, so that nothing comes in from outside.
        zoom_out: shrink, so that everything stays visible.
    """

    def __init__(self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False):
        super().__init__()
        self._args = (rotation_degrees, zoom_in, zoom_out)

    def forward(self, x: Any) -> Any:
        """`x`, turned."""
        return image.imrotate(x, *self._args)


class RandomRotation(Block):
    """`image.random_rotate` of float32 tensors with channels first.

    Args:
        angle_limits: bounds of the angle in degrees.
        zoom_in: as for `Rotate`.
        zoom_out: as for `Rotate`.
        rotate_with_proba: the probability that an image is turned at all.

    Raises:
        ArgumentError: the bounds are not in order, or it is no probability.
    """

    def __init__(
        self,
        angle_limits: tuple[float, float],
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ):
        super().__init__()
        low, high = angle_limits
        if low >= high:
            raise argument_error("RandomRotation", "angle_limits", angle_limits, "must be in order")
        if not 0 <= rotate_with_proba <= 1:
            raise argument_error(
                "RandomRotation", "rotate_with_proba", rotate_with_proba, "must be from 0 to 1"
            )
        self._args = (angle_limits, zoom_in, zoom_out)
        self._rotate_with_proba = rotate_with_proba

    def forward(self, x: Any) -> Any:
        """`x`, turned or not."""
        if np.random.random() > self._rotate_with_proba:
            return x
        return image.random_rotate(x, *self._args)


def _pair(size: Any) -> Any:
    return (size, size) if isinstance(size, (int, np.integer)) else size


class RandomResizedCrop(Block):
    """`image.random_size_crop`.

    Args:
        size: (width, height) of the result, or one number for both.
        scale: bounds of the part's share of the image's area.
        ratio: bounds of its width by its height.
        interpolation: see `image.image._get_interp_method`.
    """

    def __init__(
        self,
        size: Any,
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: int = 1,
    ):
        super().__init__()
        self._args = (_pair(size), scale, ratio, interpolation)

    def forward(self, x: Any) -> Any:
        """The part of `x`."""
        return image.random_size_crop(x, *self._args)[0]


class CropResize(HybridBlock):
    """A rectangle of images, which may then be brought to another size.

    Args:
        x: first column.
        y: first row.
        width: number of columns.
        height: number of rows.
        size: (width, height) of the result, or one number for both.
        interpolation: as for `Resize`; default: bilinear.
    """

    def __init__(
        self,
        x: int,
        y: int,
        width: int,
        height: int,
        size: Any = None,
        interpolation: int | None = None,
    ):
        super().__init__()
        self._x, self._y = x, y
        self._width, self._height = width, height
        self._size = size
        self._interpolation = interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The part of `x`."""
        part = F.image.crop(x, self._x, self._y, self._width, self._height)
        if not self._size:
            return part
        interp = 1 if self._interpolation is None else self._interpolation
        return F.image.resize(part, self._size, False, interp)


class CenterCrop(Block):
    """`image.center_crop`.

    Args:
        size: (width, height) of the result, or one number for both.
        interpolation: see `image.image._get_interp_method`.
    """

    def __init__(self, size: Any, interpolation: int = 1):
        super().__init__()
        self._args = (_pair(size), interpolation)

    def forward(self, x: Any) -> Any:
        """The middle of `x`."""
        return image.center_crop(x, *self._args)[0]


class Resize(HybridBlock):
    """Images of another size.

    Args:
        size: (width, height), or one number for both.
        keep_ratio: one number is the length of the shorter side, the other follows.
        interpolation: nearest pixel (0), bilinear (1), bicubic (2), mean of the area (3), Lanczos
            over 8 pixels (4).
    """

    def __init__(self, size: Any, keep_ratio: bool = False, interpolation: int = 1):
        super().__init__()
        self._keep = keep_ratio
        self._size = size
        self._interpolation = interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, of that size."""
        return F.image.resize(x, self._size, self._keep, self._interpolation)


class RandomFlipLeftRight(HybridBlock):
    """Left and right exchanged, of half of the images."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, mirrored or not."""
        return F.image.random_flip_left_right(x)


class RandomFlipTopBottom(HybridBlock):
    """Top and bottom exchanged, of half of the images."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, mirrored or not."""
        return F.image.random_flip_top_bottom(x)


# Colors -------------------------------------------------------------------------------------------


class _RandomFactor(HybridBlock):
    """A change by a factor within ``1 ± width``, not below 0."""

    def __init__(self, width: float):
        super().__init__()
        self._args = (max(0, 1 - width), 1 + width)


class RandomBrightness(_RandomFactor):
    """Times a random factor.

    Args:
        brightness: the factor is within ``1 ± brightness``.
    """

    def __init__(self, brightness: float):
        super().__init__(brightness)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, brighter or darker."""
        return F.image.random_brightness(x, *self._args)


class RandomContrast(_RandomFactor):
    """Nearer to the mean of the gray image, or away from it.

    Args:
        contrast: the factor is within ``1 ± contrast``.
    """

    def __init__(self, contrast: float):
        super().__init__(contrast)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, with another contrast."""
        return F.image.random_contrast(x, *self._args)


class RandomSaturation(_RandomFactor):
    """Nearer to gray, or away from it.

    Args:
        saturation: the factor is within ``1 ± saturation``.
    """

    def __init__(self, saturation: float):
        super().__init__(saturation)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, with another saturation."""
        return F.image.random_saturation(x, *self._args)


class RandomHue(_RandomFactor):
    """The hue turned.

    Args:
        hue: the factor is within ``1 ± hue``.
    """

    def __init__(self, hue: float):
        super().__init__(hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, with other hues."""
        return F.image.random_hue(x, *self._args)


class RandomColorJitter(HybridBlock):
    """Brightness, contrast, saturation and hue changed in random order.

    Args:
        brightness: the factor is within ``1 ± brightness``.
        contrast: the factor is within ``1 ± contrast``.
        saturation: the factor is within ``1 ± saturation``.
        hue: the hue is turned by up to so many rounds.
    """

    def __init__(
        self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0
    ):
        super().__init__()
        self._args = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, changed."""
        return F.image.random_color_jitter(x, *self._args)


class RandomLighting(HybridBlock):
    """Shifted along the principal components of the colors of ImageNet.

    Args:
        alpha: standard deviation of the shifts.
    """

    def __init__(self, alpha: float):
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """`x`, shifted."""
        return F.image.random_lighting(x, self._alpha)


facade(__name__)
