# SPDX-License-Identifier: Apache-2.0
"""The border to torch for cuDNN: convolutions with what follows them in one kernel, TF32."""

from __future__ import annotations

import functools
import math
from contextlib import suppress
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.backends import cudnn

from .torch_api import Window, is_traced, works

__all__ = [
    "convolves_in_tf32",
    "multiplies_in_tf32",
    "normalized_batch",
    "rectified_convolution",
]


def convolves_in_tf32() -> bool:
    """Whether a GPU that can may convolve float32 with products of 11 bits."""
    return _is_tf32(getattr(cudnn, "conv", None), cudnn)


def multiplies_in_tf32() -> bool:
    """Whether a GPU that can may multiply matrices of float32 with products of 11 bits."""
    matmul = torch.backends.cuda.matmul
    return _is_tf32(matmul, matmul)


def _is_tf32(settings: Any, older: Any) -> bool:
    """What `settings` say; torch that has them may refuse to read the `older` one."""
    precision = getattr(settings, "fp32_precision", None)
    return bool(older.allow_tf32 if precision is None else precision == "tf32")


def normalized_batch(
    data: Tensor, weight: Tensor, bias: Tensor, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """``torch.native_batch_norm`` by the statistics of the batch; on a GPU by cuDNN.

    There it takes one kernel forwards and one backwards, instead of two each.

    Args:
        data: (n, channels, ...).
        weight: (channels,).
        bias: (channels,).
        eps: added to the variance.
    """
    if data.is_cuda and not is_traced() and _batch_norm is not None:
        return _batch_norm(data, weight, bias, None, None, True, 0.0, eps, cudnn.enabled)[:3]  # type: ignore[no-any-return]
    return torch.native_batch_norm(data, weight, bias, None, None, True, 0.0, eps)


# What chooses between ATen's kernels and cuDNN's, and gives the statistics.
_batch_norm: Any = getattr(torch, "_batch_norm_impl_index", None)


def rectified_convolution(
    image: Tensor, weight: Tensor, bias: Tensor, window: Window, other: Tensor | None = None
) -> Tensor:
    """``relu(convolution(image) + other)`` on a GPU, in memory of its own.

    Args:
        image: (n, channels, height, width), channels-last.
        weight: (filters, channels / groups, height, width), channels-last.
        bias: (filters,).
        window: padding, stride and dilation of each axis, number of groups of channels.
        other: of the output's shape, channels-last.
    """
    pad, stride, dilate, groups = window
    # Fused kernels for groups are slow: MobileNet 1.0, batch 8, takes an H200 1.1 ms with them,
    # where PyTorch's separate kernels take 0.6.
    may_fuse = groups == 1 and cudnn.enabled and not cudnn.deterministic
    if may_fuse and _is_fused(image.device, image.dtype):
        with suppress(RuntimeError):  # cuDNN has no such kernel for some windows
            return _fused(image, weight, bias, window, other)
    sums = F.conv2d(image, weight, bias, stride, pad, dilate, groups)
    sums = torch.relu_(sums if other is None else sums.add_(other))
    return sums.nan_to_num_(0.0, math.inf)  # cuDNN's rectifier is 0 at NaN, ATen's is not.


def _fused(
    image: Tensor, weight: Tensor, bias: Tensor, window: Window, other: Tensor | None
) -> Tensor:
    pad, stride, dilate, groups = window
    places = (stride, pad, dilate, groups)
    if other is None:
        return torch.cudnn_convolution_relu(image, weight, bias, *places)
    return torch.cudnn_convolution_add_relu(image, weight, other, 1.0, bias, *places)


@functools.cache
def _is_fused(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether cuDNN's kernels are there, and right."""
    layout = {"memory_format": torch.channels_last}

    def agrees() -> bool:
        image = torch.ones(1, 8, 2, 2, device=device, dtype=dtype).contiguous(**layout)
        weight = torch.ones(8, 8, 1, 1, device=device, dtype=dtype).contiguous(**layout)
        what = (image, weight, -weight[:, 0, 0, 0], ([0, 0], [1, 1], [1, 1], 1))
        return bool((_fused(*what, None) == 7).all() and (_fused(*what, -image) == 6).all())

    return device.type == "cuda" and works(agrees)
