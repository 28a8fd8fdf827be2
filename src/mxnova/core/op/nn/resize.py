# SPDX-License-Identifier: Apache-2.0
"""Images made larger or smaller."""

from __future__ import annotations

from ctypes import c_float
from functools import reduce
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.parameter_types import REQUIRED
from ...base.params import Count, PosInt, StructuralFloat, ULong
from ...base.shapes import Dim, UnknownDim, shape_text
from ...kernels import onednn
from ...kernels.transpose import channels_last, contiguous
from ...runtime import tuning
from ...runtime.torch_api import is_traced
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..schema import Op
from ..traits import InputShapes, ItemAxes, batch_apart
from .window import typed_by_data


@operator("UpSampling")
class UpSampling(Op):
    """Images made `scale` times larger.

    nearest: every pixel is repeated; several inputs are brought to one size and joined. bilinear: a
    transposed convolution of each channel with its kernel in `weight`, which starts as, but need
    not stay, bilinear interpolation.

    Args:
        data: images (batch, channels, height, width); for bilinear one of them, followed by its
            weight (channels, 1, k, k) with ``k = 2 * scale - scale % 2``.
        scale: how many times larger the first image gets.
        num_filter: without effect.
        sample_type: nearest or bilinear.
        multi_input_mode: whether several inputs are put behind each other as channels, or added.
        num_args: number of inputs; for bilinear the weight counts.
        workspace: without effect.
    """

    scale: PosInt
    num_filter: int = 0
    sample_type: Literal["bilinear", "nearest"] = REQUIRED

    multi_input_mode: Literal["concat", "sum"] = "concat"
    num_args: Count = REQUIRED
    workspace: ULong = 512

    # The second input, even where it is an image.
    initializers = dict.fromkeys(("weight", "arg1"), '["bilinear", {}]')

    def inputs(self) -> tuple[str, ...]:
        return ("data", "weight") if self.sample_type == "bilinear" else super().inputs()

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        if self.sample_type == "bilinear":
            return batch_apart(self, axes, shapes)
        return 0 if set(axes) == {0} else None

    def infer_shape(self, s: Shapes) -> None:
        first = s.inputs[0]
        s.rank(first, 4)
        batch, channels, height, width = s[first]
        size = (height * self.scale, width * self.scale)
        if self.sample_type == "bilinear":
            kernel = 2 * self.scale - self.scale % 2
            s.weight = (channels, 1, kernel, kernel)
            s.output = (batch, channels, *size)
            return
        for name in s.inputs:
            s.rank(name, 4)
            _check_fits(s, name, size)
        if self.multi_input_mode == "sum":
            for name in s.inputs:
                s[name] = (batch, channels, *s[name][2:])
        else:
            channels = sum((s[name][1] for name in s.inputs), 0)
        s.output = (batch, channels, *size)

    def infer_dtype(self, t: DTypes) -> None:
        typed_by_data(t)

    def forward(self, *data: Tensor) -> Tensor:
        if self.sample_type == "bilinear":
            image, weight = data
            margin = self.scale // 2
            return F.conv_transpose2d(
                image, weight, None, self.scale, margin, groups=image.shape[1]
            )
        size = [n * self.scale for n in data[0].shape[2:]]
        scaled = [_repeated(image, size) for image in data]
        if len(scaled) == 1:
            return scaled[0]
        if self.multi_input_mode == "concat":
            return torch.cat(scaled, 1)
        return torch.stack(scaled).sum(0)


def _repeated(images: Tensor, size: list[int]) -> Tensor:
    """``F.interpolate(images, size)`` where `size` is a multiple of theirs."""
    if (
        is_traced()
        or images.device.type != "cpu"
        or images.numel() < tuning.RESIZE_MIN_SIZE
        or not images.is_contiguous()
    ):
        return F.interpolate(images, size)
    repeated: Tensor = _Repeated.apply(images, size)  # type: ignore[no-untyped-call]
    return repeated


