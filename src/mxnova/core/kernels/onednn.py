# SPDX-License-Identifier: Apache-2.0
"""Kernels of oneDNN where ATen takes slower ones: float32 on the CPU, from some size on.

ATen leaves products of matrices to MKL, which does not use AVX-512 on AMD's processors, and pools
images item by item. On one core of an EPYC: a product of 1024 x 1024 matrices takes 9.9 ms instead
of 21, max pooling of 8 x 64 x 56 x 56 takes 0.46 ms instead of 9.8, and its gradient, too, a fifth.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from ..runtime import torch_api, tuning
from ..runtime.processor import HAS_AVX512, HAS_ONEDNN, IS_AMD
from ..runtime.threads import thread_count
from . import tensor_cores, transpose

__all__ = [
    "both_contiguous",
    "conv3d",
    "fast_pool",
    "in_kernel_layout",
    "is_small",
    "linear",
    "matmul",
    "needs_contiguous",
    "suits_pooling",
]

# With AVX2 alone MKL is as fast, takes transposed operands without copies, and costs less a call.
# On a Xeon MKL takes 0.4 to 0.9 of oneDNN's time for weights' gradients.
_MULTIPLIES: bool = HAS_AVX512 and IS_AMD
_MKL_HAS_AVX512: bool = HAS_AVX512 and not IS_AMD
_Axes = int | tuple[int, ...]  # one number for all, or one each
_OF_IMAGES = (torch.float32, torch.bfloat16)
_FEW_CHANNELS = 16


# Products -----------------------------------------------------------------------------------------


def linear(data: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``data @ weight.T + bias``, for a matrix `weight`; columns may be contiguous in it."""
    if torch_api.is_traced() or is_small(data, weight):  # open sizes are not compared
        return F.linear(data, weight, bias)
    n_columns, width = weight.shape
    if not (_MULTIPLIES and _multiplies(data, weight, n_columns)):
        by_columns = _splits_by_columns(data, weight)
        return (_by_columns if by_columns else F.linear)(data, weight, bias)
    rows = _linear(data.reshape(-1, width), weight, bias)
    return rows.view(*data.shape[:-1], n_columns)


def is_small(data: Tensor, weight: Tensor) -> bool:
    """Whether `linear` leaves a product of these sizes to ATen."""
    if _MULTIPLIES and data.numel() * weight.shape[0] >= tuning.PRODUCT_MIN_MULTIPLICATIONS:
        return False
    return weight.numel() < tuning.COLUMN_SPLIT_MIN_WEIGHTS


def _splits_by_columns(data: Tensor, weight: Tensor) -> bool:
    """Whether each thread had better compute some columns of the result, for all rows.

    MKL shares out few rows instead, so that all threads read all weights, and whoever updates these
    waits for other cores' caches. A layer of 784 x 512 and its update by SGD, 32 rows, two cores
    with AVX2 and one cache: 241 + 135 µs so, 193 + 43 by columns; without a common cache 310 + 630
    and 211 + 49. A step of an MLP on Zen 5, all by MKL: 805 to 1,250 µs, 760 to 1,050 by columns.
    On a Xeon gradients lose what outputs win.
    """
    return (
        not _MKL_HAS_AVX512
        and data.dim() == 2
        and _takes(data)
        and tuning.COLUMN_SPLIT_MIN_ROWS <= len(data) <= tuning.COLUMN_SPLIT_MAX_ROWS
        and weight.dtype is torch.float32
        and thread_count() > 1
    )


