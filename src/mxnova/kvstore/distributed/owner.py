# SPDX-License-Identifier: Apache-2.0
"""Owner: the shares of values that live here alone, which other ranks ask for."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.nd.array import NDArray
from ...core.op.sparse.storage import RowSparse
from ...optimizer import Updater
from ..keys import Key
from ..local import Updater as UpdaterCall
from ..local import call_updater
from .rows import check_rows

__all__ = ["Owner"]


class Owner:
    """Shares by key, and what updates them; for one thread at a time.

    Attributes:
        updater: called with (key, sum, share); None: the sum becomes the share.
        n_rounds: how many calls have been done that all ranks make.
    """

    def __init__(self) -> None:
        self.updater: UpdaterCall | None = None
        self.n_rounds = 0
        self._gave_up = False
        self.changed = threading.Condition(threading.RLock())
        self._shares: dict[Key, NDArray] = {}

    def take(self, key: Key, share: NDArray) -> None:
        """Owns `share` from now on."""
        with self.changed:
            self._shares[key] = share

    def share(self, key: Any) -> NDArray:
        """The share of a key.

        Raises:
            MXNetError: it is not owned here.
        """
        share = self._shares.get(key)
        if share is None:
            raise MXNetError(f"key {key!r} is not owned here")
        return share

    def update(self, updates: Sequence[tuple[Key, NDArray]]) -> None:
        """Updates shares by sums."""
        with self.changed:
            if self.updater is None:
                for key, total in updates:
                    self.share(key)._target = total._value
            else:
                whole = [(key, total, self.share(key)) for key, total in updates]
                call_updater(self.updater, whole)

    def finish_rounds(self, n: int) -> None:
        """Counts calls that are done."""
        with self.changed:
            self.n_rounds += n
            self.changed.notify_all()

    def give_up(self) -> None:
        """Has nobody wait any more for calls to be done."""
        with self.changed:
            self._gave_up = True
            self.changed.notify_all()

    def wait_for(self, n_rounds: int) -> None:
        """Returns when so many calls are done; in a block with `changed`.

        Raises:
            MXNetError: the store has failed.
        """
        self.changed.wait_for(lambda: self.n_rounds >= n_rounds or self._gave_up)
        if self.n_rounds < n_rounds:
            raise MXNetError("the store has failed")

    # Answers -------------------------------------------------------------------------------------

    def rows(self, key: Any, rows: Tensor) -> tuple[bool, Tensor]:
        """Whether anything is stored of a row_sparse share, and some of its rows."""
        record = self._record(key)
        check_rows(key, rows, record.shape[0])
        return bool(len(record.indices)), record.take(rows)

    def stored(self, key: Any) -> RowSparse:
        """All rows of a row_sparse share that are stored."""
        return self._record(key)

    def _record(self, key: Any) -> RowSparse:
        record = self.share(key)._value
        if not isinstance(record, RowSparse):
            raise MXNetError(f"key {key!r} is not row_sparse")
        return record

    def states(self) -> Tensor:
        """The states of the optimizer, as bytes."""
        if not isinstance(self.updater, Updater):
            raise MXNetError("there is no optimizer")
        return torch.frombuffer(bytearray(self.updater.get_states()), dtype=torch.uint8)
