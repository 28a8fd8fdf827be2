# SPDX-License-Identifier: Apache-2.0
"""Pooling of regions of interest: rectangles of any size, divided into equal bins.

A region is a row (image, left, top, right, bottom): the image's number, and corners in pixels of
the network's input, which `spatial_scale` takes to pixels of the feature map. A region of an image
that does not exist gives 0. Regions get no gradient.
"""

from __future__ import annotations

from math import inf, prod

import torch
from torch import Tensor

from ...base.params import Shape, bounded
from ...base.shapes import UnknownDim, shape_text
from ...kernels.max_pooling import over_numbers
from ...kernels.region_pooling import cropped, maxima, sums, table_of
from ...kernels.wide_sums import accumulate_in_float32
from ...runtime import tuning
from ...runtime.torch_api import is_traced
from ..constants import divided
from ..declaration import function_operator
from ..families.unary import round_half_away
from ..infer import Shapes
from ..schema import Op

__all__ = ["Scale", "check_groups", "check_regions", "images_of", "own_maps", "pooled_size"]

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
    """The image of each region, and whether it exists, both (regions, 1, 1)."""
    image = rois[:, 0].long().reshape(-1, 1, 1)
    exists = (image >= 0) & (image < len(data))
    return image.clamp(0, max(len(data) - 1, 0)), exists


def own_maps(
    data: Tensor, image: Tensor, bins: tuple[int, int], groups: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """A table where each of `groups` positions has maps of its own, and where those begin.

    The second is for each of `bins` (rows, columns), which share positions if there are fewer.
    """
    batch, _, *size = data.shape
    maps = data.reshape(batch, -1, prod(groups), *size).transpose(1, 2)
    row, column = (
        torch.arange(n, device=data.device) * n_groups // n
        for n, n_groups in zip(bins, groups, strict=True)
    )
    position = (image * groups[0] + row.unsqueeze(1)) * groups[1] + column
    return table_of(maps), position * prod(size)


def _covered(
    size: Tensor, n: int, length: int, start: Tensor | float = 0.0, whole_start: Tensor | int = 0
) -> Tensor:
    """Which pixels `n` bins cover that intervals on an axis are cut into: (regions, n, length).

    Bins are rounded outwards to whole pixels; `whole_start` is added after that, `start` before.
    """
    first, end = _ends(size, n, start)
    pixels = torch.arange(length, device=size.device)
    return (pixels >= (first + whole_start).unsqueeze(2)) & (
        pixels < (end + whole_start).unsqueeze(2)
    )


def _ends(size: Tensor, n: int, start: Tensor | float) -> tuple[Tensor, Tensor]:
    """The first whole pixel of each bin, and the one behind its last: (regions, n) each."""
    bins = torch.arange(n + 1, dtype=size.dtype, device=size.device) * divided(size, n) + start
    return bins[:, :-1].floor(), bins[:, 1:].ceil()


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
    rows = _covered(size[:, 1:], pooled_size[0], data.shape[2], whole_start=start[:, 1:]) & exists
    columns = _covered(size[:, :1], pooled_size[1], data.shape[3], whole_start=start[:, :1])
    data, rows, columns = cropped(data, rows, columns)
    first = image * prod(data.shape[2:])
    return over_numbers(lambda maps: maxima(table_of(maps), first, rows, columns), data)


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
    corners = round_half_away(rois.detach()[:, 1:])
    start = corners[:, :2] * spatial_scale
    size = ((corners[:, 2:] + 1) * spatial_scale - start).clamp(min=0.1)
    if (
        not is_traced()
        and len(rois) * pooled_size**2 <= tuning.REGION_MAX_BINS
        and data.device.type == "cpu"
    ):
        return _means_one_by_one(data, rois, start, size, pooled_size, group_size or pooled_size)
    image, exists = images_of(rois, data)
    y = _covered(size[:, 1:], pooled_size, data.shape[2], start[:, 1:]) & exists
    x = _covered(size[:, :1], pooled_size, data.shape[3], start[:, :1])
    data, y, x = cropped(data, y, x)
    n = group_size or pooled_size
    table, first = own_maps(data, image, (pooled_size, pooled_size), (n, n))
    area = y.sum(2).unsqueeze(2) * x.sum(2).unsqueeze(1)
    return sums(table, first, y, x) / area.clamp(min=1).unsqueeze(1).to(data.dtype)


@accumulate_in_float32
def _means_one_by_one(
    data: Tensor, rois: Tensor, start: Tensor, size: Tensor, n: int, groups: int
) -> Tensor:
    """The means of `position_sensitive_roi_pooling`: for few bins faster than a table of taps."""
    batch, _, height, width = data.shape
    maps = data.reshape(batch, -1, groups, groups, height, width)
    limits = torch.tensor([height, width]).view(2, 1)
    first, end = _ends(size.flip(1).unsqueeze(2).flatten(0, 1), n, start.flip(1).reshape(-1, 1))
    ends = torch.stack((first.nan_to_num(inf), end.nan_to_num(-inf)))  # without any pixel
    ends = ends.view(2, len(rois), 2, n).clamp(min=0).minimum(limits)
    position = [i * groups // n for i in range(n)]
    nothing = data.new_zeros(maps.shape[1])
    means = []
    for image, (top, left), (bottom, right) in zip(
        rois[:, 0].long().tolist(), *ends.long().tolist(), strict=True
    ):
        exists = 0 <= image < batch
        for i in range(n):
            for j in range(n):
                if exists and top[i] < bottom[i] and left[j] < right[j]:
                    own = maps[image, :, position[i], position[j]]
                    means.append(own[:, top[i] : bottom[i], left[j] : right[j]].mean((1, 2)))
                else:
                    means.append(nothing)
    if not means:
        return data.new_zeros(0, maps.shape[1], n, n)
    return torch.stack(means, 1).view(-1, len(rois), n, n).transpose(0, 1)
