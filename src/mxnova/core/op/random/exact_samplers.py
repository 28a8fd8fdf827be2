# SPDX-License-Identifier: Apache-2.0
"""Samplers that take a varying number of draws for an element, as MXNet rounds each step.

Gamma by Marsaglia and Tsang, Poisson by products of uniform numbers for small means and by
rejection from the Lorentz distribution for others (Numerical Recipes).

A sampler makes one draw from each place of a `Reader` at once. Where all elements have the same
parameters and generators are few, places are all numbers of the generators: the draws that the
sequence comes by are then picked out. Elsewhere each generator draws one element after another,
beside the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from ...runtime import tuning
from ...runtime.exact_streams import Engine, ExactStream, locked
from .exact import Array, logarithm, n_words, stretch, unit

__all__ = [
    "Reader",
    "drawn",
    "gamma",
    "generalized_negative_binomial",
    "negative_binomial",
    "poisson",
]

Sampler = Callable[..., Array]

_LARGE_MEAN = 12


class Reader:
    """Numbers of several generators, read at many places at once.

    Args:
        numbers: (generators, numbers), uniform.
        at: where reading begins, into all numbers.
    """

    def __init__(self, numbers: Array, at: Array) -> None:
        self.type = numbers.dtype.type
        self.at = at
        self.ends = (at // numbers.shape[1] + 1) * numbers.shape[1]
        self._numbers = numbers.reshape(-1)

    def left(self, mask: Array) -> Array:
        """The places of `mask` that still have numbers."""
        return np.flatnonzero(mask & (self.at < self.ends))

    def uniform(self, places: Array) -> Array:
        """A uniform number for each of `places`; any number where none are left."""
        at = self.at[places]
        self.at[places] = at + 1
        return self._numbers.take(at, mode="clip")

    def normal(self, places: Array) -> tuple[Array, Array]:
        """Where the polar method gave a standard normal number, and that number."""
        x, y = self.uniform(places), self.uniform(places)
        x, y = x * 2 - 1, y * 2 - 1
        square = x * x + y * y
        inside = np.flatnonzero((square <= 1) & (square != 0))
        return places[inside], y[inside] * stretch(square[inside])


# Which draws make the sequence --------------------------------------------------------------------


@locked
def drawn(
    stream: ExactStream, sampler: Sampler, n: int, parameters: Sequence[Array], dtype: Any
) -> Array:
    """`n` draws for each element of `parameters`, vectors of one length."""
    size = n * len(parameters[0])
    engines, lengths = stream.blocks(size)
    if not size:
        return np.empty(0, dtype)
    with np.errstate(all="ignore"):
        if len(parameters[0]) > 1 or len(engines) >= tuning.EXACT_GENERATORS_MIN:
            repeated = [p.repeat(n) for p in parameters]
            return _beside_each_other(sampler, engines, lengths, repeated, dtype)
        return _ahead(sampler, engines, lengths, parameters, dtype)


def _ahead(
    sampler: Sampler,
    engines: Sequence[Engine],
    lengths: Sequence[int],
    parameters: Sequence[Array],
    dtype: Any,
) -> Array:
    """Draws from each number on, of which those are chosen that follow one another."""
    for width in _widths(lengths[0]):
        numbers = _numbers(engines, width, dtype)
        reader = Reader(numbers, np.arange(numbers.size))
        values = sampler(reader, *(np.broadcast_to(p, numbers.size) for p in parameters))
        sink = numbers.size + 1  # where draws lead that read all numbers: perhaps too few
        following = np.where(reader.at < reader.ends, reader.at, sink).tolist() + [sink] * 2
        chosen, ends = [], []
        for row, length in enumerate(lengths):
            place = row * width
            for _ in range(length):
                chosen.append(place)
                place = following[place]
            ends.append(place - row * width)
        if max(ends) < width:
            break
    _skip(engines, ends, dtype)
    return values[chosen]


def _beside_each_other(
    sampler: Sampler,
    engines: Sequence[Engine],
    lengths: Sequence[int],
    parameters: Sequence[Array],
    dtype: Any,
) -> Array:
    """One draw of each generator after another."""
    rows, length = len(lengths), lengths[0]
    for width in _widths(length):
        numbers = _numbers(engines, width, dtype)
        values = np.empty(rows * length, dtype)
        at = np.arange(rows) * width
        for turn in range(length):
            active = rows if turn < lengths[-1] else rows - 1
            places = np.arange(active) * length + turn
            reader = Reader(numbers, at[:active])
            values[places] = sampler(reader, *(p[places] for p in parameters))
        ends = at - np.arange(rows) * width
        if ends.max() < width:
            break
    _skip(engines, ends.tolist(), dtype)
    return values[: sum(lengths)]


def _widths(length: int) -> Iterator[int]:
    """How many numbers of each generator to try."""
    width = 4 * length + 48
    while True:
        yield width
        width *= 2


def _numbers(engines: Sequence[Engine], width: int, dtype: Any) -> Array:
    count = width * n_words(dtype)
    words = np.empty((len(engines), count), np.uint64)
    for row, engine in zip(words, engines, strict=True):
        row[:] = engine.peek(count)
    return unit(words, dtype)


def _skip(engines: Sequence[Engine], counts: Sequence[int], dtype: Any) -> None:
    for engine, count in zip(engines, counts, strict=True):
        engine.skip(count * n_words(dtype))


# The samplers -------------------------------------------------------------------------------------


def gamma(reader: Reader, alpha: Array, beta: Array, where: Array | None = None) -> Array:
    """Draws of shape `alpha` and scale `beta`, at the places of mask `where`."""
    rounded, given = reader.type, np.float16 if beta.dtype == np.float16 else np.float64
    shape = alpha.astype(np.float64)
    d = np.where(shape < 1, shape + 2 / 3, shape - 1 / 3).astype(given).astype(rounded)
    k = np.sqrt(9 * d.astype(np.float64)).astype(rounded)
    c = (1 / k.astype(np.float64)).astype(rounded)
    values = np.empty(len(alpha), rounded)
    missing = np.ones(len(alpha), bool) if where is None else where.copy()
    while len(places := reader.left(missing)):
        places, z = reader.normal(places)
        usable = z > -k[places]
        places, z = places[usable], z[usable]
        x = (1 + (c[places] * z).astype(np.float64)).astype(rounded)
        v = x * x * x
        accepted = _below_density(reader.uniform(places), z, v, d[places])
        places = places[accepted]
        values[places] = v[accepted]
        missing[places] = False
    values = (d * values * beta.astype(rounded)).astype(given).astype(rounded)
    return _of_small_shape(reader, values, shape, given, where)


def _below_density(uniform: Array, z: Array, v: Array, d: Array) -> Array:
    uniform, z, v, d = (n.astype(np.float64) for n in (uniform, z, v, d))
    below: Array = logarithm(1 - uniform) < 0.5 * z * z + d * (1 - v + logarithm(v))
    return below


def _of_small_shape(
    reader: Reader, values: Array, shape: Array, given: Any, where: Array | None
) -> Array:
    """`values`, those of shapes below 1 times a power of a uniform number."""
    small = shape < 1 if where is None else where & (shape < 1)
    places = np.flatnonzero(small)
    if len(places):
        exponent = (1 / shape[places]).astype(given).astype(reader.type)
        powers = map(math.pow, reader.uniform(places).tolist(), exponent.tolist())
        values[places] = values[places] * np.fromiter(powers, np.float64, len(places))
    return values


def poisson(reader: Reader, mean: Array) -> Array:
    """Counts of mean `mean`."""
    mean = mean.astype(np.float32)
    counts = np.zeros(len(mean), np.float32)
    small = mean < _LARGE_MEAN
    if small.any():
        _count_products(reader, mean, small, counts)
    if not small.all():
        _count_rejecting(reader, mean.astype(np.float64), ~small, counts)
    return counts


def _count_products(reader: Reader, mean: Array, small: Array, counts: Array) -> None:
    """Counts how often a product of uniform numbers is above the exponential of -`mean`."""
    limit = np.exp(-mean.astype(np.float64)).astype(np.float32)
    places = np.flatnonzero(small)
    product, limit = reader.uniform(places), limit[places]
    while True:
        above = np.flatnonzero((product > limit) & (reader.at[places] < reader.ends[places]))
        if not len(above):
            break
        places, limit = places[above], limit[above]
        counts[places] += 1
        product = product[above] * reader.uniform(places)


def _count_rejecting(reader: Reader, means: Array, missing: Array, counts: Array) -> None:
    widths, logarithms = _single(np.sqrt(2 * means)), _single(logarithm(means))
    constants = _single(means * logarithms - _log_factorial(means))
    while len(places := reader.left(missing)):
        y = _single(np.tan(math.pi * reader.uniform(places).astype(np.float64)))
        count = _single(widths[places] * y + means[places])
        usable = count >= 0
        places, y, count = places[usable], y[usable], np.floor(count[usable])
        exponent = count * logarithms[places] - _log_factorial(count) - constants[places]
        limit = _single(0.9 * (1 + _single(y * y)) * np.exp(exponent))
        accepted = reader.uniform(places) <= limit
        places = places[accepted]
        counts[places] = count[accepted]
        missing[places] = False


def _single(values: Array) -> Array:
    """Numbers of type float64, rounded to float32."""
    return values.astype(np.float32).astype(np.float64)


def _log_factorial(values: Array) -> Array:
    result: Array = torch.lgamma(torch.from_numpy(values + 1)).numpy()
    return result


def negative_binomial(reader: Reader, k: Array, p: Array) -> Array:
    """Failures before the `k`-th success, of probability `p`."""
    p = p.astype(np.float32)
    return poisson(reader, gamma(reader, k, (1 - p) / p))


def generalized_negative_binomial(reader: Reader, mu: Array, alpha: Array) -> Array:
    """Counts of mean `mu` and dispersion `alpha`."""
    mu, alpha = mu.astype(np.float32), alpha.astype(np.float32)
    spread = alpha != 0
    return poisson(reader, np.where(spread, gamma(reader, 1 / alpha, alpha * mu, spread), mu))
