# SPDX-License-Identifier: Apache-2.0
"""Batches, their descriptions, and the base of iterators over them."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.base.errors import ArgumentTypeError, AssertedError, shown
from ..core.base.html import table

if TYPE_CHECKING:
    from ..core.nd.array import NDArray

__all__ = ["DataBatch", "DataDesc", "DataIter"]


class DataDesc(namedtuple("DataDesc", ["name", "shape"])):
    """Name, shape, element type and layout of an array in each batch; a pair of the first two.

    Args:
        name: the name.
        shape: the shape.
        dtype: the element type.
        layout: what the axes are: a letter each, N for samples.

    Example:
        >>> mx.io.DataDesc("data", (20, 4)).shape
        (20, 4)
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


def described(desc: Any) -> DataDesc:
    """A description, of a pair of name and shape, too."""
    if isinstance(desc, DataDesc):
        return desc
    if isinstance(desc, (tuple, list)) and 2 <= len(desc) <= 4:
        return DataDesc(*desc)
    raise ArgumentTypeError(
        f"shapes of a module: {shown(desc)} among them: each must be a DataDesc or a pair of name "
        "and shape, such as [('data', (32, 10))]"
    )


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

    Example:
        >>> batch = mx.io.DataBatch([mx.nd.ones((2, 3))], pad=0)
        >>> batch.data[0].shape
        (2, 3)
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
        self.data: list[NDArray] | Any = data
        self.label: list[NDArray] | Any = label
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

    Example:
        >>> batches = mx.io.NDArrayIter(mx.nd.ones((5, 2)), mx.nd.zeros(5), batch_size=2)
        >>> [batch.pad for batch in batches]
        [0, 0, 1]
    """

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> DataIter:
        return self

    def _repr_html_(self) -> str:
        described = [
            [kind, one.name, str(one.shape), np.dtype(one.dtype).name]
            for kind in ("data", "label")
            for one in getattr(self, f"provide_{kind}", None) or ()
        ]
        caption = f"{type(self).__name__}, batches of {self.batch_size}"
        return table(caption, ["", "name", "shape", "dtype"], described)

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
        """Advance to the next batch; returns whether there is one."""

    def getdata(self) -> Any:
        """Arrays of data of this batch."""

    def getlabel(self) -> Any:
        """Arrays of labels of this batch."""

    def getindex(self) -> Any:
        """Return the indices of the samples of this batch, or None if they are unknown."""
        return None

    def getpad(self) -> Any:
        """Return the number of padding samples at the end of this batch."""
