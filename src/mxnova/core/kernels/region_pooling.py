# SPDX-License-Identifier: Apache-2.0
"""What lies under the bins that regions are cut into: sums and maxima over pixels.

A table (pixels, channels) holds feature maps pixel by pixel, map after map; a bin is a bag of its
rows. ATen's bags are fast: 16 weighted pixels for each of 300 x 7 x 7 bins, with 512 channels each,
take 3.2 ms on one core.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from ..runtime import tuning
from ..runtime.torch_api import is_traced
from .bounds import within
from .transpose import contiguous
from .wide_sums import accumulate_in_float32

__all__ = ["cropped", "interpolated", "maxima", "sums", "table_of"]


def table_of(maps: Tensor) -> Tensor:
    """`maps` (…, channels, height, width) as a table."""
    # Of matrices: ATen takes twice as long to turn axes around that it could have merged.
    pixels = contiguous(maps.flatten(-2).transpose(-2, -1))
    return pixels.reshape(-1, maps.shape[-3])


def cropped(data: Tensor, rows: Tensor, columns: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The part of maps (…, height, width) that bins cover, and what counts in it; see `sums`.

    For few regions a table of all would take most of the time. A GPU would have to be waited for.
    """
    if is_traced() or data.device.type != "cpu" or not len(rows):
        return data, rows, columns
    down, across = (_covering(counted) for counted in (rows, columns))
    return data[..., down, across], rows[..., down], columns[..., across]


def _covering(counted: Tensor) -> slice:
    """The pixels between the first and the last that count in a bin; all when none does."""
    pixels = counted.flatten(0, 1).any(0).nonzero()
    return slice(int(pixels[0]), int(pixels[-1]) + 1) if len(pixels) else slice(None)


