# SPDX-License-Identifier: Apache-2.0
"""UpdatePlan: where pushed gradients are summed up, and who updates the value, and by what.

The program may change its optimizer after a push, and read its counts and rates: its own counts the
update at the call, and a snapshot of its settings goes along. A replica of it makes the update.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from ... import optimizer as opt
from ...core.nd.array import NDArray
from ..compression import TwoBitCompression
from ..keys import Key
from ..local import call_updater
from .sharding import Shard, Sharding, whole

__all__ = ["COUNTS", "Reply", "Settings", "UpdatePlan", "Updates"]

_FEW = 2  # ranks for whom codes to every rank are fewer bits than codes to owners and sums back
_SMALL = 1 << 10  # bytes of a value whose gradient goes to every rank: one message instead of two


# Optimizers that update an element, or a row, by that element or row of the gradient alone.
_ELEMENTWISE = frozenset(
    {
        *(opt.SGD, opt.ccSGD, opt.NAG, opt.Signum, opt.DCASGD, opt.Test),
        *(opt.Adam, opt.Adamax, opt.FTML, opt.AdamW, opt.AdaBelief),
        *(opt.AdaGrad, opt.AdaDelta, opt.RMSProp, opt.Ftrl),
    }
)

# Optimizers with state that all keys share: Nadam's schedule, the last rate of LARS.
_SPANNING_KEYS = frozenset({opt.Nadam, opt.LARS})

# Optimizers whose updates are the same on every rank, in whatever order keys come. SGLD draws
# random numbers; those of users may do anything.
_DETERMINISTIC = _ELEMENTWISE | {opt.LAMB, opt.LANS, opt.LBSGD}


class Reply(Enum):
    """What the owner of a shard answers to a push."""

    VALUE = "value"  # the shard's new value
    SUM = "sum"  # the sum, by which each rank updates the whole value
    NOTHING = "nothing"  # every rank gets all gradients, and sums them up itself


class UpdatePlan:
    """How values are summed up and updated, while updater and compression stay the same.

    Args:
        updater: of the store.
        compression: of dense gradients.
        size: number of ranks.
        row_sharding: of row_sparse values.
        is_sync: whether values are updated by sums; otherwise owners update them by each push, with
            the program's own optimizer.

    Attributes:
        updates: what makes them of sums.
        signature: what all workers must have alike.
        sum_levels: the code of sums of compressed gradients.
    """

    def __init__(
        self,
        updater: Any,
        compression: TwoBitCompression | None,
        size: int,
        row_sharding: Sharding,
        is_sync: bool = True,
    ) -> None:
        self.updater, self.compression, self.is_sync = updater, compression, is_sync
        self._size, self._row_sharding = size, row_sharding
        kind = type(updater.optimizer) if isinstance(updater, opt.Updater) else None
        self._is_deterministic = is_sync and (updater is None or kind in _DETERMINISTIC)
        compresses = compression is not None and self._is_deterministic
        slices = compresses or updater is None or kind in _ELEMENTWISE
        self.spans_keys = kind in _SPANNING_KEYS
        owners = [0] if self.spans_keys else range(size)  # One owner keeps the order of keys.
        self._sharding = Sharding(owners, slices)
        self.updates = Updates(updater)
        optimizer = updater.optimizer if isinstance(updater, opt.Updater) else None
        self.signature = (
            f"updater: {type(optimizer).__name__ if optimizer else updater is not None}"
        )
        self.sum_levels: Any = None if compression is None else compression.levels.of_sums(size)
        if compression is not None:
            self.signature += f", threshold: {compression.threshold:g}"

    def place(self, values: Mapping[Key, NDArray]) -> None:
        """Decides who owns keys that are new, in their order, which is the same on all ranks."""
        for key, value in values.items():
            if value.stype == "default":
                self._sharding.shards(key, value.shape)

    def reply(self, value: NDArray) -> Reply:
        """What the owners of a value answer to a push.

        Ranks share the updates, unless these are the same on every rank and it is less to send
        gradients, or their sums in a few bits, than values.
        """
        if not self._is_deterministic or value.stype == "row_sparse":
            return Reply.VALUE
        if self.compression is not None:
            return Reply.NOTHING if self._size <= _FEW else Reply.SUM
        return Reply.NOTHING if value._raw.nbytes <= _SMALL else Reply.VALUE

    def shards(self, key: Key, value: NDArray) -> list[Shard]:
        """Who gets which part of a gradient."""
        if self.reply(value) is Reply.NOTHING:
            return [whole(rank, value.shape) for rank in range(self._size)]
        sharding = self._row_sharding if value.stype == "row_sparse" else self._sharding
        return sharding.shards(key, value.shape)

    def shards_of_states(self, key: Key, value: NDArray, rank: int) -> list[Shard]:
        """Who has the optimizer's states of a key, as `rank` sees it."""
        if self.reply(value) is Reply.VALUE:
            return self.shards(key, value)
        return [whole(rank, value.shape)]


# Updates ------------------------------------------------------------------------------------------

Settings = Mapping[str, Any]

_NOTHING = object()
COUNTS = ("num_update", "_index_update_count", "_all_index_update_counts")


class Updates:
    """Updates by an updater; those of an optimizer by its replica, which shares the states.

    Args:
        updater: the program's.
    """

    def __init__(self, updater: Any) -> None:
        self._original = self._updater = updater
        self._settings: Settings = {}
        self.reload()

    def reload(self) -> None:
        """Takes states and optimizer from the program's updater, which may have loaded them."""
        if isinstance(self._original, opt.Updater):
            optimizer = self._original.optimizer
            self._updater = copy.copy(self._original)  # with the same states
            self._updater.optimizer = object.__new__(type(optimizer))
            self._settings = dict(vars(optimizer))
            vars(self._updater.optimizer).update(self._settings)

    def snapshot(self, keys: Iterable[Key]) -> Settings | None:
        """Counts an update of some keys; returns the optimizer's settings for that.

        These are its attributes, with the rate of now and the counts of before.
        """
        if not isinstance(self._original, opt.Updater):
            return None
        optimizer = self._original.optimizer
        optimizer._set_current_context(0)
        before = dict(optimizer._index_update_count), optimizer.num_update
        optimizer._update_count(list(keys))
        settings = {**vars(optimizer), "lr": optimizer.learning_rate, "lr_scheduler": None}
        settings["_index_update_count"], settings["num_update"] = before
        return settings

    def make(
        self, updates: Sequence[tuple[Key, NDArray, NDArray]], settings: Settings | None
    ) -> None:
        """Updates values by sums.

        Args:
            updates: key, sum and value of each.
            settings: the snapshot of the call; what the program has not set since the one before
                stays as updates have made it.
        """
        if settings is not None:
            before, self._settings = self._settings, settings
            mine = vars(self._updater.optimizer)
            for name, value in settings.items():  # set by the program, or else the same object
                if name in COUNTS or before.get(name, _NOTHING) is not value:
                    mine[name] = value
            devices = (value.context.device_id for _, _, value in updates)
            counts = dict.fromkeys(devices, settings["_index_update_count"])
            mine["_all_index_update_counts"] = counts
        call_updater(self._updater, updates)

    def write_back(self) -> None:
        """Copies what updates have changed to the program's optimizer, such as Nadam's schedule."""
        if isinstance(self._original, opt.Updater):
            theirs = vars(self._original.optimizer)
            for name, value in vars(self._updater.optimizer).items():
                if name not in COUNTS and self._settings.get(name, _NOTHING) is not value:
                    theirs[name] = value
