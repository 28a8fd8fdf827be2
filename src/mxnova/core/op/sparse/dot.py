# SPDX-License-Identifier: Apache-2.0
"""Matrix products with sparse matrices, whose zeros are not multiplied."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...kernels.wide_sums import widen
from ...runtime import tuning
from ..kernel import kernel_of
from ..schema import Op
from .indices import bags, grouped
from .storage import Csr, RowSparse, Value, cast_storage, dense_of

__all__ = ["product", "rows_product", "transposed_rows"]


def product(lhs: Csr, rhs: Tensor) -> Tensor:
    """Return ``lhs @ rhs`` for a dense matrix."""
    wide = widen(rhs)
    if wide is not rhs:
        return product(lhs.with_data(widen(lhs.data)), wide).to(rhs.dtype)
    if not lhs.data.numel() or lhs.dtype is not rhs.dtype:
        return _gathered_product(lhs, rhs)
    if lhs.dtype is torch.float32 and not rhs.is_cuda:
        return bags(rhs, lhs.indices, lhs.indptr, lhs.data)
    if lhs.dtype not in (torch.float32, torch.float64) or rhs.dim() > 2:
        return _gathered_product(lhs, rhs)
    result: Tensor = lhs.to_torch_csr() @ rhs
    return result


def _gathered_product(lhs: Csr, rhs: Tensor) -> Tensor:
    """`product` for any type and number of axes."""
    result = rhs.new_zeros(lhs.shape[0], *rhs.shape[1:])
    return result.index_add_(0, lhs.rows(), _weighted(lhs, rhs.index_select(0, lhs.indices.long())))


def _weighted(matrix: Csr, slices: Tensor) -> Tensor:
    """One slice for each stored value, times that value."""
    return slices * matrix.data.reshape(-1, *(1,) * (slices.dim() - 1))


def transposed_rows(lhs: Csr, rhs: Tensor) -> RowSparse:
    """``lhs.T @ rhs``: the rows that `lhs` has columns for."""
    if _takes_table(lhs, rhs):
        return _by_table(lhs, rhs)
    columns, order, bounds = grouped(lhs.indices, lhs.shape[1])
    data, rows = lhs.data.index_select(0, order), lhs.rows().index_select(0, order)
    turned = Csr(data, bounds, rows, (columns.shape[0], lhs.shape[0]))
    return RowSparse(product(turned, rhs), columns, (lhs.shape[1], *rhs.shape[1:]), _rises=True)


def _takes_table(lhs: Csr, rhs: Tensor) -> bool:
    """Whether sums are had faster in all rows of the result than by sorting columns."""
    return (
        lhs.shape[1] <= 4 * lhs.data.numel()
        and math.prod(rhs.shape[1:]) <= tuning.SPARSE_DOT_MAX_COLUMNS
        and lhs.data.device.type == "cpu"
        and lhs.dtype is rhs.dtype
        and lhs.dtype in (torch.float32, torch.float64)
    )


def _by_table(lhs: Csr, rhs: Tensor) -> RowSparse:
    """`transposed_rows` without sorting, by NumPy, whose calls cost less than ATen's."""
    height, starts = lhs.shape[1], lhs.indptr.numpy()
    columns = lhs.indices.numpy()
    is_used = np.zeros(height, np.bool_)
    is_used[columns] = True
    used = is_used.nonzero()[0]
    matrix = rhs.detach().numpy().reshape(rhs.shape[0], math.prod(rhs.shape[1:]))
    weighted = matrix.T.repeat(starts[1:] - starts[:-1], 1)  # what is summed up is contiguous
    weighted *= lhs.data.numpy()
    sums = np.empty((len(used), len(weighted)), weighted.dtype)
    for i, one in enumerate(weighted):
        sums[:, i] = np.bincount(columns, one, height)[used]
    data = torch.from_numpy(sums.reshape(len(used), *rhs.shape[1:]))
    return RowSparse(data, torch.from_numpy(used), (height, *rhs.shape[1:]), _rises=True)


def rows_product(lhs: Csr, rhs: RowSparse) -> Tensor:
    """``lhs @ rhs`` where only some rows of `rhs` are stored."""
    if not rhs.indices.numel():
        return rhs.data.new_zeros(lhs.shape[0], *rhs.shape[1:])
    if rhs.whole:
        return product(lhs, rhs.data)
    rhs = rhs.ordered()
    at, missing = rhs.places(lhs.indices)
    narrow = Csr(lhs.data, lhs.indptr, at, (lhs.shape[0], len(rhs.indices)))
    if len(missing):
        narrow = narrow.kept(torch.ones_like(at, dtype=torch.bool).index_fill_(0, missing, False))
    return product(narrow, rhs.data)


# dot ----------------------------------------------------------------------------------------------


def _plain(op: Op) -> bool:
    return not op.attr("transpose_a") and not op.attr("transpose_b")


