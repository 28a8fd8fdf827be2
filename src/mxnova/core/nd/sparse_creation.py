# SPDX-License-Identifier: Apache-2.0
"""Making sparse arrays from whatever holds matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..base.errors import ArgumentError, ArgumentTypeError, AssertedError, argument_error
from ..base.shapes import sizes_of
from ..op.dtypes import torch_dtype
from ..op.sparse.storage import Csr, RowSparse, Sparse
from ..runtime.context import Context, context_of
from .array import NDArray
from .conversion import dense_array, is_scipy
from .interop import tensor_from
from .sparse import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from .sparse_format import check_lengths, usable
from .wrapping import wrap_sparse, zeros_stored

__all__ = ["array", "csr_matrix", "empty", "row_sparse_array", "zeros"]


def zeros(
    stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **_: Any
) -> NDArray:
    """An array of zeros stored as `stype`: csr, row_sparse or default."""
    if not isinstance(stype, str):
        raise argument_error("zeros", "stype", stype, "must be default, csr or row_sparse")
    sizes = sizes_of("zeros", shape)
    made: NDArray = zeros_stored(stype, sizes, context_of(ctx), torch_dtype(dtype or "float32"))
    return made


def empty(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """A sparse array of which nothing is stored.

    Args:
        stype: csr or row_sparse.
        shape: its sizes.
        ctx: where to put it; default: the current context.
        dtype: default: float32.
    """
    if stype not in ("csr", "row_sparse"):
        raise ArgumentError(f"empty: stype={stype!r}: must be csr or row_sparse")
    return zeros(stype, shape, ctx, dtype)


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """A sparse array with the values of another, or of a scipy.sparse.csr_matrix, copied.

    Args:
        source_array: what to copy.
        ctx: where to put it; default: the current context.
        dtype: default: that of the source.
    """
    if isinstance(source_array, BaseSparseNDArray):
        kind = torch_dtype(source_array.dtype if dtype is None else dtype)
        return source_array._moved(context_of(ctx), kind)
    if is_scipy(source_array):
        matrix = source_array.tocsr(copy=True)
        matrix.check_format()  # scipy's own loops trust it
        matrix.sum_duplicates()  # sorts too
        parts = (matrix.data, matrix.indices, matrix.indptr)
        return _csr_of_parts(*parts, matrix.shape, ctx, dtype)
    kind_of = type(source_array).__name__
    if isinstance(source_array, (NDArray, np.ndarray, np.generic)):
        raise AssertedError(f"sparse.array: a dense {kind_of} is made sparse by tostype()")
    raise ArgumentError(f"sparse.array: cannot make a sparse array of a {kind_of}")


def csr_matrix(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
) -> CSRNDArray:
    """A CSR matrix.

    Args:
        arg1: a dense matrix in any form; a CSRNDArray or one of scipy's sparse matrices; its shape
            ``(M, N)`` for one of zeros; ``(data, indices, indptr)``, its storage, with indices that
            rise in each row; or ``(data, (row, col))``, where values at one place are summed.
        shape: its shape, when the indices do not tell.
        ctx: where to put it; default: the current context.
        dtype: default: that of the values where they have one, else float32.
    """
    made: Any
    if isinstance(arg1, tuple) and len(arg1) == 3:
        made = _csr_of_parts(*arg1, shape, ctx, dtype)
    elif isinstance(arg1, tuple) and len(arg1) == 2:
        if isinstance(arg1[1], tuple) and len(arg1[1]) == 2:
            made = _csr_of_places(arg1[0], *arg1[1], shape, ctx, dtype)
        else:
            made = empty("csr", arg1, ctx, dtype)
    elif isinstance(arg1, tuple):
        raise ArgumentError(f"csr_matrix: a tuple of {len(arg1)}: must have 2 or 3 parts")
    elif isinstance(arg1, RowSparseNDArray):
        raise ArgumentError("csr_matrix: a row_sparse array cannot become csr")
    else:
        made = _converted(arg1, "csr", ctx, dtype)
    _agree("csr_matrix", made.shape, shape)
    return made  # type: ignore[no-any-return]


def row_sparse_array(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
) -> RowSparseNDArray:
    """An array of which only some rows are stored.

    Args:
        arg1: a dense array in any form; a RowSparseNDArray; its shape, for one of zeros; or
            ``(data, indices)``: rows, and their numbers, which rise.
        shape: its shape, when the indices do not tell.
        ctx: where to put it; default: the current context.
        dtype: default: that of the values where they have one, else float32.
    """
    made: Any
    if isinstance(arg1, tuple) and len(arg1) < 2:
        raise ArgumentError(f"row_sparse_array: a tuple of {len(arg1)}: too short")
    if isinstance(arg1, tuple) and all(isinstance(n, (int, np.integer)) for n in arg1):
        made = empty("row_sparse", arg1, ctx, dtype)
    elif isinstance(arg1, tuple) and len(arg1) == 2:
        made = _rows_of_parts(*arg1, shape, ctx, dtype)
    elif isinstance(arg1, CSRNDArray):
        raise ArgumentError("row_sparse_array: a csr matrix cannot become row_sparse")
    elif is_scipy(arg1):
        raise ArgumentTypeError("row_sparse_array: a scipy matrix cannot become row_sparse")
    else:
        made = _converted(arg1, "row_sparse", ctx, dtype)
    _agree("row_sparse_array", made.shape, shape)
    return made  # type: ignore[no-any-return]


def _agree(function: str, found: tuple[int, ...], wanted: Any) -> None:
    if wanted is not None and tuple(wanted) != found:
        raise ArgumentError(f"{function}: shape={tuple(wanted)}: the values have {found}")


def _converted(source: Any, stype: str, ctx: Context | None, dtype: Any) -> NDArray:
    """A dense source, or one in the storage that is wanted."""
    if isinstance(source, BaseSparseNDArray) or is_scipy(source):
        return array(source, ctx, dtype)
    if dtype is None and isinstance(source, (NDArray, np.ndarray)):
        dtype = source.dtype
    return dense_array(source, context_of(ctx), dtype).tostype(stype)


# From parts ---------------------------------------------------------------------------------------


def _values(source: Any, context: Context, dtype: Any) -> Tensor:
    """The stored values, whose type counts when they have one."""
    if isinstance(source, NDArray):
        kind = torch_dtype(source.dtype if dtype is None else dtype)
        return source._tensor.to(context.device, kind, copy=True)
    typed = isinstance(source, np.ndarray)
    kind = torch_dtype(dtype if dtype is not None else source.dtype if typed else "float32")
    return _from_any(source, context).to(kind)


def _indices(source: Any, context: Context) -> Tensor:
    if isinstance(source, NDArray):
        return source._tensor.to(context.device, torch.int64, copy=True)
    return _from_any(source, context).to(torch.int64)


def _from_any(source: Any, context: Context) -> Tensor:
    try:
        return tensor_from(np.array(source)).to(context.device)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"sparse array: its parts must be arrays: {error}") from None


def _csr_of_parts(
    data: Any, indices: Any, indptr: Any, shape: Any, ctx: Context | None, dtype: Any
) -> NDArray:
    context = context_of(ctx)
    values = _values(data, context, dtype)
    columns, starts = _indices(indices, context), _indices(indptr, context)
    vectors = values.dim() == columns.dim() == starts.dim() == 1
    if not vectors or not len(starts) or (shape is None and not len(columns)):
        raise ArgumentError(
            "csr_matrix: data, indices and indptr must be vectors, and tell the shape"
        )
    if shape is None:
        shape = (len(starts) - 1, int(columns.max()) + 1)
    return _made(Csr(values, starts, columns, _sizes("csr_matrix", shape, 2)), context)


def _csr_of_places(
    data: Any, row: Any, col: Any, shape: Any, ctx: Context | None, dtype: Any
) -> NDArray:
    context = context_of(ctx)
    if dtype is None and not isinstance(data, NDArray):
        dtype = np.array(data).dtype
    values = _values(data, context, dtype)
    rows, columns = _indices(row, context), _indices(col, context)
    if not len(values) == len(rows) == len(columns) or (shape is None and not len(rows)):
        raise ArgumentError(
            "csr_matrix: data, row and col must have one length, and tell the shape"
        )
    if shape is None:
        shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    sizes = _sizes("csr_matrix", shape, 2)
    for name, index, size in (("row", rows, sizes[0]), ("col", columns, sizes[1])):
        if len(index) and not 0 <= int(index.min()) <= int(index.max()) < size:
            raise ArgumentError(f"csr_matrix: {name}: an index is not from 0 to {size - 1}")
    return _made(Csr.of_places(rows, columns, values, sizes), context)


def _rows_of_parts(data: Any, indices: Any, shape: Any, ctx: Context | None, dtype: Any) -> NDArray:
    context = context_of(ctx)
    values, rows = _values(data, context, dtype), _indices(indices, context)
    if shape is None:
        if not len(rows):
            raise ArgumentError("row_sparse_array: without rows, shape must be given")
        shape = (int(rows[-1]) + 1, *values.shape[1:])
    sizes = _sizes("row_sparse_array", shape, values.dim())
    if rows.dim() != 1 or 0 in sizes[1:] or tuple(values.shape[1:]) != sizes[1:]:
        raise ArgumentError(f"row_sparse_array: shape={sizes}: invalid with these parts")
    return _made(RowSparse(values, rows, sizes), context)


def _sizes(function: str, shape: Any, rank: int) -> tuple[int, ...]:
    sizes = sizes_of(function, shape)
    if len(sizes) != rank:
        raise ArgumentError(f"{function}: shape={sizes}: must have {rank} axes")
    return sizes


def _made(record: Sparse, context: Context) -> NDArray:
    """The array of parts that the caller gave, which `check_format` may find to be broken."""
    check_lengths(record)
    made: NDArray = wrap_sparse(usable(record), context)
    return made
