# SPDX-License-Identifier: Apache-2.0
"""SyncStore: values that all workers have, each updated once by the sum of what all push."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...core.base.errors import ArgumentError, MXNetError
from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.nd.wrapping import receive, view_of, wrap
from ...core.runtime.context import cpu
from ...core.runtime.engine import FnProperty, engine
from ...optimizer import Updater
from ..devices import total_of
from ..keys import Groups, Key
from ..local import LocalStore
from .dense import Bucket, Gathering, Part, Summing, buckets
from .layout import Layout, works_by_elements
from .links import Links

__all__ = ["SyncStore"]


class SyncStore(LocalStore):
    """Values by key, the same in each worker.

    Every worker makes the same calls, in the same order, with arrays of the same shapes and types.
    Whoever owns a share of a key sums it up and updates it, in the thread of the call, which
    returns then; the engine sees to it that all get the new values.

    Args:
        type: its name.
        links: to the other workers.
    """

    def __init__(self, type: str, links: Links) -> None:
        super().__init__(type)
        self.links = links
        self.rank, self.num_workers = links.rank, links.size
        self._layout: tuple[Any, Layout] | None = None

    # Values in -----------------------------------------------------------------------------------

    def init(self, groups: Groups) -> None:
        """Makes keys with the first worker's values; all of them or none.

        Raises:
            MXNetError: a key is there already, or given twice, or keys of the other kind are; or
                workers give other keys, shapes or types.
        """
        with self._same("init", groups):
            self._check_init(groups)
        made: dict[Key, Any] = {key: values[0].copyto(cpu(0)) for key, values in groups.items()}
        tensors = [array._target for array in made.values()]
        if self.rank == 0:
            self.links.exchange("init", self.links.next_tag(), self.links.to_all(tensors), {})
        else:
            self.links.exchange("init", self.links.next_tag(), {}, {0: tensors})
        self._values |= made

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
        totals = {k: total_of(v, cpu(0)) for k, v in groups.items() if v}
        gradients = {key: total._tensor.contiguous() for key, total in totals.items()}
        layout = self._current_layout()
        begun = [
            (bucket, Summing(self.links, bucket, gradients))
            for bucket in buckets(layout, gradients)
        ]
        for bucket, summing in begun:
            self._apply(summing.totals())
            self._hand_on(bucket, outs, priority)
        self._count_others(totals, layout)
        rest = {key: arrays for key, arrays in outs.items() if key not in totals}
        self.pull(rest, priority, ignore_sparse=True)

    def _current_layout(self) -> Layout:
        """Who owns what; decided anew for a new updater, which has no states yet."""
        if self._layout is None or self._layout[0] is not self.updater:
            slices = works_by_elements(self.updater)
            self._layout = (self.updater, Layout(self.links.size, slices))
        return self._layout[1]

    def _apply(self, totals: Any) -> None:
        """Updates what this worker owns with its sums."""
        updates = []
        for part, total in totals:
            value = self._values[part.key]
            if self.updater is None:
                part.of(value._target).copy_(total.view(-1))
            else:
                updates.append((part.key, wrap(total, cpu(0)), _share_of(value, part)))
        if updates:
            self._update(updates)

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

    def _count_others(self, totals: Mapping[Key, Any], layout: Layout) -> None:
        """Counts the updates that others have made, for schedules of learning rates."""
        if not isinstance(self.updater, Updater):
            return
        for key in totals:
            shares = layout.shares(key, self._values[key].shape)
            if all(share.owner != self.rank for share in shares):
                self.updater.optimizer._update_count(key)

    # Workers -------------------------------------------------------------------------------------

    def barrier(self) -> None:
        """Returns when all workers have come here."""
        self.links.agree("barrier", [])

    # Checks --------------------------------------------------------------------------------------

    @contextmanager
    def _same(self, call: str, groups: Groups) -> Iterator[None]:
        """A block that checks a call, and has to succeed on all workers with the same arguments."""
        try:
            yield
        except MXNetError as error:
            try:
                self.links.agree("error", str(error))
            except MXNetError:
                if self.links.fault is not None:
                    raise
            raise
        self.links.agree(call, self._described(groups))

    def _described(self, groups: Groups) -> list[Any]:
        update = self.updater
        name = type(update.optimizer).__name__ if isinstance(update, Updater) else str(bool(update))
        of_keys: list[Any] = [
            [key, list(v[0].shape), v[0].dtype.__name__, v[0].stype] if v else [key]
            for key, v in groups.items()
        ]
        return [*of_keys, f"updater: {name}"]

    def _check_push(self, groups: Groups) -> None:
        super()._check_push(groups)
        for key, values in groups.items():
            stored = self._values[key]
            for value in values[:1]:
                if value._raw.dtype is not stored._raw.dtype:
                    raise ArgumentError(
                        f"KVStore.push: value of key {key!r}: is {value.dtype.__name__}, the key "
                        f"{stored.dtype.__name__}"
                    )


def _share_of(value: NDArray, part: Part) -> NDArray:
    """A share of a value as an array over the same memory."""
    if part.share.shape == value.shape:
        return value
    return view_of(value, part.of(value._raw).view(part.share.shape))
