# SPDX-License-Identifier: Apache-2.0
"""Samplers that take a varying number of draws for an element, as MXNet rounds each step.

Gamma by Marsaglia and Tsang, Poisson by products of uniform numbers for small means and by
rejection from the Lorentz distribution for others (Numerical Recipes). A `Sampler` turns
the parameters of distributions into those of the loop that draws, `exact_loops.sample`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...base.errors import MXNetError
from ...runtime.exact_streams import WORDS, Blocks, ExactStream, blocks, locked
from .exact import Array, Dtype, n_words, run, unit

__all__ = [
    "Sampler",
    "drawn",
    "gamma",
    "generalized_negative_binomial",
    "negative_binomial",
    "poisson",
]

_MOST_NUMBERS = 1 << 12  # for one element: none is drawn by so many


class Parameters(NamedTuple):
    """What a loop draws from: a gamma distribution each, or none where d is 0.

    Attributes:
        table: (distributions, 6), float64: d, k, c, exponent, scale; what is there in place of a
            draw.
        counts: whether the draws are means of Poisson distributions.
        half: whether draws are rounded to float16.
        has_factors: whether draws of small shapes are multiplied by factors afterwards.
    """

    table: Array
    counts: bool
    half: bool = False
    has_factors: bool = False


Sampler = Callable[..., Parameters]


@locked
def drawn(
    stream: ExactStream, sampler: Sampler, n: int, given: Sequence[Array], dtype: Dtype
) -> Array:
    """`n` draws for each element of the parameters `given`, vectors of one length.

    Raises:
        MXNetError: with these parameters a sampler does not end.
    """
    size = n * len(given[0])
    if not size:
        return np.empty(0, dtype)
    with np.errstate(all="ignore"):
        if len(given[0]) == 1:
            parameters = _of_numbers(sampler, dtype, *((p.dtype, p.item()) for p in given))
        else:
            parameters = sampler(dtype, *given)
        values, factors = _run(stream, parameters, n, blocks(size), size, dtype)
        if parameters.half:
            values = values.astype(np.float16).astype(dtype)
        return (values * factors).astype(dtype) if len(factors) else values


@functools.lru_cache(64)
def _of_numbers(sampler: Sampler, dtype: Dtype, *given: tuple[Dtype, float]) -> Parameters:
    return sampler(dtype, *(np.array([number], kind) for kind, number in given))


def _run(
    stream: ExactStream, parameters: Parameters, n: int, grid: Blocks, size: int, dtype: Dtype
) -> tuple[Array, Array]:
    """Draws, and what to multiply them by, unless it is empty."""
    values, made, used = np.empty(size, dtype), *np.zeros((2, grid.rows), np.int64)
    factors = np.empty(size if parameters.has_factors else 0)
    table, per_number = parameters.table.reshape(-1), n_words(dtype)
    settings = dtype == np.float32, table, n, grid.length, parameters.counts
    rows, width = slice(0, grid.rows), min(6 * grid.length + 48, 2 * WORDS // per_number)
    n_made = 0
    while n_made < size:
        u = unit(stream.parallel.peek(rows, width * per_number), dtype).reshape(-1)
        more = run("sample", u, *settings, made, used, values, factors)
        stream.parallel.skip(rows, used * per_number)
        n_made += more
        if not more:
            width *= 2
            if width > _MOST_NUMBERS:
                raise MXNetError(f"a sampler does not end for parameters such as {table[:6]}")
    return values, factors


# Parameters ---------------------------------------------------------------------------------------


def gamma(dtype: Dtype, alpha: Array, beta: Array) -> Parameters:
    """Draws of shape `alpha` and scale `beta`."""
    half = beta.dtype == np.float16
    table = _gamma_table(dtype, np.float16 if half else np.float64, alpha, beta)
    return Parameters(table, False, half, bool(table[:, 3].any()))


def _gamma_table(dtype: Dtype, given: type[np.floating], alpha: Array, beta: Array) -> Array:
    """Parameters for draws of type `dtype`, in steps that MXNet rounds to type `given` first."""
    shape = alpha.astype(np.float64)
    table = np.zeros((len(shape), 6))
    d, k, c, exponent, scale, _ = table.T
    d[:] = np.where(shape < 1, shape + 2 / 3, shape - 1 / 3).astype(given).astype(dtype)
    k[:] = np.sqrt(9 * d).astype(dtype)
    c[:] = (1 / k).astype(dtype)
    exponent[:] = np.where(shape < 1, 1 / shape, 0).astype(given).astype(dtype)
    scale[:] = beta.astype(dtype)
    return table


def poisson(dtype: Dtype, mean: Array) -> Parameters:
    """Counts of mean `mean`."""
    table = np.zeros((len(mean), 6))
    table[:, 5] = mean.astype(np.float32)
    return Parameters(table, True)


def negative_binomial(dtype: Dtype, k: Array, p: Array) -> Parameters:
    """Failures before the `k`-th success, of probability `p`."""
    p = p.astype(np.float32)
    return Parameters(_gamma_table(dtype, np.float64, k, (1 - p) / p), True)


def generalized_negative_binomial(dtype: Dtype, mu: Array, alpha: Array) -> Parameters:
    """Counts of mean `mu` and dispersion `alpha`."""
    mu, alpha = mu.astype(np.float32), alpha.astype(np.float32)
    table = _gamma_table(dtype, np.float64, 1 / alpha, alpha * mu)
    table[alpha == 0] = 0
    table[:, 5] = mu
    return Parameters(table, True)
