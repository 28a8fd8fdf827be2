# SPDX-License-Identifier: Apache-2.0
"""What a convolution on a GPU becomes with what it has taken over: cuDNN's fused kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from ...kernels.activation import relu_
from ...runtime.torch_cudnn import rectified_convolution
from ..program.private import private_operator
from .convolution import FusedConvolution

__all__ = ["GpuConvolution"]

_IN_PLACE: dict[str, Callable[..., Tensor]] = {
    "leaky_relu": F.leaky_relu_,
    "none": lambda sums: sums,
    "relu": relu_,
    "sigmoid": torch.sigmoid_,
    "tanh": torch.tanh_,
}


@private_operator
class GpuConvolution(FusedConvolution):
    """A convolution with sum and activation; images go through it channels-last.

    Tensor cores take images that lie so as they are. A rectifier is part of the kernel, with a
    bias and a sum before it.
    """

    @classmethod
    def prepared(
        cls, weight: Tensor, bias: Tensor | None, shape: Any, **values: Any
    ) -> GpuConvolution:
        """One for images of a shape, given its weights, ``(filters, channels, *kernel)``."""
        weight = weight.contiguous(memory_format=torch.channels_last)
        return cls(weight=weight, bias=bias, **values)

    def forward(self, *data: Tensor) -> Tensor:
        """unary(convolution(data) + other)."""
        if self.with_sum and not self._is_added_alike(*data):
            return self._broadcast(*data)
        image, *others = (t.contiguous(memory_format=torch.channels_last) for t in data)
        name, numbers, _ = self.unary
        if name == "relu" and self.bias is not None:
            what = (image, self.weight, self.bias, self.geometry)
            return rectified_convolution(*what, *others)
        pad, stride, dilate, groups = self.geometry
        sums = F.conv2d(image, self.weight, self.bias, stride, pad, dilate, groups)
        for other in others:
            sums.add_(other)
        return _IN_PLACE[name](sums, *numbers)
