# SPDX-License-Identifier: Apache-2.0
"""Random arrays of every storage type."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentError
from ..core.nd.array import NDArray
from ..core.nd.creation import array
from ..core.nd.sparse import CSRNDArray
from ..core.nd.sparse_creation import csr_matrix, row_sparse_array
from ..core.runtime.context import Context
from .arrays import assign_each, default_dtype, random_arrays

__all__ = [
    "create_sparse_array",
    "create_sparse_array_zd",
    "rand_ndarray",
    "rand_sparse_ndarray",
    "shuffle_csr_column_indices",
]

Modifier = Callable[[Any], Any]


def rand_ndarray(
    shape: tuple[int, ...],
    stype: str = "default",
    density: float | None = None,
    dtype: Any = None,
    modifier_func: Modifier | None = None,
    shuffle_csr_indices: bool = False,
    distribution: str | None = None,
    ctx: Context | None = None,
) -> NDArray:
    """A random array: normally distributed where dense, uniform in [0, 1) where sparse.

    Args:
        shape: its shape.
        stype: its storage type: default, csr or row_sparse.
        density: share of elements (csr) or rows (row_sparse) that are stored; default: random.
        dtype: its element type; default: float32.
        modifier_func: what each stored element of a sparse array is replaced by.
        shuffle_csr_indices: whether the column indices of CSR rows stand in random order.
        distribution: uniform, or, for csr, powerlaw: each row twice as full as the one before.
        ctx: where it is made.
    """
    if stype == "default":
        return array(random_arrays(shape), ctx, dtype or default_dtype())
    return rand_sparse_ndarray(
        shape,
        stype,
        density,
        dtype,
        distribution,
        modifier_func=modifier_func,
        shuffle_csr_indices=shuffle_csr_indices,
        ctx=ctx,
    )[0]


def create_sparse_array(
    shape: tuple[int, ...],
    stype: str,
    data_init: float | None = None,
    rsp_indices: Sequence[int] | None = None,
    dtype: Any = None,
    modifier_func: Modifier | None = None,
    density: float = 0.5,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """`rand_sparse_ndarray` without the parts; half of it is stored where nothing else is said."""
    return rand_sparse_ndarray(
        shape,
        stype,
        density,
        dtype,
        None,
        data_init,
        rsp_indices,
        modifier_func,
        shuffle_csr_indices,
    )[0]


def create_sparse_array_zd(
    shape: tuple[int, ...],
    stype: str,
    density: float,
    data_init: float | None = None,
    rsp_indices: Sequence[int] | None = None,
    dtype: Any = None,
    modifier_func: Modifier | None = None,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """`create_sparse_array` with a density that must be given, and is often 0."""
    return create_sparse_array(
        shape, stype, data_init, rsp_indices, dtype, modifier_func, density, shuffle_csr_indices
    )


def rand_sparse_ndarray(
    shape: tuple[int, ...],
    stype: str,
    density: float | None = None,
    dtype: Any = None,
    distribution: str | None = None,
    data_init: float | None = None,
    rsp_indices: Sequence[int] | None = None,
    modifier_func: Modifier | None = None,
    shuffle_csr_indices: bool = False,
    ctx: Context | None = None,
) -> tuple[NDArray, Any]:
    """A random sparse array and what it was made of.

    Args:
        shape: its shape.
        stype: csr or row_sparse.
        density: share of elements (csr) or rows (row_sparse) that are stored; default: random.
        dtype: its element type; default: float32.
        distribution: uniform, or, for csr, powerlaw: each row twice as full as the one before.
        data_init: the value of all stored elements; default: random.
        rsp_indices: the rows that a row_sparse array stores; default: random.
        modifier_func: what each stored element is replaced by.
        shuffle_csr_indices: whether the column indices of CSR rows stand in random order.
        ctx: where it is made.

    Returns:
        The array, and its parts: ``(indptr, indices, data)`` of a CSR array as NDArrays,
        ``(data, indices)`` of a row_sparse one as NumPy arrays.

    Raises:
        ArgumentError: a density beyond [0, 1], or an unknown storage type or distribution.
    """
    density = float(np.random.rand() if density is None else density)
    _check(shape, stype, density, distribution or "uniform")
    dtype = np.dtype(dtype or default_dtype())

    def values(*size: int) -> Any:
        drawn = np.full(size, data_init, dtype) if data_init is not None else _random(size, dtype)
        return drawn if modifier_func is None else assign_each(drawn, modifier_func)

    if stype == "row_sparse":
        rows = _rows(shape[0], density) if rsp_indices is None else np.asarray(rsp_indices, int)
        data = values(len(rows), *shape[1:])
        return row_sparse_array((data, rows), shape, ctx, dtype), (data, rows)
    filled = (_powerlaw if distribution == "powerlaw" else _uniform)(shape[0], shape[1], density)
    indptr = np.concatenate([[0], np.cumsum(filled.sum(axis=1))])
    indices, data = np.nonzero(filled)[1], values(int(indptr[-1]))
    made: CSRNDArray = csr_matrix((data, indices, indptr), shape, ctx, dtype)
    if shuffle_csr_indices:
        made = shuffle_csr_column_indices(made)
    return made, (made.indptr, made.indices, made.data)


def _check(shape: tuple[int, ...], stype: str, density: float, distribution: str) -> None:
    function = "rand_sparse_ndarray"
    if not 0 <= density <= 1:
        raise ArgumentError(f"{function}: density={density}: must be between 0 and 1")
    known = {"csr": ("uniform", "powerlaw"), "row_sparse": ("uniform",)}
    if stype not in known:
        raise ArgumentError(f"{function}: stype={stype!r}: must be one of {', '.join(known)}")
    if stype == "csr" and len(shape) != 2:
        raise ArgumentError(f"{function}: shape={shape}: a csr array has two axes")
    if distribution not in known[stype]:
        wanted = ", ".join(known[stype])
        raise ArgumentError(
            f"{function}: distribution={distribution!r}: of a {stype} array it must be {wanted}"
        )


def _random(size: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Numbers in [0, 1), or any of an integer type's."""
    if dtype.kind not in "iu":
        return np.random.rand(*size).astype(dtype)
    count = int(np.prod(size, dtype=np.int64))
    return np.frombuffer(np.random.bytes(count * dtype.itemsize), dtype).reshape(size)


