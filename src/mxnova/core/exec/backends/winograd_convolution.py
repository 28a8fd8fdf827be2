# SPDX-License-Identifier: Apache-2.0
"""Fused 3×3 convolutions that take a quarter of the products (`op.nn.winograd`).

Precondition: windows of 3×3 at every position, float32, nothing after them but a sum and a
rectifier, and sizes for which that is faster. On one core with AVX2, nothing in its cache: 128
channels of 28×28 in 2.3 ms instead of 2.9, 256 of 28×28 in 5.3 instead of 10.5, 256 of 56×56 in 18
instead of 42. Weights take four times the memory. A number that is not finite spoils all 16 outputs
of its tiles.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor

from ...base.shapes import PartialShape
from ...op.nn import winograd
from ...op.record import OpType
from .fused_convolution import FusedConvolution, Geometry, laid_out

__all__ = ["WinogradConvolution", "is_faster"]

_PRODUCT = Geometry([0, 0], [1, 1], [1, 1], winograd.AREA)


class WinogradConvolution(FusedConvolution):
    """A fused convolution that computes tiles of its images.

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
        images, *others = (
            t.contiguous(memory_format=torch.channels_last).permute(0, 2, 3, 1) for t in data
        )
        size = self.geometry.sizes(images.shape[1:3], self.kernel)
        output = images.new_empty(len(images), *size, self.filters)
        multiply = functools.partial(winograd.multiplied, weight=self.weight, bias=self.bias)
        is_rectified = self.unary[0] == "relu"
        winograd.convolve(
            images, output, self.geometry.pad, multiply, rectified=is_rectified and not others
        )
        if others:
            output.add_(others[0])
            if is_rectified:
                output.relu_()
        return output.permute(0, 3, 1, 2)


WinogradConvolution.type = OpType(
    ["_WinogradConvolution"], WinogradConvolution, WinogradConvolution.forward
)


def is_faster(shape: PartialShape, **values: Any) -> bool:
    """Whether a convolution of images of a shape is possible so, and faster.

    Args:
        shape: of its images, as far as it is known.
        values: those of the `FusedConvolution` but its weight and bias.
    """
    return (
        values["dtype"] is torch.float32
        and values["unary"][0] in ("none", "relu")
        and winograd.is_faster(shape, values["filters"], values["kernel"], *values["geometry"])
    )
