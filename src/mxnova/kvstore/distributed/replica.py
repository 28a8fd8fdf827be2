# SPDX-License-Identifier: Apache-2.0
"""OptimizerReplica: a copy of a program's optimizer that makes its updates in the server's thread.

The program may change its optimizer after a push, and read its counts and rates: its own counts the
update at the call, and a snapshot of its settings goes along. The replica makes the update.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from ...optimizer import Updater
from ..keys import Key

__all__ = ["OptimizerReplica", "Settings", "snapshot"]

Settings = Mapping[str, Any]

_NOTHING = object()
_COUNTS = ("num_update", "_index_update_count", "_all_index_update_counts")


def snapshot(optimizer: Any, keys: Iterable[Key]) -> Settings:
    """Counts an update of some keys; returns the optimizer's attributes, with the rate of now."""
    optimizer._set_current_context(0)
    optimizer._update_count(list(keys))
    settings = {**vars(optimizer), "lr": optimizer.learning_rate, "lr_scheduler": None}
    for name in _COUNTS:
        del settings[name]
    return settings


class OptimizerReplica:
    """An Updater that shares the states of the program's, with an optimizer of its own.

    Args:
        updater: the program's.

    Attributes:
        updater: the one that makes updates.
    """

    def __init__(self, updater: Updater) -> None:
        self._original = updater
        self.updater = copy.copy(updater)  # with the same states
        self.updater.optimizer = _copied(updater.optimizer)
        self._settings: Settings = {**vars(updater.optimizer)}

    def follow(self, settings: Settings) -> None:
        """Takes the attributes that the program has set since the last snapshot.

        Others keep what updates have made of them. One that was not set is the same object.
        """
        before = self._settings
        if settings is before:
            return
        mine = vars(self.updater.optimizer)
        for name, value in settings.items():
            if before.get(name, _NOTHING) is not value:
                mine[name] = value
        self._settings = settings

    def count(self, keys: Iterable[Key]) -> None:
        """Counts updates that other ranks have made."""
        self.updater.optimizer._update_count(list(keys))

    def write_back(self) -> None:
        """Copies what updates have changed to the program's optimizer, such as Nadam's schedule."""
        theirs = vars(self._original.optimizer)
        for name, value in vars(self.updater.optimizer).items():
            if name not in _COUNTS and self._settings.get(name, _NOTHING) is not value:
                theirs[name] = value


def _copied(optimizer: Any) -> Any:
    """A copy with counts of its own; not what `__getstate__` leaves out."""
    made: Any = object.__new__(type(optimizer))
    vars(made).update(vars(optimizer))
    made._all_index_update_counts = {
        device: dict(counts) for device, counts in optimizer._all_index_update_counts.items()
    }
    made._index_update_count = made._all_index_update_counts.setdefault(0, {})
    return made
