# SPDX-License-Identifier: Apache-2.0
"""From real numbers to 8-bit integers and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor

from ...base.params import StructuralFloat
from ...kernels.activation import has_nan
from ..declaration import operator
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..schema import Op
from .ranges import (
    EIGHT_BITS,
    LEVELS,
    WIDE_LEVELS,
    calibrated_range,
    check_type,
    magnitude,
    per_real,
    quantized,
    ranges,
    scaled,
    step,
)


class _ToInteger(Op):
    """Gives integers and their range."""

    differentiable = False

    def outputs(self) -> tuple[str, ...]:
        return ("output0", "output1", "output2")

    def infer_shape(self, s: Shapes) -> None:
        s.same("data", "output0")
        ranges(s, *s.inputs[1:], "output1", "output2")


@operator("_contrib_quantize")
class Quantize(_ToInteger):
    """Quantize real numbers of a given range to 8-bit integers; returns them and their range.

    Args:
        data: float32 of any shape.
        min_range: least number, (1,).
        max_range: greatest number, (1,).
        out_type: type of the integers.
    """

    out_type: Literal["int8", "uint8"] = "uint8"

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs, "output1", "output2"):
            t[name] = torch.float32
        t.output0 = torch_dtype(self.out_type)

    def forward(
        self, data: Tensor, min_range: Tensor, max_range: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        return _quantized(data, LEVELS, torch_dtype(self.out_type), min_range, max_range)


def _quantized(
    data: Tensor,
    levels: Mapping[torch.dtype, float],
    dtype: torch.dtype,
    low: Tensor,
    high: Tensor,
    *,
    may_overwrite: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    most = magnitude(low, high)
    scale = per_real(levels[dtype], low, high)
    integers = quantized(data.mul_(scale) if may_overwrite else data * scale, dtype)
    return (integers, low, high) if dtype is torch.uint8 else (integers, -most, most)


@operator("_contrib_quantize_v2")
class QuantizeV2(_ToInteger):
    """8-bit integers for real numbers, of a calibrated range or that of the data.

    Args:
        data: float32 of any shape; 8-bit integers pass.
        out_type: type of the integers; ``auto``: uint8 when the calibrated range is not negative.
        min_calib_range: least number.
        max_calib_range: greatest number; both or none.
    """

    out_type: Literal["auto", "int8", "uint8"] = "int8"
    min_calib_range: StructuralFloat | None = None  # whose sign decides the type
    max_calib_range: StructuralFloat | None = None

    @property
    def _type(self) -> torch.dtype:
        return integer_type(self.out_type, self.min_calib_range, self.max_calib_range)

    def infer_dtype(self, t: DTypes) -> None:
        check_type(self.name, t, "data", torch.float32, *EIGHT_BITS)
        t.output0 = self._type
        t.output1 = t.output2 = torch.float32

    def forward(self, data: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        low, high = calibrated(data, self.min_calib_range, self.max_calib_range)
        if data.dtype in EIGHT_BITS:
            return data.to(self._type), low, high
        return _quantized(data, WIDE_LEVELS, self._type, low, high)


def integer_type(out_type: str, low: float | None, high: float | None) -> torch.dtype:
    """The type that parameter `out_type` means for a calibrated range."""
    if out_type != "auto":
        return torch_dtype(out_type)
    return torch.uint8 if low is not None and high is not None and low >= 0.0 else torch.int8


def calibrated(data: Tensor, low: float | None, high: float | None) -> tuple[Tensor, Tensor]:
    """The calibrated range, else that of `data`, or of its type; as two arrays (1,)."""
    if low is None or high is None:
        if data.dtype not in EIGHT_BITS:
            least, most = torch.aminmax(data)
            if has_nan(least):
                least, most = torch.aminmax(data[~data.isnan()])
            return least.view(1), most.view(1)
        high = WIDE_LEVELS[data.dtype]
        low = 0.0 if data.dtype is torch.uint8 else -high
    return calibrated_range(low, high, data.device)


@operator("_contrib_quantize_asym")
class QuantizeAsym(_ToInteger):
    """uint8 for real numbers: ``data * scale + shift``, 0 to 255 over the whole range.

    Args:
        data: float32, (time, batch, features).
        min_calib_range: least number; that of the data by default.
        max_calib_range: greatest number; both or none.
    """

    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def outputs(self) -> tuple[str, ...]:
        return ("output", "scale", "shift")

    def infer_shape(self, s: Shapes) -> None:
        s.same("data", "output")
        ranges(s, "scale", "shift")

    def infer_dtype(self, t: DTypes) -> None:
        check_type(self.name, t, "data", torch.float32)
        t.output = torch.uint8
        t.scale = t.shift = torch.float32

    def forward(self, data: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        low, high = calibrated(data, self.min_calib_range, self.max_calib_range)
        scale = LEVELS[torch.uint8] / (high - low)
        shift = LEVELS[torch.uint8] - high * scale
        return quantized(data * scale + shift, torch.uint8), scale, shift


@operator("_contrib_dequantize")
class Dequantize(Op):
    """Dequantize 8-bit integers to real numbers.

    Args:
        data: int8 or uint8 of any shape.
        min_range: least number of the range, (1,).
        max_range: greatest number of the range, (1,).
        out_type: type of the result.
    """

    out_type: Literal["float32"] = "float32"
    differentiable = False

    def infer_shape(self, s: Shapes) -> None:
        s.same("data", "output")
        ranges(s, "min_range", "max_range")

    def infer_dtype(self, t: DTypes) -> None:
        check_type(self.name, t, "data", *EIGHT_BITS)
        t.min_range = t.max_range = t.output = torch.float32

    def forward(self, data: Tensor, min_range: Tensor, max_range: Tensor) -> Tensor:
        return scaled(data, step(WIDE_LEVELS[data.dtype], min_range, max_range))


@operator("_contrib_requantize")
class Requantize(_ToInteger):
    """Requantize int32 to 8-bit integers; returns them and their range.

    Args:
        data: int32 of any shape.
        min_range: least number of the range, (1,).
        max_range: greatest number of the range, (1,).
        out_type: type of the result; ``auto``: uint8 when the calibrated range is not negative.
        min_calib_range: least number of the new range; that of the data by default.
        max_calib_range: greatest number of the new range; both or none.
    """

    out_type: Literal["auto", "int8", "uint8"] = "int8"
    min_calib_range: StructuralFloat | None = None  # whose sign decides the type
    max_calib_range: StructuralFloat | None = None

    @property
    def _type(self) -> torch.dtype:
        return integer_type(self.out_type, self.min_calib_range, self.max_calib_range)

    def infer_dtype(self, t: DTypes) -> None:
        t.data = torch.int32
        t.min_range = t.max_range = torch.float32
        t.output0 = self._type
        t.output1 = t.output2 = torch.float32

    def forward(
        self, data: Tensor, min_range: Tensor, max_range: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        numbers = scaled(data, step(LEVELS[torch.int32], min_range, max_range))
        low, high = calibrated(numbers, self.min_calib_range, self.max_calib_range)
        integers, low, high = _quantized(numbers, LEVELS, self._type, low, high, may_overwrite=True)
        if self._type is torch.uint8:
            low, high = torch.zeros_like(low), magnitude(low, high)
        return integers, low, high
