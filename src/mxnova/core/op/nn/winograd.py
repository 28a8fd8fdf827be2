# SPDX-License-Identifier: Apache-2.0
"""Convolution by 3×3 windows in a quarter of the products: Winograd's F(4×4, 3×3).

Images are cut into tiles of 6×6 that overlap by two, each of which gives 4×4 outputs. Tiles and
windows are transformed so that a convolution becomes 36 products of matrices, 36 numbers for each
tile, channel and filter instead of 144. Windows are transformed in float64; what tiles add to
float32's rounding is 5e-6 of the largest output. Lavin & Gray, "Fast Algorithms for Convolutional
Neural Networks", 2015.

Tiles are laid out as ``(tile, 36, channel)``: a tile is a pixel of 36 groups of channels, so that
one convolution of oneDNN's by 1×1 makes all 36 products.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import torch
import torch.nn.functional as F
from torch import Tensor

__all__ = ["AREA", "TILE", "assembled", "bias_of_products", "tile_counts", "tiles", "windows"]

TILE = 4  # outputs along an edge
_SIDE = TILE + 2  # inputs along an edge
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
_OF_WINDOWS = (
    torch.tensor(
        ((6, 0, 0), (-4, -4, -4), (-4, 4, -4), (1, 2, 4), (1, -2, 4), (0, 0, 24)),
        dtype=torch.float64,
    )
    / 24
)
_OF_OUTPUTS = torch.tensor(
    ((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1)),
    dtype=torch.float32,
)
_EVERYWHERE = _SIDE + 1  # what is added to this product of a tile is added to all its outputs


def tile_counts(height: int, width: int) -> tuple[int, int]:
    """How many tiles cover outputs of a size, along each axis."""
    return ceil(height / TILE), ceil(width / TILE)


def windows(weight: Tensor) -> Tensor:
    """Weights ``(filters, channels, 3, 3)`` as ``(36 * filters, channels, 1, 1)``, transformed."""
    filters, channels = weight.shape[:2]
    made = torch.einsum("ij,fcjl,ml->imfc", _OF_WINDOWS, weight.double(), _OF_WINDOWS)
    return made.to(weight.dtype).reshape(AREA * filters, channels, 1, 1)


def bias_of_products(bias: Tensor) -> Tensor:
    """What is added to the products, ``(36 * filters,)``, for a bias ``(filters,)`` of outputs."""
    made = bias.new_zeros(AREA, len(bias))
    made[_EVERYWHERE] = bias
    return made.view(-1)


def tiles(images: Tensor, pad: Sequence[int], counts: tuple[int, int]) -> Tensor:
    """Images ``(n, height, width, channels)`` as transformed tiles ``(n * tiles, 36, channels)``.

    Args:
        images: lying channels-last.
        pad: zeros before the first row and column.
        counts: of tiles along each axis.
    """
    n, height, width, channels = images.shape
    below = TILE * counts[0] + 2 - pad[0] - height
    right = TILE * counts[1] + 2 - pad[1] - width
    padded = F.pad(images, (0, 0, pad[1], right, pad[0], below))
    image, row, column, _ = padded.stride()
    cut = padded.as_strided(
        (n, *counts, _SIDE, _SIDE, channels), (image, TILE * row, TILE * column, row, column, 1)
    )
    made = images.new_empty(n * counts[0] * counts[1], AREA, channels)
    made.view(cut.shape).copy_(cut)
    return _transformed(_OF_TILES, made)


def assembled(
    products: Tensor, output: Tensor, counts: tuple[int, int], *, rectified: bool = False
) -> None:
    """Writes the outputs of products ``(n * tiles, 36, filters)``.

    Args:
        products: of transformed tiles and windows; they are overwritten.
        output: what is written, ``(n, height, width, filters)``, lying channels-last.
        counts: of tiles along each axis.
        rectified: whether negative ones become 0.
    """
    n, height, width, filters = output.shape
    rows, columns = counts
    made = _transformed(_OF_OUTPUTS, products).view(n, rows, columns, TILE, TILE, filters)
    made = made.transpose(2, 3)
    if (height, width) == (rows * TILE, columns * TILE):
        output = output.view(made.shape)
    else:
        made = made.reshape(n, rows * TILE, columns * TILE, filters)[:, :height, :width]
    if rectified:
        torch.clamp_min(made, 0, out=output)
    else:
        output.copy_(made)


def _transformed(matrix: Tensor, data: Tensor) -> Tensor:
    """``matrix @ square @ matrix.T`` for each square of 6×6 in ``(tiles, 36, channels)``.

    The result takes the memory of `data`, which a core's cache has at hand.
    """
    n, _, channels = data.shape
    size = len(matrix)
    rows = torch.bmm(matrix.expand(n, size, _SIDE), data.view(n, _SIDE, _SIDE * channels))
    each = matrix.expand(n * size, size, _SIDE)
    result = data.view(-1)[: n * size**2 * channels].view(n * size, size, channels)
    torch.bmm(each, rows.view(n * size, _SIDE, channels), out=result)
    return result.view(n, size**2, channels)
