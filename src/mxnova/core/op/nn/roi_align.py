# SPDX-License-Identifier: Apache-2.0
"""Regions of interest sampled between pixels: upright and rotated."""

from __future__ import annotations

from itertools import product
from math import pi

import torch
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import UnknownDim, shape_text
from ..infer import Shapes
from ..operator import Op, function_operator
from .roi import Scale, check_regions, images_of, pooled_size

__all__ = ["between_pixels"]

# Numbers of the feature maps that are worked on at once. Measured with 300 regions of a map
# 512 x 38 x 50 on one core: 1 << 20 takes 230 ms, 1 << 24 390 ms (with gradient 850 and 1540).
_CHUNK = 1 << 20


def _align_shape(op: Op, s: Shapes) -> None:
    check_regions(s)
    rows, columns = pooled_size(op, s)
    channels = s.data[1]
    if op.attr("position_sensitive"):
        if not isinstance(channels, UnknownDim) and channels % (rows * columns):
            raise s.fail(
                f"pooled_size={(rows, columns)}: data has shape {shape_text(s.data)}, but its "
                f"channels must be a multiple of {rows * columns}"
            )
        channels = channels // (rows * columns)
    s.output = (s.rois[0], channels, rows, columns)


@function_operator("_contrib_ROIAlign", shape=_align_shape)
def roi_align(
    data: Tensor,
    rois: Tensor,
    *,
    pooled_size: Shape,
    spatial_scale: Scale,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
) -> Tensor:
    """The mean of samples on a grid in each bin of each region, (regions, channels, *pooled_size).

    A sample is interpolated linearly between pixels; those more than one pixel outside are 0.

    He et al., "Mask R-CNN", 2017.

    Args:
        data: feature maps (batch, channels, height, width).
        rois: regions (regions, 5).
        pooled_size: number of bins (rows, columns).
        spatial_scale: size of the feature map over that of the input.
        sample_ratio: samples along each axis of a bin; by default one for each pixel begun.
        position_sensitive: every bin has channels of its own.
        aligned: pixel centres, not corners, are at whole numbers, and regions may be smaller than
            a pixel.
    """
    image, exists = images_of(rois, data)
    # In double precision, as the weights are differences of sums over many samples.
    start = rois.detach()[:, 1:3].double() * spatial_scale - (0.5 if aligned else 0.0)
    size = (rois.detach()[:, 3:] - rois.detach()[:, 1:3]).double() * spatial_scale
    if not aligned:
        size = size.clamp(min=1.0)
    weights = [
        _weights(start[:, i], size[:, i], n, sample_ratio, length).to(data.dtype)
        for i, n, length in ((1, pooled_size[0], data.shape[2]), (0, pooled_size[1], data.shape[3]))
    ]
    weights[0] = weights[0] * exists[..., 0]
    gather = _own_channels if position_sensitive else _all_channels
    return gather(data, image, *weights)


def _weights(start: Tensor, size: Tensor, n: int, n_samples: int, length: int) -> Tensor:
    """How much every pixel of an axis counts in the mean of each bin: (regions, n, length).

    Samples are evenly spaced, so how many of them lie between two pixels, and their sum, have
    closed forms; no sample is looked at by itself.
    """
    width = (size / n).reshape(-1, 1, 1)
    count = torch.full_like(width, n_samples) if n_samples > 0 else width.ceil().clamp(min=0)
    step = (width / count.clamp(min=1)).clamp(min=1e-12)
    bins = torch.arange(n, dtype=width.dtype, device=width.device)
    origin = start.reshape(-1, 1, 1) + bins.reshape(1, -1, 1) * width
    # Samples at `length` itself still count: the last edge lies just behind it.
    pixels = torch.arange(-1, length + 1, dtype=width.dtype, device=width.device)
    edges = pixels + 1e-9 * (pixels == length)
    before = ((edges - origin) / step - 0.5).ceil().clamp(min=0).minimum(count)
    total = origin * before + step * before * before / 2
    between = before.diff()
    rise = total.diff() - pixels[:-1] * between  # share of the pixel at the upper edge
    rise = torch.cat((between[..., :1], rise[..., 1:]), -1)  # before the first pixel: all its
    fall = torch.cat(((between - rise)[..., :-1], between[..., -1:]), -1)
    return (rise[..., :-1] + fall[..., 1:]) / count.clamp(min=1)


