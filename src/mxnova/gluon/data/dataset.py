# SPDX-License-Identifier: Apache-2.0
"""Datasets: what has a length, and an element at each index below it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, cast

from mxnova import ndarray as nd
from mxnova.core.base.errors import ArgumentTypeError, AssertedError, argument_error
from mxnova.recordio import MXIndexedRecordIO

from ...core.base.doors import facade
from . import sampler as _sampler

__all__ = ["ArrayDataset", "Dataset", "RecordFileDataset", "SimpleDataset"]


class Dataset:
    """The base of datasets: subclasses define `__getitem__` and `__len__`.

    Example:
        >>> dataset = mx.gluon.data.SimpleDataset([1, 2, 3]).transform(lambda x: x * 10)
        >>> dataset[1]
        20
    """

    _no_doors = ("__getitem__", "__len__")  # a DataLoader asks for each sample

    def __getitem__(self, idx: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no __getitem__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} has no __len__")

    def filter(self, fn: Callable[[Any], Any]) -> Dataset:
        """Return the elements for which `fn` is true; `fn` is applied to all of them at once."""
        return _SampledDataset(self, _sampler.FilterSampler(fn, cast(Sequence[Any], self)))

    def shard(self, num_shards: int, index: int) -> Dataset:
        """Return shard `index` of `num_shards` contiguous shards; the first ones are larger.

        Raises:
            AssertedError: `index` is not one of the parts.
        """
        if num_shards < 1:
            raise _asserted("shard", "num_shards", num_shards, "must be >= 1")
        if not 0 <= index < num_shards:
            raise _asserted("shard", "index", index, f"must be from 0 to {num_shards - 1}")
        size, larger = divmod(len(self), num_shards)
        start = size * index + min(index, larger)
        length = size + (index < larger)
        return _SampledDataset(self, _sampler.SequentialSampler(length, start))

    def take(self, count: int | None) -> Dataset:
        """Return the first `count` elements, or all if there are fewer or `count` is None."""
        length = len(self) if count is None else min(count, len(self))
        return _SampledDataset(self, _sampler.SequentialSampler(length))

    def sample(self, sampler: _sampler.Sampler) -> Dataset:
        """Return the elements at the indices that `sampler` yields now, in its order.

        Raises:
            ArgumentTypeError: `sampler` is no Sampler.
        """
        if not isinstance(sampler, _sampler.Sampler):
            raise ArgumentTypeError(
                f"sample: sampler is a {type(sampler).__name__}, must be a gluon.data.Sampler"
            )
        return _SampledDataset(self, sampler)

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> Dataset:
        """Return a dataset that applies `fn` to each element; a tuple is passed as arguments.

        Args:
            fn: what is called.
            lazy: call it when an element is asked for, each time; otherwise now, for all.
        """
        changed = _LazyTransformDataset(self, fn)
        return changed if lazy else SimpleDataset([changed[i] for i in range(len(changed))])

    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> Dataset:
        """`transform` of each element's first part; the others (a label, say) stay."""
        return self.transform(_TransformFirstClosure(fn), lazy)


def _asserted(function: str, name: str, value: object, reason: str) -> AssertedError:
    return AssertedError(str(argument_error(function, name, value, reason)))


class SimpleDataset(Dataset):
    """A list, or anything else with a length and elements, as a dataset.

    Args:
        data: a sequence of samples.

    Example:
        >>> dataset = mx.gluon.data.SimpleDataset([1, 2, 3]).transform(lambda x: x * 10)
        >>> dataset[1]
        20
    """

    def __init__(self, data: Sequence[Any]):
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: int) -> Any:
        return self._data[idx]


class _LazyTransformDataset(Dataset):
    """What `fn` makes of each element of `data`, when asked for."""

    def __init__(self, data: Any, fn: Callable[..., Any]):
        self._data = data
        self._fn = fn

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: int) -> Any:
        item = self._data[idx]
        return self._fn(*item) if isinstance(item, tuple) else self._fn(item)


class _TransformFirstClosure:
    """`fn` applied to the first argument; an object, since functions inside others don't pickle."""

    def __init__(self, fn: Callable[[Any], Any]):
        self._fn = fn

    def __call__(self, x: Any, *args: Any) -> Any:
        return (self._fn(x), *args) if args else self._fn(x)


class _SampledDataset(Dataset):
    """The elements of `dataset` at the indices of `sampler`."""

    def __init__(self, dataset: Any, sampler: _sampler.Sampler):
        self._dataset = dataset
        self._sampler = sampler
        self._indices = list(sampler)

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: int) -> Any:
        return self._dataset[self._indices[idx]]


class _FilteredDataset(_SampledDataset):
    """The elements of `dataset` for which `fn` is true."""

    def __init__(self, dataset: Any, fn: Callable[[Any], Any]):
        super().__init__(dataset, _sampler.FilterSampler(fn, dataset))


class ArrayDataset(Dataset):
    """Arrays of the same length side by side: an element is a tuple, of one array its element.

    Args:
        *args: arrays or lists. Elements of an NDArray with one axis are NumPy's numbers.

    Raises:
        AssertedError: there is no array, or lengths differ.

    Example:
        >>> dataset = mx.gluon.data.ArrayDataset([1, 2, 3], [10, 20, 30])
        >>> dataset[1]
        (2, 20)
    """

    def __init__(self, *args: Any):
        if not args:
            raise AssertedError("ArrayDataset: no array was given, at least one is needed")
        self._length = len(args[0])
        self._data: list[Any] = []
        for i, data in enumerate(args):
            if len(data) != self._length:
                raise AssertedError(
                    f"ArrayDataset: array 0 has length {self._length}, array {i} {len(data)}"
                )
            is_flat = isinstance(data, nd.NDArray) and len(data.shape) == 1
            self._data.append(data.asnumpy() if is_flat else data)

    def __getitem__(self, idx: int) -> Any:
        if len(self._data) == 1:
            return self._data[0][idx]
        return tuple(data[idx] for data in self._data)

    def __len__(self) -> int:
        return self._length


class RecordFileDataset(Dataset):
    """The records of a RecordIO file, as bytes.

    Args:
        filename: path of the ``.rec`` file; the index lies beside it, as ``.idx``.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data")
        >>> records = mx.recordio.MXIndexedRecordIO(path + ".idx", path + ".rec", "w")
        >>> for i, record in enumerate([b"first", b"second"]):
        ...     records.write_idx(i, record)
        >>> records.close()
        >>> dataset = mx.gluon.data.RecordFileDataset(path + ".rec")
        >>> len(dataset), dataset[1]
        (2, b'second')
    """

    def __init__(self, filename: str | os.PathLike[str]):
        self.filename = os.fspath(filename)
        self.idx_file = os.path.splitext(self.filename)[0] + ".idx"
        self._record = MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __getitem__(self, idx: int) -> Any:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)


class _DownloadedDataset(Dataset):
    """Two arrays that `_get_data` of a derived class reads from files in `root`.

    Args:
        root: folder of the files; it is made.
        transform: what is called with the data and label of an element; or None.
    """

    _data: Any
    _label: Any

    def __init__(self, root: str | os.PathLike[str], transform: Callable[..., Any] | None):
        self._transform = transform
        self._root = os.path.expanduser(root)
        self._data = self._label = None
        os.makedirs(self._root, exist_ok=True)
        self._get_data()

    def __getitem__(self, idx: int) -> Any:
        item = self._data[idx], self._label[idx]
        return item if self._transform is None else self._transform(*item)

    def __len__(self) -> int:
        return len(self._label)

    def _get_data(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _get_data")


facade(__name__)
