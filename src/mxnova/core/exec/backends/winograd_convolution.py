# SPDX-License-Identifier: Apache-2.0
"""3×3 convolutions that take a quarter of the products, where the rest does not outweigh that.

Precondition: windows of 3×3 at every position, float32, nothing after them but a sum and a
rectifier, and sizes for which that `is_faster`. On one core with AVX2, nothing in its cache: 128
channels of 28×28 in 2.3 ms instead of 2.9, 256 of 28×28 in 5.3 instead of 10.5, 256 of 56×56 in 18
instead of 42. Weights take four times the memory. A number that is not finite spoils all 16 outputs
of its tiles.
"""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch import Tensor

from ...base import env
from ...base.shapes import PartialShape, is_known
from ...op.nn import winograd
from ...op.onednn import HAS_AVX512
from ...op.record import OpType
from .fused_convolution import FusedConvolution, Geometry, laid_out

__all__ = ["WinogradConvolution", "is_faster"]

_WINDOW = (3, 3)
_PRODUCT = Geometry([0, 0], [1, 1], [1, 1], winograd.AREA)
_TILES_AT_ONCE = 128  # so that they stay in a core's cache: 56×56 one by one 7.0 ms, four 9.2

# Below, transforms and reading the weights outweigh what products are saved. Transforms are shared
# out among threads less well than products, and gain nothing from AVX-512, which makes products 2.7
# times as fast (the factor is arithmetic, not a measurement).
_LEAST_CHANNELS, _LEAST_CHANNELS_SHARED = (192, 384) if HAS_AVX512 else (64, 128)
_LEAST_WORK = 130_000_000 if HAS_AVX512 else 50_000_000  # products of numbers, for each thread
_LEAST_TILES = 16


class WinogradConvolution(FusedConvolution):
    """A fused convolution that computes tiles of its images (`op.nn.winograd`).

    Attributes:
        weight: transformed, and laid out for the product.
        bias: of the products.
    """

    @classmethod
    def prepared(
        cls, weight: Tensor, bias: Tensor | None, shape: Any, **values: Any
    ) -> WinogradConvolution:
        """One for images of a shape, given its weights, ``(filters, channels, 3, 3)``."""
        n, channels, *sizes = shape
        tiles = prod(winograd.tile_counts(*values["geometry"].sizes(sizes, _WINDOW)))
        pixels = (1, winograd.AREA * channels, min(n, _images_at_once(tiles)) * tiles, 1)
        return cls(
            weight=laid_out(winograd.windows(weight), _PRODUCT, pixels),
            bias=None if bias is None else winograd.bias_of_products(bias),
            **values,
        )

    def forward(self, *data: Tensor) -> Tensor:
        """unary(convolution(data) + other)."""
        images, *others = (
            t.contiguous(memory_format=torch.channels_last).permute(0, 2, 3, 1) for t in data
        )
        size = self.geometry.sizes(images.shape[1:3], _WINDOW)
        counts = winograd.tile_counts(*size)
        output = images.new_empty(len(images), *size, self.filters)
        step = _images_at_once(prod(counts))
        is_rectified = self.unary[0] == "relu"
        for i in range(0, len(images), step):
            tiles = winograd.tiles(images[i : i + step], self.geometry.pad, counts)
            result, products = output[i : i + step], self._products(tiles)
            winograd.assembled(products, result, counts, rectified=is_rectified and not others)
        if others:
            output.add_(others[0])
            if is_rectified:
                output.relu_()
        return output.permute(0, 3, 1, 2)

    def _products(self, tiles: Tensor) -> Tensor:
        count, area, channels = tiles.shape
        pixels = tiles.view(1, count, 1, area * channels).permute(0, 3, 1, 2)
        products: Tensor = torch.ops.mkldnn._convolution_pointwise(
            pixels, self.weight, self.bias, *_PRODUCT, "none", [], ""
        )
        return products.permute(0, 2, 3, 1).view(count, area, self.filters)


WinogradConvolution.type = OpType(
    ["_WinogradConvolution"], WinogradConvolution, WinogradConvolution.forward
)


def _images_at_once(tiles: int) -> int:
    return max(_TILES_AT_ONCE // tiles, 1)


def is_faster(shape: PartialShape, **values: Any) -> bool:
    """Whether a convolution of images of a shape is possible by tiles, and faster.

    Args:
        shape: of its images, as far as it is known.
        values: those of the `FusedConvolution` but its weight and bias.
    """
    geometry = values["geometry"]
    return (
        is_known(shape)
        and values["kernel"] == _WINDOW
        and geometry[1:] == ([1, 1], [1, 1], 1)
        and values["unary"][0] in ("none", "relu")
        and values["dtype"] is torch.float32
        and bool(env.get("MXNOVA_WINOGRAD"))
        and _is_faster(shape, geometry, values["filters"])
    )


def _is_faster(shape: tuple[int, ...], geometry: Geometry, filters: int) -> bool:
    n, channels, *sizes = shape
    size = geometry.sizes(sizes, _WINDOW)
    threads = torch.get_num_threads()
    least = _LEAST_CHANNELS if threads == 1 else _LEAST_CHANNELS_SHARED
    return (
        n * prod(size) * prod(_WINDOW) * channels * filters >= _LEAST_WORK * threads
        and 2 / (1 / channels + 1 / filters) >= least
        and n * prod(winograd.tile_counts(*size)) >= _LEAST_TILES
    )
