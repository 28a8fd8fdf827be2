# SPDX-License-Identifier: Apache-2.0
"""NDArrayIter: batches of arrays in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..core.base.errors import ArgumentError, AssertedError, shown
from ..ndarray.sparse import CSRNDArray
from .batch import DataDesc, DataIter
from .utils import _getdata_by_idx, _has_instance, _init_data

__all__ = ["NDArrayIter"]

_HANDLES = ("pad", "discard", "roll_over")


class NDArrayIter(DataIter):
    """An iterator over arrays.

    Args:
        data: an array, a list of arrays, or arrays by name; axis 0 is that of samples. The first
            tells how many there are; of longer arrays the end is left out.
        label: labels, likewise.
        batch_size: samples in a batch.
        shuffle: whether samples come in another order each time.
        last_batch_handle: a last batch that is not full is filled up with the first samples
            (``pad``), left out (``discard``), or put before the next time's (``roll_over``), which
            is an error where both together do not fill a batch.
        data_name: of an array of data without a name.
        label_name: of an array of labels without a name.
        layout: of the data.

    Raises:
        AssertedError: there are no data, or `last_batch_handle` is none of these.

    Example:
        >>> batches = mx.io.NDArrayIter(mx.nd.ones((5, 2)), mx.nd.zeros(5), batch_size=2)
        >>> [batch.pad for batch in batches]
        [0, 0, 1]
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
        self._order = np.arange(self.num_data)  # which given sample is where
        self._left_over = self._order[:0]  # the samples that are put before
        self.reset()

    def _check(self, last_batch_handle: str) -> None:
        lengths = {name: len(array) for name, array in [*self.data, *self.label]}
        if min(lengths.values()) < len(self.data[0][1]):
            raise ArgumentError(f"NDArrayIter: arrays are shorter than the first: {lengths}")
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
        """Start an epoch without the samples left over."""
        if self.shuffle:
            self._shuffle_data()
        self.cursor = -self.batch_size
        self._cache_data, self._cache_label = [], []
        self._left_over = self._order[:0]

    def reset(self) -> None:
        """Start an epoch, with the samples left over if `last_batch_handle` rolls over."""
        left = self.num_data - self.cursor
        if self.last_batch_handle == "roll_over" and 0 < left < self.batch_size:
            ends = self.cursor, self.num_data
            caches = [self._slices(arrays, *ends) for arrays in (self.data, self.label)]
            left_over = self._order[slice(*ends)]
            self.hard_reset()
            self.cursor -= left
            self._left_over = left_over
            self._cache_data, self._cache_label = caches
        else:
            self.hard_reset()

    def iter_next(self) -> bool:
        """Advance to the next batch; returns whether there is one.

        Raises:
            ArgumentError: the samples left over from the last epoch and those of this one do not
                fill a batch.
        """
        self.cursor += self.batch_size
        if self.last_batch_handle == "pad":
            return self.cursor < self.num_data
        if self.cursor + self.batch_size <= self.num_data:
            return True
        if self.cursor < 0:
            left = -self.cursor
            self.cursor -= self.batch_size
            raise ArgumentError(
                f"NDArrayIter: last_batch_handle='roll_over': {left} samples left over and the "
                f"{self.num_data} of an epoch do not fill a batch of {self.batch_size}: reduce "
                "batch_size, or use last_batch_handle='pad'"
            )
        return False

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
    def _slices(arrays: list[tuple[str, Any]], start: int, stop: int) -> list[Any]:
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
        self._order = self._order[self.idx]

    def state_dict(self) -> dict[str, Any]:
        """Where it stands: the order of the samples, and where in it this batch begins.

        Orders of later epochs follow from NumPy's generator.
        """
        return {
            "num_data": self.num_data,
            "cursor": self.cursor,
            "order": self._order.tolist() if self.shuffle else None,
            "idx": self.idx.tolist() if self.shuffle else None,
            "left_over": self._left_over.tolist(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state of an iterator over the same arrays, with the same parameters.

        Raises:
            ArgumentError: it is no such state.
        """
        order, idx, left_over = (self._checked(state, k) for k in ("order", "idx", "left_over"))
        cursor, n = state.get("cursor"), self.num_data
        if (
            state.get("num_data") != n
            or not isinstance(cursor, int)
            or not -2 * self.batch_size < cursor < n + self.batch_size
            or len(left_over) >= self.batch_size
        ):
            text = f"is no state of {n} samples in batches of {self.batch_size}"
            raise ArgumentError(f"NDArrayIter: {shown(state)} {text}")
        places = np.argsort(self._order)
        caches = [_getdata_by_idx(a, places[left_over]) for a in (self.data, self.label)]
        if self.shuffle:
            self.data, self.label = (
                _getdata_by_idx(arrays, places[order]) for arrays in (self.data, self.label)
            )
            self._order, self.idx = order, idx
        self._cache_data, self._cache_label = ([a for _, a in named] for named in caches)
        self.cursor, self._left_over = cursor, left_over

    def _checked(self, state: Mapping[str, Any], name: str) -> np.ndarray:
        """Numbers of samples out of a state, each at most once."""
        given, n = state.get(name), self.num_data
        if given is None and not self.shuffle and name != "left_over":
            return np.arange(n)
        if not isinstance(given, list) or not all(isinstance(i, int) and 0 <= i < n for i in given):
            raise ArgumentError(f"NDArrayIter: state[{name!r}]: must be numbers below {n}")
        numbers = np.array(given, np.int64)
        if len(np.unique(numbers)) < (len(numbers) if name == "left_over" else n):
            raise ArgumentError(f"NDArrayIter: state[{name!r}]: must have each number once")
        return numbers

    @property
    def data_list(self) -> list[Any]:
        """Arrays of data and labels."""
        return [array for _, array in [*self.data, *self.label]]


def _joined(first: list[Any], second: list[Any]) -> list[Any]:
    return [nd.concat(a, b, dim=0) for a, b in zip(first, second, strict=True)]
