# SPDX-License-Identifier: Apache-2.0
"""The random streams of MXNet 1.9.1 on a CPU: Mersenne Twisters, and which element takes which.

Each process has one stream for draws in order and 1,024 for draws in parallel, shared by all CPU
contexts. Parallel draws divide an array into blocks of at least 64 elements, each with a generator
of its own, so that results depend on neither the number of threads nor the processor.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import numpy as np
import torch

from ..base.errors import FormatError, shown

__all__ = ["ExactStream", "Words", "locked"]

Words: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]
P = ParamSpec("P")
R = TypeVar("R")

_N_ENGINES = 1024
_MIN_BLOCK = 64
_SEED_FACTOR = 127
_WORD = 1 << 32
_AHEAD = 624  # words that small draws make at once: as many as a generator's state has


@functools.cache
def _unseeded() -> Any:
    """What saves the hashing of a seed that is replaced at once; numpy.random is imported late."""
    from numpy.random.bit_generator import ISeedSequence

    class Unseeded(ISeedSequence):
        def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
            return np.zeros(n_words, dtype)

    return Unseeded()


class Engine:
    """One MT19937 whose 32-bit words can be looked at before they are consumed."""

    def __init__(self, seed: int) -> None:
        self._generator: Any = np.random.MT19937(_unseeded())
        self._kept: Words = np.empty(0, np.uint64)
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Begins the sequence of another seed."""
        self._generator._legacy_seeding(seed % _WORD)
        self._kept = self._kept[:0]
        self._at = 0

    def peek(self, count: int) -> Words:
        """The next `count` words, which stay."""
        missing = self._at + count - len(self._kept)
        if missing > 0:
            new = self._generator.random_raw(max(missing, _AHEAD))
            self._kept = np.concatenate((self._kept[self._at :], new))
            self._at = 0
        return self._kept[self._at : self._at + count]

    def skip(self, count: int) -> None:
        """Consumes `count` words that were looked at."""
        self._at += count

    def state(self) -> tuple[Words, int, Words]:
        """The generator's words, its place among them, and the words that it has made ahead."""
        inner = self._generator.state["state"]
        return inner["key"], int(inner["pos"]), self._kept[self._at :]

    def restore(self, key: Any, at: int, ahead: Words) -> None:
        """Continues where `state` was called."""
        state = {"bit_generator": "MT19937", "state": {"key": key, "pos": at}}
        self._generator.state = state
        self._kept, self._at = ahead, 0

    def take(self, count: int) -> Words:
        """The next `count` words."""
        if count >= _AHEAD and self._at == len(self._kept):
            words: Words = self._generator.random_raw(count)
            return words
        words = self.peek(count)
        self._at += count
        return words


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
        self.in_order = Engine(0)
        self._engines: list[Engine] = []
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Begins the sequences of another seed."""
        with self.lock:
            self.manual_seed(seed % _WORD)
            self._seed = _SEED_FACTOR * seed
            self.in_order.restart(self._seed)
            self._n_started = 0

    def state(self) -> dict[str, Any]:
        """Where it is, as plain data; `restore` continues there."""
        with self.lock:
            engines = [self.in_order, *self._engines[: self._n_started]]
            keys, places, ahead = zip(*(engine.state() for engine in engines), strict=True)
            return {
                "seed": self._seed,
                "torch": self.get_state().numpy(),
                "keys": np.stack(keys).astype(np.uint32),
                "places": np.array(places, np.int64),
                "ahead": np.concatenate(ahead).astype(np.uint32),
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
        count, seed = len(keys), state["seed"]
        fits = keys.shape[1:] == (_AHEAD,) and places.shape == lengths.shape == (count,)
        in_range = fits and places.min(initial=0) >= 0 and places.max(initial=0) <= _AHEAD
        if not in_range or not 1 <= count <= _N_ENGINES + 1 or type(seed) is not int:
            raise FormatError("the words of a stream are not those of its engines")
        if lengths.min() < 0 or lengths.sum() != len(ahead):
            raise FormatError(f"{len(ahead)} words ahead, where {lengths.sum()} were counted")
        parts = np.split(ahead.astype(np.uint64), np.cumsum(lengths)[:-1])
        with self.lock:
            self.set_state(torch.from_numpy(_checked(state["torch"], np.uint8, 1).copy()))
            self._seed, self._n_started = seed, 0
            self._start(count - 1)
            engines = [self.in_order, *self._engines[: count - 1]]
            for engine, key, at, words in zip(engines, keys, places, parts, strict=True):
                engine.restore(key, int(at), words)

    def blocks(self, size: int) -> tuple[Sequence[Engine], list[int]]:
        """The engines that fill an array of `size` elements, and how many each of them fills."""
        n_blocks = min(-(-size // _MIN_BLOCK), _N_ENGINES)
        length = -(-size // max(n_blocks, 1))
        starts = range(0, size, max(length, 1))
        self._start(len(starts))
        return self._engines[: len(starts)], [min(length, size - start) for start in starts]

    def _start(self, count: int) -> None:
        for number in range(self._n_started, count):
            seed = self._seed + number
            if number < len(self._engines):
                self._engines[number].restart(seed)
            else:
                self._engines.append(Engine(seed))
        self._n_started = max(self._n_started, count)

    def words(self, size: int, per_element: int) -> Words:
        """The words that fill an array of `size` elements, in order of elements."""
        drawn = np.empty(size * per_element, np.uint64)
        at = 0
        for engine, length in self.each_block(size):
            end = at + length * per_element
            drawn[at:end] = engine.take(length * per_element)
            at = end
        return drawn

    def each_block(self, size: int) -> Iterator[tuple[Engine, int]]:
        """Engines with the number of elements that each fills."""
        return zip(*self.blocks(size), strict=True)


def _checked(array: Any, dtype: type, ndim: int) -> Any:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != ndim:
        raise FormatError(f"{shown(array)}: must be an array of {dtype.__name__}")
    return array


def locked(
    draw: Callable[Concatenate[ExactStream, P], R],
) -> Callable[Concatenate[ExactStream, P], R]:
    """`draw`, of which no two run at once on one stream."""

    @functools.wraps(draw)
    def run(stream: ExactStream, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with stream.lock:
            return draw(stream, *args, **kwargs)

    return run
