# SPDX-License-Identifier: Apache-2.0
"""Draws from the streams of MXNet: the algorithms of its samplers, to the last bit."""

from __future__ import annotations

import ctypes
import functools
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.exact_streams import Engine, ExactStream, Words

Array = np.ndarray[Any, np.dtype[Any]]

# Uniform numbers ----------------------------------------------------------------------------------


def n_words(dtype: Any) -> int:
    """How many 32-bit words a uniform number of type `dtype` takes."""
    return 1 if dtype == np.float32 else 2


def unit(words: Words, dtype: Any) -> Array:
    """Uniform numbers in [0, 1] of type float32 or float64, made from all `words`."""
    if dtype == np.float32:
        single: Array = words.astype(np.float32) * np.float32(2.0**-32)
        return single
    low, high = words[..., 0::2].astype(np.float64), words[..., 1::2].astype(np.float64)
    double: Array = (low + high * 2.0**32) * 2.0**-64
    return double


def uniforms(stream: ExactStream, size: int, dtype: Any) -> Array:
    """`size` uniform numbers."""
    return unit(stream.words(size, n_words(dtype)), dtype)


def uniforms_in_order(stream: ExactStream, size: int, dtype: Any) -> Array:
    """`size` uniform numbers, one after another."""
    return unit(stream.in_order.take(size * n_words(dtype)), dtype)


# Integers -----------------------------------------------------------------------------------------


def integers(stream: ExactStream, size: int, low: int, high: int) -> Array:
    """`size` integers from [low, high): the remainder of two words, the first 31 bits higher."""
    words = stream.words(size, 2)
    drawn = (words[0::2] << np.uint64(31)) + words[1::2]
    remainders: Array = (drawn % np.uint64(high - low)).view(np.int64)
    return remainders + low


def below(engine: Engine, counts: Words) -> Array:
    """An integer below each of `counts`, in order; words that would favour some are left out."""
    drawn = np.empty(len(counts), np.uint64)
    scales = np.uint64(2**32 - 1) // counts
    at = 0
    while at < len(counts):
        words, scale = engine.peek(len(counts) - at), scales[at:]
        refused = np.flatnonzero(words >= scale * counts[at:])
        n = int(refused[0]) if len(refused) else len(words)
        drawn[at : at + n] = words[:n] // scale[:n]
        engine.skip(n + (len(refused) > 0))
        at += n
    return drawn.view(np.int64)


def shuffled(engine: Engine, n: int, rising: bool) -> Array:
    """The integers below `n`, shuffled by Fisher and Yates from the first or from the last."""
    places = np.arange(1, n) if rising else np.arange(n - 1, 0, -1)
    partners = below(engine, (places + 1).astype(np.uint64))
    order = list(range(n))
    for i, j in zip(places.tolist(), partners.tolist(), strict=True):
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


def subset(engine: Engine, n: int, count: int) -> Array:
    """`count` different integers below `n`, by MXNet's way for few or for many of them."""
    few = 2 * count < n
    return np.array((_few if few else _many)(engine, n, count), np.int64)


def _few(engine: Engine, n: int, count: int) -> list[int]:
    """Drawn integers, or what stands in for one since it was drawn."""
    stand_ins: dict[int, int] = {}
    first = n - count
    chosen = []
    for last, word in zip(range(first, n), engine.take(count).tolist(), strict=True):
        drawn = word % (last + 1)
        if drawn >= first:
            chosen.append(last)
            continue
        chosen.append(stand_ins.get(drawn, drawn))
        stand_ins[drawn] = last
    return chosen


def _many(engine: Engine, n: int, count: int) -> list[int]:
    """Reservoir sampling."""
    chosen = list(range(count))
    for candidate, word in zip(range(count, n), engine.take(n - count).tolist(), strict=True):
        place = word % (candidate + 1)
        if place < count:
            chosen[place] = candidate
    return chosen


# Normal numbers -----------------------------------------------------------------------------------


def normals(stream: ExactStream, size: int, dtype: Any) -> Array:
    """`size` standard normal numbers: of each accepted pair of the polar method one is used."""
    engines, lengths = stream.blocks(size)
    if not size:
        return np.empty(0, dtype)
    wanted = np.array(lengths)[:, None]
    per_pair = 2 * n_words(dtype)
    n_pairs = _pairs_for(lengths[0])
    while True:
        words = np.stack([engine.peek(n_pairs * per_pair) for engine in engines])
        _, y, square, accepted = _polar(words, dtype)
        count = accepted.cumsum(1)
        if bool((count[:, -1:] >= wanted).all()):
            break
        n_pairs *= 2
    used = (count < wanted).sum(1) + 1
    for engine, pairs in zip(engines, used.tolist(), strict=True):
        engine.skip(pairs * per_pair)
    chosen = accepted & (count <= wanted)
    drawn: Array = y[chosen] * _stretch(square[chosen])
    return drawn


