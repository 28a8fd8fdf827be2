# SPDX-License-Identifier: Apache-2.0
"""Samplers: in which order the elements of a dataset are visited, and how they form batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, argument_error, shown
from mxnova.core.base.mersenne_state import mersenne_state, mersenne_text

from ...core.base.doors import facade

__all__ = ["BatchSampler", "FilterSampler", "RandomSampler", "Sampler", "SequentialSampler"]


class Sampler:
    """The base of samplers: iterables of indices, or of lists of indices.

    Example:
        >>> len(mx.gluon.data.SequentialSampler(3))
        3
    """

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no __len__")

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__")


class SequentialSampler(Sampler):
    """`length` indices in order, from `start`.

    Args:
        length: the number of samples.
        start: the first number.

    Example:
        >>> list(mx.gluon.data.SequentialSampler(3))
        [0, 1, 2]
    """

    def __init__(self, length: int, start: int = 0):
        self._length = length
        self._start = start

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._start, self._start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """The indices below `length`, each once, in an order that NumPy's global generator draws.

    Args:
        length: the number of samples.

    Example:
        >>> sorted(mx.gluon.data.RandomSampler(3))
        [np.int64(0), np.int64(1), np.int64(2)]
    """

    def __init__(self, length: int):
        self._length = length
        self._drawn_from: str | None = None  # the generator's state before it drew the order
        self._next_from: str | None = None

    def __iter__(self) -> Iterator[Any]:
        indices = np.arange(self._length)
        shuffle = np.random.shuffle
        self._drawn_from, self._next_from = self._next_from, None
        if self._drawn_from is None:
            state: Any = np.random.get_state()
            self._drawn_from = mersenne_text(state[1], state[2])
        else:
            generator = np.random.RandomState()
            key, position = mersenne_state(self._drawn_from, "RandomSampler")
            generator.set_state(("MT19937", key, position, 0, 0.0))
            shuffle = generator.shuffle
        shuffle(indices)
        return iter(indices)

    def __len__(self) -> int:
        return self._length

    def state_dict(self) -> dict[str, Any]:
        """The state of NumPy's generator that the last order was drawn from."""
        return {"length": self._length, "generator": self._drawn_from}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Has the next order be that of the state; those after it are drawn as ever.

        Raises:
            ArgumentError: the state is about another length, or is none.
        """
        if state.get("length") != self._length:
            text = f"state of length {shown(state.get('length'))}, there are {self._length} indices"
            raise ArgumentError(f"RandomSampler: {text}")
        generator = state.get("generator")
        if generator is not None:
            mersenne_state(generator, "RandomSampler")
        self._next_from = generator


class FilterSampler(Sampler):
    """The indices of the elements for which `fn` is true; all are looked at when it is made.

    Args:
        fn: says of a sample whether it is taken.
        dataset: the samples.

    Example:
        >>> dataset = mx.gluon.data.SimpleDataset([1, 2, 3])
        >>> list(mx.gluon.data.FilterSampler(lambda x: x > 1, dataset))
        [1, 2]
    """

    def __init__(self, fn: Callable[[Any], Any], dataset: Sequence[Any]):
        self._fn = fn
        self._dataset = dataset
        self._indices = [i for i in range(len(dataset)) if fn(dataset[i])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


_LAST_BATCHES = ("keep", "discard", "rollover")


class BatchSampler(Sampler):
    """Lists of `batch_size` indices of another sampler.

    Args:
        sampler: what gives the indices.
        batch_size: how many make a batch.
        last_batch: what becomes of those that are left: a smaller batch (``"keep"``), nothing
            (``"discard"``), or the start of the next epoch (``"rollover"``).

    Example:
        >>> list(mx.gluon.data.BatchSampler(mx.gluon.data.SequentialSampler(5), 2, "keep"))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Sampler, batch_size: int, last_batch: str = "keep"):
        self._sampler = sampler
        self._batch_size = batch_size
        self._last_batch = last_batch
        self._prev: list[Any] = []
        self._began_with: list[Any] = []  # `_prev` when the running epoch began
        self._given: int | None = None  # batches of the running epoch, with those skipped
        self._n_skipped = 0  # of its batches
        self._pending: dict[str, Any] | None = None  # the state that the next epoch goes on from

    def __iter__(self) -> Iterator[list[Any]]:
        self._check()
        self._n_skipped = n_skipped = self._pending["batches"] if self._pending else 0
        batch, self._prev, self._pending = self._prev, [], None
        self._began_with, self._given = list(batch), 0
        for n, full in enumerate(self._batches(batch), 1):
            self._given = n
            if n > n_skipped:
                yield full
        self._given = None

    def _batches(self, batch: list[Any]) -> Iterator[list[Any]]:
        for index in self._sampler:
            batch.append(index)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        if self._last_batch == "rollover":
            self._prev = batch

    def __len__(self) -> int:
        self._check()
        if self._last_batch == "keep":
            return -(-len(self._sampler) // self._batch_size)
        return (len(self._prev) + len(self._sampler)) // self._batch_size

    def state_dict(self, batches: int | None = None) -> dict[str, Any]:
        """Where the running epoch stands, or that the next one is to begin.

        Args:
            batches: how many a loader has given out since the epoch began, or went on from a
                state; default: as many as were asked for.
        """
        given = self._given if batches is None else self._n_skipped + batches
        if self._pending is not None:
            return self._pending
        if given is None:
            return {"batches": 0, "left_over": [int(i) for i in self._prev], "sampler": None}
        inner: Any = getattr(self._sampler, "state_dict", dict)()
        left_over = [int(i) for i in self._began_with]
        return {"batches": given, "left_over": left_over, "sampler": inner}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Has the next epoch go on from a state. A sampler without states must repeat its order.

        Raises:
            ArgumentError: it is no such state.
        """
        given, left_over, inner = (state.get(k) for k in ("batches", "left_over", "sampler"))
        if not isinstance(given, int) or given < 0 or not isinstance(left_over, list):
            raise ArgumentError(f"BatchSampler: {shown(state)} is no state of a BatchSampler")
        if inner and hasattr(self._sampler, "load_state_dict"):
            self._sampler.load_state_dict(inner)
        self._prev, self._given, self._pending = list(left_over), None, dict(state)

    def _check(self) -> None:
        """Refuse here, not in the constructor: MXNet does so when it is used."""
        if self._last_batch not in _LAST_BATCHES:
            choices = ", ".join(map(repr, _LAST_BATCHES))
            raise argument_error(
                "BatchSampler", "last_batch", self._last_batch, f"must be one of {choices}"
            )
        if not isinstance(self._batch_size, Real) or self._batch_size < 1:
            reason = "must be a number, at least 1"
            raise argument_error("BatchSampler", "batch_size", self._batch_size, reason)


_EXCLUSIVE = "batch_size, shuffle, sampler and last_batch are of no use with a batch_sampler"


def batches_of(
    dataset: Any,
    batch_size: int | None,
    shuffle: bool,
    sampler: Any,
    last_batch: str | None,
    batch_sampler: Any,
) -> Any:
    """Return the batch sampler for the arguments of a DataLoader."""
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise ArgumentError(f"DataLoader: {_EXCLUSIVE}")
        return batch_sampler
    if batch_size is None:
        raise argument_error("DataLoader", "batch_size", None, "must be given, or a batch_sampler")
    if sampler is None:
        if not hasattr(dataset, "__len__"):
            reason = "must have a length and items, as lists and gluon.data.Dataset have"
            raise ArgumentTypeError(f"DataLoader: dataset={shown(dataset)}: {reason}")
        sampler = (RandomSampler if shuffle else SequentialSampler)(len(dataset))
    elif shuffle:
        raise argument_error("DataLoader", "shuffle", shuffle, "a sampler gives the order")
    return BatchSampler(sampler, batch_size, last_batch or "keep")


facade(__name__)
