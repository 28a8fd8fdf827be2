# SPDX-License-Identifier: Apache-2.0
"""Regions of interest sampled between pixels: upright and rotated."""

from __future__ import annotations

from math import pi, prod

import torch
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import UnknownDim, shape_text
from ...kernels.region_pooling import cropped, interpolated, sums, table_of
from ..constants import constant, divided
from ..declaration import function_operator
from ..infer import Shapes
from ..schema import Op
from .roi import Scale, check_regions, images_of, own_maps, pooled_size

_MOST_SAMPLES = 1024  # along an axis of a rotated bin: each is looked at


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
        aligned: pixel centers, not corners, are at whole numbers, and regions may be smaller than
            a pixel.
    """
    image, exists = images_of(rois, data)
    # In double precision, as the weights are differences of sums over many samples.
    start = rois.detach()[:, 1:3].double() * spatial_scale - (0.5 if aligned else 0.0)
    size = (rois.detach()[:, 3:] - rois.detach()[:, 1:3]).double() * spatial_scale
    if not aligned:
        size = size.clamp(min=1.0)
    rows, columns = (
        _weights(start[:, i], size[:, i], n, sample_ratio, length)
        for i, n, length in ((1, pooled_size[0], data.shape[2]), (0, pooled_size[1], data.shape[3]))
    )
    rows = rows * exists
    data, rows, columns = cropped(data, rows, columns)
    if position_sensitive:
        bins = pooled_size[0], pooled_size[1]
        table, first = own_maps(data, image, bins, bins)
    else:
        table, first = table_of(data), image * prod(data.shape[2:])
    return sums(table, first, rows, columns)


def _weights(start: Tensor, size: Tensor, n: int, n_samples: int, length: int) -> Tensor:
    """How much every pixel of an axis counts in the mean of each bin: (regions, n, length).

    Samples are evenly spaced, so how many of them lie between two pixels, and their sum, have
    closed forms; no sample is looked at by itself.
    """
    width = divided(size, n).reshape(-1, 1, 1)
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


def _rotated_shape(op: Op, s: Shapes) -> None:
    check_regions(s, columns=6)
    if op.attr("sampling_ratio") > _MOST_SAMPLES:
        raise s.fail(f"sampling_ratio={op.attr('sampling_ratio')}: must be <= {_MOST_SAMPLES}")
    s.output = (s.rois[0], s.data[1], *pooled_size(op, s))


@function_operator(
    "_contrib_RROIAlign",
    shape=_rotated_shape,
    differentiable=False,
    untraceable="the largest region says how many samples there are",
)
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
        rois: regions (regions, 6): image, x and y of the center, width, height, angle in degrees.
        pooled_size: number of bins (rows, columns).
        spatial_scale: size of the feature map over that of the input.
        sampling_ratio: samples along each axis of a bin; by default one for each pixel begun.
    """
    image, exists = images_of(rois, data)
    center, size = rois[:, 1:3] * spatial_scale, (rois[:, 3:5] * spatial_scale).clamp(min=1.0)
    center_x, center_y = (v.reshape(-1, 1, 1, 1) for v in center.T)
    angle = (rois[:, 5] * (pi / 180)).reshape(-1, 1, 1, 1)
    sine, cosine = angle.sin(), angle.cos()
    bins = size / constant((pooled_size[1], pooled_size[0]), size.dtype, size.device)
    counts = bins.ceil() if sampling_ratio <= 0 else torch.full_like(bins, sampling_ratio)
    counts = counts.clamp(min=1)
    height, width = data.shape[2:]
    reach = _reach(center, angle.flatten(), (width, height))
    (x, of_x), (y, of_y) = (
        _samples(size[:, i], pooled_size[1 - i], counts[:, i], *reach[i]) for i in (0, 1)
    )
    x, of_x = x.unsqueeze(1), of_x.unsqueeze(1)
    table, first = table_of(data), (image * height * width).unsqueeze(3)
    total = table.new_zeros((len(rois), *pooled_size, data.shape[1]))
    for i in range(y.shape[2]):  # one by one, as there may be many in large maps
        down = y[:, :, i : i + 1].unsqueeze(2)
        at_x = x * cosine + down * sine + center_x
        at_y = down * cosine - x * sine + center_y
        inside = (at_y >= -1) & (at_y <= height) & (at_x >= -1) & (at_x <= width)
        weight = inside & of_x & of_y[:, :, i : i + 1].unsqueeze(2) & exists.unsqueeze(3)
        total += interpolated(table, first, at_y, at_x, (height, width), weight)
    mean = total / counts.prod(1).reshape(-1, 1, 1, 1)
    return mean.permute(0, 3, 1, 2)


def _reach(center: Tensor, angle: Tensor, size: tuple[int, int]) -> list[tuple[Tensor, Tensor]]:
    """From where to where a map reaches along the two axes of regions, from their centers."""
    x, y = (center.new_tensor([-1, size[i]]) - center[:, i : i + 1] for i in (0, 1))
    sine, cosine = angle.sin().unsqueeze(1), angle.cos().unsqueeze(1)
    ends = [(x * cosine, -y * sine), (x * sine, y * cosine)]
    return [(a.amin(1) + b.amin(1), a.amax(1) + b.amax(1)) for a, b in ends]


def _samples(
    size: Tensor, n: int, counts: Tensor, low: Tensor, high: Tensor
) -> tuple[Tensor, Tensor]:
    """Where samples of each of `n` bins are, from the center, and which of them count.

    Both are (regions, n, samples), with all samples between `low` and `high`, the rest being off
    the map: however large a region is, there are no more than the map is wide.
    """
    bins = torch.arange(n, dtype=size.dtype, device=size.device).unsqueeze(1)
    size, counts, low, high = (v.reshape(-1, 1, 1) for v in (size, counts, low, high))
    step = size / n / counts
    first = ((low + size / 2 - bins * (size / n)) / step).nan_to_num().floor() - 2
    first = first.clamp(min=0).minimum(counts)
    most = ((high - low) / step + 4).minimum(counts).nan_to_num(1).clamp(min=1)
    samples = first + torch.arange(int(most.max()) if len(most) else 1, device=size.device)
    return (bins + (samples + 0.5) / counts) * (size / n) - size / 2, samples < counts