def _pairs_for(length: int) -> int:
    return int(length * 4 / math.pi + 3 * math.sqrt(length)) + 4


def _polar(words: Words, dtype: Any) -> tuple[Array, Array, Array, Array]:
    """Points of the square, their squared distance from its centre, whether it is in (0, 1]."""
    numbers = unit(words, dtype)
    numbers *= 2
    numbers -= 1
    x, y = numbers[..., 0::2], numbers[..., 1::2]
    square = x * x + y * y
    return x, y, square, (square <= 1) & (square != 0)


def _stretch(square: Array) -> Array:
    stretch: Array = np.sqrt(logarithm(square) * square.dtype.type(-2) / square)
    return stretch


def normals_in_order(engine: Engine, size: int) -> Array:
    """`size` standard normal numbers of type float32, two from each accepted pair."""
    wanted = -(-size // 2)
    n_pairs = _pairs_for(wanted)
    while True:
        x, y, square, accepted = _polar(engine.peek(2 * n_pairs), np.float32)
        count = accepted.cumsum()
        if count[-1] >= wanted:
            break
        n_pairs *= 2
    engine.skip(2 * (int((count < wanted).sum()) + 1) if size else 0)
    chosen = accepted & (count <= wanted)
    pairs = np.stack((y[chosen], x[chosen]), 1) * _stretch(square[chosen])[:, None]
    return pairs.reshape(-1)[:size]


# The C library ------------------------------------------------------------------------------------


@functools.cache
def c_function(name: str, n_arguments: int = 1) -> Callable[..., float]:
    """A function of the C library on float32 numbers, as MXNet calls it."""
    function: Any = getattr(ctypes.CDLL("ucrtbase" if os.name == "nt" else None), name)
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float] * n_arguments
    return function  # type: ignore[no-any-return]


def powers(bases: Array, exponents: Array) -> Array:
    """Powers of float32 numbers as the C library rounds them."""
    return np.array([*map(c_function("powf", 2), bases, exponents)], np.float32)


def logarithm(values: Array) -> Array:
    """Logarithms of numbers >= 0 as the C library rounds them; NumPy's may differ in the last bit.

    Raises:
        ValueError: a float64 number is negative.
    """
    if values.dtype == np.float64:
        return np.fromiter(map(math.log, values.tolist()), np.float64, len(values))
    return _single_logarithm(values)


# Of the logarithm of float32 numbers in Arm's Optimized Routines (MIT licence), which the GNU C
# library has since version 2.27: for 16 intervals of the significand the reciprocal of a number c
# in the interval and the logarithm of c, and the coefficients of log(1 + r) beyond r.
_START = 0x3F330000
_NUMBERS = """
0x1.661ec79f8f3bep+0 -0x1.57bf7808caadep-2 0x1.571ed4aaf883dp+0 -0x1.2bef0a7c06ddbp-2
0x1.49539f0f010bp+0 -0x1.01eae7f513a67p-2 0x1.3c995b0b80385p+0 -0x1.b31d8a68224e9p-3
0x1.30d190c8864a5p+0 -0x1.6574f0ac07758p-3 0x1.25e227b0b8eap+0 -0x1.1aa2bc79c81p-3
0x1.1bb4a4a1a343fp+0 -0x1.a4e76ce8c0e5ep-4 0x1.12358f08ae5bap+0 -0x1.1973c5a611cccp-4
0x1.0953f419900a7p+0 -0x1.252f438e10c1ep-5 0x1p+0 0x0p+0
0x1.e608cfd9a47acp-1 0x1.aa5aa5df25984p-5 0x1.ca4b31f026aap-1 0x1.c5e53aa362eb4p-4
0x1.b2036576afce6p-1 0x1.526e57720db08p-3 0x1.9c2d163a1aa2dp-1 0x1.bc2860d22477p-3
0x1.886e6037841edp-1 0x1.1058bc8a07ee1p-2 0x1.767dcf5534862p-1 0x1.4043057b6ee09p-2
"""
_TABLE = np.array([float.fromhex(number) for number in _NUMBERS.split()]).reshape(16, 2)
_FACTORS = [
    float.fromhex(n)
    for n in ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")
]


def _single_logarithm(values: Array) -> Array:
    bits = values.view(np.int32)
    offset = bits - np.int32(_START)
    interval = (offset >> 19) & 15
    significand = (bits - (offset & np.int32(-(1 << 23)))).view(np.float32)
    inverse, log_c = _TABLE[:, 0][interval], _TABLE[:, 1][interval]
    r = significand * inverse - 1
    square = r * r
    tail = (_FACTORS[0] * square + (_FACTORS[1] * r + _FACTORS[2])) * square
    result: Array = (tail + ((log_c + (offset >> 23) * math.log(2)) + r)).astype(np.float32)
    return np.where(values > 0, result, np.float32(-np.inf))
