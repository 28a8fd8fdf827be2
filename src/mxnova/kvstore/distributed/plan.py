# SPDX-License-Identifier: Apache-2.0
"""Plan: who sums up and who updates, as long as updater and compression stay the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...core.nd.array import NDArray
from ...optimizer import Updater
from ..compression import TwoBitCompression
from ..keys import Key
from ..local import call_updater
from .deputy import Deputy, Settings, settings_at_call
from .layout import (
    Layout,
    Share,
    works_across_keys,
    works_by_elements,
    works_the_same_everywhere,
)

__all__ = ["Plan"]


class Plan:
    """How dense values are summed up and updated.

    Args:
        updater: of the store.
        compression: of the store.
        size: number of ranks.

    Attributes:
        everywhere: whether every rank updates all values by all sums, instead of what it owns:
            optimizers that need that, and compressed sums, which are smaller than values.
        layout: who sums up what, and unless `everywhere`, updates it.
    """

    def __init__(self, updater: Any, compression: TwoBitCompression | None, size: int) -> None:
        self.updater, self.compression = updater, compression
        compresses = compression is not None and works_the_same_everywhere(updater)
        self.everywhere = compresses or works_across_keys(updater)
        self.layout = Layout(range(size), slices=self.everywhere or works_by_elements(updater))
        self._deputy = Deputy(updater) if isinstance(updater, Updater) else None

    def place(self, values: Mapping[Key, NDArray]) -> None:
        """Decides about keys that are new, in their order, which is the same on all ranks."""
        for key, value in values.items():
            if value.stype == "default":
                self.layout.shares(key, value.shape)

    def shares(self, key: Key, shape: tuple[int, ...], rank: int) -> list[Share]:
        """Who has the states of a key, as `rank` sees it."""
        if self.everywhere:
            return [whole(rank, shape)]
        return self.layout.shares(key, shape)

    # Updates -------------------------------------------------------------------------------------

    def settings(self, keys: Iterable[Key]) -> Settings | None:
        """Counts an update of some keys; what the optimizer is at this call."""
        if self._deputy is None:
            return None
        return settings_at_call(self.updater.optimizer, keys)

    def update(
        self, updates: Sequence[tuple[Key, NDArray, NDArray]], settings: Settings | None
    ) -> None:
        """Updates values by sums.

        Args:
            updates: key, sum and value of each.
            settings: as they were at the call.
        """
        if self._deputy is None or settings is None:
            call_updater(self.updater, updates)
            return
        self._deputy.follow(settings)
        call_updater(self._deputy.updater, updates)

    def count(self, keys: Sequence[Key]) -> None:
        """Counts updates of keys that others own, for rates that depend on how many there were."""
        if self._deputy is not None:
            self._deputy.count(keys)

    def report(self) -> None:
        """Lets the program's optimizer know what updates have changed of it."""
        if self._deputy is not None:
            self._deputy.report()

    def begin_anew(self) -> None:
        """Takes states and optimizer from the program's updater, which has loaded them."""
        if self._deputy is not None:
            self._deputy = Deputy(self.updater)


def whole(rank: int, shape: tuple[int, ...]) -> Share:
    """All of a value, as a share of `rank`."""
    n = 1
    for size in shape:
        n *= size
    return Share(rank, 0, n, shape)
