# SPDX-License-Identifier: Apache-2.0
"""A Gluon DataLoader as an iterator for Module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.base.doors import facade
from ..core.base.errors import ArgumentError
from ..core.nd.array import NDArray
from ..gluon.data import DataLoader
from ..io import DataBatch, DataDesc, DataIter
from ..ndarray import concat

__all__ = ["DataLoaderIter"]


class DataLoaderIter(DataIter):
    """Batches of a DataLoader that gives pairs of data and label.

    The last batch, where it is smaller, is filled up; `DataBatch.pad` says by how many samples.

    Args:
        loader: the DataLoader.
        data_name: name of the data.
        label_name: name of the labels.
        dtype: element type of both.
    """

    def __init__(
        self,
        loader: DataLoader,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._loader = loader
        self._batches: Iterator[Any] = iter(loader)
        first = next(self._batches, None)
        if not isinstance(first, (list, tuple)) or len(first) != 2:
            raise ArgumentError("DataLoaderIter: loader: must give pairs of data and label")
        data, label = first
        self.batch_size = data.shape[0]
        self.dtype = dtype
        self.provide_data = [DataDesc(data_name, data.shape, np.dtype(dtype))]
        self.provide_label = [DataDesc(label_name, label.shape, np.dtype(dtype))]
        self._current: tuple[NDArray, NDArray] | None = None
        self.reset()

    def reset(self) -> None:
        """Starts the DataLoader again."""
        self._batches = iter(self._loader)
        self._current = None

    def iter_next(self) -> bool:
        """Advance to the next batch; False at the end."""
        self._current = next(self._batches, None)
        return self._current is not None

    def next(self) -> DataBatch:
        """The next batch."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def _part(self, which: int) -> list[NDArray]:
        assert_current = self._current
        if assert_current is None:
            raise ArgumentError(
                "DataLoaderIter: there is no batch before iter_next() and at the end"
            )
        array = assert_current[which].astype(self.dtype)
        missing = self.batch_size - array.shape[0]
        if missing:
            copies = [array] * -(-self.batch_size // array.shape[0])
            array = concat(*copies, dim=0)[: self.batch_size]
        return [array]

    def getdata(self) -> list[NDArray]:
        """The data."""
        return self._part(0)

    def getlabel(self) -> list[NDArray]:
        """The labels."""
        return self._part(1)

    def getpad(self) -> int:
        """Return the number of padding samples in the batch."""
        return self.batch_size - self._current[0].shape[0] if self._current else 0

    def getindex(self) -> Any:
        """Numbers of samples, which a DataLoader does not tell."""


facade(__name__)