def _by_columns(data: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if bias is None:
        return torch.mm(weight, data.t()).t()
    return torch.addmm(bias.unsqueeze(1), weight, data.t()).t()


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """``a @ b``, for two matrices."""
    if not _MULTIPLIES:
        return a @ b
    n_columns = b.shape[1]
    return _linear(a, b.T, None) if _multiplies(a, b, n_columns) else a @ b


def _multiplies(data: Tensor, weight: Tensor, n_columns: int) -> bool:
    # Most products are too small: the two cheap questions first. Open sizes are not compared.
    return (
        not torch_api.is_traced()
        and data.numel() * n_columns >= tuning.PRODUCT_MIN_MULTIPLICATIONS
        and _takes(data)
        and weight.dtype is torch.float32
        and n_columns >= tuning.PRODUCT_MIN_COLUMNS
        and data.numel() >= tuning.PRODUCT_MIN_ROWS * data.shape[-1]
        and torch_api.has_onednn_kernels()
    )


def _takes(data: Tensor) -> bool:
    return data.dtype is torch.float32 and _is_here(data)


def _is_here(data: Tensor) -> bool:
    if torch_api.is_traced():  # Inductor chooses kernels and layouts itself
        return False
    return HAS_ONEDNN and data.is_cpu


def _linear(data: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    inputs = (data, weight) if bias is None else (data, weight, bias)
    if torch.is_grad_enabled() and any(t.requires_grad for t in inputs):
        result: Tensor = _Linear.apply(data, weight, bias)  # type: ignore[no-untyped-call]
        return result
    return _multiplied(data, weight, bias)


def _multiplied(data: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return torch_api.linear_pointwise(data, weight, bias, ("none", [], ""))


class _Linear(torch.autograd.Function):
    """`linear` with the gradient that oneDNN's product lacks."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(data, weight)
        return _multiplied(data, weight, bias)

    @staticmethod
    def backward(ctx: Any, d_output: Tensor) -> tuple[Tensor | None, ...]:
        data, weight = ctx.saved_tensors
        for_data, for_weight, for_bias = ctx.needs_input_grad
        return (
            matmul(d_output, weight) if for_data else None,
            _for_weight(d_output, data) if for_weight else None,
            d_output.sum(0) if for_bias else None,
        )


def _for_weight(d_output: Tensor, data: Tensor) -> Tensor:
    """``d_output.T @ data``."""
    if d_output.shape[1] < tuning.PRODUCT_WIDE_RATIO * data.shape[1]:
        return matmul(d_output.T, data)
    return matmul(data.T, d_output).T.contiguous()


# Convolutions -------------------------------------------------------------------------------------


def in_kernel_layout(data: Tensor, weight: Tensor) -> Tensor:
    """`data` in the layout that suits a convolution with `weight`; the result has it, too.

    Images go channels-last: oneDNN then takes and gives them as they are, instead of reordering
    them before and after. Kernels that outweigh the images would be reordered in their place. For
    GPUs see `tensor_cores`.
    """
    if data.is_cuda and not torch_api.is_traced():
        return tensor_cores.channels_last(data)
    if data.ndim != 4 or data.is_mkldnn or data.dtype not in _OF_IMAGES or not _is_here(data):
        return data
    if data.numel() < weight.numel():
        return data.contiguous()
    batch, channels, *size = data.shape
    if channels == 1:  # else ATen cannot tell one layout from the other
        return data.reshape(batch, *size, 1).movedim(-1, 1)
    return transpose.channels_last(data)


def needs_contiguous(kernel: Sequence[int], stride: Sequence[int], channels: int) -> bool:
    """Whether images of so many channels have to be `both_contiguous` for a convolution.

    For channels-last images of fewer channels than its vectors hold, oneDNN's gradient of a weight
    of one item that skips images' items writes beyond its memory (torch 2.13, AVX2: 2 to 7).
    """
    return kernel == (1, 1) and channels < _FEW_CHANNELS and any(s > 1 for s in stride)


def both_contiguous(data: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Both, channel by channel: ATen takes channels-last kernels where either one lies so."""
    if data.is_mkldnn:
        return data, weight
    # A weight of one item has a layout only by its strides, which `contiguous` leaves alone.
    return data.contiguous(), weight.clone(memory_format=torch.contiguous_format)


def conv3d(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: _Axes,
    pad: _Axes,
    dilate: _Axes,
    groups: int,
) -> Tensor:
    """``F.conv3d``, which leaves oneDNN aside for one volume, however large.

    Its measure of images' sizes leaves the last of three axes out. One core takes 8.6 ms for 3 x
    16 x 56 x 56 and 16 kernels of 3 x 3 x 3, oneDNN 2.2.
    """
    is_one = not data.is_mkldnn and _takes(data) and data.ndim == 5 and len(data) == 1
    if not is_one or data.numel() < tuning.CONV3D_MIN_SIZE or weight.shape[2:].numel() == 1:
        return F.conv3d(data, weight, bias, stride, pad, dilate, groups)
    places = (_each_axis(pad), _each_axis(stride), _each_axis(dilate))
    return torch.mkldnn_convolution(data.contiguous(), weight.contiguous(), bias, *places, groups)


def _each_axis(number: _Axes) -> tuple[int, ...]:
    return (number,) * 3 if isinstance(number, int) else number


# Pooling ------------------------------------------------------------------------------------------


def fast_pool(pool: Callable[..., Tensor], data: Tensor, *place: Any, **options: Any) -> Tensor:
    """``pool(data, *place, **options)``, for a pooling of ATen's whose stride is given."""
    if data.is_mkldnn or not suits_pooling(data) or data.numel() < tuning.POOLING_MIN_SIZE:
        return pool(data, *place, **options)
    is_recorded = torch.is_grad_enabled() and data.requires_grad
    if not HAS_AVX512:
        if data.ndim != 4 or (is_recorded and pool is F.avg_pool2d):
            return pool(data, *place, **options)
        last = transpose.channels_last(data)
        return transpose.contiguous(pool(last, *place, **options))
    if is_recorded:
        run = functools.partial(_placed, pool, place, options)
        result: Tensor = _Pooled.apply(data, run)  # type: ignore[no-untyped-call]
        return result
    return pool(data.to_mkldnn(), *place, **options).to_dense()


def _placed(
    pool: Callable[..., Tensor], place: Sequence[Any], options: Mapping[str, Any], data: Tensor
) -> Tensor:
    return pool(data, *place, **options)


def suits_pooling(data: Tensor) -> bool:
    """Whether ATen's kernels are slow for `data`; those for channels-last images are good."""
    return _takes(data) and data.shape[1] >= tuning.POOLING_MIN_CHANNELS and data.is_contiguous()


class _Pooled(torch.autograd.Function):
    """`fast_pool` with a gradient that has a gradient, which oneDNN's lacks."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, pool: Callable[[Tensor], Tensor]) -> Tensor:
        ctx.save_for_backward(data)
        ctx.pool = pool
        with torch.enable_grad():
            ctx.leaf = data.detach().requires_grad_()
            ctx.output = pool(ctx.leaf.to_mkldnn()).to_dense()
        output: Tensor = ctx.output.detach()
        return output

    @staticmethod
    def backward(ctx: Any, d_output: Tensor) -> tuple[Tensor, None]:
        if not torch.is_grad_enabled():
            (d_data,) = torch.autograd.grad(ctx.output, ctx.leaf, d_output, retain_graph=True)
            return d_data, None
        (data,) = ctx.saved_tensors
        (d_data,) = torch.autograd.grad(ctx.pool(data), data, d_output, create_graph=True)
        return d_data, None
