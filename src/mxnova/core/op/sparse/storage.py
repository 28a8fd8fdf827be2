# SPDX-License-Identifier: Apache-2.0
"""Sparse storage as kernels see it: tensors of stored values and where they belong.

`Csr` is a matrix stored by rows, `RowSparse` an array of which only some rows are stored. Both are
plain records, whose parts are never replaced: a kernel takes them where an input is sparse, and
gives them where its output is.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ...base.errors import MXNetError, argument_error, from_foreign
from ...base.shapes import shape_text
from ...runtime import tuning
from ...runtime.torch_api import sparse_parts
from ..zeros import zeros
from .indices import differs_from_zero, found_among, grouped, nonzero, put_rows, rising

__all__ = [
    "STORAGE",
    "Csr",
    "RowSparse",
    "Sparse",
    "Value",
    "broken",
    "cast_storage",
    "dense_of",
    "empty_sparse",
    "parts_of",
    "rows_of",
    "same_places",
    "sparse_of",
    "stype_of",
]


@dataclasses.dataclass(slots=True, eq=False)
class Csr:
    """A matrix of which row i has ``data[indptr[i]:indptr[i + 1]]`` at columns `indices` there."""

    data: Tensor
    indptr: Tensor
    indices: Tensor
    shape: tuple[int, ...]

    stype: ClassVar[str] = "csr"

    @property
    def dtype(self) -> torch.dtype:
        """The element type."""
        return self.data.dtype

    @property
    def aux(self) -> tuple[Tensor, ...]:
        """The index arrays, in the order of MXNet's files."""
        return self.indptr, self.indices

    def rows(self) -> Tensor:
        """The row of each stored value."""
        if not self.data.is_cuda:  # a third of ATen's time
            starts = self.indptr.numpy()
            rows = np.arange(self.shape[0]).repeat(starts[1:] - starts[:-1])
            return torch.from_numpy(rows)
        numbers = torch.arange(self.shape[0], device=self.data.device)
        return numbers.repeat_interleave(self.indptr.diff(), output_size=len(self.data))

    def places(self) -> Tensor:
        """The flat index, row · number of columns + column, of each stored value."""
        starts = torch.arange(self.shape[0], device=self.data.device) * self.shape[1]
        return starts.repeat_interleave(self.indptr.diff(), output_size=len(self.data)).add_(
            self.indices
        )

    def with_data(self, data: Tensor) -> Csr:
        """Other values in the same places."""
        return Csr(data, self.indptr, self.indices, self.shape)

    def clone(self) -> Csr:
        """A copy of all parts."""
        return Csr(self.data.clone(), self.indptr.clone(), self.indices.clone(), self.shape)

    def to(self, device: torch.device, dtype: torch.dtype) -> Csr:
        """A copy elsewhere, or of another type."""
        indptr, indices = [a.to(device, copy=True) for a in self.aux]
        return Csr(self.data.to(device, dtype, copy=True), indptr, indices, self.shape)

    def kept(self, where: Tensor) -> Csr:
        """Only the stored values for which `where` is true."""
        starts = torch.cat([self.indptr.new_zeros(1), where.cumsum(0)])[self.indptr]
        places = nonzero(where)
        return Csr(self.data[places], starts, self.indices[places], self.shape)

    def take(self, rows: Tensor) -> Csr:
        """The matrix of the given rows."""
        lengths = self.indptr.diff()[rows]
        starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
        # Where each value comes from: its place in its new row, behind the start of the old one.
        shift = (self.indptr[:-1][rows] - starts[:-1]).repeat_interleave(lengths)
        source = torch.arange(int(starts[-1]), device=rows.device) + shift
        return Csr(self.data[source], starts, self.indices[source], (len(rows), self.shape[1]))

    def dense(self) -> Tensor:
        """A dense tensor of the same values; OutOfMemoryError where there is no memory for it."""
        result = _dense_zeros(self)
        places = (self.rows(), self.indices.long())
        return result.index_put_(places, self.data, accumulate=True)

    @classmethod
    def of_dense(cls, dense: Tensor) -> Csr:
        """The storage of a matrix: what is not zero is stored."""
        if dense.dim() != 2:
            shown = shape_text(tuple(dense.shape))
            raise MXNetError(f"cast_storage: csr arrays have 2 dimensions; {shown} cannot be csr")
        flat = dense.reshape(-1)
        places = nonzero(flat)
        return cls.of_sorted(places, flat[places], tuple(dense.shape))

    @classmethod
    def of_places(cls, rows: Tensor, columns: Tensor, data: Tensor, shape: tuple[int, ...]) -> Csr:
        """The matrix with `data` at these places; values at one place are summed."""
        places = grouped(rows.long() * shape[1] + columns, shape[0] * shape[1])
        return cls.of_sorted(places.numbers, places.sums(data), shape)

    @classmethod
    def of_sorted(cls, places: Tensor, data: Tensor, shape: tuple[int, ...]) -> Csr:
        """The matrix with `data` at these places, which rise: row · number of columns + column."""
        height, width = shape[0], max(shape[1], 1)
        if height * tuning.SPARSE_SEARCH_MIN_RATIO < len(places):
            edges = torch.arange(height + 1, device=places.device) * width
            starts = torch.searchsorted(places, edges)
            edges = edges[:-1].repeat_interleave(starts.diff(), output_size=len(places))
            return cls(data, starts, places - edges, shape)
        rows = _quotients(places, width)
        # Counted, not searched for: 333,330 rows in 0.8 ms instead of 17.
        lengths = torch.bincount(rows, minlength=height)
        starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
        return cls(data, starts, places - rows * width, shape)

    @classmethod
    def of_torch(cls, tensor: Tensor) -> Csr:
        """The values of ATen's sparse tensor with two sparse dimensions."""
        (rows, columns), values = sparse_parts(tensor)
        return cls.of_places(rows, columns, values, tuple(tensor.shape))

    def to_torch(self) -> Tensor:
        """ATen's sparse tensor with these values."""
        places = torch.stack([self.rows(), self.indices.long()])
        _silence_notices()
        return torch.sparse_coo_tensor(places, self.data, self.shape, check_invariants=False)

    def to_torch_csr(self) -> Tensor:
        """ATen's CSR tensor over the same memory."""
        _silence_notices()
        return torch.sparse_csr_tensor(
            self.indptr, self.indices, self.data, self.shape, check_invariants=False
        )

    @classmethod
    def empty(cls, shape: tuple[int, ...], dtype: torch.dtype, device: Any) -> Csr:
        """A matrix of which nothing is stored."""
        if len(shape) != 2:
            raise MXNetError(f"csr arrays have 2 dimensions; {shape_text(shape)} cannot be csr")
        starts = torch.zeros(shape[0] + 1, dtype=torch.int64, device=device)
        return cls(torch.zeros(0, dtype=dtype, device=device), starts, starts[:0], shape)


