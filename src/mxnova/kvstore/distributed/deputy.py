# SPDX-License-Identifier: Apache-2.0
"""Deputy: updates values for a program's Updater, in another thread and a while later.

The program may change its optimizer after each call, and look at its counts and rates: its own is
counted at the call, and what it was then goes along. The deputy's copy does the updates.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from ...optimizer import Optimizer, Updater
from ..keys import Key

__all__ = ["Deputy", "settings_at_call"]

Settings = Mapping[str, Any]

_NOTHING = object()
_COUNTS = ("num_update", "_index_update_count", "_all_index_update_counts")


def settings_at_call(optimizer: Optimizer, keys: Iterable[Key]) -> Settings:
    """Counts an update of some keys; returns all that the program has set, the rate decided."""
    optimizer._set_current_context(0)
    optimizer._update_count(list(keys))
    settings = {**vars(optimizer), "lr": optimizer.learning_rate, "lr_scheduler": None}
    for name in _COUNTS:
        del settings[name]
    return settings


class Deputy:
    """An Updater with the states of another one, and a copy of its optimizer.

    Args:
        updater: the program's.

    Attributes:
        updater: that works.
    """

    def __init__(self, updater: Updater) -> None:
        self._model = updater
        self.updater = copy.copy(updater)  # with the same states
        self.updater.optimizer = _copied(updater.optimizer)
        self._settings: Settings = {**vars(updater.optimizer)}

    def follow(self, settings: Settings) -> None:
        """Takes what a program had set when it made a call, and leaves what updates have changed.

        An attribute that the program has not set anew is the same object as before.
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
        """Counts updates that others have made."""
        self.updater.optimizer._update_count(list(keys))

    def report(self) -> None:
        """Gives the program's optimizer what updates have changed, such as Nadam's schedule."""
        theirs = vars(self._model.optimizer)
        for name, value in vars(self.updater.optimizer).items():
            if name not in _COUNTS and self._settings.get(name, _NOTHING) is not value:
                theirs[name] = value


def _copied(optimizer: Optimizer) -> Optimizer:
    """A copy with counts of its own; not what `__getstate__` leaves out."""
    made = object.__new__(type(optimizer))
    vars(made).update(vars(optimizer))
    made._all_index_update_counts = {
        device: dict(counts) for device, counts in optimizer._all_index_update_counts.items()
    }
    made._index_update_count = made._all_index_update_counts.setdefault(0, {})
    return made
