# SPDX-License-Identifier: Apache-2.0
"""Operators that cast, select, join and count what sparse arrays store."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...base.errors import MXNetError, OutOfRangeError, of_values
from ...kernels.wide_sums import widen
from ..kernel import kernel_of
from ..range_check import check_range
from ..schema import Op
from .dot import product
from .indices import distinct
from .storage import (
    Csr,
    RowSparse,
    Value,
    cast_storage,
    dense_of,
    rows_of,
)

__all__: list[str] = []


# cast_storage -------------------------------------------------------------------------------------


def _cast(op: Op, data: Value) -> Value:
    return cast_storage(data, op.attr("stype"))


def _uncast(op: Op, d_output: Value, data: Value) -> Value:
    return d_output


def _casts_to(stype: str) -> Any:
    return lambda op: op.attr("stype") == stype


def _no_cast(op: Op, data: Value) -> Value:
    raise MXNetError(f"cast_storage: {data.stype} values cannot go to {op.attr('stype')}")  # type: ignore[union-attr]


for _from, _to in (("default", "csr"), ("default", "row_sparse"), ("csr", "csr"),
                   ("csr", "default"), ("row_sparse", "row_sparse"), ("row_sparse", "default"),
                   ):  # fmt: skip
    kernel_of("cast_storage", _from, out=_to, when=_casts_to(_to), backward=_uncast)(_cast)
for _from, _to in (("csr", "row_sparse"), ("row_sparse", "csr")):
    kernel_of("cast_storage", _from, out=_to, when=_casts_to(_to))(_no_cast)


# Rows ---------------------------------------------------------------------------------------------


def _retain_gradient(op: Op, d_output: Value, data: RowSparse, indices: Tensor) -> RowSparse:
    rows = distinct(indices.long())
    return RowSparse(rows_of(d_output, rows), rows, data.shape)


@kernel_of("_sparse_retain", "row_sparse", "default", out="row_sparse", backward=_retain_gradient)
def _retain(op: Op, data: RowSparse, indices: Tensor) -> RowSparse:
    """As in MXNet, it stores all rows asked for, in that order, unless none was stored before."""
    wanted = indices.long() if len(data.indices) else data.indices
    if len(wanted) and not 0 <= int(wanted.min()) <= int(wanted.max()) < data.shape[0]:
        low, high = int(wanted.min()), int(wanted.max())
        raise OutOfRangeError(
            f"{op.name}: indices: there are rows 0 to {data.shape[0] - 1}, wanted were "
            f"{low} to {high}"
        )
    return RowSparse(data.take(wanted), wanted, data.shape)


def _embedding_gradient(op: Op, d_output: Value, data: Tensor, weight: RowSparse) -> Any:
    d_rows = dense_of(d_output).reshape(-1, weight.shape[1])
    return None, RowSparse.of_rows(data.long().reshape(-1), d_rows, weight.shape)


@kernel_of("Embedding _contrib_SparseEmbedding", "default", "row_sparse",
           backward=_embedding_gradient)  # fmt: skip
def _embedding(op: Op, data: Tensor, weight: RowSparse) -> Tensor:
    """Look rows up, refusing indices out of range, which MXNet clips for dense weights only."""
    try:
        check_range(data, op.attr("input_dim"), f"{op.name}: data")
    except OutOfRangeError as error:
        raise of_values(error) from None
    rows = weight.take(data.long().reshape(-1))
    return rows.reshape(*data.shape, weight.shape[1])


def _contiguous(op: Op) -> bool:
    steps = op.attr("step") or ()
    return all(s in (None, 1) for s in steps) and len(op.attr("begin")) <= 2


@kernel_of("slice", "csr", out="csr", when=_contiguous)
def _slice(op: Op, data: Csr) -> Csr:
    begin, end, _ = slice(op.attr("begin")[0], op.attr("end")[0]).indices(data.shape[0])
    end = max(begin, end)
    first, last = int(data.indptr[begin]), int(data.indptr[end])
    part = Csr(
        data.data[first:last].clone(),
        data.indptr[begin : end + 1] - first,
        data.indices[first:last].clone(),
        (end - begin, data.shape[1]),
    )
    if len(op.attr("begin")) == 1:
        return part
    left, right, _ = slice(op.attr("begin")[1], op.attr("end")[1]).indices(data.shape[1])
    return _columns(part, left, max(left, right))


def _columns(data: Csr, left: int, right: int) -> Csr:
    kept = data.kept((data.indices >= left) & (data.indices < right))
    return Csr(kept.data, kept.indptr, kept.indices - left, (data.shape[0], right - left))


def _takes_rows(op: Op) -> bool:
    return op.attr("axis") in (0, -2) and op.attr("mode") != "raise"


@kernel_of("take", "csr", "default", out="csr", when=_takes_rows)
def _take(op: Op, a: Csr, indices: Tensor) -> Csr:
    size, index = a.shape[0], indices.long().reshape(-1)
    wrapped = op.attr("mode") == "wrap"
    rows = index.remainder(size) if wrapped else index.clamp(0, size - 1)
    return a.take(rows)


@kernel_of("Concat", "csr", ..., out="csr", when=lambda op: op.attr("dim") == 0)
def _concat(op: Op, *data: Csr) -> Csr:
    starts = [data[0].indptr[:1]]
    for matrix in data:
        starts.append(matrix.indptr[1:] + starts[-1][-1])
    shape = (sum(m.shape[0] for m in data), data[0].shape[1])
    return Csr(
        torch.cat([m.data for m in data]),
        torch.cat(starts),
        torch.cat([m.indices for m in data]),
        shape,
    )


# Elements -----------------------------------------------------------------------------------------


@kernel_of("where", "csr", "default", "default")
def _where(op: Op, condition: Csr, x: Tensor, y: Tensor) -> Tensor:
    true = condition.data != 0
    places = (condition.rows()[true], condition.indices[true])
    return y.index_put(places, x[places])


@kernel_of("_contrib_getnnz", "csr")
def _count(op: Op, data: Csr) -> Tensor:
    axis = op.attr("axis")
    if axis is None:
        return torch.full((1,), len(data.data), device=data.data.device)
    if axis == 1:
        return data.indptr.diff()
    return torch.bincount(data.indices, minlength=data.shape[1])


@kernel_of("_contrib_edge_id", "csr", "default", "default")
def _edge_id(op: Op, data: Csr, u: Tensor, v: Tensor) -> Tensor:
    found = data.data.new_full((len(u),), -1)
    if len(data.data):
        stored, order = (data.rows() * data.shape[1] + data.indices).sort()
        wanted = u.long() * data.shape[1] + v.long()
        at = torch.searchsorted(stored, wanted).clamp(max=len(stored) - 1)
        hit = stored[at] == wanted
        found[hit] = data.data[order[at[hit]]]
    return found


# Sums ---------------------------------------------------------------------------------------------


def _one_axis(op: Op) -> bool:
    axis = op.attr("axis")
    return axis is not None and len(axis) == 1 and not op.attr("exclude")


def _sum_gradient(op: Op, d_output: Value, data: Csr) -> Tensor:
    axis = op.attr("axis")[0] % 2
    spread = dense_of(d_output)
    spread = spread if op.attr("keepdims") else spread.unsqueeze(axis)
    share = data.shape[axis] if op.name == "mean" else 1
    return (spread / share).expand(data.shape)


@kernel_of("sum mean", "csr", when=_one_axis, backward=_sum_gradient)
def _sum(op: Op, data: Csr) -> Tensor:
    axis = op.attr("axis")[0] % 2
    if axis == 1:
        total = product(data, data.data.new_ones(data.shape[1]))
    else:
        wide = widen(data.data)
        total = wide.new_zeros(data.shape[1]).index_add_(0, data.indices, wide).to(data.dtype)
    if op.name == "mean":
        total /= data.shape[axis]
    return total.unsqueeze(axis) if op.attr("keepdims") else total


def _of_everything(op: Op) -> bool:
    axis = op.attr("axis")
    return (axis is None or len(axis) == 0) and not op.attr("keepdims")


@kernel_of("norm", "csr row_sparse", when=_of_everything)
def _norm(op: Op, data: Csr | RowSparse) -> Tensor:
    norm: Tensor = op.forward(data.data.reshape(-1))
    return norm


def _keeps_rows(op: Op) -> bool:
    return tuple(op.attr("axis") or ()) in ((1,), (-1,))


def _gives_rows(op: Op) -> bool:
    return _keeps_rows(op) and bool(op.attr("keepdims")) and not op.attr("exclude")


def _gives_dense(op: Op) -> bool:
    return not _gives_rows(op) and not op.attr("exclude")


def _square_gradient(op: Op, d_output: Value, data: RowSparse) -> RowSparse:
    """In the rows that are stored; as in MXNet, where rows arrive, in those of them alone."""
    axes = {a % len(data.shape) for a in op.attr("axis") or range(len(data.shape))}
    kept = [1 if i in axes else size for i, size in enumerate(data.shape)]
    if 0 in axes:
        spread = dense_of(d_output).reshape(kept)
    elif data.whole and isinstance(d_output, RowSparse):
        spread = d_output.data.reshape(-1, *kept[1:])
        rows = d_output.indices
        data = RowSparse(data.data.index_select(0, rows), rows, data.shape, _rises=d_output.rises)
    else:
        spread = rows_of(d_output, data.indices).reshape(-1, *kept[1:])
    return data.with_data(2 * data.data * spread)


@kernel_of("_square_sum", "row_sparse", backward=_square_gradient,
           when=_gives_dense)  # fmt: skip
@kernel_of("_square_sum", "row_sparse", out="row_sparse", backward=_square_gradient,
           when=_gives_rows)  # fmt: skip
def _square_sum(op: Op, data: RowSparse) -> Value:
    result: Tensor = op.forward(data.data)
    if not _keeps_rows(op):
        return result
    rows = data.with_data(result)
    return rows if op.attr("keepdims") else dense_of(rows)
