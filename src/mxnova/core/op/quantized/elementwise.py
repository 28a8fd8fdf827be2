# SPDX-License-Identifier: Apache-2.0
"""Sums, products, activations, look-ups and rearrangements of 8-bit integers."""

from __future__ import annotations

from math import prod
from typing import Literal

import torch
from torch import Tensor

from ...base.params import Count, PosInt
from ...runtime.torch_api import is_traced
from ..declaration import operator
from ..infer import DTypes, Shapes
from .layers import Layer
from .ranges import (
    EIGHT_BITS,
    LEVELS,
    WIDE_LEVELS,
    calibrated_range,
    check_type,
    magnitude,
    quantized,
    scaled,
    step,
)


@operator("_contrib_quantized_act")
class QuantizedActivation(Layer):
    """Rectified linear unit on 8-bit integers; their range stays.

    Args:
        data: int8 or uint8 of any shape.
        min_data: least number of the range, (1,).
        max_data: greatest number of the range, (1,).
        act_type: ``relu``.
    """

    differentiable = None  # type: ignore[assignment]

    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"]

    keeps_range = True

    def infer_shape(self, s: Shapes) -> None:
        if self.act_type != "relu":
            raise s.fail(f"act_type={self.act_type}: must be relu")
        self.infer_ranges(s)
        s.same("data", "output")

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs[1:], *t.outputs[1:]):
            t[name] = torch.float32
        t.output = torch.int8  # of uint8, too
        check_type(self.name, t, "data", *EIGHT_BITS)

    def forward(self, data: Tensor, min_data: Tensor, max_data: Tensor) -> tuple[Tensor, ...]:
        return data.clamp(min=0).to(torch.int8), min_data, max_data


@operator("_contrib_quantized_flatten")
class QuantizedFlatten(Layer):
    """All axes but the first joined; the range stays.

    Args:
        data: integers, (batch, …).
        min_data: least number of the range, (1,).
        max_data: greatest number of the range, (1,).
    """

    keeps_range = True

    def infer_shape(self, s: Shapes) -> None:
        self.infer_ranges(s)
        s.output = (s.data[0], prod(s.data[1:]))

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs[1:], *t.outputs[1:]):
            t[name] = torch.float32
        t.same("data", "output")

    def forward(self, data: Tensor, min_data: Tensor, max_data: Tensor) -> tuple[Tensor, ...]:
        return data.reshape(len(data), -1), min_data, max_data


@operator("_contrib_quantized_embedding")
class QuantizedEmbedding(Layer):
    """Rows of an int8 table; its range stays.

    Args:
        data: row numbers; those outside count as the nearest, any shape.
        weight: int8, (input_dim, output_dim).
        min_weight: least number of the range, (1,).
        max_weight: greatest number of the range, (1,).
        input_dim: rows of the table.
        output_dim: length of a row.
        dtype: without effect.
        sparse_grad: without effect.
    """

    input_dim: PosInt
    output_dim: PosInt
    dtype: Literal[
        "bfloat16", "float16", "float32", "float64", "int32", "int64", "int8", "uint8"
    ] = "float32"
    sparse_grad: bool = False

    def infer_shape(self, s: Shapes) -> None:
        self.infer_ranges(s)
        s.weight = (self.input_dim, self.output_dim)
        s.output = (*s.data, self.output_dim)

    def infer_dtype(self, t: DTypes) -> None:
        t.weight = t.output = torch.int8
        for name in (*t.inputs[2:], *t.outputs[1:]):
            t[name] = torch.float32

    def forward(
        self, data: Tensor, weight: Tensor, min_weight: Tensor, max_weight: Tensor
    ) -> tuple[Tensor, ...]:
        return weight[data.long().clamp(0, self.input_dim - 1)], min_weight, max_weight