def _all_channels(data: Tensor, image: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """``rows @ data[image] @ columns.T`` for each region and channel."""
    height, width, channels = data.shape[2], data.shape[3], data.shape[1]
    pixels = data.permute(0, 2, 3, 1).reshape(len(data), height, -1)
    found = []
    for part in _parts(data, image):
        own = pixels.expand(len(image[part]), -1, -1) if len(data) == 1 else pixels[image[part]]
        strips = (rows[part] @ own).reshape(-1, rows.shape[1], width, channels)
        found.append(columns[part].unsqueeze(1) @ strips)
    return torch.cat(found).permute(0, 3, 1, 2)


def _own_channels(data: Tensor, image: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    maps = data.reshape(len(data), -1, rows.shape[1], columns.shape[1], *data.shape[2:])
    found = [
        torch.einsum("rpy,rcpqyx,rqx->rcpq", rows[part], maps[image[part]], columns[part])
        for part in _parts(data, image)
    ]
    return torch.cat(found)


def _parts(data: Tensor, image: Tensor) -> list[slice]:
    """Slices of the regions with about `_CHUNK` numbers of data each."""
    n = max(1, _CHUNK // max(1, data[0].numel())) if len(data) else 1
    return [slice(i, i + n) for i in range(0, max(len(image), 1), n)]


def _rotated_shape(op: Op, s: Shapes) -> None:
    check_regions(s, columns=6)
    s.output = (s.rois[0], s.data[1], *pooled_size(op, s))


@function_operator("_contrib_RROIAlign", shape=_rotated_shape, differentiable=False)
def rotated_roi_align(
    data: Tensor,
    rois: Tensor,
    *,
    pooled_size: Shape,
    spatial_scale: Scale,
    sampling_ratio: int = -1,
) -> Tensor:
    """ROIAlign of rotated regions.

    Ma et al., "Arbitrary-oriented scene text detection via rotation proposals", 2018.

    Args:
        data: feature maps (batch, channels, height, width).
        rois: regions (regions, 6): image, x and y of the centre, width, height, angle in degrees.
        pooled_size: number of bins (rows, columns).
        spatial_scale: size of the feature map over that of the input.
        sampling_ratio: samples along each axis of a bin; by default one for each pixel begun.
    """
    image, exists = images_of(rois, data)
    center, size = rois[:, 1:3] * spatial_scale, (rois[:, 3:5] * spatial_scale).clamp(min=1.0)
    angle = (rois[:, 5] * (pi / 180)).reshape(-1, 1, 1)
    sine, cosine = angle.sin(), angle.cos()
    bins = size / size.new_tensor([pooled_size[1], pooled_size[0]])
    counts = bins.ceil().long() if sampling_ratio <= 0 else torch.full_like(bins, sampling_ratio)
    # How many samples the largest region asks for has to be known here.
    most = sampling_ratio if sampling_ratio > 0 else int(counts.max()) if len(rois) else 0
    pixels = data.permute(0, 2, 3, 1).flatten(0, 2)
    total = pixels.new_zeros((len(rois), *pooled_size, data.shape[1]))
    height, width = data.shape[2:]
    for row, column in product(range(most), repeat=2):
        y = _offsets(row, pooled_size[0], size[:, 1], counts[:, 1]).unsqueeze(2)
        x = _offsets(column, pooled_size[1], size[:, 0], counts[:, 0]).unsqueeze(1)
        at_x = x * cosine + y * sine + center[:, 0].reshape(-1, 1, 1)
        at_y = y * cosine - x * sine + center[:, 1].reshape(-1, 1, 1)
        counted = (row < counts[:, 1]) & (column < counts[:, 0])
        inside = (at_y >= -1) & (at_y <= height) & (at_x >= -1) & (at_x <= width)
        first = (image * height * width).reshape(-1, 1, 1)
        sample = between_pixels(pixels, first, at_y, at_x, height, width)
        total += sample * (inside & counted.reshape(-1, 1, 1)).unsqueeze(-1)
    mean = total / (counts[:, 0] * counts[:, 1]).clamp(min=1).reshape(-1, 1, 1, 1)
    return mean.permute(0, 3, 1, 2).masked_fill(~exists, 0.0)


def _offsets(sample: int, n: int, size: Tensor, counts: Tensor) -> Tensor:
    """Where sample number `sample` of each of `n` bins is, from the centre: (regions, n)."""
    bins = torch.arange(n, dtype=size.dtype, device=size.device)
    width = (size / n).unsqueeze(1)
    return (bins + (sample + 0.5) / counts.clamp(min=1).unsqueeze(1)) * width - size.unsqueeze(
        1
    ) / 2


def between_pixels(
    pixels: Tensor, first: Tensor, y: Tensor, x: Tensor, height: int, width: int
) -> Tensor:
    """Linear interpolation of rows of `pixels` (n, channels) at `y` and `x`, cut to the image.

    `first` is the number of the first pixel of the image that a position is in.
    """
    y, x = y.clamp(0, height - 1), x.clamp(0, width - 1)
    top, left = y.detach().long(), x.detach().long()
    down, right = (y - top).unsqueeze(-1), (x - left).unsqueeze(-1)
    rows = [first + edge * width for edge in (top, (top + 1).clamp(max=height - 1))]
    columns = [left, (left + 1).clamp(max=width - 1)]
    upper, lower = (
        torch.lerp(pixels[row + columns[0]], pixels[row + columns[1]], right) for row in rows
    )
    return torch.lerp(upper, lower, down)
