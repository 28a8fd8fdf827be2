# SPDX-License-Identifier: Apache-2.0
"""The border to torch: oneDNN's convolutions and products of 8-bit integers.

They sum exactly where the processor has instructions for that (VNNI, AMX); elsewhere oneDNN cuts
sums of two products to 16 bits. So they are tried on the greatest numbers that there are, and are
not used where a sum is wrong. There is no public fallback: graph passes leave nodes as they are.

Data are uint8. An int8 goes in as the uint8 that is 128 more, with 128 as its zero (`Steps.zero`):
kernels for int8 data are absent (convolutions), or take 10,000 times as long (products).
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .torch_api import Unary, Window, has_onednn_kernels, works

__all__ = [
    "ZERO_OF_SIGNED",
    "PackedWeight",
    "Steps",
    "has_integer_kernels",
    "integer_convolution",
    "integer_product",
    "packed_convolution",
    "packed_product",
]

ZERO_OF_SIGNED = 128


class Steps(NamedTuple):
    """What the integers of an array stand for: ``(integer - zero) * size``.

    Attributes:
        dtype: uint8 or int8; float32: real numbers, whose size is 1.
        size: the real number that a step is.
        zero: the integer that stands for 0.
    """

    dtype: torch.dtype
    size: float = 1.0
    zero: int = 0


class PackedWeight(NamedTuple):
    """int8 weights.

    Attributes:
        weight: laid out for the kernel.
        sizes: the real number that a step of each filter is.
        zeros: the integers that stand for 0: zeros.
    """

    weight: Tensor
    sizes: Tensor
    zeros: Tensor


def packed_convolution(
    weight: Tensor, sizes: Tensor, data: Steps, window: Window, shape: list[int] | None
) -> PackedWeight:
    """Weights of a convolution of images, where `has_integer_kernels`.

    Args:
        weight: int8, (filters, channels / groups, height, width).
        sizes: the real number that a step of each filter is, (filters,).
        data: of the images.
        window: padding, stride and dilation of each axis, number of groups of channels.
        shape: of the images, None where it is not known; other shapes work, less tuned.
    """
    pad, stride, dilate, groups = window
    place = (stride, pad, dilate, groups)
    packed = torch.ops.onednn.qconv_prepack(weight, sizes, data.size, data.zero, *place, shape)
    return PackedWeight(packed, sizes, torch.zeros(len(sizes), dtype=torch.int32))


def integer_convolution(
    image: Tensor,
    data: Steps,
    packed: PackedWeight,
    bias: Tensor | None,
    window: Window,
    unary: Unary,
    result: Steps,
    other: Tensor | None = None,
    summand: Steps | None = None,
) -> Tensor:
    """``unary(convolution(image) + other)`` in steps of the result, where `has_integer_kernels`.

    Args:
        image: uint8, (n, channels, height, width).
        data: its steps.
        packed: the weights.
        bias: real numbers, (filters,).
        window: padding, stride and dilation of each axis, number of groups of channels.
        unary: the activation: none, relu, or hardtanh with its ends; with `other` none or relu.
        result: its steps.
        other: of the result's shape and type; it is overwritten with the result.
        summand: its steps.
    """
    pad, stride, dilate, groups = window
    place = (bias, stride, pad, dilate, groups)
    given = (image, data.size, data.zero, *packed)
    made = (result.size, result.zero, result.dtype)
    found: Tensor
    if other is None or summand is None:
        found = torch.ops.onednn.qconv2d_pointwise(*given, *place, *made, *unary)
        return found
    rest: Any = (summand.size, summand.zero, "sum", 1.0, unary[0], [], "")
    kernel: Any = torch.ops.onednn.qconv2d_pointwise.binary
    found = kernel(*given, other, *place, *made, *rest)
    return found


def packed_product(weight: Tensor, sizes: Tensor, shape: list[int] | None) -> PackedWeight:
    """Weights of a product, where `has_integer_kernels`.

    Args:
        weight: int8, (n, k).
        sizes: the real number that a step of each row is, (n,).
        shape: of the data, (rows, k), None where it is not known; others work, less tuned.
    """
    packed = torch.ops.onednn.qlinear_prepack(weight, shape)
    return PackedWeight(packed, sizes, torch.zeros(len(sizes), dtype=torch.int32))


def integer_product(
    rows: Tensor,
    data: Steps,
    packed: PackedWeight,
    bias: Tensor | None,
    unary: Unary,
    result: Steps,
) -> Tensor:
    """``unary(rows @ weight.T + bias)`` in steps of the result, where `has_integer_kernels`.

    Args:
        rows: uint8, (m, k).
        data: its steps.
        packed: the weights.
        bias: real numbers, (n,).
        unary: the activation: none or relu.
        result: its steps.
    """
    given = (rows, data.size, data.zero, *packed)
    made = (result.size, result.zero, result.dtype)
    found: Tensor = torch.ops.onednn.qlinear_pointwise(*given, bias, *made, *unary)
    return found


# Trials -------------------------------------------------------------------------------------------

_CHANNELS = 64


@functools.cache
def has_integer_kernels() -> bool:
    """Whether oneDNN's kernels for 8-bit integers are there, and exact on this processor."""
    return has_onednn_kernels() and works(_convolves) and works(_multiplies)