@accumulate_in_float32
def sums(table: Tensor, first: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """The weighted sum under each bin: (regions, channels, bins down, bins across).

    Args:
        table: feature maps; it may have a gradient.
        first: (regions, bins down or 1, bins across or 1): first row of the map under a bin.
        rows: (regions, bins down, height): how much each row of pixels counts, mostly 0.
        columns: (regions, bins across, width): the same for columns.
    """
    rows, columns = rows.to(table.dtype), columns.to(table.dtype)
    if not is_traced():
        return _bagged("sum", table, first, rows, columns)
    maps = _whole_maps(table, first, rows, columns)
    down = torch.einsum("rhwyxc,rhy->rhwxc", maps.expand(-1, rows.shape[1], -1, -1, -1, -1), rows)
    across = down.expand(-1, -1, columns.shape[1], -1, -1)
    return torch.einsum("rhwxc,rwx->rchw", across, columns)


@accumulate_in_float32
def maxima(table: Tensor, first: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """The greatest number under each bin, 0 if there is none; see `sums`.

    The gradient goes to the first one of equal numbers. Rows and columns count or do not.
    """
    if not is_traced():
        return _bagged("max", table, first, rows, columns)
    maps = _whole_maps(table, first, rows, columns)[:, 0, 0]
    found = torch.stack([_maxima_across(maps, row, columns) for row in rows.unbind(1)], 2)
    return torch.where(found.isneginf(), 0, found)


def _whole_maps(table: Tensor, first: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """The map under each bin: (regions, bins down or 1, bins across or 1, height, width, channels).

    Whatever a region covers; shapes of what it covers would depend on values.
    """
    height, width = rows.shape[2], columns.shape[2]
    maps = table.reshape(-1, height, width, table.shape[1])
    return maps[first // (height * width)]


def _maxima_across(maps: Tensor, row: Tensor, columns: Tensor) -> Tensor:
    """Of whole maps, the maxima of one row of bins: (regions, channels, bins across)."""
    infinity = float("-inf")
    down = maps.masked_fill(~row[:, :, None, None], infinity).amax(1).unsqueeze(1)
    return down.masked_fill(~columns.unsqueeze(3), infinity).amax(2).transpose(1, 2)


def _bagged(mode: str, table: Tensor, first: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    # A pixel row can be at the edge of two bins, one of which ends there.
    most = (rows.shape[2] + 2 * rows.shape[1]) * (columns.shape[2] + 2 * columns.shape[1])
    n = max(1, tuning.REGION_TAPS_AT_ONCE // most)
    found = [
        _bags(*part).reduced(mode, table)
        for part in zip(*(torch.split(v, n) for v in (first, rows, columns)), strict=True)
    ]
    size = (len(first), rows.shape[1], columns.shape[1], table.shape[1])
    bins = found[0] if len(found) == 1 else torch.cat(found)
    return bins.reshape(size).permute(0, 3, 1, 2)


class _Bags(NamedTuple):
    """Rows of a table, how much they count, and where the bag of each bin begins."""

    rows: Tensor
    weights: Tensor
    starts: Tensor

    def reduced(self, mode: str, table: Tensor) -> Tensor:
        """What each bag comes to: (bins, channels)."""
        weights = self.weights if mode == "sum" else None
        return F.embedding_bag(self.rows, table, self.starts, mode=mode, per_sample_weights=weights)


class _Taps(NamedTuple):
    """Which pixels along an axis count in each bin of each region, and how much.

    Attributes:
        pixel: taps of all bins, one bin after the other; `weight`: how much they count.
        starts: (regions, bins): the first tap of a bin; `counts`: how many there are.
    """

    pixel: Tensor
    weight: Tensor
    starts: Tensor
    counts: Tensor

    @classmethod
    def of(cls, weights: Tensor) -> _Taps:
        """Those with `weights` (regions, bins, pixels) other than 0."""
        counts = weights.count_nonzero(2)
        place = weights.nonzero(as_tuple=True)
        starts = counts.flatten().cumsum(0).view_as(counts) - counts
        return cls(place[2], weights[place], starts, counts)


def _bags(first: Tensor, rows: Tensor, columns: Tensor) -> _Bags:
    """The taps of each bin: those of its rows crossed with those of its columns."""
    y, x = _Taps.of(rows), _Taps.of(columns)
    counts = y.counts.unsqueeze(2) * x.counts.unsqueeze(1)
    starts = counts.flatten().cumsum(0) - counts.flatten()
    bin_ = torch.repeat_interleave(counts.flatten())

    def of_tap(of_bin: Tensor) -> Tensor:
        return of_bin.expand_as(counts).flatten()[bin_]

    number = torch.arange(len(bin_), device=bin_.device) - starts[bin_]
    width = of_tap(x.counts.unsqueeze(1))
    down = number // width
    row = of_tap(y.starts.unsqueeze(2)) + down
    column = of_tap(x.starts.unsqueeze(1)) + (number - down * width)
    pixel = of_tap(first) + y.pixel[row] * columns.shape[2] + x.pixel[column]
    return _Bags(pixel, y.weight[row] * x.weight[column], starts)


@accumulate_in_float32
def interpolated(
    table: Tensor, first: Tensor, y: Tensor, x: Tensor, size: tuple[int, int], weight: Tensor
) -> Tensor:
    """The weighted sum of samples between pixels: (…, channels) for samples (…, samples).

    Args:
        table: feature maps.
        first: first row of the map of each sample; it, `y`, `x` and `weight` broadcast.
        y: rows where samples are, clipped to the map; NaN gives NaN.
        x: columns, likewise.
        size: height and width of a map.
        weight: how much each sample counts.
    """
    height, width = size
    y, x = within(y, 0, height - 1), within(x, 0, width - 1)
    top, left = (v.detach().long().clamp(min=0) for v in (y, x))  # also of NaN
    down, right = y - top, x - left
    rows = [first + edge * width for edge in (top, (top + 1).clamp(max=height - 1))]
    columns = [left, (left + 1).clamp(max=width - 1)]
    lower, upper = down * weight, (1 - down) * weight
    taps = torch.stack([row + column for row in rows for column in columns], -1)
    shares = [upper * (1 - right), upper * right, lower * (1 - right), lower * right]
    weights = torch.stack(shares, -1).to(table.dtype)
    bags = F.embedding_bag(
        taps.flatten(0, -3).flatten(1),
        table,
        mode="sum",
        per_sample_weights=weights.flatten(0, -3).flatten(1),
    )
    return bags.view(*taps.shape[:-2], table.shape[1])