@dataclasses.dataclass(slots=True, eq=False)
class RowSparse:
    """An array of which row ``indices[i]`` is ``data[i]``, and every other row zero."""

    data: Tensor
    indices: Tensor
    shape: tuple[int, ...]
    _whole: bool | None = None  # what `whole` has found out
    _rises: bool = False  # known by whoever made it

    stype: ClassVar[str] = "row_sparse"

    @property
    def dtype(self) -> torch.dtype:
        """The element type."""
        return self.data.dtype

    @property
    def aux(self) -> tuple[Tensor, ...]:
        """The index arrays, in the order of MXNet's files."""
        return (self.indices,)

    def with_data(self, data: Tensor) -> RowSparse:
        """Other values in the same rows, which may have another shape each."""
        shape = (self.shape[0], *data.shape[1:])
        return RowSparse(data, self.indices, shape, self._whole, self._rises)

    def clone(self) -> RowSparse:
        """A copy of all parts."""
        return self._copied(self.data.clone(), self.indices.clone())

    def to(self, device: torch.device, dtype: torch.dtype) -> RowSparse:
        """A copy elsewhere, or of another type."""
        data = self.data.to(device, dtype, copy=True)
        return self._copied(data, self.indices.to(device, copy=True))

    def _copied(self, data: Tensor, indices: Tensor) -> RowSparse:
        return RowSparse(data, indices, self.shape, self._whole, self._rises)

    @property
    def whole(self) -> bool:
        """Whether row i is ``data[i]``: all rows are stored, in order."""
        if self._whole is None:
            found = self.indices.shape[0] == self.shape[0] and self.rises
            self._whole = found
        return bool(self._whole)

    @property
    def rises(self) -> bool:
        """Whether each index is greater than the one before."""
        return self._rises or bool(self._whole) or rising(self.indices)

    def dense(self) -> Tensor:
        """A dense tensor of the same values; OutOfMemoryError where there is no memory for it."""
        return put_rows(_dense_zeros(self), self.indices, self.data)

    def take(self, rows: Tensor) -> Tensor:
        """The given rows, as a dense tensor."""
        if self.whole:
            return self.data.index_select(0, rows)
        stored = self.ordered()
        if not len(stored.indices):
            return stored.data.new_zeros(len(rows), *self.shape[1:])
        at, missing = stored.places(rows)
        taken = stored.data.index_select(0, at)
        return taken.index_fill_(0, missing, 0) if len(missing) else taken

    def places(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """(where in `data` the rows are, else 0; which of them are not stored), if indices rise."""
        if self.whole:
            return rows, rows[:0]
        return found_among(self.indices, rows, self.shape[0])

    def ordered(self) -> RowSparse:
        """The same array with ascending indices; only `sparse_retain` leaves them unsorted."""
        if self.rises:
            return self
        indices, order = self.indices.sort()
        return RowSparse(self.data[order], indices, self.shape)

    def canonical(self) -> RowSparse:
        """The same with indices that rise, each once; what goes to one row is summed."""
        if self.rises:
            return self
        return RowSparse.of_rows(self.indices, self.data, self.shape)

    def completed(self) -> RowSparse:
        """The same array with all rows stored; memory is allocated only for written rows."""
        if self.whole:
            return self
        data = zeros(self.shape, self.dtype, self.data.device)
        put_rows(data, self.indices, self.data)
        rows = torch.arange(self.shape[0], device=data.device)
        return RowSparse(data, rows, self.shape, True, True)

    @classmethod
    def of_dense(cls, dense: Tensor) -> RowSparse:
        """The storage of an array: rows that are not all zero are stored."""
        indices = nonzero(_any_of_row(dense))
        return cls(dense[indices], indices, tuple(dense.shape), _rises=True)

    @classmethod
    def of_rows(cls, indices: Tensor, data: Tensor, shape: tuple[int, ...]) -> RowSparse:
        """The array with `data` in the given rows; duplicate rows are summed."""
        rows = grouped(indices, shape[0])
        return cls(rows.sums(data), rows.numbers, shape, _rises=True)

    @classmethod
    def of_torch(cls, tensor: Tensor) -> RowSparse:
        """The rows of ATen's sparse tensor with one sparse dimension."""
        indices, data = sparse_parts(tensor)
        # A gradient that went to a leaf as it was is not known to be coalesced any more.
        made = cls(data, indices[0], tuple(tensor.shape), _rises=tensor.is_coalesced())
        return made.canonical()

    def to_torch(self) -> Tensor:
        """ATen's sparse tensor with these rows."""
        _silence_notices()
        return torch.sparse_coo_tensor(
            self.indices.unsqueeze(0),
            self.data,
            self.shape,
            is_coalesced=self.rises,  # not what `sparse_retain` leaves
            check_invariants=False,
        )

    @classmethod
    def empty(cls, shape: tuple[int, ...], dtype: torch.dtype, device: Any) -> RowSparse:
        """An array of which no row is stored."""
        data = torch.zeros((0, *shape[1:]), dtype=dtype, device=device)
        return cls(data, torch.zeros(0, dtype=torch.int64, device=device), shape)


Sparse = Csr | RowSparse
Value = Tensor | Csr | RowSparse
STORAGE: dict[str, type[Csr] | type[RowSparse]] = {"csr": Csr, "row_sparse": RowSparse}


class _Broken:
    """Sparse storage with contradictory indices: reading a part of it raises an error.

    Attributes:
        parts: the storage as it is.
        reason: what is wrong with it.
    """

    __slots__ = ()
    parts: Any
    reason: str

    def __init__(self, parts: Sparse, reason: str) -> None:
        object.__setattr__(self, "parts", parts)  # slots of the subclasses
        object.__setattr__(self, "reason", reason)

    def _refused(self) -> Any:
        raise MXNetError(self.reason)

    data = indptr = indices = _whole = _rises = property(_refused)
    shape = property(lambda self: self.parts.shape)
    dtype = property(lambda self: self.parts.dtype)


class _BrokenCsr(_Broken, Csr):
    __slots__ = ("parts", "reason")


class _BrokenRowSparse(_Broken, RowSparse):
    __slots__ = ("parts", "reason")


def broken(parts: Sparse, reason: str) -> Sparse:
    """The storage of parts that contradict each other: MXNetError(reason) when it is read."""
    return (_BrokenCsr if isinstance(parts, Csr) else _BrokenRowSparse)(parts, reason)


def parts_of(record: Sparse) -> Sparse:
    """The storage with its parts to be looked at, also where they are broken."""
    return record.parts if isinstance(record, _Broken) else record


def _any_of_row(dense: Tensor) -> Tensor:
    """Which slices along the first axis are not all zero."""
    stored = differs_from_zero(dense.reshape(len(dense), math.prod(dense.shape[1:]))).contiguous()
    # Eight at once: 9 ms instead of 23 for 16 million.
    if stored.numel() and stored.shape[1] % 8 == 0:
        stored = stored.view(torch.int64)
    return stored.any(1)


def _quotients(numbers: Tensor, divisor: int) -> Tensor:
    """``numbers // divisor``; NumPy multiplies instead, in a quarter of the time."""
    if numbers.is_cuda:
        return numbers // divisor
    return torch.from_numpy(numbers.numpy() // divisor)


def _dense_zeros(value: Sparse) -> Tensor:
    """Room for a dense copy: a few stored values may have a shape that no memory holds."""
    try:
        return value.data.new_zeros(value.shape)
    except RuntimeError as error:
        what = f"a dense copy of a {value.stype} array of shape {shape_text(value.shape)}"
        raise from_foreign(error, what) from None


@functools.cache
def _silence_notices() -> None:
    """Lets ATen warn, once and unheard, that its CSR tensors are in beta and not checked.

    PyTorch 2.11 says so of all sparse tensors, even where they ask not to be checked.
    """
    nothing = torch.zeros(0, dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.sparse_coo_tensor(nothing[None], nothing, (1,), check_invariants=False)
        torch.sparse_csr_tensor(nothing.new_zeros(2), nothing, torch.zeros(0), (1, 1))


def stype_of(value: Value) -> str:
    """``default``, ``csr`` or ``row_sparse``."""
    return value.stype if isinstance(value, (Csr, RowSparse)) else "default"


def dense_of(value: Value) -> Tensor:
    """The dense tensor of a value in any storage."""
    return value if isinstance(value, Tensor) else value.dense()


def rows_of(value: Value, rows: Tensor) -> Tensor:
    """Some rows of a value in any storage, as a dense tensor."""
    if isinstance(value, RowSparse):
        return value.take(rows)
    return dense_of(value).index_select(0, rows)


def empty_sparse(stype: str, shape: tuple[int, ...], dtype: torch.dtype, device: Any) -> Sparse:
    """Storage of type `stype` in which everything is zero."""
    return _storage_type(stype).empty(shape, dtype, device)


def cast_storage(value: Value, stype: str) -> Value:
    """Convert the values to storage type `stype`."""
    if stype == stype_of(value):
        return value
    if stype == "default":
        return dense_of(value)
    return _storage_type(stype).of_dense(dense_of(value))


def sparse_of(stype: str, data: Tensor, aux: Sequence[Tensor], shape: tuple[int, ...]) -> Sparse:
    """Storage of these parts; aux is (indptr, indices) or, for row_sparse, (indices,)."""
    if stype == "csr":
        indptr, indices = aux
        return Csr(data, indptr, indices, shape)
    return RowSparse(data, aux[0], shape)


def _storage_type(stype: str) -> type[Csr] | type[RowSparse]:
    if not isinstance(stype, str) or stype not in STORAGE:
        raise argument_error("cast_storage", "stype", stype, "must be default, csr or row_sparse")
    return STORAGE[stype]


def same_places(a: Sparse, b: Sparse) -> bool:
    """Whether both store the same places, in the same order."""
    return all(x is y or torch.equal(x, y) for x, y in zip(a.aux, b.aux, strict=True))
