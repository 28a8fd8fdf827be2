# SPDX-License-Identifier: Apache-2.0
"""MXDataIter: what MXNet's iterators over files are to programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..core.base.errors import ArgumentError, MXNetError, shown
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

    def state(self) -> dict[str, Any]:
        """What the running epoch began with, as numbers and texts."""

    def restore(self, state: Mapping[str, Any], n_batches: int) -> None:
        """Goes on after `n_batches` of the epoch that began with `state`."""


class MXDataIter(DataIter):
    """An iterator over the batches of a reader of files.

    Args:
        handle: the reader.
        data_name: of the data.
        label_name: of the labels.

    Attributes:
        provide_data: description of the data in a batch.
        provide_label: description of the labels.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data.csv")
        >>> with open(path, "w") as file:
        ...     _ = file.write("1,2")
        >>> batches = mx.io.CSVIter(data_csv=path, data_shape=(2,), batch_size=1)
        >>> isinstance(batches, mx.io.MXDataIter), batches.provide_data[0].shape
        (True, (1, 2))
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
        self._n_given = self._n_broken = (
            0  # batches of this epoch, and those that could not be read
        )
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
        self._n_given = self._n_broken = 0
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
        self._current = batch or self._read()
        self._n_given += self._current is not None
        return self._current is not None

    def _read(self) -> DataBatch | None:
        try:
            return self.handle.read()
        except MXNetError:
            self._n_given += 1
            self._n_broken += 1
            raise

    def state_dict(self) -> dict[str, Any]:
        """Where it stands: what the epoch began with, and batches that were given out since.

        Batches of which records were broken, which raised, are among them and counted.
        """
        return {
            "batches": self._n_given,
            "broken": self._n_broken,
            "batch_size": self.batch_size,
            "epoch": self.handle.state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state of an iterator with the same parameters.

        Raises:
            ArgumentError: it is no such state, or is about another batch size.
        """
        n, n_broken, epoch = (state.get(key) for key in ("batches", "broken", "epoch"))
        if (
            not (isinstance(n, int) and isinstance(n_broken, int) and 0 <= n_broken <= n)
            or not isinstance(epoch, Mapping)
            or state.get("batch_size") != self.batch_size
        ):
            text = f"{shown(state)} is no state of batches of {self.batch_size}"
            raise ArgumentError(f"MXDataIter: {text}")
        self.first_batch = self._current = None
        self._n_given, self._n_broken = n, n_broken
        self.handle.restore(epoch, n)
        if not n:
            self.first_batch = self.handle.read()  # `reset` shall not begin another epoch

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
