# SPDX-License-Identifier: Apache-2.0
"""Samplers that take a varying number of draws for an element, as MXNet rounds each step.

Gamma by Marsaglia and Tsang, Poisson by products of uniform numbers for small means and by
rejection from the Lorentz distribution for others (Numerical Recipes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...runtime.exact_streams import Engine, ExactStream
from .exact import Array, c_function, n_words, unit

__all__ = [
    "Reader",
    "drawn",
    "gamma",
    "generalized_negative_binomial",
    "negative_binomial",
    "poisson",
]

Sampler = Callable[..., Any]

_CHUNK = 64
_LARGE_MEAN = 12


class Reader:
    """The numbers of one engine, one at a time; a context that consumes what was read."""

    def __init__(self, engine: Engine, dtype: Any) -> None:
        self.type = dtype
        self._engine, self._per_number = engine, n_words(dtype)
        self._numbers: Array = np.empty(0, dtype)
        self._at = 0

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.skip(self._at * self._per_number)

    def uniform(self) -> Any:
        """A uniform number."""
        if self._at == len(self._numbers):
            count = 2 * self._at + _CHUNK
            self._numbers = unit(self._engine.peek(count * self._per_number), self.type)
        self._at += 1
        return self._numbers[self._at - 1]

    def normal(self) -> Any:
        """A standard normal number, by the polar method."""
        one, two = self.type(1), self.type(2)
        while True:
            x, y = two * self.uniform() - one, two * self.uniform() - one
            square = x * x + y * y
            if 0 < square <= 1:
                return y * np.sqrt(-two * self._logarithm(square) / square)

    def _logarithm(self, value: Any) -> Any:
        if self.type is np.float64:
            return math.log(value)
        return np.float32(c_function("logf")(value))


def drawn(stream: ExactStream, sampler: Sampler, parameters: Sequence[Array], dtype: Any) -> Array:
    """One draw for each element of `parameters`, vectors of one length."""
    result = np.empty(len(parameters[0]), dtype)
    rows = list(zip(*parameters, strict=True))
    at = 0
    for engine, length in stream.each_block(len(result)):
        with Reader(engine, dtype) as reader:
            result[at : at + length] = [sampler(reader, *row) for row in rows[at : at + length]]
        at += length
    return result


def gamma(reader: Reader, alpha: Any, beta: Any) -> Any:
    """A draw of shape `alpha` and scale `beta`."""
    rounded, given = reader.type, np.float16 if beta.dtype == np.float16 else np.float64
    alpha = float(alpha)
    d = rounded(given(alpha + 2 / 3 if alpha < 1 else alpha - 1 / 3))
    k = rounded(math.sqrt(9 * float(d)))
    c = rounded(1 / float(k))
    while True:
        z = reader.normal()
        if z <= -k:
            continue
        x = rounded(1 + float(c * z))
        v = x * x * x
        limit = 0.5 * float(z) * float(z) + float(d) * (1 - float(v) + math.log(v))
        if _logarithm(1 - float(reader.uniform())) < limit:
            break
    value = rounded(given(d * v * rounded(beta)))
    if alpha >= 1:
        return value
    power = math.pow(reader.uniform(), rounded(given(1 / alpha)))
    return rounded(float(value) * power)


def _logarithm(value: float) -> float:
    return math.log(value) if value else -math.inf


def poisson(reader: Reader, mean: Any) -> float:
    """A count of mean `mean`."""
    mean = np.float32(mean)
    if mean < _LARGE_MEAN:
        return _products_above(reader, c_function("expf")(-float(mean)))
    return _rejected_counts(reader, float(mean))


def _products_above(reader: Reader, limit: float) -> int:
    count, product = 0, reader.uniform()
    while product > limit:
        count += 1
        product = product * reader.uniform()
    return count


def _rejected_counts(reader: Reader, mean: float) -> float:
    single = _single
    width, log_mean = single(math.sqrt(2 * mean)), single(math.log(mean))
    constant = single(mean * log_mean - math.lgamma(mean + 1))
    while True:
        y = single(math.tan(math.pi * float(reader.uniform())))
        count = single(width * y + mean)
        if count < 0:
            continue
        count = math.floor(count)
        exponent = count * log_mean - math.lgamma(count + 1) - constant
        if reader.uniform() <= single(0.9 * (1 + single(y * y)) * math.exp(exponent)):
            return count


def _single(value: float) -> float:
    return float(np.float32(value))


def negative_binomial(reader: Reader, k: Any, p: Any) -> float:
    """Failures before the `k`-th success, of probability `p`."""
    p = np.float32(p)
    return poisson(reader, gamma(reader, k, (np.float32(1) - p) / p))


def generalized_negative_binomial(reader: Reader, mu: Any, alpha: Any) -> float:
    """A count of mean `mu` and dispersion `alpha`."""
    mu, alpha = np.float32(mu), np.float32(alpha)
    if alpha == 0:
        return poisson(reader, mu)
    return poisson(reader, gamma(reader, np.float32(1) / alpha, alpha * mu))
