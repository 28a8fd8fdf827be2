# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms and count sketches. MXNet had them on GPUs only."""

from __future__ import annotations

import torch
from torch import Tensor

from ...base.shapes import shape_text
from ...kernels.wide_sums import widen
from ..declaration import function_operator
from ..infer import Shapes
from ..schema import Op


def _check_rank(s: Shapes) -> None:
    s.rank("data", 2, 4)


def _fft_shape(op: Op, s: Shapes) -> None:
    _check_rank(s)
    s.output = (*s.data[:-1], s.data[-1] * 2)


def _ifft_shape(op: Op, s: Shapes) -> None:
    _check_rank(s)
    s.output = (*s.data[:-1], s.data[-1] // 2)
    if s.data[-1] % 2:
        raise s.fail(f"data {shape_text(s.data)}: the last axis must hold pairs")


@function_operator("_contrib_fft", shape=_fft_shape)
def fft(data: Tensor, *, compute_size: int = 128) -> Tensor:
    """Fourier transform of the last axis; real and imaginary parts alternate in the result.

    Args:
        data: two or four axes, real.
        compute_size: size of a batch on the device; has no effect.
    """
    return torch.view_as_real(torch.fft.fft(data)).flatten(-2)


@function_operator("_contrib_ifft", shape=_ifft_shape)
def ifft(data: Tensor, *, compute_size: int = 128) -> Tensor:
    """Real part of the inverse Fourier transform of the last axis, not divided by its size.

    Args:
        data: two or four axes; real and imaginary parts alternate.
        compute_size: size of a batch on the device; has no effect.
    """
    pairs = data.reshape(*data.shape[:-1], -1, 2)
    inverse: Tensor = torch.fft.ifft(torch.view_as_complex(pairs), norm="forward")
    return inverse.real


def _count_sketch_shape(op: Op, s: Shapes) -> None:
    _check_rank(s)
    if op.attr("out_dim") < 1:
        raise s.fail(f"out_dim={op.attr('out_dim')}: must be >= 1")
    s.output = (*s.data[:-1], op.attr("out_dim"))
    s.h = s.s = (1, s.data[-1])


@function_operator("_contrib_count_sketch", shape=_count_sketch_shape)
def count_sketch(
    data: Tensor, h: Tensor, s: Tensor, *, out_dim: int, processing_batch_size: int = 32
) -> Tensor:
    """Random projection of the last axis: element i is added to place h[i] with sign s[i].

    Charikar, Chen, Farach-Colton: Finding frequent items in data streams, 2002.

    Args:
        data: two or four axes.
        h: (1, in_dim): places from 0 to out_dim - 1.
        s: (1, in_dim): signs, 1 or -1.
        out_dim: size of the last axis of the result.
        processing_batch_size: size of a batch on the device; has no effect.
    """
    signed = widen(data * s.reshape(-1).detach())
    sketch = signed.new_zeros(*data.shape[:-1], out_dim)
    return sketch.index_add(-1, h.reshape(-1).long(), signed).to(data.dtype)
