# SPDX-License-Identifier: Apache-2.0
"""Fused 3×3 convolutions by tiles, which take a quarter of the products (Winograd).

Precondition: windows of 3×3 at every position, float32, nothing after them but a sum and a
rectifier, and sizes for which that is faster. On one core with AVX2, weights not in its cache, by
oneDNN and by tiles: 64 channels of 56×56 in 2.6 and 1.9 ms, 128 of 28×28 in 2.6 and 1.4,
256 of 14×14 in 2.6 and 1.8, 512 of 14×14 in 10.7 and 6.0. Weights take four times the memory. A
number that is not finite spoils all outputs of its tiles.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor

from ...base.shapes import PartialShape
from ...kernels import winograd
from ...kernels.activation import relu_
from ...kernels.transpose import channels_last
from ..program.private import private_operator
from .convolution import FusedConvolution, Geometry, laid_out

__all__ = ["kind_for"]

_PRODUCT = Geometry([0, 0], [1, 1], [1, 1], winograd.AREA)


def kind_for(shape: PartialShape, **values: Any) -> type[FusedConvolution]:
    """The fastest way to convolve images of a shape.

    Args:
        shape: of the images, as far as it is known.
        values: those of the `FusedConvolution` but its weight and bias.
    """
    if values["dtype"] is torch.float32 and values["unary"][0] in ("none", "relu"):
        what = (shape, values["filters"], values["kernel"], *values["geometry"])
        if winograd.is_faster(*what):
            return WinogradConvolution
    return FusedConvolution


@private_operator
class WinogradConvolution(FusedConvolution):
    """A convolution by ATen's and oneDNN's products; images go through it channels-last.

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
        tiles = winograd.tiles_at_once(n, values["geometry"].sizes(sizes, values["kernel"]))
        windows = winograd.windows(weight.double()).float()
        return cls(
            weight=laid_out(windows, _PRODUCT, (1, winograd.AREA * channels, tiles, 1)),
            bias=None if bias is None else winograd.bias_of_products(bias),
            **values,
        )

    def forward(self, *data: Tensor) -> Tensor:
        """unary(convolution(data) + other)."""
        if self.with_sum and not self._is_added_alike(*data):
            return self._broadcast(*data)
        images, *others = data
        is_rectified = self.unary[0] == "relu"
        output = self._convolved(images, is_rectified and not others)
        if others:
            output.add_(others[0])
            if is_rectified:
                relu_(output)
        return output

    def _convolved(self, images: Tensor, is_rectified: bool) -> Tensor:
        images = channels_last(images).permute(0, 2, 3, 1)
        size = self.geometry.sizes(images.shape[1:3], self.kernel)
        output = images.new_empty(len(images), *size, self.filters)
        multiply = functools.partial(winograd.multiplied, weight=self.weight, bias=self.bias)
        winograd.convolve(images, output, self.geometry.pad, multiply, rectified=is_rectified)
        return output.permute(0, 3, 1, 2)
