# SPDX-License-Identifier: Apache-2.0
"""Draws from the streams of MXNet: the algorithms of its samplers, to the last bit."""

from __future__ import annotations

import ctypes
import functools
import math
import os
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...runtime import tuning
from ...runtime.exact_streams import Engine, ExactStream, Words, locked

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


@locked
def uniforms(stream: ExactStream, size: int, dtype: Any) -> Array:
    """`size` uniform numbers."""
    return unit(stream.words(size, n_words(dtype)), dtype)


@locked
def uniforms_in_order(stream: ExactStream, size: int, dtype: Any) -> Array:
    """`size` uniform numbers, one after another."""
    return unit(stream.in_order.take(size * n_words(dtype)), dtype)


# Integers -----------------------------------------------------------------------------------------


@locked
def integers(stream: ExactStream, size: int, low: int, high: int) -> Array:
    """`size` integers from [low, high): the remainder of two words, the first 31 bits higher."""
    words = stream.words(size, 2)
    drawn = (words[0::2] << np.uint64(31)) + words[1::2]
    remainders: Array = (drawn % np.uint64(high - low)).view(np.int64)
    return remainders + low


@locked
def choices(stream: ExactStream, size: int, n: int) -> Array:
    """`size` integers below `n`, the remainders of one word each."""
    remainders: Array = (stream.in_order.take(size) % np.uint64(n)).view(np.int64)
    return remainders


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


@locked
def shuffled(stream: ExactStream, n: int, rising: bool) -> Array:
    """The integers below `n`, shuffled by Fisher and Yates from the first or from the last."""
    places = np.arange(1, n) if rising else np.arange(n - 1, 0, -1)
    partners = below(stream.in_order, (places + 1).astype(np.uint64))
    order = array("q", range(n))
    for i, j in zip(places.tolist(), partners.tolist(), strict=True):
        order[i], order[j] = order[j], order[i]
    return np.frombuffer(order, np.int64)


@locked
def subset(stream: ExactStream, n: int, count: int) -> Array:
    """`count` different integers below `n`, by MXNet's way for few or for many of them."""
    few = 2 * count < n
    return np.array((_few if few else _many)(stream.in_order, n, count), np.int64)


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


@locked
def normals(stream: ExactStream, size: int, dtype: Any) -> Array:
    """`size` standard normal numbers: of each accepted pair of the polar method one is used."""
    engines, lengths = stream.blocks(size)
    drawn = np.empty(size, dtype)
    if not size:
        return drawn
    group = max(tuning.EXACT_BLOCK // lengths[0], 1)
    at = 0
    for first in range(0, len(engines), group):
        wanted = lengths[first : first + group]
        end = at + sum(wanted)
        drawn[at:end] = _normals(engines[first : first + group], wanted, drawn.dtype)
        at = end
    return drawn


def _normals(engines: Sequence[Engine], lengths: Sequence[int], dtype: Any) -> Array:
    """Draw from one generator after another; the last block may be shorter."""
    rows, length = len(engines), lengths[0]
    per_pair = 2 * n_words(dtype)
    n_pairs = _pairs_for(length)
    while True:
        words = np.empty((rows, n_pairs * per_pair), np.uint64)
        for row, engine in zip(words, engines, strict=True):
            row[:] = engine.peek(n_pairs * per_pair)
        _, y, square = _polar(words, dtype)
        count, places = _inside(square)
        if count.min() >= length:
            break
        n_pairs *= 2
    firsts = count.cumsum() - count
    chosen = places[firsts[:, None] + np.arange(length)]
    for engine, end, pairs in zip(engines, lengths, chosen, strict=True):
        engine.skip((int(pairs[end - 1]) % n_pairs + 1) * per_pair)
    kept = chosen.reshape(-1)[: sum(lengths)]
    drawn: Array = y.reshape(-1)[kept] * stretch(square.reshape(-1)[kept])
    return drawn


def _pairs_for(length: int) -> int:
    return int(length * 4 / math.pi + 3 * math.sqrt(length)) + 4


def _polar(words: Words, dtype: Any) -> tuple[Array, Array, Array]:
    """Points of the square and their squared distance from its centre."""
    numbers = unit(words, dtype)
    numbers *= 2
    numbers -= 1
    x, y = numbers[..., 0::2], numbers[..., 1::2]
    square = x * x
    square += y * y
    return x, y, square


def _inside(square: Array) -> tuple[Array, Array]:
    """How many of each row of `square` are in (0, 1], and where they are in all rows."""
    inside = square <= 1
    inside &= square != 0
    return np.count_nonzero(inside, -1), np.flatnonzero(inside)


def stretch(square: Array) -> Array:
    """Return the factor that turns a point in the unit circle into two normal numbers."""
    result = logarithm(square)
    result *= -2
    result /= square
    root: Array = np.sqrt(result, out=result)
    return root


@locked
def normals_in_order(stream: ExactStream, size: int) -> Array:
    """`size` standard normal numbers of type float32, two from each accepted pair."""
    if not size:
        return np.empty(0, np.float32)
    engine = stream.in_order
    wanted = -(-size // 2)
    n_pairs = _pairs_for(wanted)
    while True:
        x, y, square = _polar(engine.peek(2 * n_pairs), np.float32)
        places = _inside(square)[1][:wanted]
        if len(places) == wanted:
            break
        n_pairs *= 2
    engine.skip(2 * (int(places[-1]) + 1))
    pairs = np.stack((y[places], x[places]), 1) * stretch(square[places])[:, None]
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
    """Logarithms of numbers >= 0 as the C library rounds them; those of NumPy may differ.

    `torch.xlogy` calls the C library for each number, where `torch.log` and `numpy.log` have
    vector code of their own.
    """
    result: Array = torch.xlogy(1.0, torch.from_numpy(values)).numpy()
    return result