@operator("_contrib_quantized_concat")
class QuantizedConcat(Layer):
    """Arrays of 8-bit integers one after the other, brought to the widest of their ranges.

    The result is uint8 if all are.

    Args:
        data: `num_args` arrays of int8 or uint8, then for each the ends of its range, (1,).
        num_args: number of arrays.
        dim: axis along which they follow each other.
    """

    num_args: Count
    dim: int = 1

    def inputs(self) -> tuple[str, ...]:
        arrays = [f"arg{i}" for i in range(self.num_args)]
        return (*arrays, *(f"{array}_{end}" for array in arrays for end in ("min", "max")))

    def infer_shape(self, s: Shapes) -> None:
        for name in (*s.inputs[self.num_args :], *s.outputs[1:]):
            s[name] = (1,)
        arrays = s.inputs[: self.num_args]
        axis = s.axis(arrays[0], self.dim, "dim")
        for name in arrays[1:]:
            other = s[arrays[0]]
            s[name] = (*other[:axis], s[name][axis], *other[axis + 1 :])
        first = s[arrays[0]]
        s.output = (*first[:axis], sum(s[name][axis] for name in arrays), *first[axis + 1 :])

    def infer_dtype(self, t: DTypes) -> None:
        arrays = t.inputs[: self.num_args]
        for name in arrays:
            if t.known(name) is None:
                t[name] = torch.uint8
            check_type(self.name, t, name, *EIGHT_BITS)
        for name in (*t.inputs[self.num_args :], *t.outputs[1:]):
            t[name] = torch.float32
        unsigned = all(t[name] is torch.uint8 for name in arrays)
        t.output = torch.uint8 if unsigned else torch.int8

    def forward(self, *data: Tensor) -> tuple[Tensor, ...]:
        arrays, ends = data[: self.num_args], data[self.num_args :]
        low, high = torch.stack(ends[::2]).amin(0), torch.stack(ends[1::2]).amax(0)
        unsigned = all(array.dtype is torch.uint8 for array in arrays)
        dtype = torch.uint8 if unsigned else torch.int8
        one = step(WIDE_LEVELS[dtype], low, high)
        parts = [
            _in_steps(array, step(WIDE_LEVELS[array.dtype], a, b) / one, dtype)
            for array, a, b in zip(arrays, ends[::2], ends[1::2], strict=True)
        ]
        return torch.cat(parts, self.dim), low, high


def _in_steps(integers: Tensor, factor: Tensor, dtype: torch.dtype) -> Tensor:
    """``integers * factor`` as integers; a GPU is not asked whether they stay as they are."""
    if integers.dtype is dtype and not (is_traced() or factor.is_cuda) and factor == 1:
        return integers
    return quantized(scaled(integers, factor), dtype)


class _Arithmetic(Layer):
    """An operation on pairs: 32 bits, or 8 bits of a calibrated range."""

    min_calib_range: float | None
    max_calib_range: float | None

    @property
    def is_calibrated(self) -> bool:
        """Whether the range of the result is known beforehand."""
        return self.min_calib_range is not None and self.max_calib_range is not None

    def infer_shape(self, s: Shapes) -> None:
        for name in (*s.inputs[2:], *s.outputs[1:]):
            s[name] = (1,)
        s.same("lhs", "rhs", "output")


