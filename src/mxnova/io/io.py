# SPDX-License-Identifier: Apache-2.0
"""Batches, their descriptions, and iterators over them."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..core.base.errors import ArgumentError, AssertedError, shown
from ..ndarray.sparse import CSRNDArray
from .utils import _getdata_by_idx, _has_instance, _init_data

__all__ = ["DataBatch", "DataDesc", "DataIter", "NDArrayIter", "ResizeIter"]


class DataDesc(namedtuple("DataDesc", ["name", "shape"])):
    """Name, shape, element type and layout of an array in each batch; a pair of the first two.

    Args:
        name: the name.
        shape: the shape.
        dtype: the element type.
        layout: what the axes are: a letter each, N for samples.
    """

    dtype: Any
    layout: str | None

    def __new__(
        cls, name: str, shape: Any, dtype: Any = np.float32, layout: str | None = "NCHW"
    ) -> DataDesc:
        """The pair, with the two others as attributes."""
        desc = super().__new__(cls, name, shape)
        desc.dtype = dtype
        desc.layout = layout
        return desc

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """The axis of samples in a layout: that of N, 0 without a layout, -1 without an N."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(shapes: Sequence[Any], types: Sequence[Any] | None) -> list[DataDesc]:
        """Descriptions out of pairs of names and shapes, and of names and types."""
        if types is None:
            return [DataDesc(name, shape) for name, shape in shapes]
        by_name = dict(types)
        return [DataDesc(name, shape, by_name[name]) for name, shape in shapes]


