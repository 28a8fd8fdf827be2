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
    """`count` different integers below `n`: a drawn one, or what stands in for it since."""
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
    return np.array(chosen, np.int64)


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
    """Logarithms as the C library rounds them; NumPy's vector code may differ in the last bit."""
    if values.dtype == np.float64:
        return np.fromiter(map(math.log, values.tolist()), np.float64, len(values))
    wide = np.log(values.astype(np.float64))
    result = wide.astype(np.float32)
    close = np.flatnonzero(_near_tie(wide))
    result[close] = [*map(c_function("logf"), values[close].tolist())]
    return result


def _near_tie(wide: Array) -> Array:
    """Whether rounding to float32 lies within a sixteenth of a unit of the other result."""
    beyond = wide.view(np.int64) & ((1 << 29) - 1)  # the bits that float32 has not
    close: Array = np.abs(beyond - (1 << 28)) < (1 << 25)
    return close