class _Repeated(torch.autograd.Function):
    """Every pixel a rectangle of copies, whose gradients are summed."""

    @staticmethod
    def forward(ctx: Any, images: Tensor, size: list[int]) -> Tensor:
        batch, channels, height, width = images.shape
        rows, columns = size[0] // height, size[1] // width
        ctx.blocks = (batch, channels, height, rows, width, columns)
        blocks = images.new_empty(ctx.blocks)
        first = blocks[:, :, :, 0]
        for column in first.unbind(-1):
            column.copy_(images)
        blocks[:, :, :, 1:] = first.unsqueeze(3)
        return blocks.view(batch, channels, *size)

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Tensor, None]:
        by_rows = reduce(torch.add, d_outputs[0].reshape(ctx.blocks).unbind(3))
        return reduce(torch.add, by_rows.unbind(-1)), None


def _check_fits(s: Shapes, name: str, size: tuple[Dim, ...]) -> None:
    for n, whole in zip(s[name][2:], size, strict=True):
        if not isinstance(n, UnknownDim) and not isinstance(whole, UnknownDim) and whole % n:
            raise s.fail(
                f"{name} has shape {shape_text(s[name])}: its height and width must divide those "
                f"of the output, {shape_text(size)}"
            )


_Mode = Literal[
    "like", "odd_scale", "size", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"
]


@operator("_contrib_BilinearResize2D")
class BilinearResize2D(Op):
    """Images brought to another size by bilinear interpolation.

    Args:
        data: floats (batch, channels, height, width).
        like: an image (…, …, height, width) with the size wanted; only with mode like.
        height: height of the output; only with mode size.
        width: width of the output; only with mode size.
        scale_height: factor for the height; with mode size it replaces `height`.
        scale_width: factor for the width; with mode size it replaces `width`.
        mode: where the size comes from. odd_scale: the factors, an odd number n of pixels becoming
            ``(n - 1) * scale + 1``; to_even_down and so on: the nearest smaller (down) or larger
            (up) even or odd number.
        align_corners: the corner pixels of input and output stand for the same points; otherwise
            the outer edges of the pixels do.
    """

    height: PosInt = 1
    width: PosInt = 1
    scale_height: StructuralFloat | None = None
    scale_width: StructuralFloat | None = None
    mode: _Mode = "size"
    align_corners: bool = True

    def inputs(self) -> tuple[str, ...]:
        return ("data", "like") if self.mode == "like" else ("data",)

    def infer_shape(self, s: Shapes) -> None:
        s.rank("data", 4)
        data = s.full("data")
        if self.mode == "like":
            s.rank("like", 4)
            s.output = (*data[:2], *s.like[2:])
            return
        scales = (self.scale_height, self.scale_width)
        if None in scales and (self.mode == "odd_scale" or scales != (None, None)):
            raise s.fail(f"scale_height={scales[0]}, scale_width={scales[1]}: both are needed")
        size = self._size(*data[2:])
        if min(size) < 1:
            raise s.fail(f"mode={self.mode}: data {shape_text(data)} would get size {size}")
        s.output = (*data[:2], *size)

    def _size(self, height: int, width: int) -> tuple[int, int]:
        if self.mode == "size" and self.scale_height is None:
            return self.height, self.width
        return self._new(height, self.scale_height), self._new(width, self.scale_width)

    def _new(self, n: int, scale: float | None) -> int:
        if self.mode.startswith("to_"):
            _, parity, direction = self.mode.split("_")
            fits = n % 2 == (parity == "odd")
            return n if fits else n + (1 if direction == "up" else -1)
        odd = self.mode == "odd_scale" and n % 2
        scaled = c_float((n - odd) * (scale or 0.0)).value  # a float32 product, as in MXNet
        return int(scaled + odd)

    def forward(self, data: Tensor, like: Tensor | None = None) -> Tensor:
        size = self._size(*data.shape[2:]) if like is None else tuple(like.shape[2:])
        if not self.align_corners and 1 in size:
            # MXNet takes the first pixel for a single one, ATen the middle.
            data = data[:, :, : 1 if size[0] == 1 else None, : 1 if size[1] == 1 else None]
        if data.shape[2:] == (1, 1):
            return data.expand(-1, -1, *size)
        if data.shape[1] < tuning.RESIZE_MIN_CHANNELS or not onednn.suits_pooling(data):
            return self._resized(data, size)
        return contiguous(self._resized(channels_last(data), size))

    def _resized(self, data: Tensor, size: tuple[int, ...]) -> Tensor:
        return F.interpolate(data, size, mode="bilinear", align_corners=self.align_corners)
