# SPDX-License-Identifier: Apache-2.0
"""Shape and dtype rules that the families share, and MXNet's arithmetic on integer arrays."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.shapes import UNKNOWN, Dim, shape_text
from ...runtime.torch_api import is_traced
from ..dtypes import dtype_name, saturated
from ..infer import DTypes, Shapes
from ..schema import Op

__all__ = [
    "UNEQUAL",
    "as_element",
    "as_integer",
    "broadcast_shape",
    "floats_only",
    "in_type_of",
    "known_positive",
    "numbers_only",
    "real_only",
    "through_float",
]


def numbers_only(op: Op, t: DTypes) -> None:
    """All arrays have one element type, which is not bool."""
    t.same(*t.inputs, *t.outputs)
    if t.known(t.inputs[0]) is torch.bool:
        raise MXNetError(f"{op.name}: {t.inputs[0]} has type bool, but it must hold numbers")


def floats_only(op: Op, t: DTypes) -> None:
    """All arrays have one floating-point type."""
    t.same(*t.inputs, *t.outputs)
    dtype = t.known(t.inputs[0])
    if dtype is not None and not dtype.is_floating_point:
        raise MXNetError(
            f"{op.name}: {t.inputs[0]} has type {dtype_name(dtype)}, "
            "but it must be of a floating-point type"
        )


def real_only(op: Op, t: DTypes) -> None:
    """All arrays are float32, or all are float64."""
    t.same(*t.inputs, *t.outputs)
    dtype = t.known(t.inputs[0])
    if dtype not in (None, torch.float32, torch.float64):
        raise MXNetError(
            f"{op.name}: {t.inputs[0]} has type {dtype_name(dtype)}, "
            "but it must be float32 or float64"
        )


UNEQUAL = (
    "cannot be broadcast together: sizes along an axis must be equal or 1; reshape and expand_dims "
    "give axes their places"
)


def broadcast_shape(op: Op, s: Shapes) -> None:
    """The output's axes, counted from the last, are as long as the longer of the inputs'."""
    lhs, rhs = s.lhs, s.rhs

    def length(a: Dim, b: Dim) -> Dim:
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        raise s.fail(f"lhs {shape_text(lhs)} and rhs {shape_text(rhs)} {UNEQUAL}")

    pairs = zip_longest(reversed(lhs), reversed(rhs), fillvalue=1)
    s.output = tuple(length(a, b) for a, b in pairs)[::-1]


def through_float(
    function: Callable[..., Tensor], dtype: torch.dtype = torch.float32
) -> Callable[..., Tensor]:
    """`function`, on integer arrays computed in `dtype` and cut back to their type, as MXNet does.

    Arguments after the first are tensors of its type, or numbers. Its attribute `of_floats` is
    `function`, for who knows the types.
    """

    @functools.wraps(function)
    def forward(data: Tensor, *others: Any, **parameters: Any) -> Tensor:
        if data.is_floating_point():
            return function(data, *others, **parameters)
        floats = (x.to(dtype) if isinstance(x, Tensor) else x for x in others)
        return function(data.to(dtype), *floats, **parameters).to(data.dtype)

    forward.of_floats = function  # type: ignore[attr-defined]
    return forward


def known_positive(data: Tensor) -> bool:
    """Whether it is known, where looking costs little, that all numbers are above 0."""
    if is_traced() or data.device.type != "cpu" or not data.numel():
        return False
    return bool(data.amin() > 0)


def as_element(number: float, dtype: torch.dtype) -> float:
    """`number` as C converts it to `dtype`; real numbers beyond its range become infinite."""
    if dtype is torch.bool:
        return number != 0
    return saturated(number, dtype) if dtype.is_floating_point else as_integer(number, dtype)


def in_type_of(data: Tensor, number: float) -> Tensor:
    """`number` as a 0-d tensor, converted to the type of `data` as in C."""
    element = as_element(number, data.dtype)
    return torch.scalar_tensor(element, dtype=data.dtype, device=data.device)


@functools.lru_cache(maxsize=1024)
def as_integer(number: float, dtype: torch.dtype) -> int:
    """`number` as C converts it to an integer type: cut toward zero, then wrapped around.

    What does not fit the register that x86 converts into becomes that register's lowest value.
    """
    bits = torch.iinfo(dtype).bits
    register = max(bits, 32)
    lowest = -(1 << (register - 1))
    fits = math.isfinite(number) and lowest <= int(number) < -lowest
    value: int = (int(number) if fits else lowest) % (1 << bits)
    return value - (1 << bits) if dtype.is_signed and value >> (bits - 1) else value
