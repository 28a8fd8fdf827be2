# SPDX-License-Identifier: Apache-2.0
"""Data iterators that cost nothing."""

from __future__ import annotations

from typing import Any

__all__ = ["DummyIter"]


class DummyIter:
    """An iterator without end that gives the first batch of another again and again.

    Args:
        real_iter: the other: with `provide_data`, `provide_label` and `batch_size`.
    """

    def __init__(self, real_iter: Any) -> None:
        self.real_iter = real_iter
        self.provide_data = real_iter.provide_data
        self.provide_label = real_iter.provide_label
        self.batch_size = real_iter.batch_size
        self.the_batch = next(iter(real_iter))

    def __iter__(self) -> DummyIter:
        return self

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        """The batch."""
        return self.the_batch

    def iter_next(self) -> bool:
        """Whether there is another batch: always."""
        return True

    def reset(self) -> None:
        """Back to the first batch, which is the only one."""

    def getdata(self) -> Any:
        """The batch's data."""
        return self.the_batch.data

    def getlabel(self) -> Any:
        """The batch's labels."""
        return self.the_batch.label

    def getindex(self) -> Any:
        """The numbers of the batch's examples."""
        return self.the_batch.index

    def getpad(self) -> Any:
        """How many examples fill the batch up."""
        return self.the_batch.pad
