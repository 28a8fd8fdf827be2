# SPDX-License-Identifier: Apache-2.0
"""Epochs with a bar that shows how far, how fast and how well."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, Protocol

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

__all__ = ["Epoch", "epochs", "fit_progress"]


class Batches(Sized, Iterable[Any], Protocol):
    """What is gone through in every epoch: a list, a DataLoader."""


class Epoch:
    """Goes through the batches once; the loop calls `show` after each."""

    def __init__(self, bar: Progress, task: TaskID, batches: Batches, unit: str) -> None:
        self._bar, self._task, self._batches, self._unit = bar, task, batches, unit
        self._done, self._start = 0, time.perf_counter()

    def __iter__(self) -> Iterator[Any]:
        for batch in self._batches:
            yield batch
            self.advance()

    def advance(self) -> None:
        """One more batch is done."""
        self._bar.advance(self._task)

    def show(self, done: int, **figures: float) -> None:
        """Adds `done` units to the throughput, and shows it with `figures`."""
        self._done += done
        speed = self._done / (time.perf_counter() - self._start)
        parts = [f"{speed:,.0f} {self._unit}/s", *(f"{n} {v:.3g}" for n, v in figures.items())]
        self._bar.update(self._task, figures=", ".join(parts))


def epochs(count: int, batches: Batches, unit: str, shown: bool = True) -> Iterator[Epoch]:
    """`count` epochs over `batches`, each with a line of its own, of things called `unit`.

    Of many workers, one shows them.
    """
    with _bar(shown) as bar:
        for number in range(1, count + 1):
            yield Epoch(bar, _task(bar, number, len(batches)), batches, unit)


@contextmanager
def fit_progress(n_batches: int, batch: int, unit: str) -> Iterator[Callable[[Any], None]]:
    """A callback of batches for `fit`: a line for each epoch of `n_batches`, with the metric."""
    with _bar() as bar:
        shown: list[Epoch] = []

        def batch_end(parameters: Any) -> None:
            number, metric = parameters.epoch + 1, parameters.eval_metric
            if parameters.nbatch == 0:
                shown.append(Epoch(bar, _task(bar, number, n_batches), (), unit))
            shown[-1].advance()
            shown[-1].show(batch, **dict(metric.get_global_name_value()))

        yield batch_end


def _bar(shown: bool = True) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(20),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[figures]}"),
        disable=not shown,
    )


def _task(bar: Progress, number: int, n_batches: int) -> TaskID:
    return bar.add_task(f"epoch {number}", total=n_batches, figures="")
