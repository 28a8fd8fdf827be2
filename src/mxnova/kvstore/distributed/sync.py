# SPDX-License-Identifier: Apache-2.0
"""SyncStore: values that all workers have, each updated once by the sum of what all push."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor

from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.nd.wrapping import receive, view_of, wrap_value
from ...core.op.sparse.storage import RowSparse, dense_of
from ...core.runtime.context import cpu
from ...core.runtime.engine import FnProperty, engine
from ...optimizer import Updater
from ..keys import Groups, Key
from ..local import call_updater
from .dense import Bucket, Gathering, Part, Summing, buckets
from .layout import Layout, Share, works_by_elements
from .rows import own_sums
from .shared import SharedStore

__all__ = ["SyncStore"]

_AT_ONCE = 1 << 16  # bytes that take longer to be pushed to the engine than to come


class SyncStore(SharedStore):
    """Values by key, the same in each worker.

    Every worker makes the same calls, in the same order, with arrays of the same shapes and types.
    Whoever owns a share of a key sums it up and updates it, in the thread of the call, which
    returns then; the engine sees to it that all get the new values.
    """

    _layout: tuple[Any, Layout] | None = None

    # Values in -----------------------------------------------------------------------------------

    def push(self, groups: Groups, priority: int) -> None:
        """Sums up the values of each key over all workers, and updates the key with the sum.

        Raises:
            MXNetError: a key is not there, or values do not fit it, or workers differ: then nothing
                has changed. Or a worker is gone: then the store is of no use any more.
        """
        self._push("push", groups, {}, priority)

    def pushpull(self, pushed: Groups, pulled: Groups, priority: int) -> None:
        """`push` and `pull`, both or none; sparse arrays of `pulled` stay as they are."""
        self._push("pushpull", pushed, pulled, priority)

    def _push(self, call: str, groups: Groups, outs: Groups, priority: int) -> None:
        with self._same(call, groups):
            self._check_outs(call, outs)
            self._check_push(groups)
        with self.links.faults.ending():  # of an updater, for which the others would wait
            gradients = self._summed_up(groups, outs, priority)
        rest = {key: arrays for key, arrays in outs.items() if key not in gradients}
        self.pull(rest, priority, ignore_sparse=True)

    def _summed_up(self, groups: Groups, outs: Groups, priority: int) -> dict[Key, Any]:
        """Sums up, updates and hands on; returns what this worker has contributed."""
        gradients = self._gradients(groups)
        dense = {key: g for key, g in gradients.items() if isinstance(g, Tensor)}
        rows = {key: g for key, g in gradients.items() if key not in dense}
        begun = [
            (bucket, Summing(self.links, bucket, dense, self.compression))
            for bucket in buckets(self._current_layout(), dense)
        ]
        for bucket, summing in begun:
            self._apply(summing.totals())
            self._hand_on(bucket, outs, priority)
        self._push_rows(rows, outs, priority)
        self._count_others(gradients)
        self.owner.finish_round()
        return gradients

    def _current_layout(self) -> Layout:
        """Who owns what; decided anew for a new updater, which has no states yet."""
        if self._layout is None or self._layout[0] is not self.updater:
            slices = works_by_elements(self.updater)
            self._layout = (self.updater, Layout(range(self.links.size), slices))
        return self._layout[1]

    def _dense_shares(self, key: Key, shape: tuple[int, ...]) -> list[Share]:
        return self._current_layout().shares(key, shape)

    def _apply(self, totals: Iterable[tuple[Part, Any]]) -> None:
        """Updates what this worker owns of dense values with sums."""
        updates = []
        for part, total in totals:
            value = self._values[part.key]
            if self.updater is None:
                part.of(value._target).copy_(dense_of(total).view(-1))
            else:
                updates.append((part.key, wrap_value(total, cpu(0)), _share_of(value, part)))
        if updates:
            with self.owner.changed:
                call_updater(self.updater, updates)

    def _push_rows(self, totals: dict[Key, RowSparse], outs: Groups, priority: int) -> None:
        """Sums up rows, for values of either storage."""
        if not totals:
            return
        shares = {key: self._shares(key, self._values[key]) for key in totals}
        sums = own_sums(self.links, totals, shares)
        is_sparse = {key: self._values[key].stype == "row_sparse" for key in totals}
        own = [(part.key, wrap_value(s, cpu(0))) for part, s in sums if is_sparse[part.key]]
        self.owner.update(own)
        self._apply((part, total) for part, total in sums if not is_sparse[part.key])
        values = {key: self._values[key]._raw for key in totals if not is_sparse[key]}
        for bucket in buckets(self._current_layout(), values):
            self._hand_on(bucket, outs, priority)

    def _hand_on(self, bucket: Bucket, outs: Groups, priority: int) -> None:
        """Has the engine bring the new values of a bucket to all workers, and to `outs`."""
        arrays = {key: self._values[key] for key in bucket.keys}
        wanted = [
            (arrays[key], out)
            for key in bucket.keys
            for out in outs.get(key, ())
            if out.stype == "default"
        ]
        if not self.links.peers:
            for value, out in wanted:
                receive(out, value._value, "KVStore.pull")
            return
        values = {key: array._target for key, array in arrays.items()}
        gathering = Gathering(self.links, bucket, values)

        def finish() -> None:
            gathering.finish()
            for value, out in wanted:
                receive(out, value._value, "KVStore.pull")

        if sum(value.nbytes for value in values.values()) < _AT_ONCE:
            finish()
            return
        engine().push_sync(
            finish,
            cpu(0),
            (),
            [var_of(array) for array in (*arrays.values(), *(out for _, out in wanted))],
            FnProperty.CPU_PRIORITIZED,
            priority,
            "values of other workers",
            asynchronous=True,
        )

    def _count_others(self, keys: Iterable[Key]) -> None:
        """Counts the updates that others have made, for schedules of learning rates."""
        if not isinstance(self.updater, Updater):
            return
        for key in keys:
            shares = self._shares(key, self._values[key])
            if all(share.owner != self.rank for share in shares):
                self.updater.optimizer._update_count(key)


def _share_of(value: NDArray, part: Part) -> NDArray:
    """A share of a value as an array over the same memory."""
    if part.share.shape == value.shape:
        return value
    return view_of(value, part.of(value._raw).view(part.share.shape))
