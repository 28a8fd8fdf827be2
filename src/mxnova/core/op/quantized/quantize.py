# SPDX-License-Identifier: Apache-2.0
"""From real numbers to 8-bit integers and back."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..operator import Op, operator
from .ranges import LEVELS, magnitude


def rounded(data: Tensor, scale: Tensor, dtype: torch.dtype) -> Tensor:
    """``data * scale`` as the nearest integers of type `dtype` (halves: to the even one)."""
    least = 0.0 if dtype is torch.uint8 else -LEVELS[dtype] 
    return (data * scale).round().clamp(least, LEVELS[dtype]).to(dtype)


@operator("_contrib_quantize")
class Quantize(Op):
    """x"""
    out_type: Literal["int8", "uint8"] = "uint8"
    differentiable = False
    def outputs(self): return ("output0", "output1", "output2")
    def infer_shape(self, s):
        s.same("data", "output0")
        for n in ("min_range", "max_range", "output1", "output2"): s[n] = (1,)
    def infer_dtype(self, t):
        for n in (*t.inputs, "output1", "output2"): t[n] = torch.float32
        t.output0 = torch_dtype(self.out_type)
    def forward(self, data, min_range, max_range):
        if self.out_type == "uint8":
            q = ((data - min_range) * (255.0 / (max_range - min_range)) + 0.5).clamp(0, 255).to(torch.uint8)
            return q, min_range, max_range
        m = magnitude(min_range, max_range)
        return rounded(data, 127.0 / m, torch.int8), -m, m
