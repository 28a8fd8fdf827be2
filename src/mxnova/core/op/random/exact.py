# SPDX-License-Identifier: Apache-2.0
"""Draws from the streams of MXNet: the algorithms of its samplers, to the last bit."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import torch

from ...runtime import tuning
from ...runtime.exact_streams import WORDS, Engines, ExactStream, Words, blocks, locked, parts

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Dtype: TypeAlias = np.dtype[Any]

_COLUMNS = (
    400  # normal numbers of float32 that twice as many words as a generator makes suffice for
)


def run(loop: str, *arguments: Any) -> Any:
    """Runs a loop of `exact_loops`, imported here since numba takes half a second."""
    loops, readable = _loops()
    return getattr(loops, loop)(*[readable(a) if type(a) is np.ndarray else a for a in arguments])


@functools.cache
def _loops() -> tuple[Any, Callable[[Any], Any]]:
    from ...runtime.machine_code import readable
    from . import exact_loops

    return exact_loops, readable


_PAIR = np.dtype(np.uint64)  # two words, the first in its lower half
_FIRST = np.uint64(0xFFFFFFFF << 31)  # where it is in the higher half of a drawn integer

_ORDERED = slice(0, 1)  # the one generator of draws in order


@locked
def words_in_order(stream: ExactStream, count: int) -> Words:
    """The next `count` words of the stream for draws in order."""
    words: Words = stream.in_order.take(_ORDERED, count)[0]
    return words


def _filled(
    stream: ExactStream, size: int, dtype: Dtype, per_element: int, fill: Callable[..., Any]
) -> Array:
    """An array that `fill` made, part by part, of `per_element` words for each element."""
    if not size:
        return np.empty(0, dtype)
    grid = blocks(size)
    filled = np.empty((grid.rows, grid.length), dtype)
    for rows, columns, lacking in parts(grid, 2 * WORDS // per_element, tuning.EXACT_BLOCK):
        part = filled[rows, columns]
        words = stream.parallel.take(rows, part.shape[1] * per_element)
        if lacking:
            stream.parallel.skip(slice(rows.stop - 1, rows.stop), -lacking * per_element)
        fill(words, out=part)
    return filled.reshape(-1)[:size]


# Uniform numbers ----------------------------------------------------------------------------------


def n_words(dtype: Dtype) -> int:
    """How many 32-bit words a uniform number of type `dtype` takes."""
    return 1 if dtype == np.float32 else 2


def _scaled(words: Words, dtype: Dtype, factor: float, out: Array | None = None) -> Array:
    """Numbers of type float32 or float64 made from all `words`, of which each is in [0, factor)."""
    numbers: Array
    scale = math.ldexp(factor, -32)
    if dtype == np.float32:
        numbers = np.multiply(words, dtype.type(scale), out, dtype=dtype, casting="unsafe")
        return numbers
    # Both products are exact, so the sum is rounded as the 64 bits would be, which processors
    # convert by a branch that random numbers take at random: 1.1 ns a number instead of 3.8.
    numbers = np.multiply(words[..., 1::2], scale, out)
    numbers += words[..., 0::2] * math.ldexp(scale, -32)
    return numbers


def unit(words: Words, dtype: Dtype, out: Array | None = None) -> Array:
    """Uniform numbers in [0, 1] of type float32 or float64, made from all `words`."""
    return _scaled(words, dtype, 1, out)


@locked
def uniforms(stream: ExactStream, size: int, dtype: Dtype) -> Array:
    """`size` uniform numbers."""
    return _filled(stream, size, dtype, n_words(dtype), functools.partial(unit, dtype=dtype))


@locked
def uniforms_in_order(stream: ExactStream, size: int, dtype: Dtype) -> Array:
    """`size` uniform numbers, one after another."""
    return unit(words_in_order(stream, size * n_words(dtype)), dtype)


# Integers -----------------------------------------------------------------------------------------


@locked
def integers(stream: ExactStream, size: int, low: int, high: int) -> Array:
    """`size` integers from [low, high): the remainder of two words, the first 31 bits higher."""
    count = np.uint64(high - low)

    def fill(words: Words, out: Array) -> None:
        pairs = words.view(_PAIR)
        drawn = pairs << np.uint64(31)
        drawn &= _FIRST
        drawn += pairs >> np.uint64(32)
        _reduce(drawn, count)
        np.add(drawn.view(np.int64), low, out=out)

    return _filled(stream, size, np.dtype(np.int64), 2, fill)


def _reduce(numbers: Array, divisor: np.uint64) -> None:
    """Leaves remainders; NumPy divides by one number in vectors, but has no such remainder."""
    multiples = numbers // divisor
    multiples *= divisor
    numbers -= multiples


@locked
def choices(stream: ExactStream, size: int, n: int) -> Array:
    """`size` integers below `n`, the remainders of one word each."""
    drawn = words_in_order(stream, size).astype(np.uint64)
    _reduce(drawn, np.uint64(n))
    return drawn.view(np.int64)


@locked
def shuffled(stream: ExactStream, n: int, rising: bool) -> Array:
    """The integers below `n`, shuffled by Fisher and Yates from the first or from the last."""
    order = np.arange(n)
    done = 0
    while done < n - 1:
        words = stream.in_order.peek(_ORDERED, n - 1 - done)[0]
        done, used = run("shuffle", words, order, done, rising)
        stream.in_order.skip(_ORDERED, used)
    return order


@locked
def subset(stream: ExactStream, n: int, count: int) -> Array:
    """`count` different integers below `n`, by MXNet's way for few or for many of them."""
    choose, n_drawn = (_few, count) if 2 * count < n else (_many, n - count)
    return np.array(choose(words_in_order(stream, n_drawn).tolist(), n, count), np.int64)


