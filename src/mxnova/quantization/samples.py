# SPDX-License-Identifier: Apache-2.0
"""What ranges are found on, and what accuracy is measured on: items with labels, drawn once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..batch_inference.items import Item
from ..batch_inference.pipeline import decoded_batches
from ..batch_inference.reading import Array
from ..batch_inference.runner import Runner
from ..core.base.errors import ArgumentError, MXNetError
from ..predictor.picture import Picture

__all__ = ["Batch", "Samples", "drawn"]

_MOST_LISTED = 20  # failures


class Batch(NamedTuple):
    """Items that are run at once.

    Attributes:
        values: (rows, …), as the model takes them; behind the items, the last one again where the
            model takes no other number of rows.
        n_items: how many of the rows are items.
    """

    values: Array
    n_items: int


@dataclass
class Samples:
    """Items that are read again for each pass over them, so that memory is bounded.

    Attributes:
        items: in order.
        runner: tells what fits the model, and how many it takes at once.
        picture: how an image becomes an array.
        failures: why items could not be read, by name: the first ones.
        n_failed: how many there were.
    """

    items: Sequence[Item]
    runner: Runner
    picture: Picture
    failures: dict[str, str] = field(default_factory=dict)
    n_failed: int = 0

    def __len__(self) -> int:
        return len(self.items)

    @property
    def labels(self) -> Array | None:
        """Numbers of classes; None where any is unknown."""
        labels = [item.label for item in self.items]
        return None if None in labels else np.array(labels, np.float64)

    def batches(self) -> Iterator[Batch]:
        """All items that can be read."""
        for batch in decoded_batches(self.items, self.runner, self.picture):
            rows = [value for _, value in batch if not isinstance(value, str)]
            if rows:
                more = [rows[-1]] * ((self.runner.fixed or 0) - len(rows))
                values = np.concatenate([*rows, *more]).astype(np.float32, copy=False)
                yield Batch(values, len(rows))

    def settle(self, advance: Callable[[int], object]) -> None:
        """Reads all items once, and leaves out those that cannot be read or do not fit.

        Raises:
            MXNetError: none can be read.
        """
        kept: list[Item] = []
        for batch in decoded_batches(self.items, self.runner, self.picture):
            for item, value in batch:
                if isinstance(value, str):
                    self.n_failed += 1
                    if len(self.failures) < _MOST_LISTED:
                        self.failures[item.name] = value
                else:
                    kept.append(item)
            advance(len(kept) + self.n_failed)
        if not kept:
            name, reason = next(iter(self.failures.items()), ("--data", "no items"))
            raise MXNetError(
                f"quantize: none of {self.n_failed} items can be used: {name}: {reason}"
            )
        self.items = kept


def drawn(items: Iterable[Item], source: str, most: int, seed: int) -> list[Item]:
    """`most` of the items in random order, each as likely as any other; all if there are fewer.

    Args:
        items: they are gone through once, and no more than `most` are held.
        source: where they come from, for errors.
        most: how many to take.
        seed: of random numbers.

    Raises:
        ArgumentError: there are none.
    """
    rng = random.Random(seed)
    taken: list[Item] = []
    for number, item in enumerate(items):
        if len(taken) < most:
            taken.append(item)
        elif (place := rng.randrange(number + 1)) < most:
            taken[place] = item
    if not taken:
        raise ArgumentError(f"quantize: --data {source}: holds no images, records or arrays")
    rng.shuffle(taken)
    return taken