def _turned(op: Op) -> bool:
    return bool(op.attr("transpose_a")) and not op.attr("transpose_b")


def _wants(*stypes: str | None) -> Any:
    return lambda op: op.attr("forward_stype") in stypes


def _both(first: Any, second: Any) -> Any:
    return lambda op: first(op) and second(op)


def _csr_gradient(op: Op, d_output: Value, lhs: Csr, rhs: Value) -> Any:
    d_output = dense_of(d_output)
    return (
        lambda: _outer(d_output, dense_of(rhs)),
        lambda: transposed_rows(lhs, d_output),
    )


@kernel_of("dot", "csr", "default row_sparse", backward=_csr_gradient,
           when=_both(_plain, _wants(None, "default")))  # fmt: skip
def _csr_times(op: Op, lhs: Csr, rhs: Value) -> Tensor:
    return rows_product(lhs, rhs) if isinstance(rhs, RowSparse) else product(lhs, dense_of(rhs))


def _turned_gradient(op: Op, d_output: Value, lhs: Csr, rhs: Value) -> Any:
    d_output = dense_of(d_output)
    return (
        lambda: _outer(dense_of(rhs), d_output),
        lambda: product(lhs, d_output),
    )


def _outer(lhs: Tensor, rhs: Tensor) -> Tensor:
    """``lhs @ rhs.T`` over all axes but the first of each."""
    return lhs.flatten(1) @ rhs.flatten(1).T if lhs.dim() > 1 else torch.outer(lhs, rhs)


@kernel_of("dot", "csr", "default row_sparse", out="row_sparse", backward=_turned_gradient,
           when=_both(_turned, _wants(None, "row_sparse")))  # fmt: skip
def _turned_times(op: Op, lhs: Csr, rhs: Value) -> RowSparse:
    if isinstance(rhs, RowSparse):
        return transposed_rows(lhs.take(rhs.indices), rhs.data)
    return transposed_rows(lhs, dense_of(rhs))


@kernel_of("dot", "csr", "default row_sparse", backward=_turned_gradient,
           when=_both(_turned, _wants("default")))  # fmt: skip
def _turned_times_dense(op: Op, lhs: Csr, rhs: Value) -> Tensor:
    return _turned_times(op, lhs, rhs).dense()


# A dense matrix before a sparse one ---------------------------------------------------------------


def _matrix_first(op: Op) -> bool:
    return not op.attr("transpose_a")


def _refuse_unless_matrix(lhs: Tensor) -> None:
    if lhs.dim() != 2:
        raise MXNetError(f"dot: lhs has {lhs.dim()} axes; before a csr matrix it must have 2")


def _dense_gradient(op: Op, d_output: Value, lhs: Tensor, rhs: Csr) -> Any:
    d_output = dense_of(d_output)
    if op.attr("transpose_b"):
        d_lhs = lambda: transposed_rows(rhs, d_output.mT).dense().mT  # noqa: E731
        return d_lhs, lambda: d_output.mT @ lhs
    return lambda: product(rhs, d_output.mT).mT, lambda: lhs.mT @ d_output


@kernel_of("dot", "default", "csr", out="csr", backward=_dense_gradient,
           when=_both(_matrix_first, _wants(None, "csr")))  # fmt: skip
def _dense_times_csr(op: Op, lhs: Tensor, rhs: Csr) -> Csr:
    """All rows of `lhs` at the columns that `rhs` has; zeros there are stored, as in MXNet."""
    _refuse_unless_matrix(lhs)
    if op.attr("transpose_b"):
        return Csr.of_dense(product(rhs, lhs.mT).mT)
    found = transposed_rows(rhs, lhs.mT)
    n_rows, n_columns = lhs.shape[0], len(found.indices)
    starts = torch.arange(n_rows + 1, device=lhs.device) * n_columns
    data = found.data.mT.reshape(-1)
    return Csr(data, starts, found.indices.repeat(n_rows), (n_rows, rhs.shape[1]))


@kernel_of("dot", "default", "csr", backward=_dense_gradient,
           when=_both(_matrix_first, _wants("default")))  # fmt: skip
def _dense_times_csr_dense(op: Op, lhs: Tensor, rhs: Csr) -> Tensor:
    _refuse_unless_matrix(lhs)
    if op.attr("transpose_b"):
        return product(rhs, lhs.mT).mT.contiguous()
    return transposed_rows(rhs, lhs.mT).dense().mT.contiguous()


# A sparse product of dense matrices ---------------------------------------------------------------


def _cast_product(op: Op, lhs: Tensor, rhs: Tensor) -> Any:
    return cast_storage(op.forward(lhs, rhs), op.attr("forward_stype"))


for _stype in ("csr", "row_sparse"):
    kernel_of("dot", "default", "default", out=_stype, when=_wants(_stype))(_cast_product)