def _rows(count: int, density: float) -> Any:
    return np.flatnonzero(np.random.rand(count) < density)


def _uniform(rows: int, columns: int, density: float) -> Any:
    """Which elements of a matrix are stored: a share of `density`, anywhere."""
    count = round(density * rows * columns)
    filled = np.zeros(rows * columns, bool)
    filled[np.random.permutation(filled.size)[:count]] = True
    return filled.reshape(rows, columns)


def _powerlaw(rows: int, columns: int, density: float) -> Any:
    """Which elements are stored: the first 2, 4, 8, … of each row, and the first of later ones."""
    left = round(density * rows * columns)
    filled = np.zeros((rows, columns), bool)
    for i in range(rows):
        others = rows - i - 1  # each gets one element at least, while there are any
        share = max(min(2 ** min(i + 1, 40), columns, left - others), min(1, left))
        filled[i, :share] = True
        left -= share
    return filled


def shuffle_csr_column_indices(csr: Any) -> Any:
    """A CSR array with the stored elements of each row in another order.

    Args:
        csr: a CSRNDArray, or anything that has `indptr` and `indices` as NumPy arrays, whose
            indices are then shuffled in place, without their values.
    """
    values = isinstance(csr, CSRNDArray)
    indptr, indices = (p.asnumpy() if values else p for p in (csr.indptr, csr.indices))
    for start, stop in itertools.pairwise(indptr):
        np.random.shuffle(indices[start:stop])
    if not values:
        return csr
    return csr_matrix((csr.data, indices, indptr), csr.shape, csr.context, csr.dtype)
