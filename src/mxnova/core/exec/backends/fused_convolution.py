# SPDX-License-Identifier: Apache-2.0
"""The operator that a convolution becomes with what it has taken over: oneDNN's fused kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ...base.shapes import is_known
from ...op.infer import Shapes
from ...op.record import Op, OpType

__all__ = ["FusedConvolution", "laid_out"]


class FusedConvolution(Op):
    """A convolution with sum and activation, its weights laid out for the kernel.

    Attributes:
        weight: laid out.
        bias: of its outputs, or None.
        geometry: padding, strides, dilation, groups.
        unary: name and numbers of the activation.
        with_sum: whether it adds a second input before that.
        absorbed: names of the nodes that it stands for.
        filters: number of output channels; `kernel`: size of the window.
        dtype: element type that it takes and gives.
        in_place: whether it adds into the memory of the second input.
    """

    weight: Tensor
    bias: Tensor | None
    geometry: tuple[list[int], list[int], list[int], int]
    unary: tuple[str, list[float], str]
    with_sum: bool
    absorbed: tuple[str, ...]
    filters: int
    kernel: tuple[int, ...]
    dtype: torch.dtype
    in_place: bool = False
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def inputs(self) -> tuple[str, ...]:
        """The image and what is added."""
        return ("data", "other") if self.with_sum else ("data",)

    def infer_shape(self, s: Shapes) -> None:
        """That of the convolution."""
        pad, stride, dilate, _ = self.geometry
        batch, _, *sizes = s.data
        each = zip(sizes, self.kernel, pad, stride, dilate, strict=True)
        counts = ((n + 2 * p - d * (k - 1) - 1) // t + 1 for n, k, p, t, d in each)
        s.output = (batch, self.filters, *counts)

    def writing_in_place(self) -> FusedConvolution:
        """Itself, adding into the memory of its second input."""
        return FusedConvolution(**{**self.values, "in_place": True})

    def forward(self, *data: Tensor) -> Tensor:
        """unary(convolution(data) + other)."""
        image, *others = (
            t.to(self.dtype).contiguous(memory_format=torch.channels_last) for t in data
        )
        result: Tensor
        if not others:
            result = torch.ops.mkldnn._convolution_pointwise(
                image, self.weight, self.bias, *self.geometry, *self.unary
            )
            return result
        unary = None if self.unary[0] == "none" else self.unary[0]
        rest: Any = (self.weight, self.bias, *self.geometry, "add", 1.0, unary, [], None)
        if self.in_place:
            result = torch.ops.mkldnn._convolution_pointwise_.binary(*others, image, *rest)
        else:
            result = torch.ops.mkldnn._convolution_pointwise.binary(image, *others, *rest)
        return result


FusedConvolution.type = OpType(["_FusedConvolution"], FusedConvolution, FusedConvolution.forward)


def laid_out(weight: Tensor, geometry: Sequence[Any], shape: Any) -> Tensor:
    """The weights, laid out for images of a shape; other sizes work, less tuned."""
    weight = weight.contiguous(memory_format=torch.channels_last)
    if not is_known(shape):
        return weight
    packed: Tensor = torch.ops.mkldnn._reorder_convolution_weight(weight, *geometry, list(shape))
    return packed