def _few(words: list[int], n: int, count: int) -> list[int]:
    """Drawn integers, or what stands in for one since it was drawn."""
    stand_ins: dict[int, int] = {}
    first = n - count
    chosen = []
    for last, word in zip(range(first, n), words, strict=True):
        drawn = word % (last + 1)
        if drawn >= first:
            chosen.append(last)
            continue
        chosen.append(stand_ins.get(drawn, drawn))
        stand_ins[drawn] = last
    return chosen


def _many(words: list[int], n: int, count: int) -> list[int]:
    """Reservoir sampling."""
    chosen = list(range(count))
    for candidate, word in zip(range(count, n), words, strict=True):
        place = word % (candidate + 1)
        if place < count:
            chosen[place] = candidate
    return chosen


# Normal numbers -----------------------------------------------------------------------------------


@locked
def normals(stream: ExactStream, size: int, dtype: Dtype) -> Array:
    """`size` standard normal numbers: of each accepted pair of the polar method one is used."""
    if not size:
        return np.empty(0, dtype)
    grid = blocks(size)
    drawn = np.empty((grid.rows, grid.length), dtype)
    for rows, columns, lacking in parts(grid, _COLUMNS // n_words(dtype), tuning.EXACT_BLOCK):
        part = drawn[rows, columns]
        part[...] = _normals(stream.parallel, rows, part.shape[1], lacking, dtype)
    return drawn.reshape(-1)[:size]


def _normals(engines: Engines, rows: slice, length: int, lacking: int, dtype: Dtype) -> Array:
    """Draw `length` numbers from each generator; the last one keeps the words of `lacking`."""
    per_pair = 2 * n_words(dtype)
    n_pairs = _pairs_for(length)
    size = (rows.stop - rows.start, length)
    while True:
        _, y, square = _polar(engines.peek(rows, n_pairs * per_pair), dtype)
        inside = _is_inside(square)
        count = inside.reshape(-1, n_pairs).cumsum(1, np.int32)
        inside &= (count <= length).reshape(-1)
        chosen = inside.nonzero()[0]
        if len(chosen) == size[0] * length:
            break
        n_pairs *= 2
    drawn: Array = (y[chosen] * stretch(square[chosen])).reshape(size)
    chosen = chosen.reshape(size) % n_pairs
    pairs = chosen[:, -1] + 1
    if lacking:
        pairs[-1] = chosen[-1, -lacking - 1] + 1 if lacking < length else 0
    engines.skip(rows, pairs * per_pair)
    return drawn


def _pairs_for(length: int) -> int:
    return int(length * 4 / math.pi + 2 * math.sqrt(length)) + 4


def _polar(words: Words, dtype: Dtype) -> tuple[Array, Array, Array]:
    """Points of the square and their squared distance from its center, of all `words`."""
    numbers = _scaled(words.reshape(-1), dtype, 2)
    numbers -= 1
    x, y = numbers[0::2], numbers[1::2]
    square = x * x
    square += y * y
    return x, y, square


def _is_inside(square: Array) -> Array:
    """Whether numbers >= 0 are in (0, 1]."""
    inside: Array = square <= 1
    inside &= square > 0
    return inside


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
        x, y, square = _polar(engine.peek(_ORDERED, 2 * n_pairs), np.dtype(np.float32))
        places = _is_inside(square).nonzero()[0][:wanted]
        if len(places) == wanted:
            break
        n_pairs *= 2
    engine.skip(_ORDERED, 2 * (int(places[-1]) + 1))
    pairs = np.stack((y[places], x[places]), 1) * stretch(square[places])[:, None]
    return pairs.reshape(-1)[:size]


# The C library ------------------------------------------------------------------------------------


def powers(bases: Array, exponents: Array) -> Array:
    """Powers of float32 numbers as the C library rounds them."""
    results = np.empty(len(bases), np.float32)
    run("powers", np.ascontiguousarray(bases), np.ascontiguousarray(exponents), results)
    return results


def logarithm(values: Array) -> Array:
    """Logarithms of numbers >= 0 as the C library rounds them; those of NumPy may differ.

    `torch.xlogy` calls the C library for each number, where `torch.log` and `numpy.log` have
    vector code of their own.
    """
    result: Array = torch.xlogy(_ONE, torch.from_numpy(values)).numpy()
    return result


_ONE = torch.ones((), dtype=torch.float32, device="cpu")
