# SPDX-License-Identifier: Apache-2.0
"""Pooling of regions of interest: rectangles cut into equal bins, whatever their size.

A region is a row (image, left, top, right, bottom): the image's number, and corners in pixels of
the network's input, which `spatial_scale` takes to pixels of the feature map. A region of an image
that does not exist gives 0. Regions get no gradient.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.params import Shape, bounded
from ...base.shapes import UnknownDim, shape_text
from ..families.unary import round_half_away
from ..infer import Shapes
from ..operator import Op, function_operator

__all__ = ["Scale", "check_groups", "check_regions", "images_of", "pooled_size"]

Scale = bounded(float, 0, 1)


def check_regions(s: Shapes, columns: int = 5) -> None:
    """Raises unless data is (batch, channels, height, width) and rois (n, `columns`)."""
    s.rank("data", 4)
    s.rank("rois", 2)
    if s.rois[1] != columns:
        raise s.fail(f"rois has shape {shape_text(s.rois)}: a region has {columns} numbers")


def pooled_size(op: Op, s: Shapes) -> tuple[int, int]:
    """Parameter `pooled_size` as a height and a width; raises when it is none."""
    size = op.attr("pooled_size")
    if len(size) != 2 or min(size) < 1:
        raise s.fail(f"pooled_size={size}: it must be a height and a width of at least 1")
    return size[0], size[1]


def images_of(rois: Tensor, data: Tensor) -> tuple[Tensor, Tensor]:
    """The image of each region, and a mask (regions, 1, 1, 1) of those whose image exists."""
    image = rois[:, 0].long()
    exists = (image >= 0) & (image < len(data))
    return image.clamp(0, max(len(data) - 1, 0)), exists.reshape(-1, 1, 1, 1)


def _edges(
    size: Tensor, n: int, length: int, start: Tensor | float = 0.0, whole_start: Tensor | int = 0
) -> tuple[Tensor, Tensor]:
    """First and end pixel (regions, n) of `n` bins that intervals on an axis are cut into.

    Bins are rounded outwards to whole pixels; `whole_start` is added after that, `start` before.
    """
    bins = torch.arange(n + 1, dtype=size.dtype, device=size.device) * (size / n) + start
    first = (bins[:, :-1].floor() + whole_start).clamp(0, length)
    end = (bins[:, 1:].ceil() + whole_start).clamp(0, length)
    return first.long(), end.long()


# Maximum ------------------------------------------------------------------------------------------


class _Peaks:
    """The greatest item of any rectangle of `data`, in four look-ups.

    Table (i, j) holds for every pixel the greatest item of the 2**i rows and 2**j columns from
    there on; four such blocks cover a rectangle. The tables hold, for each channel, the pixel's
    number when `wants_pixel`, as the gradient needs it, and the value.
    """

    def __init__(self, data: Tensor, wants_pixel: bool) -> None:
        self.images, channels, self.height, self.width = data.shape
        value = data.permute(0, 2, 3, 1)
        pixel = None
        if wants_pixel:
            pixel = torch.arange(value[..., 0].numel(), device=data.device)
            pixel = pixel.reshape(*value.shape[:3], 1).expand_as(value)
        self.columns = self.width.bit_length()
        tables = []
        tall = (value, pixel)
        for i in range(self.height.bit_length()):
            block = tall
            for j in range(self.columns):
                tables.append(block)
                block = _greater(block, _moved(block, 2, 1 << j))
            tall = _greater(tall, _moved(tall, 1, 1 << i))
        self.value = torch.stack([v for v, _ in tables]).reshape(-1, channels)
        self.pixel = (
            torch.stack([p for _, p in tables if p is not None]).reshape(-1, channels)
            if wants_pixel
            else None
        )

    def __call__(
        self, image: Tensor, rows: tuple[Tensor, Tensor], columns: tuple[Tensor, Tensor]
    ) -> _Found:
        """The greatest items of each region's bins: (regions, row bins, column bins, channels)."""
        i, tops = _covering(*rows)
        j, lefts = _covering(*columns)
        table = i.unsqueeze(2) * self.columns + j.unsqueeze(1)
        origin = table * self.images + image.reshape(-1, 1, 1)
        found: _Found | None = None
        for top in tops:
            for left in lefts:
                at = (origin * self.height + top.unsqueeze(2)) * self.width + left.unsqueeze(1)
                item = (self.value[at], None if self.pixel is None else self.pixel[at])
                found = item if found is None else _greater(found, item)
        return found  # type: ignore[return-value]


_Found = tuple[Tensor, "Tensor | None"]


def _greater(a: _Found, b: _Found) -> _Found:
    (value_a, pixel_a), (value_b, pixel_b) = a, b
    if pixel_a is None or pixel_b is None:
        return torch.maximum(value_a, value_b), None
    second = (value_b > value_a) | ((value_b == value_a) & (pixel_b < pixel_a))  # ties: the first
    return torch.where(second, value_b, value_a), torch.where(second, pixel_b, pixel_a)


def _moved(block: _Found, axis: int, by: int) -> _Found:
    """`block` as seen from `by` pixels further on, the border repeated."""
    length = block[0].shape[axis]
    at = (torch.arange(length, device=block[0].device) + by).clamp(max=length - 1)
    value, pixel = block
    return value.index_select(axis, at), None if pixel is None else pixel.index_select(axis, at)


