# SPDX-License-Identifier: Apache-2.0
"""ONNX's QuantizeLinear and DequantizeLinear with zero points of 0, the only ones in MXNet."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...op.quantized.ranges import quantized
from ...op.schema import Op
from ...op.traits import InputShapes, ItemAxes
from ..program.private import private_operator

__all__ = ["DequantizeLinear", "QuantizeLinear"]


class _Linear(Op):
    """Per tensor or per channel.

    Attributes:
        axis: of the channels, None per tensor.
    """

    axis: int | None
    differentiable = False

    def infer_shape(self, s: Any) -> None:
        """The data's."""
        s.same("data", "output")
        s.scale = (1,) if self.axis is None else (s.data[self.axis],)

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        """The data's: all items have the same scales, each its own along another axis."""
        data, scale = axes
        return None if scale is not None or data == self.axis else data

    def along_axis(self, scale: Tensor, data: Tensor) -> Tensor:
        """The scale in a shape that multiplies the data."""
        if self.axis is None:
            return scale
        return scale.view(-1, *[1] * (data.dim() - self.axis - 1))


@private_operator
class QuantizeLinear(_Linear):
    """Quantize floats to 8-bit integers: round(data / scale), saturated.

    Attributes:
        dtype: of the integers.
    """

    dtype: torch.dtype

    def infer_dtype(self, t: Any) -> None:
        """The type of the integers."""
        t.data = t.scale = torch.float32
        t.output = self.dtype

    def forward(self, data: Tensor, scale: Tensor) -> Tensor:
        """Halves are rounded to even."""
        return quantized(data / self.along_axis(scale, data), self.dtype)


@private_operator
class DequantizeLinear(_Linear):
    """Dequantize integers: data * scale."""

    def infer_dtype(self, t: Any) -> None:
        """Real numbers."""
        t.scale = t.output = torch.float32

    def forward(self, data: Tensor, scale: Tensor) -> Tensor:
        """Data * scale."""
        return data.float() * self.along_axis(scale, data)
