# SPDX-License-Identifier: Apache-2.0
"""The interface to draw random numbers, from PyTorch's generators or MXNet's exact streams.

`in_order` tells the operators whose numbers MXNet draws one after another from those that divide
their result into blocks; it makes no difference to PyTorch's generators.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np
import torch
from torch import Tensor

from ...runtime.exact_streams import ExactStream
from ..dtypes import torch_dtype
from . import exact, exact_samplers

Generator = torch.Generator | None


def is_exact(rng: Generator) -> TypeGuard[ExactStream]:
    """Whether numbers are to be MXNet's own."""
    return type(rng) is ExactStream


def wide_type(dtype: torch.dtype, rng: Generator) -> torch.dtype:
    """In which type numbers for results of type `dtype` are drawn."""
    narrow = torch.float32 if is_exact(rng) else torch.float16
    return torch.float64 if dtype not in (torch.float32, narrow) else torch.float32


_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def _dtype(filler: Tensor) -> exact.Dtype:
    return _DOUBLE if filler.dtype == torch.float64 else _SINGLE


def uniform_(filler: Tensor, rng: Generator, *, in_order: bool = False) -> Tensor:
    """As many uniform numbers from [0, 1) as `filler` has, float32 or float64; it may be filled."""
    if not is_exact(rng):
        return filler.uniform_(generator=rng)
    return _like(filler, _uniforms(filler, rng, in_order))


def _uniforms(filler: Tensor, rng: ExactStream, in_order: bool) -> exact.Array:
    draw = exact.uniforms_in_order if in_order else exact.uniforms
    return draw(rng, filler.numel(), _dtype(filler))


def _like(filler: Tensor, numbers: exact.Array) -> Tensor:
    return torch.from_numpy(numbers.reshape(filler.shape))


def normal_(filler: Tensor, rng: Generator, *, in_order: bool = False) -> Tensor:
    """As many standard normal numbers as `filler` has, float32 or float64; it may be filled."""
    if not is_exact(rng):
        return filler.normal_(generator=rng)
    if in_order:
        return _like(filler, exact.normals_in_order(rng, filler.numel()))
    return _like(filler, exact.normals(rng, filler.numel(), _dtype(filler)))


def exponential_(
    filler: Tensor, rng: ExactStream, *, in_order: bool = False, wide: bool = True
) -> Tensor:
    """Exponential numbers of mean 1, which also fill `filler`, rounded; `wide`: as float64."""
    numbers = _uniforms(filler, rng, in_order)
    if wide:
        numbers = numbers.astype(np.float64)
    with np.errstate(divide="ignore"):  # a uniform number may be 0, or round to 1
        drawn = -exact.logarithm(numbers if in_order else 1 - numbers)
    filler.copy_(_like(filler, drawn))
    return torch.from_numpy(drawn).view(filler.shape)


def logistic_(filler: Tensor, rng: ExactStream) -> Tensor:
    """As many logistic numbers of mean 0 and scale 1 as `filler` has."""
    numbers = _uniforms(filler, rng, in_order=True)
    with np.errstate(divide="ignore"):
        drawn = exact.logarithm(numbers.astype(np.float64) / (1 - numbers))
    return _like(filler, drawn).to(filler.dtype)


def power(base: Tensor, exponent: Tensor) -> Tensor:
    """``base ** exponent``, float32, as the C library's powf rounds it."""
    bases, exponents = torch.broadcast_tensors(base, exponent)  # type: ignore[no-untyped-call]
    numbers = exact.powers(bases.reshape(-1).numpy(), exponents.reshape(-1).numpy())
    return torch.from_numpy(numbers).view(bases.shape)


def leave(count: int, rng: ExactStream) -> None:
    """Consumes `count` words that MXNet draws in order, and does not use."""
    exact.words_in_order(rng, count)