def _covering(first: Tensor, end: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """The level whose two blocks cover each interval, and where the blocks begin."""
    length = (end - first).clamp(min=1)
    level = torch.frexp(length.double()).exponent.long() - 1
    return level, (first, (first + length - (1 << level)).clamp(min=0))


def _roi_pooling_shape(op: Op, s: Shapes) -> None:
    check_regions(s)
    s.output = (s.rois[0], s.data[1], *pooled_size(op, s))


@function_operator("ROIPooling", "_npx_roi_pooling", shape=_roi_pooling_shape)
def roi_pooling(
    data: Tensor,
    rois: Tensor,
    *,
    pooled_size: Shape,
    spatial_scale: Scale,  # type: ignore[valid-type]
) -> Tensor:
    """The maximum of each bin of each region, (regions, channels, *pooled_size).

    Girshick, "Fast R-CNN", 2015.

    Args:
        data: feature maps (batch, channels, height, width).
        rois: regions (regions, 5); rounded to whole pixels of the feature map.
        pooled_size: number of bins (rows, columns).
        spatial_scale: size of the feature map over that of the input.
    """
    image, exists = images_of(rois, data)
    corners = round_half_away(rois.detach()[:, 1:] * spatial_scale)
    start, size = corners[:, :2], (corners[:, 2:] - corners[:, :2] + 1).clamp(min=1)
    rows = _edges(size[:, 1:], pooled_size[0], data.shape[2], whole_start=start[:, 1:])
    columns = _edges(size[:, :1], pooled_size[1], data.shape[3], whole_start=start[:, :1])
    with torch.no_grad():
        # An empty bin may begin behind the last pixel.
        inside = [
            (first.clamp(max=length - 1), end)
            for (first, end), length in zip((rows, columns), data.shape[2:], strict=True)
        ]
        value, pixel = _Peaks(data, data.requires_grad)(image, *inside)
    if pixel is not None:
        pixels = data.permute(0, 2, 3, 1).flatten(0, 2)
        value = pixels.gather(0, pixel.flatten(0, 2)).reshape(value.shape)
    is_full = (rows[1] > rows[0]).unsqueeze(2) & (columns[1] > columns[0]).unsqueeze(1)
    return value.permute(0, 3, 1, 2).masked_fill(~(is_full.unsqueeze(1) & exists), 0.0)


# Mean ---------------------------------------------------------------------------------------------


def _psroi_shape(op: Op, s: Shapes) -> None:
    check_regions(s)
    n = op.attr("pooled_size")
    for name in ("pooled_size", "output_dim"):
        if op.attr(name) < 1:
            raise s.fail(f"{name}={op.attr(name)}: it must be >= 1")
    check_groups(s, op.attr("output_dim"), op.attr("group_size") or n)
    s.output = (s.rois[0], op.attr("output_dim"), n, n)


def check_groups(s: Shapes, output_dim: int, groups: int) -> None:
    """Raises unless data has one map for each output channel and each of `groups`² positions."""
    channels, wanted = s.data[1], output_dim * groups * groups
    if groups < 1 or (not isinstance(channels, UnknownDim) and channels != wanted):
        raise s.fail(
            f"group_size={groups}, output_dim={output_dim}: data has shape {shape_text(s.data)}, "
            f"but needs {wanted} channels"
        )


@function_operator("_contrib_PSROIPooling", shape=_psroi_shape)
def position_sensitive_roi_pooling(
    data: Tensor,
    rois: Tensor,
    *,
    spatial_scale: Scale,  # type: ignore[valid-type]
    output_dim: int,
    pooled_size: int,
    group_size: int = 0,
) -> Tensor:
    """The mean of each bin of each region, every bin from channels of its own.

    Dai et al., "R-FCN: object detection via region-based fully convolutional networks", 2016.

    Args:
        data: score maps (batch, output_dim * group_size², height, width).
        rois: regions (regions, 5).
        spatial_scale: size of the feature map over that of the input.
        output_dim: number of output channels.
        pooled_size: number of bins along each axis.
        group_size: number of positions along each axis that have channels of their own;
            `pooled_size` by default.
    """
    image, exists = images_of(rois, data)
    corners = round_half_away(rois.detach()[:, 1:])
    start = corners[:, :2] * spatial_scale
    size = ((corners[:, 2:] + 1) * spatial_scale - start).clamp(min=0.1)
    x = _edges(size[:, :1], pooled_size, data.shape[3], start[:, :1])
    y = _edges(size[:, 1:], pooled_size, data.shape[2], start[:, 1:])
    top, bottom = (edge.reshape(-1, 1, pooled_size, 1) for edge in y)
    left, right = (edge.reshape(-1, 1, 1, pooled_size) for edge in x)
    before = _SumBefore(data, image, output_dim, group_size or pooled_size, pooled_size)
    total = before(bottom, right) - before(top, right) - before(bottom, left) + before(top, left)
    area = (bottom - top).clamp(min=0) * (right - left).clamp(min=0)
    mean = (total / area.clamp(min=1)).to(data.dtype)
    return mean.masked_fill(~((area > 0) & exists), 0.0)


class _SumBefore:
    """For the channels of each region's bins, the sum of all above and left of a pixel."""

    def __init__(
        self, data: Tensor, image: Tensor, output_dim: int, groups: int, n_bins: int
    ) -> None:
        # In double precision: what is wanted are differences of large numbers.
        sums = F.pad(data, (1, 0, 1, 0)).double().cumsum(2).cumsum(3)
        self.sums = sums.reshape(len(data), output_dim, groups, groups, *sums.shape[2:])
        group = torch.arange(n_bins, device=data.device) * groups // n_bins
        self.image = image.reshape(-1, 1, 1, 1)
        self.output = torch.arange(output_dim, device=data.device).reshape(-1, 1, 1)
        self.group_y, self.group_x = group.reshape(-1, 1), group

    def __call__(self, row: Tensor, column: Tensor) -> Tensor:
        return self.sums[self.image, self.output, self.group_y, self.group_x, row, column]
