# SPDX-License-Identifier: Apache-2.0
"""Images cut, mirrored and turned into network inputs."""

from __future__ import annotations

import torch
from torch import Tensor

from ...base.params import Floats
from ...base.shapes import shape_text
from ..constants import constant
from ..declaration import function_operator
from ..infer import DTypes, Shapes
from ..schema import Op
from .pixels import check_channels, color_shape


def _crop_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 3, 4)
    for size, first, length, axis in (("width", "x", "width", -2), ("height", "y", "height", -3)):
        end = op.attr(first) + op.attr(length)
        if op.attr(first) < 0 or op.attr(length) < 1 or end > s.data[axis]:
            raise s.fail(
                f"{first}={op.attr(first)}, {size}={op.attr(length)}: this part does not lie "
                f"within data {shape_text(s.data)}"
            )
    s.output = (*s.data[:-3], op.attr("height"), op.attr("width"), s.data[-1])


@function_operator("_image_crop", "_npx__image_crop", shape=_crop_shape)
def crop(data: Tensor, *, x: int, y: int, width: int, height: int) -> Tensor:
    """A rectangle of images.

    Args:
        data: (height, width, channels) or a batch of them.
        x: first column.
        y: first row.
        width: number of columns.
        height: number of rows.
    """
    return data[..., y : y + height, x : x + width, :]


@function_operator("_image_flip_left_right", "_npx__image_flip_left_right", shape=color_shape)
def flip_left_right(data: Tensor) -> Tensor:
    """The image with left and right exchanged.

    Args:
        data: (height, width, channels).
    """
    return data.flip(1)


@function_operator("_image_flip_top_bottom", "_npx__image_flip_top_bottom", shape=color_shape)
def flip_top_bottom(data: Tensor) -> Tensor:
    """The image with top and bottom exchanged.

    Args:
        data: (height, width, channels).
    """
    return data.flip(0)


def _flipped_at_random(data: Tensor, axis: int, rng: torch.Generator | None) -> Tensor:
    heads = torch.rand((), generator=rng, device=data.device) < 0.5
    if data.device.type == "cpu":  # a GPU would have to be waited for
        return data.flip(axis) if heads else data
    return torch.where(heads, data.flip(axis), data)


@function_operator(
    "_image_random_flip_left_right", "_npx__image_random_flip_left_right", shape=color_shape
)
def random_flip_left_right(data: Tensor, *, rng: torch.Generator | None) -> Tensor:
    """The image, in half of all cases with left and right exchanged.

    Args:
        data: (height, width, channels).
    """
    return _flipped_at_random(data, 1, rng)


@function_operator(
    "_image_random_flip_top_bottom", "_npx__image_random_flip_top_bottom", shape=color_shape
)
def random_flip_top_bottom(data: Tensor, *, rng: torch.Generator | None) -> Tensor:
    """The image, in half of all cases with top and bottom exchanged.

    Args:
        data: (height, width, channels).
    """
    return _flipped_at_random(data, 0, rng)


# Network inputs -----------------------------------------------------------------------------------


def _tensor_shape(_op: Op, s: Shapes) -> None:
    s.rank("data", 3, 4)
    s.output = (*s.data[:-3], s.data[-1], *s.data[-3:-1])


def _tensor_dtype(_op: Op, t: DTypes) -> None:
    t.output = torch.float32


@function_operator(
    "_image_to_tensor", "_npx__image_to_tensor", shape=_tensor_shape, dtype=_tensor_dtype
)
def to_tensor(data: Tensor) -> Tensor:
    """``data / 255`` in float32, channels first.

    Args:
        data: (height, width, channels) or a batch of them, of any element type.
    """
    # Transposed as bytes, which are fewer.
    return (data.movedim(-1, -3).contiguous() / 255).to(torch.float32)


def _normalize_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 3, 4)
    check_channels(s, -3)
    for name in ("mean", "std"):
        if len(op.attr(name)) not in (1, s.data[-3]):
            raise s.fail(
                f"{name}={op.attr(name)}: it must have 1 number, or one for each of the "
                f"{s.data[-3]} channels"
            )
    s.output = s.data


def _by_channel(values: tuple[float, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    return constant(tuple(values), dtype, device).reshape(-1, 1, 1)


@function_operator("_image_normalize", "_npx__image_normalize", shape=_normalize_shape)
def normalize(
    data: Tensor, *, mean: Floats = (0.0, 0.0, 0.0, 0.0), std: Floats = (1.0, 1.0, 1.0, 1.0)
) -> Tensor:
    """``(data - mean) / std``.

    Args:
        data: (channels, height, width) or a batch of them, with 1 or 3 channels.
        mean: one number for all channels, or one for each.
        std: one number for all channels, or one for each.
    """
    is_float = data.is_floating_point()
    floats = data.dtype if is_float else torch.float32
    normal = (data - _by_channel(mean, floats, data.device)).div_(
        _by_channel(std, floats, data.device)
    )
    # Integers wrap around, as in MXNet.
    return normal if is_float else normal.to(torch.int64).to(data.dtype)
