# SPDX-License-Identifier: Apache-2.0
"""CSR and row_sparse arrays: stored values and indices; other operators see them densified."""

from __future__ import annotations

import logging
from typing import Any

import torch
from torch import Tensor

from ..base.errors import MXNetError, argument_error
from ..runtime.context import Context
from .array import NDArray, wrap
from .chunk import Chunk

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "RowSparseNDArray",
    "cast_storage",
    "empty_sparse",
    "sparse_array",
]

_log = logging.getLogger("mxnova")
_logged: set[type] = set()


class BaseSparseNDArray(NDArray):
    """What CSR and row_sparse arrays have in common."""

    __slots__ = ("_aux", "_shape", "_values")

    _values: Tensor
    _aux: tuple[Tensor, ...]
    _shape: tuple[int, ...]

    @property
    def _tensor(self) -> Tensor:  # type: ignore[override]
        if type(self) not in _logged:
            _logged.add(type(self))
            _log.info("an operator without a kernel for %s arrays runs on a dense copy", self.stype)
        return self.dense()

    def dense(self) -> Tensor:
        """A dense tensor of the same values."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of its axes."""
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements, stored or not."""
        return torch.Size(self._shape).numel()

    @property
    def dtype(self) -> Any:
        """Element type."""
        return self.data.dtype

    @property
    def data(self) -> NDArray:
        """The stored values."""
        return self._view_of(self._values)

    @property
    def indices(self) -> NDArray:
        """Columns (CSR) or rows (row_sparse) of the stored values."""
        return self._view_of(self._aux[-1])

    def _view_of(self, tensor: Tensor) -> NDArray:
        array = wrap(tensor, self.context)
        array._chunk = self._chunk
        return array

    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """The array with elements of `dtype`."""
        values = self.data.astype(dtype, copy)._tensor
        return sparse_array(self.stype, self._shape, values, self._aux, self.context)

    def copy(self) -> NDArray:
        """A copy on the same context."""
        aux = tuple(a.clone() for a in self._aux)
        return sparse_array(self.stype, self._shape, self._values.clone(), aux, self.context)

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Writes its values into `other`, or copies it to a context; returns the copy."""
        if isinstance(other, Context):
            device = other.device
            aux = tuple(a.to(device, copy=True) for a in self._aux)
            values = self._values.to(device, copy=True)
            return sparse_array(self.stype, self._shape, values, aux, other)
        if isinstance(other, BaseSparseNDArray) and other.stype == self.stype:
            other._take(self)
            return other
        return super().copyto(other)

    def _take(self, source: BaseSparseNDArray) -> None:
        if source._shape != self._shape:
            raise MXNetError(f"copyto: {self._shape} cannot take shape {source._shape}")
        device = self.context.device
        self._values = source._values.to(device, self._values.dtype, copy=True)
        self._aux = tuple(a.to(device, copy=True) for a in source._aux)

    def _receive(self, values: Tensor, giver: str) -> None:
        taken = cast_storage(wrap(values, self.context), self.stype)
        self._take(taken)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self._shape))
        return f"\n<{type(self).__name__} {sizes} @{self.context}>"

    def __reduce__(self) -> Any:
        return sparse_array, (self.stype, self._shape, self._values, self._aux, self.context)


class CSRNDArray(BaseSparseNDArray):
    """A matrix stored by rows: `data[indptr[i]:indptr[i+1]]` at columns `indices[…]` of row i."""

    __slots__ = ()
    stype = "csr"

    @property
    def indptr(self) -> NDArray:
        """Where each row starts in `data`; one more than there are rows."""
        return self._view_of(self._aux[0])

    def dense(self) -> Tensor:
        """A dense tensor of the same values."""
        indptr, columns = self._aux
        rows = torch.repeat_interleave(
            torch.arange(self._shape[0], device=columns.device), indptr.diff()
        )
        result = self._values.new_zeros(self._shape)
        return result.index_put_((rows, columns.long()), self._values, accumulate=True)


class RowSparseNDArray(BaseSparseNDArray):
    """An array of which only the rows `indices` are stored; the others are zero."""

    __slots__ = ()
    stype = "row_sparse"

    def dense(self) -> Tensor:
        """A dense tensor of the same values."""
        result = self._values.new_zeros(self._shape)
        result[self._aux[0].long()] = self._values
        return result


_CLASSES: dict[str, type[BaseSparseNDArray]] = {
    "csr": CSRNDArray,
    "row_sparse": RowSparseNDArray,
}


def sparse_array(
    stype: str, shape: tuple[int, ...], values: Tensor, aux: tuple[Tensor, ...], context: Context
) -> BaseSparseNDArray:
    """The sparse array of these parts; aux is (indptr, indices) or, for row_sparse, (indices,)."""
    array: BaseSparseNDArray = object.__new__(_CLASSES[stype])
    array._values, array._aux, array._shape = values, aux, tuple(shape)
    array._chunk = Chunk(context)
    array._tracked = array._grad = None
    return array


def empty_sparse(
    stype: str, shape: tuple[int, ...], context: Context, dtype: torch.dtype
) -> BaseSparseNDArray:
    """A sparse array of zeros."""
    _refuse_unless_sparse(stype)
    device = context.device
    indices = torch.zeros(0, dtype=torch.int64, device=device)
    if stype == "row_sparse":
        values = torch.zeros((0, *shape[1:]), dtype=dtype, device=device)
        return sparse_array(stype, shape, values, (indices,), context)
    indptr = torch.zeros(shape[0] + 1, dtype=torch.int64, device=device)
    values = torch.zeros(0, dtype=dtype, device=device)
    return sparse_array(stype, shape, values, (indptr, indices), context)


def _refuse_unless_sparse(stype: str) -> None:
    if stype not in _CLASSES:
        raise argument_error("cast_storage", "stype", stype, "must be default, csr or row_sparse")


def cast_storage(array: NDArray, stype: str) -> NDArray:
    """The array stored as `stype`."""
    if stype == array.stype:
        return array
    dense = array.dense() if isinstance(array, BaseSparseNDArray) else array._tensor
    if stype == "default":
        return wrap(dense, array.context)
    _refuse_unless_sparse(stype)
    if stype == "row_sparse":
        rows = dense.flatten(1).ne(0).any(1) if dense.dim() > 1 else dense.ne(0)
        indices = rows.nonzero().flatten()
        return sparse_array(stype, array.shape, dense[indices], (indices,), array.context)
    if dense.dim() != 2:
        raise MXNetError(f"cast_storage: csr arrays have 2 dimensions, not {dense.dim()}")
    stored = dense.ne(0)
    indptr = torch.zeros(dense.shape[0] + 1, dtype=torch.int64, device=dense.device)
    indptr[1:] = stored.sum(1).cumsum(0)
    columns = stored.nonzero()[:, 1].contiguous()
    return sparse_array(stype, array.shape, dense[stored], (indptr, columns), array.context)