class DataBatch:
    """A batch.

    Args:
        data: arrays of data.
        label: arrays of labels.
        pad: how many samples at the end are there for the shape alone.
        index: numbers of the samples.
        bucket_key: the bucket that it belongs to.
        provide_data: descriptions of the data.
        provide_label: descriptions of the labels.
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Any = None,
        provide_label: Any = None,
    ) -> None:
        for name, arrays in (("data", data), ("label", label)):
            if arrays is not None and not isinstance(arrays, (list, tuple)):
                raise AssertedError(f"DataBatch: {name}={shown(arrays)}: must be a list of arrays")
        self.data = data
        self.label = label
        self.pad = pad
        self.index = index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        shapes = [a and [x.shape for x in a] for a in (self.data, self.label)]
        return f"DataBatch: data shapes: {shapes[0]} label shapes: {shapes[1]}"


class DataIter:
    """The base of iterators over batches; it is its own iterator, from `reset` to its end.

    Args:
        batch_size: samples in a batch.
    """

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> DataIter:
        return self

    def reset(self) -> None:
        """Starts from the beginning."""

    def next(self) -> DataBatch:
        """The next batch.

        Raises:
            StopIteration: there is none.
        """
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def __next__(self) -> DataBatch:
        return self.next()

    def iter_next(self) -> Any:
        """Goes to the next batch; whether there is one."""

    def getdata(self) -> Any:
        """Arrays of data of this batch."""

    def getlabel(self) -> Any:
        """Arrays of labels of this batch."""

    def getindex(self) -> Any:
        """Numbers of the samples of this batch, None where nobody knows."""
        return None

    def getpad(self) -> Any:
        """How many samples at the end of this batch are there for the shape alone."""


class ResizeIter(DataIter):
    """An iterator with another number of batches: it stops early, or starts again.

    Args:
        data_iter: the iterator.
        size: number of batches.
        reset_internal: whether `reset` also resets that iterator.
    """

    def __init__(self, data_iter: Any, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.cur = 0
        self.current_batch: DataBatch | None = None
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
        """Goes to the next batch; whether there is one."""
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True

    def _batch(self) -> DataBatch:
        if self.current_batch is None:
            raise ArgumentError("ResizeIter: there is no batch before the first one")
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
        """How many samples at the end of this batch are there for the shape alone."""
        return self._batch().pad


_HANDLES = ("pad", "discard", "roll_over")


class NDArrayIter(DataIter):
    """An iterator over arrays.

    Args:
        data: an array, a list of arrays, or arrays by name; axis 0 is that of samples.
        label: labels, likewise.
        batch_size: samples in a batch.
        shuffle: whether samples come in another order each time.
        last_batch_handle: a last batch that is not full is filled up with the first samples
            (``pad``), left out (``discard``), or put before the next time's (``roll_over``).
        data_name: of an array of data without a name.
        label_name: of an array of labels without a name.
        layout: of the data.

    Raises:
        AssertedError: there are no data, or `last_batch_handle` is none of these.
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ) -> None:
        if batch_size < 1:
            raise ArgumentError(f"NDArrayIter: batch_size={batch_size}: must be positive")
        if last_batch_handle not in _HANDLES:
            what = f"must be one of {', '.join(_HANDLES)}"
            raise AssertedError(f"NDArrayIter: last_batch_handle={last_batch_handle!r}: {what}")
        super().__init__(batch_size)
        self.data = _init_data(data, False, data_name)
        self.label = _init_data(label, True, label_name)
        self._check(last_batch_handle)
        self.num_data = len(self.data[0][1])
        self.num_source = len(self.data) + len(self.label)
        self.idx = np.arange(self.num_data)
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.layout = layout
        self.cursor = -batch_size  # of the first sample of this batch
        self._cache_data: list[Any] = []  # what is put before the first samples
        self._cache_label: list[Any] = []
        self.reset()

    def _check(self, last_batch_handle: str) -> None:
        lengths = {name: len(array) for name, array in [*self.data, *self.label]}
        if len(set(lengths.values())) > 1:
            raise ArgumentError(f"NDArrayIter: arrays of different lengths: {lengths}")
        if _has_instance([*self.data, *self.label], CSRNDArray) and last_batch_handle != "discard":
            text = "takes CSR arrays with last_batch_handle='discard' only"
            raise NotImplementedError(f"NDArrayIter: {text}")

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the data in a batch."""
        return self._described(self.data, self.layout)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the labels in a batch."""
        return self._described(self.label, "NCHW")

    def _described(self, arrays: list[tuple[str, Any]], layout: str) -> list[DataDesc]:
        size = self.batch_size
        return [DataDesc(n, (size, *a.shape[1:]), a.dtype, layout) for n, a in arrays]

    def hard_reset(self) -> None:
        """Starts from the beginning, without what was left over."""
        if self.shuffle:
            self._shuffle_data()
        self.cursor = -self.batch_size
        self._cache_data, self._cache_label = [], []

    def reset(self) -> None:
        """Starts from the beginning, with what was left over where that rolls over."""
        left = self.num_data - self.cursor
        if self.last_batch_handle == "roll_over" and 0 < left < self.batch_size:
            caches = [self._slices(arrays, self.cursor) for arrays in (self.data, self.label)]
            self.hard_reset()
            self.cursor -= left
            self._cache_data, self._cache_label = caches
        else:
            self.hard_reset()

    def iter_next(self) -> bool:
        """Goes to the next batch; whether there is one."""
        self.cursor += self.batch_size
        if self.last_batch_handle == "pad":
            return self.cursor < self.num_data
        return self.cursor + self.batch_size <= self.num_data

    def getdata(self) -> list[Any]:
        """Arrays of data of this batch."""
        return self._batch(self.data, self._cache_data)

    def getlabel(self) -> list[Any]:
        """Arrays of labels of this batch."""
        return self._batch(self.label, self._cache_label)

    def _batch(self, arrays: list[tuple[str, Any]], left_over: list[Any]) -> list[Any]:
        start, stop = self.cursor, self.cursor + self.batch_size
        if stop <= 0 or start >= self.num_data:
            raise ArgumentError("NDArrayIter: there is no batch: iter_next() has to say so first")
        if start < 0:
            return _joined(left_over, self._slices(arrays, 0, stop))
        if stop <= self.num_data:
            return self._slices(arrays, start, stop)
        rows = np.arange(start, stop) % self.num_data
        return [array for _, array in _getdata_by_idx(arrays, rows)]

    @staticmethod
    def _slices(arrays: list[tuple[str, Any]], start: int, stop: int | None = None) -> list[Any]:
        return [
            a[start:stop] if isinstance(a, CSRNDArray) else nd.slice_axis(a, 0, start, stop)
            for _, a in arrays
        ]

    def getpad(self) -> int:
        """Samples at the end that are there for the shape alone; those left over, as in MXNet."""
        beyond = self.cursor + self.batch_size - self.num_data
        if self.last_batch_handle == "pad":
            return max(beyond, 0)
        if self.last_batch_handle == "roll_over" and -self.batch_size < self.cursor < 0:
            return -self.cursor
        return 0

    def _shuffle_data(self) -> None:
        np.random.shuffle(self.idx)
        self.data = _getdata_by_idx(self.data, self.idx)
        self.label = _getdata_by_idx(self.label, self.idx)

    @property
    def data_list(self) -> list[Any]:
        """Arrays of data and labels."""
        return [array for _, array in [*self.data, *self.label]]


def _joined(first: list[Any], second: list[Any]) -> list[Any]:
    return [nd.concat(a, b, dim=0) for a, b in zip(first, second, strict=True)]
