# SPDX-License-Identifier: Apache-2.0
"""Where the reading of a data set stands, as states that can be stored.

A state says which order it is about (seed, block size, window, number of records), the epoch, and
how many of its records all ranks together have taken. It holds for any number of ranks and workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from ..core.base.errors import ArgumentError, argument_error, shown
from .broken import BrokenRecords
from .order import EpochOrder, Shuffle
from .shares import Rank, Share

__all__ = ["Progress", "Samples"]

_NUMBERS = ("epoch", "done", "records", "window", "step")
_DEPTH = 8  # of the states of loaders
_SINCE = "_steps_since_snapshot"  # batches that a torchdata loader gave out after its snapshot


class Counted(Protocol):
    """Files, of which it is known how many records each has."""

    @property
    def counts(self) -> Sequence[int]:
        """Of each file."""


class Samples(Protocol):
    """A data set as samplers see it, such as a `RecordReader`."""

    broken: BrokenRecords

    @property
    def files(self) -> Counted:
        """Where the records are."""

    def __len__(self) -> int: ...


class Progress:
    """Epochs over a data set that a rank takes its part of; the base of what gives out batches.

    Args:
        reader: of the data set.
        shuffle: the order of its records.
        rank: which of them are taken here.

    Attributes:
        epoch: the number of this epoch, or of the next one where none has begun.
    """

    def __init__(self, reader: Samples, shuffle: Shuffle, rank: Rank) -> None:
        name = type(self).__name__
        self._reader = reader
        self._shuffle, self._rank = shuffle.check(name), rank.check(name)
        self._n_records = len(reader)
        self.epoch = 0
        self._start = 0  # records that were taken before the next iteration begins
        self._running: tuple[int, Share] | None = None
        self._taken: int | None = None  # batches of the running iteration
        self._order: tuple[int, EpochOrder] | None = None

    def __len__(self) -> int:
        """Batches that this rank takes from where the epoch begins or goes on."""
        return self._share(self._start).n_batches

    def set_epoch(self, epoch: int) -> None:
        """Has the next iteration begin at the start of this epoch.

        Raises:
            ArgumentError: it is no number, or a negative one.
        """
        if not isinstance(epoch, int) or epoch < 0:
            name = type(self).__name__
            raise argument_error(name, "epoch", epoch, "must be an integer >= 0")
        if epoch != self.epoch or self._taken is not None:
            self.epoch, self._start = epoch, 0
        self._running = self._taken = None

    def share(self) -> Share:
        """What this rank takes from where the epoch begins or goes on."""
        return self._share(self._start)

    def _share(self, start: int) -> Share:
        return Share(self._n_records, start, self._rank)

    def _order_of(self, epoch: int) -> EpochOrder:
        if self._order is None or self._order[0] != epoch:
            counts = self._reader.files.counts
            self._order = epoch, EpochOrder(counts, self._shuffle, epoch)
        return self._order[1]

    def _begin(self) -> tuple[EpochOrder, Share]:
        """Starts an iteration, from where the last state said."""
        share = self._share(self._start)
        self._running, self._taken, self._start = (self.epoch, share), 0, 0
        return self._order_of(self.epoch), share

    def _end(self) -> None:
        self.epoch, self._taken = self.epoch + 1, None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_order": None}

    # States ---------------------------------------------------------------------------------------

    def state_dict(self, batches: int | None = None) -> dict[str, Any]:
        """Where it stands, in numbers and lists of numbers.

        Args:
            batches: how many a loader with workers has given out of this epoch, since it began
                or went on from a state: workers are ahead of it. Default: as many as were
                asked for.

        Returns:
            The seed (None: not shuffled), the epoch, how many records of it all ranks have taken
            (`done`), how many of those are broken (`broken`), and what fixes the order.
        """
        epoch, share, taken = self._place(batches)
        return self._state(epoch, share.done_after(taken))

    def _place(self, batches: int | None) -> tuple[int, Share, int]:
        """The epoch, the share of its running or next iteration, and batches taken of it."""
        if self._running is not None and (batches is not None or self._taken is not None):
            taken = self._taken if batches is None else batches
            return (*self._running, taken or 0)
        return self.epoch, self._share(self._start), batches or 0

    def _state(self, epoch: int, done: int) -> dict[str, Any]:
        known = sorted(self._reader.broken.numbers())
        order = self._order_of(epoch) if known else None
        return {
            "seed": self._shuffle.seed,
            "epoch": epoch,
            "done": done,
            "broken": sum(order.position(number) < done for number in known) if order else 0,
            "broken_records": known,
            "records": self._n_records,
            "block_size": self._shuffle.block_size,
            "window": self._shuffle.window,
            "step": self._rank.step,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Has the next iteration go on from a state.

        Args:
            state: of `state_dict`, of any number of ranks; or the one of a whole
                StatefulDataLoader of torchdata, of any number of workers.

        Raises:
            ArgumentError: it is no such state, or is about another number of records.
        """
        name = type(self).__name__
        found = _merged(_checked(state, name), name)
        if found["records"] != self._n_records:
            text = f"the state is about {found['records']} records, there are {self._n_records}"
            raise ArgumentError(f"{name}: {text}")
        order = Shuffle(found["seed"], found["block_size"], found["window"])
        self._shuffle, self._order = order.check(name), None
        self.epoch, self._start = found["epoch"], min(found["done"], self._n_records)
        self._running = self._taken = None
        self._reader.broken.merge(_broken_in(state, self._n_records, name))

    def load_states(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Has the next iteration go on from the states of all ranks of a job at one place.

        Args:
            states: of `state_dict`; each may know of other broken records.

        Raises:
            ArgumentError: they are no such states, or not of one place.
        """
        self.load_state_dict({str(rank): state for rank, state in enumerate(states)})


def _checked(state: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """All states of a data set within `state`."""
    found = list(_states_in(state)) if isinstance(state, Mapping) else []
    if not found:
        raise ArgumentError(f"{name}: state={shown(state)}: there is no state of records in it")
    for one in found:
        for key in _NUMBERS:
            if not isinstance(one[key], int) or one[key] < 0:
                raise argument_error(name, f"state[{key!r}]", one[key], "must be an integer >= 0")
    return found


def _states_in(state: Mapping[str, Any], depth: int = _DEPTH) -> Iterator[dict[str, Any]]:
    if all(key in state for key in (*_NUMBERS, "seed", "block_size")):
        yield dict(state)
        return
    for value in state.values():
        if isinstance(value, Mapping) and depth:
            for found in _states_in(value, depth - 1):
                if isinstance(since := state.get(_SINCE), int):
                    found["since"] = since
                yield found


def _broken_in(state: Mapping[str, Any], n_records: int, name: str) -> set[int]:
    """The broken records that a state tells of, or those of a loader's workers."""
    broken: set[int] = set()
    for numbers in _values_of(state, "broken_records"):
        if not all(isinstance(number, int) and 0 <= number < n_records for number in numbers):
            reason = f"must be numbers below {n_records}"
            raise argument_error(name, "state['broken_records']", numbers, reason)
        broken.update(numbers)
    return broken


def _values_of(state: Mapping[str, Any], key: str, depth: int = _DEPTH) -> Iterator[Any]:
    if key in state:
        yield state[key]
    for value in state.values():
        if isinstance(value, Mapping) and depth:
            yield from _values_of(value, key, depth - 1)


def _merged(states: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """One state for those of the workers of a loader."""
    first = dict(states[0])
    orders = {(s["seed"], s["epoch"], s["done"], s["records"], s["step"]) for s in states}
    workers = [_worker_of(one, name) for one in states if "worker" in one]
    n = sum(taken for _, _, taken in workers)
    expected = [(i, len(workers), len(range(i, n, len(workers)))) for i in range(len(workers))]
    if len(orders) > 1 or sorted(workers) != expected:
        text = "workers stand at places that are no beginning of the order"
        raise ArgumentError(f"{name}: state: {text}; give `batches` the loader's batch size")
    n += first.pop("since", 0)
    done: int = first["done"] + n * first["step"]
    return {**first, "done": done}


def _worker_of(state: Mapping[str, Any], name: str) -> tuple[int, int, int]:
    """The index of a worker, how many there are, and how many batches it has given out."""
    worker = state["worker"]
    if len(worker) != 3 or not all(isinstance(number, int) and number >= 0 for number in worker):
        raise argument_error(name, "state['worker']", worker, "must be three integers >= 0")
    return tuple(worker)