def scaled(numbers: Tensor, factor: Tensor, offset: Tensor, rng: Generator) -> Tensor:
    """``numbers * factor + offset``; exactly, steps of float16 parameters are rounded to it."""
    if is_exact(rng) and factor.dtype == torch.float16:
        product = (numbers.float() * factor.float()).half()
        return (product.float() + offset.float()).half()
    return numbers.mul_(factor).add_(offset)


def sampled(
    sampler: exact_samplers.Sampler,
    rng: ExactStream,
    shape: Sequence[int],
    dtype: str,
    *parameters: Tensor,
) -> Tensor:
    """Return `shape` samples of `sampler` for each element of `parameters`."""
    counts = sampler is not exact_samplers.gamma
    result = torch.float32 if dtype == "None" else torch_dtype(dtype)
    kind = _DOUBLE if result == torch.float64 and not counts else _SINGLE
    n = torch.Size(shape).numel()
    given = [p.reshape(-1).numpy() for p in parameters]
    drawn = torch.from_numpy(exact_samplers.drawn(rng, sampler, n, given, kind))
    return drawn.view(*parameters[0].shape, *shape).to(result)


def mask(
    shape: Sequence[int], dtype: torch.dtype, p: float, rng: ExactStream, strict: bool
) -> Tensor:
    """Dropout's mask: ``1 / (1 - p)`` for what stays, 0 with probability `p`.

    Args:
        shape: of the mask.
        dtype: of the mask.
        p: share that is dropped.
        rng: the stream.
        strict: whether a draw that equals ``1 - p`` drops: MXNet does so where `axes` are given.
    """
    keep = np.float32(1) - np.float32(p)
    filler = torch.empty(tuple(shape), dtype=wide_type(dtype, rng))
    stays = (torch.lt if strict else torch.le)(uniform_(filler, rng), float(keep))
    scale = float(np.float32(1) / keep) if keep else 0.0
    return stays.to(torch.float32).mul_(scale).to(dtype)


def integers(
    low: int, high: int, shape: Sequence[int], rng: Generator, device: torch.device | None
) -> Tensor:
    """Integers from [low, high), int64."""
    if not is_exact(rng):
        return torch.randint(low, high, tuple(shape), generator=rng, device=device)
    drawn = exact.integers(rng, torch.Size(shape).numel(), low, high)
    return torch.from_numpy(drawn).view(tuple(shape))


def bounds(shares: Tensor, rng: Generator) -> Tensor:
    """Return the cumulative class boundaries of `shares` along [0, 1]."""
    if not is_exact(rng):
        return shares.to(torch.promote_types(shares.dtype, torch.float32)).cumsum(-1)
    sums = torch.from_numpy(np.cumsum(shares.detach().numpy(), -1))
    return sums.to(torch.promote_types(shares.dtype, torch.float32))


def choices(n: int, shape: Sequence[int], rng: Generator, device: torch.device | None) -> Tensor:
    """Integers below `n`, int64, as NumPy's operators draw them."""
    if not is_exact(rng):
        return torch.randint(n, tuple(shape), generator=rng, device=device)
    drawn = exact.choices(rng, torch.Size(shape).numel(), n)
    return torch.from_numpy(drawn).view(tuple(shape))


def order(n: int, rng: Generator, device: torch.device | None, *, rising: bool = True) -> Tensor:
    """The integers below `n` in random order; `rising`: which of MXNet's two shuffles."""
    if not is_exact(rng):
        return torch.randperm(n, generator=rng, device=device)
    return torch.from_numpy(exact.shuffled(rng, n, rising))


def gumbel_keys(weights: Tensor, rng: ExactStream) -> Tensor:
    """Keys whose descending order draws classes by `weights` without replacement."""
    noise = uniform_(torch.empty(len(weights)), rng, in_order=True).double()
    return weights.double().log() - (-noise.log()).log()


def subset(n: int, count: int, rng: Generator, device: torch.device | None) -> Tensor:
    """`count` different integers below `n`, int64."""
    if not is_exact(rng):
        return torch.randperm(n, generator=rng, device=device)[:count]
    return torch.from_numpy(exact.subset(rng, n, count))
