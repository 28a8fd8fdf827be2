# SPDX-License-Identifier: Apache-2.0
"""Iterators over files of numbers, which are read as a whole: CSV, LibSVM, MNIST."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..core.base.errors import ArgumentError, FormatError, argument_error
from ..core.base.std_random import StdRandom
from ..formats.idx import parse_idx
from ..formats.source import read_file
from ..formats.text_tables import LibSVMTable, parse_csv, parse_libsvm
from .batch import DataBatch
from .mx_data_iter import MXDataIter
from .ordering import BatchOrder, part_of
from .parameters import CSV, MNIST, LibSVM, iterator

__all__ = ["CSVIter", "LibSVMIter", "MNISTIter"]

_log = logging.getLogger("mxnova")


class ArraySource:
    """Batches out of rows of data and labels.

    Args:
        order: which rows go into which batch.
        data: gives the array of such rows.
        label: gives the labels of such rows.
        numbered: whether batches say which rows they have.
    """

    def __init__(
        self,
        order: BatchOrder,
        data: Callable[[np.ndarray], Any],
        label: Callable[[np.ndarray], Any],
        numbered: bool = True,
    ) -> None:
        self._order, self._data, self._label, self._numbered = order, data, label, numbered

    def read(self) -> DataBatch | None:
        """The next batch, None after the last."""
        chosen = self._order.next()
        if chosen is None:
            return None
        rows, pad = chosen
        index = rows if self._numbered else np.zeros_like(rows)
        return DataBatch([self._data(rows)], [self._label(rows)], pad, index.astype(np.uint64))

    def rewind(self) -> None:
        """Starts from the beginning."""
        self._order.rewind()

    def close(self) -> None:
        """Nothing is open."""

    def state(self) -> dict[str, Any]:
        """The sample that the epoch began at."""
        return {"start": self._order.start}

    def restore(self, state: Mapping[str, Any], n_batches: int) -> None:
        """Goes on after `n_batches` of the epoch that began with `state`."""
        self._order.restore(state.get("start"), n_batches)


def _dense(rows: np.ndarray) -> Callable[[np.ndarray], Any]:
    return lambda chosen: nd.array(rows[chosen], dtype=rows.dtype)


def _read(path: str, parse: Callable[[bytes], Any]) -> Any:
    try:
        return parse(read_file(path))
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def _is_given(path: str) -> bool:
    return path not in ("", "NULL", "None")


# CSV ----------------------------------------------------------------------------------------------


@iterator(CSV)
def CSVIter(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802 - MXNet's name
    r"""Create an iterator over a CSV file, optionally with a label file.

    Raises:
        FormatError: a file has other lines than numbers, as many as their shape needs.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data.csv")
        >>> with open(path, "w") as file:
        ...     _ = file.write("1,2\n3,4\n")
        >>> batches = mx.io.CSVIter(data_csv=path, data_shape=(2,), batch_size=2)
        >>> next(batches).data[0].asnumpy()
        array([[1., 2.],
               [3., 4.]], dtype=float32)
    """
    dtype = params.dtype or "float32"
    if dtype not in ("float32", "int32", "int64"):
        raise argument_error("CSVIter", "dtype", dtype, "must be float32, int32 or int64")
    data = _csv(params.data_csv, params.data_shape, dtype)
    if _is_given(params.label_csv):
        labels = _csv(params.label_csv, params.label_shape, dtype)
        if len(labels) != len(data):
            text = f"{len(labels)} labels for {len(data)} samples in {params.data_csv}"
            raise FormatError(f"{params.label_csv}: {text}")
    else:
        labels = np.broadcast_to(np.zeros((), dtype), (len(data), *params.label_shape))
    if params.label_shape == (1,):
        labels = labels[:, 0]
    order = BatchOrder(len(data), params.batch_size, params.round_batch)
    return MXDataIter(ArraySource(order, _dense(data), _dense(labels)), **names)


def _csv(path: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    table: np.ndarray = _read(path, lambda text: parse_csv(text, dtype))
    if math.prod(shape) != table.shape[1]:
        text = f"lines of {table.shape[1]} numbers, where samples have the shape {shape}"
        raise FormatError(f"{path}: {text}")
    return table.reshape(len(table), *shape)


# LibSVM -------------------------------------------------------------------------------------------


@iterator(LibSVM)
def LibSVMIter(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802 - MXNet's name
    r"""An iterator over a LibSVM file; batches of data are CSR arrays.

    Labels stand in front of the data, or in a second file, whose rows become CSR arrays, too.

    Raises:
        FormatError: a file breaks the format, or has an index beyond its shape.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "data.libsvm")
        >>> with open(path, "w") as file:
        ...     _ = file.write("1 0:2.5\n0 2:1 3:4\n")
        >>> batch = next(mx.io.LibSVMIter(data_libsvm=path, data_shape=(4,), batch_size=2))
        >>> batch.data[0].stype, batch.label[0].asnumpy()
        ('csr', array([1., 0.], dtype=float32))
        >>> batch.data[0].asnumpy()
        array([[2.5, 0. , 0. , 0. ],
               [0. , 0. , 1. , 4. ]], dtype=float32)
    """
    if not params.round_batch:
        raise argument_error("LibSVMIter", "round_batch", False, "must be True")
    if params.dtype not in (None, "float32"):
        raise argument_error("LibSVMIter", "dtype", params.dtype, "must be float32")
    table = _libsvm(params.data_libsvm, params.data_shape, "data_shape")
    begin, end = _part_of_lines(params, table)
    label = _rows_of(table.labels, begin)
    if _is_given(params.label_libsvm):
        given = _libsvm(params.label_libsvm, params.label_shape, "label_shape")
        if len(given.labels) != len(table.labels):
            text = f"{len(given.labels)} rows, where {params.data_libsvm} has {len(table.labels)}"
            raise FormatError(f"{params.label_libsvm}: {text}")
        label = _sparse(given, params.label_shape[0], begin)
    order = BatchOrder(end - begin, params.batch_size, params.round_batch)
    return MXDataIter(
        ArraySource(order, _sparse(table, params.data_shape[0], begin), label), **names
    )


def _libsvm(path: str, shape: tuple[int, ...], name: str) -> LibSVMTable:
    if len(shape) != 1:
        raise argument_error("LibSVMIter", name, shape, "must be one number: that of columns")
    table: LibSVMTable = _read(path, lambda text: parse_libsvm(text, shape[0]))
    return table


def _part_of_lines(params: SimpleNamespace, table: LibSVMTable) -> tuple[int, int]:
    """The rows of a part: files are cut at bytes, and a line goes with the byte before it."""
    text = read_file(params.data_libsvm)
    cuts = part_of(len(text), params.num_parts, params.part_index, "LibSVMIter")
    n_lines = [text.count(b"\n", 0, cut) + 1 if cut else 0 for cut in cuts]
    begin, end = np.searchsorted(table.lines, n_lines, side="right")
    if begin == end:
        raise ArgumentError(f"LibSVMIter: part_index={params.part_index}: the part has no lines")
    return int(begin), int(end)


def _rows_of(values: np.ndarray, begin: int) -> Callable[[np.ndarray], Any]:
    return lambda chosen: nd.array(values[chosen + begin], dtype=values.dtype)


def _sparse(table: LibSVMTable, n_columns: int, begin: int) -> Callable[[np.ndarray], Any]:
    def batch(chosen: np.ndarray) -> Any:
        starts, ends = table.indptr[chosen + begin], table.indptr[chosen + begin + 1]
        indptr = np.concatenate([[0], np.cumsum(ends - starts)])
        places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], ends - starts)
        parts = (table.data[places], table.indices[places], indptr)
        return nd.sparse.csr_matrix(parts, shape=(len(chosen), n_columns), dtype=np.float32)

    return batch


# MNIST --------------------------------------------------------------------------------------------


@iterator(MNIST, ignored=("data_shape", "input_shape"))  # of MXNet's examples
def MNISTIter(params: SimpleNamespace, **names: Any) -> MXDataIter:  # noqa: N802 - MXNet's name
    """Create an iterator over MNIST files: float32 in [0, 1]; incomplete batches are dropped.

    LeCun, Cortes, Burges, "The MNIST database of handwritten digits", 1998.

    Example:
        >>> import os, struct, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> images, labels = os.path.join(folder, "images"), os.path.join(folder, "labels")
        >>> with open(images, "wb") as file:
        ...     _ = file.write(struct.pack(">4I", 2051, 2, 28, 28) + bytes(2 * 28 * 28))
        >>> with open(labels, "wb") as file:
        ...     _ = file.write(struct.pack(">2I", 2049, 2) + bytes([7, 3]))
        >>> batches = mx.io.MNISTIter(image=images, label=labels, batch_size=2, shuffle=False)
        >>> batch = next(batches)
        >>> batch.data[0].shape, batch.label[0].asnumpy()
        ((2, 1, 28, 28), array([7., 3.], dtype=float32))
    """
    if params.dtype not in (None, "float32"):
        raise argument_error("MNISTIter", "dtype", params.dtype, "must be float32")
    images = _read(params.image, lambda content: parse_idx(content, 3))
    labels = _read(params.label, lambda content: parse_idx(content, 1))
    if len(images) != len(labels):
        text = f"{len(labels)} labels for {len(images)} images in {params.image}"
        raise FormatError(f"{params.label}: {text}")
    part = _part_of_images(params, len(images))
    shape = (-1,) if params.flat else (1, *images.shape[1:])

    def data(chosen: np.ndarray) -> Any:
        pixels = images[part[chosen]].astype(np.float32) * np.float32(1 / 256)
        return nd.array(pixels.reshape(len(chosen), *shape))

    if not params.silent:
        _log.info("MNISTIter: %d images of %s", len(part), images.shape[1:])
    order = BatchOrder(len(part), params.batch_size, round_batch=False)
    source = ArraySource(order, data, lambda c: nd.array(labels[part[c]], dtype="float32"), False)
    return MXDataIter(source, **names)


def _part_of_images(params: SimpleNamespace, count: int) -> np.ndarray:
    """Numbers of the images of a part, in their order: as many as fill batches."""
    if params.part_index >= params.num_parts:
        part_of(count, params.num_parts, params.part_index, "MNISTIter")
    size = count // params.num_parts
    begin = params.part_index * size
    end = count if params.part_index == params.num_parts - 1 else begin + size
    part = np.arange(begin, end)
    if params.shuffle:
        StdRandom(params.seed).shuffle(part)
    part = part[: len(part) - len(part) % params.batch_size]
    if not len(part):
        text = f"there are {end - begin} images"
        raise ArgumentError(f"MNISTIter: batch_size={params.batch_size}: {text}")
    return part
