# SPDX-License-Identifier: Apache-2.0
"""The random streams of MXNet 1.9.1 on a CPU: Mersenne Twisters, and which element takes which.

Each process has one stream for draws in order and 1,024 for draws in parallel, shared by all CPU
contexts. Parallel draws divide an array into blocks of at least 64 elements, each with a generator
of its own, so that results depend on neither the number of threads nor the processor.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np
import torch

from ..base.errors import FormatError, shown

__all__ = ["Blocks", "Engines", "ExactStream", "Words", "blocks", "locked", "parts"]

Words: TypeAlias = np.ndarray[Any, np.dtype[np.uint32]]
P = ParamSpec("P")
R = TypeVar("R")

_N_ENGINES = 1024
_MIN_BLOCK = 64
_SEED_FACTOR = 127
_WORD = 1 << 32
_STATE = 624  # words of a generator's state
_MAX_AHEAD = 1 << 28  # words of all generators, that a saved state may make room for
WORDS = 1248  # that a generator makes at once at least: twice as many as its state has


@functools.cache
def _unseeded() -> Any:
    """What saves the hashing of a seed that is replaced at once; numpy.random is imported late."""
    from numpy.random.bit_generator import ISeedSequence

    class Unseeded(ISeedSequence):
        def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
            return np.zeros(n_words, dtype)

    return Unseeded()


class Engines:
    """MT19937 generators side by side, whose 32-bit words can be seen before they are consumed.

    Args:
        count: how many generators.
        seed: of the first of them; each further one has the next number.
    """

    def __init__(self, count: int, seed: int) -> None:
        self._generators: list[Any] = []
        self._ahead: Words = np.empty((count, 2 * WORDS), np.uint32)  # what follows, at the right
        self._at = np.empty(count, np.int64)
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Begins the sequences of another seed."""
        self._seed = seed
        self._n_started = 0

    def _start(self, count: int) -> None:
        for number in range(self._n_started, count):
            if number == len(self._generators):
                self._generators.append(np.random.MT19937(_unseeded()))
            self._generators[number]._legacy_seeding((self._seed + number) % _WORD)
        self._at[self._n_started : count] = self._ahead.shape[1]
        self._n_started = count

    def peek(self, rows: slice, count: int) -> Words:
        """The next `count` words of each of `rows`, which stay: (rows, count), read-only."""
        if rows.stop > self._n_started:
            self._start(rows.stop)
        if count > self._ahead.shape[1]:
            self._widen(count + WORDS)
        at, width = self._at[rows], self._ahead.shape[1]
        if (at.item(0) if len(at) == 1 else at.max()) > width - count:
            self._advance(rows.start + np.flatnonzero(at > width - count), count)
        if len(at) == 1:
            return self._ahead[rows, at.item(0) : at.item(0) + count]
        shape = self._ahead.size - count + 1, count
        windows: Words = np.ndarray(shape, np.uint32, self._ahead, strides=(4, 4))
        return windows[at + np.arange(rows.start * width, rows.stop * width, width)]

    def skip(self, rows: slice, counts: Any) -> None:
        """Consumes words that were looked at; negative `counts` return those taken last."""
        self._at[rows] += counts

    def take(self, rows: slice, count: int) -> Words:
        """The next `count` words of each of `rows`: (rows, count), to be read before others."""
        words = self.peek(rows, count)
        self.skip(rows, count)
        return words

    def state(self) -> dict[str, Any]:
        """Where the generators are, as plain data; `restore` continues there.

        They are their words, their places among them, and the words that they have made ahead.
        """
        inner = [g.state["state"] for g in self._generators[: self._n_started]]
        ahead = [self._ahead[i, at:] for i, at in enumerate(self._at[: self._n_started].tolist())]
        return {
            "seed": self._seed,
            "keys": np.array([s["key"] for s in inner], np.uint32).reshape(-1, _STATE),
            "places": np.array([s["pos"] for s in inner], np.int64),
            "ahead": np.concatenate([np.empty(0, np.uint32), *ahead]),
            "lengths": np.array([len(words) for words in ahead], np.int64),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continues where `state` was called.

        Raises:
            FormatError: `state` is something else.
        """
        keys, places, ahead, lengths = (
            _checked(state[name], *kind)
            for name, kind in {
                "keys": (np.uint32, 2), "places": (np.int64, 1),
                "ahead": (np.uint32, 1), "lengths": (np.int64, 1),
            }.items()
        )  # fmt: skip
        count, seed, of_all = len(keys), state["seed"], len(self._ahead)
        fits = keys.shape[1:] == (_STATE,) and places.shape == lengths.shape == (count,)
        in_range = fits and places.min(initial=0) >= 0 and places.max(initial=0) <= _STATE
        if not in_range or count > of_all or type(seed) is not int:
            raise FormatError("the words of a stream are not those of its generators")
        longest = int(lengths.max(initial=0))
        if lengths.min(initial=0) < 0 or longest > len(ahead) or lengths.sum() != len(ahead):
            raise FormatError(f"{len(ahead)} words ahead, where {lengths.sum()} were counted")
        if of_all * longest > _MAX_AHEAD:
            raise FormatError(f"{longest} words ahead for each of {of_all} generators: too many")
        self.restart(seed)
        self._start(count)
        if longest > self._ahead.shape[1]:
            self._widen(longest)
        parts = np.split(ahead, np.cumsum(lengths)[:-1]) if count else []
        for number, (key, place, words) in enumerate(zip(keys, places, parts, strict=True)):
            inner = {"key": key, "pos": int(place)}
            self._generators[number].state = {"bit_generator": "MT19937", "state": inner}
            self._at[number] = self._ahead.shape[1] - len(words)
            self._ahead[number, self._at[number] :] = words

    def _advance(self, numbers: Any, count: int) -> None:
        """Generates words for those of `numbers` that have fewer than `count`."""
        width, at = self._ahead.shape[1], self._at[numbers]
        new = np.minimum(np.maximum(count - (width - at), WORDS), at)
        self._at[numbers] = at - new
        for number, begin, n in zip(numbers.tolist(), at.tolist(), new.tolist(), strict=True):
            row = self._ahead[number]
            if begin < width:
                row[begin - n : width - n] = row[begin:]
            row[width - n :] = self._generators[number].random_raw(n)

    def _widen(self, width: int) -> None:
        more = width - self._ahead.shape[1]
        self._ahead = np.pad(self._ahead, ((0, 0), (more, 0)))
        self._at += more


class Blocks(NamedTuple):
    """An array as rows, each filled by a generator of its own; the last may be shorter."""

    rows: int
    length: int
    last: int


@functools.lru_cache(64)
def parts(blocks: Blocks, columns: int, elements: int) -> tuple[tuple[slice, slice, int], ...]:
    """Rows and columns to be filled one after another, and how many the last row lacks of them.

    Args:
        blocks: the array.
        columns: most of a part.
        elements: of a part, where more rows than one have fewer.
    """
    columns = max(min(columns, blocks.length), 1)
    step = max(elements // columns, 1)
    found = []
    for row in range(0, blocks.rows, step):
        rows = slice(row, min(row + step, blocks.rows))
        for begin in range(0, blocks.length, columns):
            end = min(begin + columns, blocks.length)
            lacking = min(max(end - blocks.last, 0), end - begin) if rows.stop == blocks.rows else 0
            found.append((rows, slice(begin, end), lacking))
    return tuple(found)


class ExactStream(torch.Generator):
    """What operators on CPU contexts draw from to get MXNet's own numbers.

    It is a generator of PyTorch's as well, for the operators whose draws are not MXNet's. Functions
    that draw are `locked`: threads may share a stream.

    Args:
        seed: as given to `mx.random.seed`.
    """

    def __new__(cls, seed: int) -> ExactStream:  # noqa: D102 - as __init__
        return super().__new__(cls, device="cpu")  # type: ignore[call-arg]

    def __init__(self, seed: int) -> None:
        self.lock = threading.RLock()
        self.in_order = Engines(1, 0)
        self.parallel = Engines(_N_ENGINES, 0)
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Begins the sequences of another seed."""
        with self.lock:
            self.manual_seed(seed % _WORD)
            self.in_order.restart(_SEED_FACTOR * seed)
            self.parallel.restart(_SEED_FACTOR * seed)

    def state(self) -> dict[str, Any]:
        """Where it is, as plain data; `restore` continues there."""
        with self.lock:
            engines = {"in_order": self.in_order.state(), "parallel": self.parallel.state()}
            return {"torch": self.get_state().numpy(), **engines}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continues where `state` was called.

        Raises:
            FormatError: `state` is something else.
        """
        with self.lock:
            self.set_state(torch.from_numpy(_checked(state["torch"], np.uint8, 1).copy()))
            self.in_order.restore(state["in_order"])
            self.parallel.restore(state["parallel"])


def _checked(array: Any, dtype: type, ndim: int) -> Any:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != ndim:
        raise FormatError(f"{shown(array)}: must be an array of {dtype.__name__}")
    return array


@functools.lru_cache(64)
def blocks(size: int) -> Blocks:
    """How an array of `size` elements, at least 1, is divided among generators."""
    length = -(-size // min(-(-size // _MIN_BLOCK), _N_ENGINES))
    rows = -(-size // length)
    return Blocks(rows, length, size - (rows - 1) * length)


def locked(
    draw: Callable[Concatenate[ExactStream, P], R],
) -> Callable[Concatenate[ExactStream, P], R]:
    """`draw`, of which no two run at once on one stream."""

    @functools.wraps(draw)
    def run(stream: ExactStream, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with stream.lock:
            return draw(stream, *args, **kwargs)

    return run
