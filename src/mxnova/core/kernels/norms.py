# SPDX-License-Identifier: Apache-2.0
"""Vector norms and centered rows whose powers neither overflow nor underflow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..runtime.torch_api import apply_function
from .activation import has_nan, is_readable
from .wide_sums import widen

__all__ = ["has_lost_rows", "standardize", "vector_norm"]


def vector_norm(
    data: Tensor, order: float, axes: tuple[int, ...], keepdims: bool = False
) -> Tensor:
    """Return ``(Σ|data| ** order) ** (1 / order)`` along `axes`, for a finite order other than 0.

    The norm of float16 and bfloat16 data is float32. Its gradient is NaN where the norm is 0, as in
    MXNet.
    """
    if torch.is_grad_enabled() and data.requires_grad:
        norm: Tensor = _with_gradient(data, order, axes)
    else:
        norm = _forward(data, order, axes)
    return norm if keepdims else norm.squeeze(axes)


def _forward(data: Tensor, order: float, axes: tuple[int, ...]) -> Tensor:
    """Compute the norm directly, or from scaled numbers if a power leaves the dtype's range."""
    wide = widen(data)
    if (data.dtype is torch.float16 and 0 < order <= 5) or not data.numel():
        return _compute_directly(wide, order, axes)  # Powers of float16 numbers fit into float32.
    if is_readable(data):
        norm = _compute_directly(wide, order, axes)
        extremes = (norm.item(),) if norm.numel() == 1 else torch.stack(norm.aminmax()).tolist()
        least, largest = (2.0 ** (2 * e / max(2, abs(order))) for e in _SAFE_EXPONENTS[wide.dtype])
        if least < extremes[0] and extremes[-1] < largest:
            return norm
    if order == 2 and wide.dtype is torch.float32:
        exact: Tensor = torch.linalg.vector_norm(wide, 2, axes, True, dtype=torch.float64)
        return exact.float()
    return _compute_scaled(wide, order, axes)


# Exponents between which Euclidean norms lose nothing: their squares neither overflow nor differ
# from the exact sum by more than 2**-46 for each number.
_SAFE_EXPONENTS = {torch.float32: (-40, 63), torch.float64: (-486, 511)}


def _compute_directly(data: Tensor, order: float, axes: tuple[int, ...]) -> Tensor:
    # Unless rows are contiguous, ATen's norm takes four times as long as squares and their sum.
    if order == 2 and data.ndim and (data.ndim - 1 not in axes or data.stride(-1) != 1):
        return data.square().sum(axes, keepdim=True).sqrt()
    norm: Tensor = torch.linalg.vector_norm(data, order, axes, True)
    return norm


def _compute_scaled(data: Tensor, order: float, axes: tuple[int, ...]) -> Tensor:
    sizes = data.abs()
    scale = (torch.amax if order > 0 else torch.amin)(sizes, axes, True)
    scale = scale.where((scale > 0) & (scale < math.inf), 1)
    norm: Tensor = torch.linalg.vector_norm(sizes / scale, order, axes, True)
    return norm * scale


class _Norm(torch.autograd.Function):
    """A norm whose gradient is computed from quotients of numbers and their norm."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, order: float, axes: tuple[int, ...]) -> Tensor:
        norm = _forward(data, order, axes)
        ctx.order = order
        ctx.save_for_backward(data, norm)
        return norm

    @staticmethod
    def backward(ctx: Any, *d_norm: Tensor) -> tuple[Any, ...]:
        data, norm = ctx.saved_tensors
        slope = data / norm
        if ctx.order != 2:
            slope = slope.sign() * slope.abs() ** (ctx.order - 1)
        return (slope * d_norm[0]).to(data.dtype), None, None


_with_gradient: Callable[..., Tensor] = apply_function(_Norm)


def has_lost_rows(inverse_std: Tensor) -> bool:
    """Return whether the squares of a float32 or float64 row overflowed in ATen's normalization.

    The answer is False on a GPU, which would have to finish all its work, and in a trace.
    """
    return inverse_std.dtype.itemsize >= 4 and has_nan(inverse_std)


def standardize(rows: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return rows with mean 0 and variance 1 along the last axis, their means and ``1 / std``.

    ATen's kernels are faster, but lose rows whose squares overflow. The last axis of the means and
    of the inverse deviations has length 1.
    """
    wide = widen(rows)
    scale = wide.detach().abs().amax(-1, True).clamp(1, torch.finfo(wide.dtype).max)
    scaled = wide / scale
    mean = scaled.mean(-1, True)
    centered = scaled - mean
    inverse_std = (centered.square().mean(-1, True) + (math.sqrt(eps) / scale).square()).rsqrt()
    return centered * inverse_std, mean * scale, inverse_std / scale
