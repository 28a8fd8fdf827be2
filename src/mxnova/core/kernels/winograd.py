# SPDX-License-Identifier: Apache-2.0
"""Convolution by 3×3 windows in a quarter of the products: Winograd's F(4×4, 3×3).

Images are cut into tiles of 6×6 that overlap by two, each of which gives 4×4 outputs. Tiles and
windows are transformed so that a convolution becomes 36 products of matrices, 36 numbers for each
tile, channel and filter instead of 144. What tiles add to float32's rounding is 5e-6 of the largest
output. Lavin & Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.

Tiles are laid out as ``(tile, 36, channel)``: a tile is a pixel of 36 groups of channels, so that
one convolution of oneDNN's by 1×1 makes all 36 products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, prod
from typing import Any

import torch
from torch import Tensor

from ..base import env
from ..base.shapes import PartialShape, is_known
from ..runtime import torch_api, tuning
from ..runtime.threads import thread_count
from .activation import clear_nan

__all__ = [
    "AREA",
    "bias_of_products",
    "convolve",
    "is_faster",
    "mean_channels",
    "multiplied",
    "output_size",
    "tiles_at_once",
    "windows",
]

_WINDOW = 3
_TILE = 4  # outputs along an edge
_SIDE = _TILE + _WINDOW - 1  # inputs along an edge
AREA = _SIDE**2

_OF_TILES = torch.tensor(
    (
        (4, 0, -5, 0, 1, 0),
        (0, -4, -4, 1, 1, 0),
        (0, 4, -4, -1, 1, 0),
        (0, -2, -1, 2, 1, 0),
        (0, 2, -1, -2, 1, 0),
        (0, 4, 0, -5, 0, 1),
    ),
    dtype=torch.float32,
)
_OF_EDGES = (
    torch.tensor(
        ((6, 0, 0), (-4, -4, -4), (-4, 4, -4), (1, 2, 4), (1, -2, 4), (0, 0, 24)),
        dtype=torch.float64,
    )
    / 24
)
_OF_WINDOWS = torch.kron(_OF_EDGES, _OF_EDGES)  # 36 × 9
_OF_OUTPUTS = torch.tensor(
    ((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1)),
    dtype=torch.float32,
)
_EVERYWHERE = _SIDE + 1  # what is added to this product of a tile is added to all its outputs


def is_faster(shape: PartialShape, filters: int, *place: Any) -> bool:
    """Whether a convolution in float32 is possible by tiles, and faster.

    Args:
        shape: of its images, ``(n, channels, height, width)``, as far as it is known.
        filters: number of output channels.
        place: of its windows, as `output_size` takes it.
    """
    size = output_size(shape, *place)
    if size is None or not is_known(shape):
        return False
    n, channels = shape[:2]
    threads = thread_count()
    least = tuning.WINOGRAD_MIN_CHANNELS if threads == 1 else tuning.WINOGRAD_MIN_CHANNELS_SHARED
    return (
        n * prod(size) * _WINDOW**2 * channels * filters
        >= tuning.WINOGRAD_MIN_MULTIPLICATIONS * threads
        and mean_channels(channels, filters) >= least
        and n * prod(_tile_counts(size)) >= tuning.WINOGRAD_MIN_TILES
    )


def output_size(
    shape: PartialShape,
    kernel: Sequence[int],
    pad: Sequence[int],
    stride: Sequence[int],
    dilate: Sequence[int],
    groups: int,
) -> list[int] | None:
    """Height and width of what a convolution gives, where it is possible by tiles.

    None where it is not, where sizes are not known, and with MXNOVA_WINOGRAD=0.

    Args:
        shape: of its images, ``(n, channels, height, width)``.
        kernel: size of the window along each axis.
        pad: zeros before and after each axis.
        stride: step along each axis.
        dilate: distance of the window's items along each axis.
        groups: of channels.
    """
    once = (1, 1)
    is_plain = (*kernel, *stride, *dilate, groups) == (_WINDOW, _WINDOW, *once, *once, 1)
    if not (is_plain and is_known(shape) and env.get("MXNOVA_WINOGRAD")):
        return None
    return [n + 2 * p - _WINDOW + 1 for n, p in zip(shape[2:], pad, strict=True)]


def mean_channels(channels: int, filters: int) -> float:
    """Their harmonic mean: the greater it is, the less transforms take beside products."""
    return 2 / (1 / channels + 1 / filters)


def tiles_at_once(n: int, size: Sequence[int]) -> int:
    """How many tiles are multiplied at once, of `n` images that give outputs of a size."""
    return min(n, _images_at_once(size)) * prod(_tile_counts(size))


def windows(weight: Tensor) -> Tensor:
    """Weights ``(filters, channels, 3, 3)`` as ``(36 * filters, channels, 1, 1)``, transformed."""
    filters, channels = weight.shape[:2]
    made = _OF_WINDOWS.to(weight.dtype) @ weight.reshape(-1, _WINDOW**2).T
    return made.view(AREA * filters, channels, 1, 1)


def bias_of_products(bias: Tensor) -> Tensor:
    """What is added to the products, ``(36 * filters,)``, for a bias ``(filters,)`` of outputs."""
    made = bias.new_zeros(AREA, len(bias))
    made[_EVERYWHERE] = bias
    return made.view(-1)


def multiplied(tiles: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Products ``(tiles, 36, filters)`` of `windows` or what oneDNN has laid out of them."""
    count, _, channels = tiles.shape
    pixels = tiles.view(1, count, 1, AREA * channels).permute(0, 3, 1, 2)
    products = torch_api.convolution_pointwise(
        pixels, weight, bias, ([0, 0], [1, 1], [1, 1], AREA), ("none", [], "")
    )
    return products.permute(0, 2, 3, 1).view(count, AREA, -1)