@operator("_contrib_quantized_elemwise_add")
class QuantizedAdd(_Arithmetic):
    """Sum of 8-bit integers: 32 bits of the summed ranges, or 8 bits of a calibrated range.

    Args:
        lhs: int8 or uint8 of any shape.
        rhs: int8 or uint8 of the same shape.
        lhs_min: least number of the range of `lhs`, (1,).
        lhs_max: greatest number of the range of `lhs`, (1,).
        rhs_min: least number of the range of `rhs`, (1,).
        rhs_max: greatest number of the range of `rhs`, (1,).
        min_calib_range: least number of the result's range.
        max_calib_range: greatest number of the result's range; both or none.
    """

    differentiable = None  # type: ignore[assignment]

    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def infer_dtype(self, t: DTypes) -> None:
        for name in ("lhs", "rhs"):
            if t.known(name) is None:
                t[name] = torch.uint8
            check_type(self.name, t, name, *EIGHT_BITS)
        for name in (*t.inputs[2:], *t.outputs[1:]):
            t[name] = torch.float32
        t.output = self.sum_type(t.lhs, t.rhs)

    def forward(
        self,
        lhs: Tensor,
        rhs: Tensor,
        lhs_min: Tensor,
        lhs_max: Tensor,
        rhs_min: Tensor,
        rhs_max: Tensor,
    ) -> tuple[Tensor, ...]:
        dtype = self.sum_type(lhs.dtype, rhs.dtype)
        low, high = calibrated_range(self.min_calib_range, self.max_calib_range, lhs.device)
        if not self.is_calibrated:
            high = magnitude(lhs_min, lhs_max) + magnitude(rhs_min, rhs_max)
            low = -high
        one = step(LEVELS[dtype] if dtype is torch.int32 else WIDE_LEVELS[dtype], low, high)
        a = scaled(lhs, step(WIDE_LEVELS[lhs.dtype], lhs_min, lhs_max) / one)
        b = scaled(rhs, step(WIDE_LEVELS[rhs.dtype], rhs_min, rhs_max) / one)
        # Of operands of two types MXNet brings the unsigned one to int8 in steps of the result.
        if lhs.dtype is not rhs.dtype and lhs.dtype is torch.uint8:
            a = quantized(a, torch.int8)
        elif lhs.dtype is not rhs.dtype:
            b = quantized(b, torch.int8)
        return quantized(a + b, dtype), low, high

    def sum_type(self, *dtypes: torch.dtype) -> torch.dtype:
        """The type of the sum of operands of these types."""
        if not self.is_calibrated:
            return torch.int32
        return torch.uint8 if set(dtypes) == {torch.uint8} else torch.int8


@operator("_contrib_quantized_elemwise_mul")
class QuantizedMultiply(_Arithmetic):
    """Product of 8-bit integers: 32 bits, int8 of a calibrated range, or floats.

    Args:
        lhs: int8 or uint8 of any shape.
        rhs: int8 or uint8 of the same shape.
        lhs_min: least number of the range of `lhs`, (1,).
        lhs_max: greatest number of the range of `lhs`, (1,).
        rhs_min: least number of the range of `rhs`, (1,).
        rhs_max: greatest number of the range of `rhs`, (1,).
        min_calib_range: least number of the result's range.
        max_calib_range: greatest number of the result's range; both or none.
        enable_float_output: give the products of what they stand for, without a range.
    """

    min_calib_range: float | None = None
    max_calib_range: float | None = None
    enable_float_output: bool = False

    def outputs(self) -> tuple[str, ...]:
        return ("output",) if self.enable_float_output else super().outputs()

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs[2:], *t.outputs[1:]):
            t[name] = torch.float32
        if self.enable_float_output:
            t.output = torch.float32
        else:
            t.output = torch.int8 if self.is_calibrated else torch.int32

    def forward(
        self,
        lhs: Tensor,
        rhs: Tensor,
        lhs_min: Tensor,
        lhs_max: Tensor,
        rhs_min: Tensor,
        rhs_max: Tensor,
    ) -> Tensor | tuple[Tensor, ...]:
        product = lhs.int() * rhs.int()
        levels = LEVELS if not self.is_calibrated and not self.enable_float_output else WIDE_LEVELS
        one = step(levels[lhs.dtype], lhs_min, lhs_max) * step(levels[rhs.dtype], rhs_min, rhs_max)
        if self.enable_float_output:
            return scaled(product, one)
        if not self.is_calibrated:
            limit = LEVELS[torch.int32]
            return product, one * -limit, one * limit
        low, high = calibrated_range(self.min_calib_range, self.max_calib_range, lhs.device)
        numbers = scaled(product, one / step(WIDE_LEVELS[torch.int8], low, high))
        # MXNet truncates and, where numbers are too great, keeps their lowest 8 bits.
        return numbers.int().to(torch.int8), low, high
