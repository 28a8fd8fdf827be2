# SPDX-License-Identifier: Apache-2.0
"""Running sums."""

from __future__ import annotations

from math import prod
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ...base.shapes import Dim
from ...runtime.torch_api import is_traced
from ..declaration import function_operator
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..schema import Op

SumType = Literal["float16", "float32", "float64", "int32", "int64", "int8"]


def _shape(op: Op, s: Shapes) -> None:
    axis = op.attr("axis")
    if axis is None:
        size: Dim = prod(s.a)
        s.output = (size,)
        return
    s.same("a", "output")
    if s.a or axis not in (0, -1):  # a scalar counts as having one axis
        s.axis("a", axis)


def _dtype(op: Op, t: DTypes) -> None:
    if op.attr("dtype") is not None:
        t.output = torch_dtype(op.attr("dtype"))
    elif t.known("a") is torch.bool:
        t.output = torch.int64
    else:
        t.same("a", "output")


@function_operator("_np_cumsum", "cumsum", shape=_shape, dtype=_dtype)
def cumsum(a: Tensor, *, axis: int | None = None, dtype: SumType | None = None) -> Tensor:
    """The sum of each element and all before it along an axis.

    Args:
        a: any array.
        axis: the axis; None: all elements are one row, and so is the output.
        dtype: type of the output, to which elements are cast first; by default that of `a`, int64
            for booleans.
    """
    rows = a.reshape(-1) if axis is None else a
    whole = None if dtype is None else torch_dtype(dtype)
    if whole is None and not a.dtype.is_floating_point:
        whole = torch.int64 if a.dtype is torch.bool else a.dtype  # ATen would sum in int64
    sums = rows.cumsum(axis or 0, dtype=whole)
    on_cpu = sums.device.type == "cpu" and not is_traced()
    if sums.dtype is torch.float16 and on_cpu and sums.ndim:
        _round_each_sum(sums, rows, axis or 0)
    return sums


def _round_each_sum(sums: Tensor, rows: Tensor, axis: int) -> None:
    """Makes `sums` those of float16 added one by one, where ATen adds in float32."""
    numbers = rows.detach().to(torch.float16).numpy()
    np.add.accumulate(numbers, axis=axis, out=sums.detach().numpy())