def convolve(
    images: Tensor,
    output: Tensor,
    pad: Sequence[int],
    multiply: Callable[[Tensor], Tensor],
    *,
    rectified: bool = False,
) -> None:
    """Writes the outputs of a convolution.

    Args:
        images: ``(n, height, width, channels)``.
        output: ``(n, height, width, filters)``.
        pad: zeros before and after rows and columns.
        multiply: `multiplied` with its weights; what it gives is overwritten.
        rectified: whether negative outputs become 0.
    """
    size = output.shape[1:3]
    counts, step = _tile_counts(size), _images_at_once(size)
    for i in range(0, len(images), step):
        tiles = _transformed(_OF_TILES, _cut(images[i : i + step], pad, counts))
        made = _transformed(_OF_OUTPUTS, multiply(tiles))
        _assemble(made, output[i : i + step], counts, rectified)


# Tiles --------------------------------------------------------------------------------------------


def _tile_counts(size: Sequence[int]) -> tuple[int, int]:
    """How many tiles cover outputs of a size, along each axis."""
    height, width = size
    return ceil(height / _TILE), ceil(width / _TILE)


def _images_at_once(size: Sequence[int]) -> int:
    return max(tuning.WINOGRAD_TILES_AT_ONCE // max(prod(_tile_counts(size)), 1), 1)


def _cut(images: Tensor, pad: Sequence[int], counts: tuple[int, int]) -> Tensor:
    """Tiles ``(n * tiles, 36, channels)`` of images with `pad` zeros before them."""
    n, height, width, channels = images.shape
    rows, columns = (_TILE * count + _SIDE - _TILE for count in counts)
    padded = images.new_zeros(n, rows, columns, channels)
    padded[:, pad[0] : pad[0] + height, pad[1] : pad[1] + width] = images
    image, row, column, _ = padded.stride()
    cut = padded.as_strided(
        (n, *counts, _SIDE, _SIDE, channels), (image, _TILE * row, _TILE * column, row, column, 1)
    )
    return cut.reshape(n * prod(counts), AREA, channels)


def _assemble(tiles: Tensor, output: Tensor, counts: tuple[int, int], rectified: bool) -> None:
    """Writes tiles ``(n * tiles, 16, filters)`` side by side."""
    n, height, width, filters = output.shape
    rows, columns = counts
    made = tiles.view(n, rows, columns, _TILE, _TILE, filters).transpose(2, 3)
    if (height, width) == (rows * _TILE, columns * _TILE):
        output = output.view(made.shape)
    else:
        made = made.reshape(n, rows * _TILE, columns * _TILE, filters)[:, :height, :width]
    if rectified:
        clear_nan(torch.clamp_min(made, 0, out=output))
    else:
        output.copy_(made)


def _transformed(matrix: Tensor, data: Tensor) -> Tensor:
    """``matrix @ square @ matrix.T`` for each square of ``(tiles, 36, channels)``.

    The result takes the memory of `data`, which a core's cache has at hand.
    """
    n, _, channels = data.shape
    size = len(matrix)
    rows = torch.bmm(matrix.expand(n, size, _SIDE), data.view(n, _SIDE, _SIDE * channels))
    shape = (n * size, size, channels)
    result = data.view(-1)[: prod(shape)].view(shape)
    torch.bmm(matrix.expand(n * size, size, _SIDE), rows.view(-1, _SIDE, channels), out=result)
    return result.view(n, size**2, channels)
