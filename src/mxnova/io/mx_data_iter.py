# SPDX-License-Identifier: Apache-2.0
"""MXDataIter: what MXNet's iterators over files are to programs."""

from __future__ import annotations

from typing import Any, Protocol

from ..core.base.errors import ArgumentError
from .batch import DataBatch, DataDesc, DataIter

__all__ = ["BatchSource", "MXDataIter"]


class BatchSource(Protocol):
    """The source of batches of an MXDataIter, which reads and decodes."""

    def read(self) -> DataBatch | None:
        """The next batch, of one array of data and one of labels; None after the last."""

    def rewind(self) -> None:
        """Starts from the beginning."""

    def close(self) -> None:
        """Lets go of files and threads."""


class MXDataIter(DataIter):
    """An iterator over the batches of a reader of files.

    Args:
        handle: the reader.
        data_name: of the data.
        label_name: of the labels.

    Attributes:
        provide_data: description of the data in a batch.
        provide_label: description of the labels.
    """

    def __init__(
        self,
        handle: BatchSource,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **_: Any,
    ) -> None:
        super().__init__()
        self.handle = handle
        self._debug_skip_load = False
        self._current: DataBatch | None = None
        self.first_batch: DataBatch | None = handle.read()
        if self.first_batch is None:
            raise ArgumentError(f"{type(handle).__name__}: there is no batch to be had")
        data, label = self.first_batch.data[0], self.first_batch.label[0]
        self.provide_data = [DataDesc(data_name, data.shape, data.dtype)]
        self.provide_label = [DataDesc(label_name, label.shape, label.dtype)]
        self.batch_size = data.shape[0]

    def __del__(self) -> None:
        if "handle" in self.__dict__:
            self.handle.close()

    def debug_skip_load(self) -> None:
        """Return the first batch repeatedly, to time everything except reading."""
        self._debug_skip_load = True

    def reset(self) -> None:
        """Starts from the beginning; one that nothing was read of stays as it is."""
        if self.first_batch is not None:
            return  # what was read ahead may have reached the end, and begun the next epoch
        self._current = None
        self.handle.rewind()

    def next(self) -> DataBatch:
        """The next batch.

        Raises:
            StopIteration: there is none.
        """
        if self.iter_next():
            return self._batch()
        raise StopIteration

    def iter_next(self) -> bool:
        """Advance to the next batch; returns whether there is one."""
        if self._debug_skip_load and self._current is not None:
            return True
        batch, self.first_batch = self.first_batch, None
        self._current = batch or self.handle.read()
        return self._current is not None

    def _batch(self) -> DataBatch:
        if self._current is None:
            raise ArgumentError("MXDataIter: there is no batch: iter_next() has to say so first")
        return self._current

    def getdata(self) -> Any:
        """The array of data of this batch."""
        return self._batch().data[0]

    def getlabel(self) -> Any:
        """The array of labels of this batch."""
        return self._batch().label[0]

    def getindex(self) -> Any:
        """Numbers of the samples of this batch, as an array of NumPy."""
        return self._batch().index

    def getpad(self) -> int:
        """Return the number of padding samples at the end of this batch."""
        return self._batch().pad or 0
