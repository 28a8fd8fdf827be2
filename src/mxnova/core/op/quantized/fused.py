# SPDX-License-Identifier: Apache-2.0
"""Layers on 8-bit integers that take over what follows them: weights, and what becomes of sums.

Sums of products are float32 numbers that are whole: exact up to 2**24, and of no less relative
precision than any float32 number beyond. A convolution of floats takes no longer than one of the
integers that ATen could multiply without overflow.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from .ranges import LEVELS, WIDE_LEVELS, finite

__all__ = ["Weights", "prepared", "rescaled"]

_INT8 = WIDE_LEVELS[torch.int8]
_MOST = LEVELS[torch.int32]


class Weights(NamedTuple):
    """Weights that are whole numbers.

    Attributes:
        weight: numbers of int8, as float32.
        bias: whole numbers in steps of the sums, None where there is none.
        scale: how many of weight's steps a real number 1 is, (number of outputs,).
    """

    weight: Tensor
    bias: Tensor | None
    scale: Tensor


def _by_filter(values: Tensor, like: Tensor) -> Tensor:
    return values.reshape(-1, *[1] * (like.dim() - 1))


def prepared(weight: Tensor, bias: Tensor | None, data: Tensor, by_filter: bool) -> Weights:
    """Real weights as integers.

    Args:
        weight: (filters, …).
        bias: (filters,), or None.
        data: how many steps of the data a real number 1 is, finite.
        by_filter: each filter has a range of its own; such scales are kept so small that a bias
            stays below 2**30 steps of the sums, as MXNet does.
    """
    most = weight.abs().flatten(1).amax(1)
    scale = most.new_full((), _INT8) / (most if by_filter else most.amax().expand_as(most))
    if by_filter and bias is not None:
        limit = torch.where(bias > 0, _MOST / 2, -_MOST / 2) / bias / data
        scale = torch.where(bias != 0, torch.minimum(scale, limit), scale)
    # A filter of zeros has no scale: any would do, and infinity would make NaN of them.
    scale = scale.where(scale.isfinite(), torch.ones_like(scale))
    whole = (weight * _by_filter(scale, weight)).round_().clamp_(-128, 127)
    return Weights(whole, None if bias is None else (bias * (data * scale)).round_(), scale)


def rescaled(
    weight: Tensor, scale: Tensor, bias: Tensor | None, bias_scale: Tensor | None, data: Tensor
) -> Weights:
    """int8 weights of one range, with a bias of int8.

    Args:
        weight: int8, (outputs, …).
        scale: how many of its steps a real number 1 is; infinity: they are zeros.
        bias: int8, (outputs,), or None.
        bias_scale: the same of the bias.
        data: the same of the data, finite.
    """
    weight = weight.float().masked_fill_(scale.isinf(), 0.0)  # whatever its integers are
    scale = finite(scale)
    if bias is None or bias_scale is None:
        return Weights(weight, None, scale.expand(len(weight)))
    factor = data * scale / bias_scale
    limit = _MOST / 2 / _INT8
    if factor > limit:  # the bias would leave int32: MXNet makes all steps wider
        narrower = limit * bias_scale / data / scale
        weight, scale, factor = (
            (weight * narrower).round_(),
            scale * narrower,
            factor.new_full((), limit),
        )
    return Weights(weight, (bias * factor).round_(), scale.expand(len(weight)))
