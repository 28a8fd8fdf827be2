# SPDX-License-Identifier: Apache-2.0
"""Loops that draw one number after another, as MXNet rounds each step.

Numbers are of type float64 here, and rounded to float32 where MXNet's are: for one operation on
float32 numbers that is the same. Functions that draw read uniform numbers `u` from `at` to `end`,
and return the place after those read: beyond `end` where the numbers did not suffice.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from ...runtime.machine_code import c_function, compiled, inlined

__all__ = ["powers", "sample", "shuffle"]

Numbers: TypeAlias = Any  # an array of one axis, or its memoryview

_LARGE_MEAN = 12

_logf = c_function("logf", "float32")
_powf = c_function("powf", "float32", 2)
_log = c_function("log", "float64")
_exp = c_function("exp", "float64")
_pow = c_function("pow", "float64", 2)
_lgammaf = c_function("lgammaf", "float32")


@inlined
def _single(x: float) -> Any:
    return np.float64(np.float32(x))  # float() of a number is no more than it was, to numba


@inlined
def _rounded(x: float, single: bool) -> float:
    return _single(x) if single else x


# Orders and powers --------------------------------------------------------------------------------


@compiled
def shuffle(words: Numbers, order: Numbers, done: int, rising: bool) -> tuple[int, int]:
    """Goes on with the shuffle of `order` after `done` exchanges.

    Returns:
        How many exchanges are done, and how many of `words` are consumed: words that would favor
        some numbers are left out.
    """
    n = len(order)
    used = 0
    while used < len(words) and done < n - 1:
        place = done + 1 if rising else n - 1 - done
        scale = 0xFFFFFFFF // (place + 1)
        drawn = int(words[used]) // scale
        used += 1
        if drawn <= place:
            order[place], order[drawn] = order[drawn], order[place]
            done += 1
    return done, used


@compiled
def powers(bases: Numbers, exponents: Numbers, results: Numbers) -> None:
    """Powers of float32 numbers as the C library rounds them."""
    for i in range(len(bases)):
        results[i] = _powf(bases[i], exponents[i])


# Draws --------------------------------------------------------------------------------------------


@compiled
def sample(
    u: Numbers,
    single: bool,
    parameters: Numbers,
    n_each: int,
    length: int,
    counts: bool,
    made: Numbers,
    used: Numbers,
    values: Numbers,
    factors: Numbers,
) -> int:
    """Goes on with draws from blocks of numbers, one for each row of an array, until these run out.

    Returns how many it has made.

    Args:
        u: uniform numbers of all rows.
        single: whether they are of type float32.
        parameters: six for each distribution: d, k, c, exponent and scale of a gamma distribution,
            or d = 0; the result in place of its draw.
        n_each: draws for each distribution.
        length: of the rows, of which the last may be shorter.
        counts: whether a Poisson distribution of the mean so drawn is drawn from.
        made: how many draws of each row are done; updated.
        used: how many numbers of each row are consumed; written.
        values: the draws of all rows.
        factors: of the draws of gamma distributions of small shapes, unless it is empty.
    """
    n_rows, total = len(made), 0
    width = len(u) // n_rows
    for row in range(n_rows):
        at, end = row * width, (row + 1) * width
        for i in range(row * length + made[row], min((row + 1) * length, len(values))):
            value, factor, after = _draw(u, at, end, single, parameters, i // n_each * 6, counts)
            if after > end:
                break
            at = after
            values[i] = value
            if len(factors) > 0:
                factors[i] = factor
            made[row] += 1
            total += 1
        used[row] = at - row * width
    return total


@inlined
def _draw(
    u: Numbers, at: int, end: int, single: bool, parameters: Numbers, i: int, counts: bool
) -> tuple[float, float, int]:
    """A draw, a factor that it still lacks, and the place after the numbers read."""
    d, value, factor = parameters[i], parameters[i + 5], 1.0
    if d != 0.0:
        v, at = _gamma(u, at, end, single, d, parameters[i + 1], parameters[i + 2])
        factor, at = _small_shape(u, at, end, parameters[i + 3])
        value = _rounded(_rounded(d * v, single) * parameters[i + 4], single)
    if not counts or at > end:
        return value, factor, at
    value, at = _poisson(u, at, end, _rounded(value * factor, single))
    return value, 1.0, at


@inlined
def _gamma(
    u: Numbers, at: int, end: int, single: bool, d: float, k: float, c: float
) -> tuple[float, int]:
    """A draw of scale 1 / `d` by Marsaglia and Tsang."""
    while True:
        z, at = _normal(u, at, end, single)
        if at >= end:
            return 0.0, end + 1
        if z > -k:
            x = _rounded(1.0 + _rounded(c * z, single), single)
            v = _rounded(_rounded(x * x, single) * x, single)
            at += 1
            if _log(1.0 - u[at - 1]) < 0.5 * z * z + d * (1.0 - v + _log(v)):
                return v, at


@inlined
def _normal(u: Numbers, at: int, end: int, single: bool) -> tuple[float, int]:
    """Of each accepted pair of the polar method one number is used."""
    while at + 2 <= end:
        x, y = _rounded(2.0 * u[at] - 1.0, single), _rounded(2.0 * u[at + 1] - 1.0, single)
        at += 2
        square = _rounded(_rounded(x * x, single) + _rounded(y * y, single), single)
        if 0.0 < square <= 1.0:
            logarithm = np.float64(_logf(square)) if single else _log(square)
            stretch = _rounded(math.sqrt(_rounded(-2.0 * logarithm / square, single)), single)
            return _rounded(y * stretch, single), at
    return 0.0, end + 1


@inlined
def _small_shape(u: Numbers, at: int, end: int, exponent: float) -> tuple[float, int]:
    """What a draw of a shape below 1 is multiplied by: a power, or 1 where `exponent` is 0."""
    if exponent == 0.0:
        return 1.0, at
    if at >= end:
        return 1.0, end + 1
    return _pow(u[at], exponent), at + 1


@inlined
def _poisson(u: Numbers, at: int, end: int, mean: float) -> tuple[float, int]:
    if mean < _LARGE_MEAN:
        return _product_count(u, at, end, _single(_exp(-mean)))
    return _rejected_count(u, at, end, mean)


@inlined
def _product_count(u: Numbers, at: int, end: int, limit: float) -> tuple[float, int]:
    """How often a product of uniform numbers is above `limit`."""
    count, product = 0.0, 1.0
    while at < end:
        product = _single(product * u[at])
        at += 1
        if product <= limit:
            return count, at
        count += 1.0
    return 0.0, end + 1


@inlined
def _rejected_count(u: Numbers, at: int, end: int, mean: float) -> tuple[float, int]:
    """By rejection from the Lorentz distribution (Numerical Recipes)."""
    width, logarithm = _single(math.sqrt(2.0 * mean)), _single(_log(mean))
    constant = _single(_single(mean * logarithm) - np.float64(_lgammaf(mean + 1.0)))
    while at + 2 <= end:
        y = _single(math.tan(math.pi * u[at]))
        at += 1
        count = _single(width * y + mean)
        if count >= 0.0:
            count = np.floor(count)
            log_factorial = np.float64(_lgammaf(count + 1.0))
            exponent = _single(_single(_single(count * logarithm) - log_factorial) - constant)
            limit = _single(0.9 * (1.0 + _single(y * y)) * _exp(exponent))
            at += 1
            if u[at - 1] <= limit:
                return count, at
    return 0.0, end + 1