def _convolves() -> bool:
    """Of the greatest numbers: sums, then what becomes of them."""
    weight = torch.full((2, _CHANNELS, 1, 1), 127, dtype=torch.int8)
    sizes, window = torch.tensor([1.0, 0.5]), ([0, 0], [1, 1], [1, 1], 1)
    image = torch.full((1, _CHANNELS, 3, 3), 255, dtype=torch.uint8)
    image = image.to(memory_format=torch.channels_last)
    for zero in (0, ZERO_OF_SIGNED):
        data, total = Steps(torch.uint8, 1.0, zero), _CHANNELS * 127.0 * (255 - zero)
        packed = packed_convolution(weight, sizes, data, window, list(image.shape))
        what = (image, data, packed, torch.tensor([1.0, -1.0]), window)
        wanted = torch.tensor([total + 1, total / 2 - 1]).view(1, 2, 1, 1)
        real = integer_convolution(*what, ("none", [], ""), Steps(torch.float32))
        if not (real == wanted).all():
            return False
        step = total / 100
        signed = integer_convolution(*what, ("relu", [], ""), Steps(torch.int8, step))
        low = integer_convolution(*what, ("hardtanh", [0.0, step], ""), Steps(torch.uint8, step))
        other = torch.full((1, 2, 3, 3), ZERO_OF_SIGNED + 5, dtype=torch.uint8)
        other = other.to(memory_format=torch.channels_last)
        summand, result = Steps(torch.uint8, 2 * step, ZERO_OF_SIGNED), Steps(torch.uint8, step)
        integer_convolution(*what, ("relu", [], ""), result, other, summand)
        results = (signed, torch.int8, [100, 50]), (low, torch.uint8, [1, 1])
        if not all(_is(*each) for each in (*results, (other, torch.uint8, [110, 60]))):
            return False
    return True


def _is(found: Tensor, dtype: torch.dtype, numbers: list[int]) -> bool:
    """Whether each channel has one number; torch 2.6 gives uint8 where int8 is asked for."""
    wanted = torch.tensor(numbers, dtype=dtype).view(1, 2, *[1] * (found.dim() - 2))
    return found.dtype is dtype and bool((found == wanted).all())


def _multiplies() -> bool:
    weight = torch.full((2, _CHANNELS), 127, dtype=torch.int8)
    rows = torch.full((3, _CHANNELS), 255, dtype=torch.uint8)
    relu: Unary = ("relu", [], "")
    packed = packed_product(weight, torch.tensor([1.0, 0.5]), list(rows.shape))
    for zero in (0, ZERO_OF_SIGNED):
        data, total = Steps(torch.uint8, 1.0, zero), _CHANNELS * 127.0 * (255 - zero)
        what = (rows, data, packed, torch.tensor([1.0, -1.0]))
        real = integer_product(*what, relu, Steps(torch.float32))
        signed = integer_product(*what, relu, Steps(torch.int8, total / 100))
        if not (real == torch.tensor([total + 1, total / 2 - 1])).all():
            return False
        if not _is(signed, torch.int8, [100, 50]):
            return False
    return True
