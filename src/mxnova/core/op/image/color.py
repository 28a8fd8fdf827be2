# SPDX-License-Identifier: Apache-2.0
"""Random changes of brightness, contrast, saturation, hue and lighting.

Images are (height, width, channels), RGB or gray. A factor is drawn evenly from a range.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from ...base.params import Floats, bounded
from ..constants import constant
from ..declaration import function_operator
from ..infer import Shapes
from ..schema import Op
from .pixels import color_shape, saturated

_Factor = bounded(float, 0)

_GRAY = (0.299, 0.587, 0.114)

# Principal components of the colors of ImageNet: columns are eigenvectors times eigenvalues.
# Krizhevsky, Sutskever, Hinton, "ImageNet classification with deep convolutional networks", 2012.
_LIGHTING = (
    (55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009),
    (55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140),
    (55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203),
)


def _floats(image: Tensor) -> Tensor:
    return image if image.dtype == torch.float64 else image.to(torch.float32)


def _uniform(image: Tensor, low: float, high: float, rng: torch.Generator | None) -> Tensor:
    share = torch.empty((), device=image.device).uniform_(generator=rng)
    return share * (high - low) + low


def _gray(image: Tensor) -> Tensor:
    if image.shape[-1] == 1:
        return image
    return (image * constant(_GRAY, image.dtype, image.device)).sum(-1, keepdim=True)


def _brightness(image: Tensor, factor: Tensor) -> Tensor:
    return image * factor


def _contrast(image: Tensor, factor: Tensor) -> Tensor:
    return image * factor + _gray(image).mean() * (1 - factor)


def _saturation(image: Tensor, factor: Tensor) -> Tensor:
    if image.shape[-1] == 1:
        return image
    # MXNet forgets red and green in the gray value.
    return image * factor + image[..., 2:] * _GRAY[2] * (1 - factor)


def _hue(image: Tensor, turn: Tensor) -> Tensor:
    """The hue turned by `turn` rounds, lightness and saturation (of HLS) as they are."""
    if image.shape[-1] == 1:
        return image
    rgb = image / 255
    highest, lowest = rgb.amax(-1), rgb.amin(-1)
    spread, lightness = highest - lowest, (highest + lowest) / 2
    r, g, b = rgb.unbind(-1)
    sixth = torch.where(
        highest == r, g - b, torch.where(highest == g, b - r + 2 * spread, r - g + 4 * spread)
    )
    is_gray = spread <= torch.finfo(torch.float32).eps
    hue = torch.where(is_gray, 0.0, sixth / spread) + 6 * turn
    # Each channel is a trapezoid over the hue, as high as the spread.
    phase = (hue.unsqueeze(-1) + constant((0.0, 4.0, 2.0), hue.dtype, hue.device)) % 6
    height = (phase - 3).abs().sub(1).clamp(0, 1) - 0.5
    turned = lightness.unsqueeze(-1) + spread.unsqueeze(-1) * height
    return torch.where(is_gray.unsqueeze(-1), lightness.unsqueeze(-1), turned) * 255


def _lit(image: Tensor, alpha: Tensor) -> Tensor:
    if image.shape[-1] == 1:
        return image
    shift = constant(_LIGHTING, torch.float32, image.device) @ alpha
    return saturated(_floats(image) + shift, image.dtype)


def _changed(image: Tensor, change: Callable[[Tensor, Tensor], Tensor], amount: Tensor) -> Tensor:
    return saturated(change(_floats(image), amount), image.dtype)


def _random_change(name: str, change: Callable[[Tensor, Tensor], Tensor], doc: str) -> None:
    def run(
        data: Tensor,
        *,
        min_factor: _Factor,  # type: ignore[valid-type]
        max_factor: _Factor,  # type: ignore[valid-type]
        rng: torch.Generator | None,
    ) -> Tensor:
        return _changed(data, change, _uniform(data, min_factor, max_factor, rng))

    run.__doc__ = doc + _ARGS
    function_operator(name, "_npx_" + name, shape=color_shape)(run)


_ARGS = """

Args:
    data: (height, width, channels), 1 or 3 channels, of 0 to 255.
    min_factor: lower bound of the random factor.
    max_factor: upper bound of the random factor.
"""

_random_change("_image_random_brightness", _brightness, "``data * factor``.")
_random_change(
    "_image_random_contrast",
    _contrast,
    "``data * factor + mean * (1 - factor)``, the mean that of the gray image.",
)
_random_change(
    "_image_random_saturation", _saturation, "``data * factor + 0.114 * blue * (1 - factor)``."
)
_random_change("_image_random_hue", _hue, "The image with its hue turned by `factor` rounds.")


@function_operator(
    "_image_random_color_jitter",
    "_npx__image_random_color_jitter",
    shape=color_shape,
    untraceable="the order of the changes is drawn",
)
def random_color_jitter(
    data: Tensor,
    *,
    brightness: float,
    contrast: float,
    saturation: float,
    hue: float,
    rng: torch.Generator | None,
) -> Tensor:
    """The image with brightness, contrast, saturation and hue changed in random order.

    Args:
        data: (height, width, channels), 1 or 3 channels, of 0 to 255.
        brightness: the factor is within ``1 ± brightness``; 0: no change.
        contrast: the factor is within ``1 ± contrast``; 0: no change.
        saturation: the factor is within ``1 ± saturation``; 0: no change.
        hue: the hue is turned by up to so many rounds; 0: no change.
    """
    changes = (
        (_brightness, 1.0, brightness),
        (_contrast, 1.0, contrast),
        (_saturation, 1.0, saturation),
        (_hue, 0.0, hue),
    )
    for i in torch.randperm(4, generator=rng, device=data.device).tolist():
        change, center, width = changes[i]
        if width > 0:
            amount = _uniform(data, center - width, center + width, rng)
            data = _changed(data, change, amount)
    return data


def _lighting_shape(op: Op, s: Shapes) -> None:
    if len(op.attr("alpha")) != 3:
        raise s.fail(f"alpha={op.attr('alpha')}: it must have 3 numbers")
    color_shape(op, s)


@function_operator("_image_adjust_lighting", "_npx__image_adjust_lighting", shape=_lighting_shape)
def adjust_lighting(data: Tensor, *, alpha: Floats) -> Tensor:
    """The image shifted along the principal components of the colors of ImageNet.

    Args:
        data: (height, width, channels), 1 or 3 channels, of 0 to 255.
        alpha: by how much along each of the 3 components.
    """
    return _lit(data, constant(alpha, torch.float32, data.device))


@function_operator("_image_random_lighting", "_npx__image_random_lighting", shape=color_shape)
def random_lighting(
    data: Tensor, *, alpha_std: float = 0.05, rng: torch.Generator | None
) -> Tensor:
    """_image_adjust_lighting by normally distributed amounts.

    Args:
        data: (height, width, channels), 1 or 3 channels, of 0 to 255.
        alpha_std: standard deviation of the amounts.
    """
    amounts = torch.empty(3, device=data.device).normal_(generator=rng) * alpha_std
    return _lit(data, amounts)
