# SPDX-License-Identifier: Apache-2.0
"""Iterators over the batches of other iterators: more or fewer of them, or ahead of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from ..core.base.errors import ArgumentError, AssertedError, UnknownNameError, shown
from ..core.runtime.threads import use_single_thread
from .batch import DataBatch, DataDesc, DataIter, described

__all__ = ["PrefetchingIter", "ResizeIter"]


class _OfBatches(DataIter):
    """An iterator that has its current batch at hand."""

    current_batch: DataBatch | None = None

    def _batch(self) -> DataBatch:
        if self.current_batch is None:
            raise ArgumentError(f"{type(self).__name__}: there is no batch before the first one")
        return self.current_batch

    def getdata(self) -> Any:
        """Arrays of data of this batch."""
        return self._batch().data

    def getlabel(self) -> Any:
        """Arrays of labels of this batch."""
        return self._batch().label

    def getindex(self) -> Any:
        """Numbers of the samples of this batch."""
        return self._batch().index

    def getpad(self) -> Any:
        """Return the number of padding samples at the end of this batch."""
        return self._batch().pad


class ResizeIter(_OfBatches):
    """An iterator with another number of batches: it stops early, or starts again.

    Args:
        data_iter: the iterator.
        size: number of batches.
        reset_internal: whether `reset` also resets that iterator.

    Example:
        >>> batches = mx.io.ResizeIter(mx.io.NDArrayIter(mx.nd.ones((4, 2)), batch_size=2), 3)
        >>> len(list(batches))
        3
    """

    def __init__(self, data_iter: Any, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.cur = 0
        self.provide_data = data_iter.provide_data
        self.provide_label = data_iter.provide_label
        if hasattr(data_iter, "default_bucket_key"):
            self.default_bucket_key = data_iter.default_bucket_key

    def reset(self) -> None:
        """Starts to count from 0."""
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        """Advance to the next batch; returns whether there is one."""
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True


class PrefetchingIter(_OfBatches):
    """The batches of iterators side by side, each taken in a thread while the last one is used.

    Args:
        iters: an iterator, or a list of such with as many batches each.
        rename_data: for each iterator, new names of its data by their old ones.
        rename_label: likewise for labels.

    Raises:
        AssertedError: there is no iterator, or not as many renamings as iterators.

    Example:
        >>> batches = mx.io.PrefetchingIter(mx.io.NDArrayIter(mx.nd.ones((4, 2)), batch_size=2))
        >>> len(list(batches))
        2
    """

    def __init__(self, iters: Any, rename_data: Any = None, rename_label: Any = None) -> None:
        self.iters = list(iters) if isinstance(iters, (list, tuple)) else [iters]
        self.n_iter = len(self.iters)
        if not self.iters:
            raise AssertedError(f"PrefetchingIter: iters={shown(iters)}: must not be empty")
        self.rename_data = self._checked("rename_data", rename_data)
        self.rename_label = self._checked("rename_label", rename_label)
        super().__init__(self.provide_data[0][1][0])
        self._pool = ThreadPoolExecutor(self.n_iter, "PrefetchingIter", use_single_thread)
        self._ask()

    def _checked(self, name: str, renamings: Any) -> Sequence[Mapping[str, str]] | None:
        if isinstance(renamings, Mapping):
            renamings = [renamings]
        if renamings is not None and len(renamings) != self.n_iter:
            text = f"{name}={shown(renamings)}: must be a dict for each of {self.n_iter} iterators"
            raise AssertedError(f"PrefetchingIter: {text}")
        checked: Sequence[Mapping[str, str]] | None = renamings
        return checked

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the data in a batch."""
        return _renamed([it.provide_data for it in self.iters], self.rename_data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the labels in a batch."""
        return _renamed([it.provide_label for it in self.iters], self.rename_label)

    def _ask(self) -> None:
        # Functions of the iterators alone: what waits in the pool must not keep this object.
        self._asked: list[Future[DataBatch | None]] = [
            self._pool.submit(_next_of, it) for it in self.iters
        ]

    def reset(self) -> None:
        """Start an epoch; prefetched batches are discarded."""
        wait(self._asked)
        for it in self.iters:
            it.reset()
        self._ask()

    def iter_next(self) -> bool:
        """Advance to the next batch; returns whether there is one.

        Raises:
            AssertedError: one of the iterators has more batches than another, or its last batch
                is padded otherwise.
        """
        batches = [asked.result() for asked in self._asked]
        there = [batch for batch in batches if batch is not None]
        if not there:
            return False
        pads = [batch.pad for batch in there]
        if len(there) < len(batches) or len(set(pads)) > 1:
            text = f"the iterators differ in length: {len(there)} of {len(batches)} have a batch"
            raise AssertedError(f"PrefetchingIter: {text}, with pads {pads}")
        self._ask()
        self.current_batch = self._side_by_side(there)
        return True

    def _side_by_side(self, batches: Sequence[DataBatch]) -> DataBatch:
        first = batches[0]
        return DataBatch(
            [array for batch in batches for array in batch.data],
            [array for batch in batches for array in batch.label or ()],
            first.pad,
            first.index,
            first.bucket_key,
            self.provide_data,
            self.provide_label,
        )

    def next(self) -> DataBatch:
        """The next batch.

        Raises:
            StopIteration: there is none.
        """
        if self.iter_next():
            return self._batch()
        raise StopIteration


def _next_of(iterator: Any) -> DataBatch | None:
    try:
        batch: DataBatch = iterator.next()
    except StopIteration:
        return None
    return batch


def _renamed(
    of_iterators: Sequence[Sequence[Any]], renamings: Sequence[Mapping[str, str]] | None
) -> list[DataDesc]:
    """Descriptions one after the other: as the iterators give them, or with new names."""
    if renamings is None:
        return [desc for descs in of_iterators for desc in descs or ()]
    found = []
    for i, (descs, names) in enumerate(zip(of_iterators, renamings, strict=True)):
        for desc in descs or ():
            if desc[0] not in names:
                text = f"{desc[0]!r} of iterator {i} has no new name among {shown(names)}"
                raise UnknownNameError(f"PrefetchingIter: {text}")
            full = described(desc)
            found.append(DataDesc(names[desc[0]], full.shape, full.dtype, full.layout))
    return found
