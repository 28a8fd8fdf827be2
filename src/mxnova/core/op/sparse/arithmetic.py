# SPDX-License-Identifier: Apache-2.0
"""Element-by-element operators on sparse arrays: what is not stored is zero, and stays so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...base.errors import argument_error
from ..kernel import kernel_of
from ..record import Op
from .storage import (
    Csr,
    RowSparse,
    Sparse,
    Value,
    cast_storage,
    dense_gradient,
    dense_of,
    nonzero,
    same_rows,
)

__all__: list[str] = []


def _sparse_kernels(names: str, function: Callable[..., Any], **rules: Any) -> None:
    """`function` for operators of one array, in CSR and in row_sparse storage."""
    for stype in ("csr", "row_sparse"):
        kernel_of(names, stype, out=stype, **rules)(function)


# One array ----------------------------------------------------------------------------------------


def _on_stored(op: Op, data: Sparse) -> Sparse:
    return data.with_data(op.forward(data.data))


def _at(d_output: Tensor, places: Sparse) -> Tensor:
    """A gradient at the stored places of a value."""
    dense = dense_gradient(d_output)
    if isinstance(places, RowSparse):
        return dense.index_select(0, places.indices.long())
    return dense[places.rows(), places.indices.long()]


def _stored_gradient(op: Op, d_output: Tensor, data: Sparse) -> Sparse:
    """The gradient of an operator whose derivative at 0 is 0: at the stored places only."""
    leaf = data.data.detach().requires_grad_()
    with torch.enable_grad():
        stored = op.forward(leaf)
    return data.with_data(torch.autograd.grad(stored, leaf, _at(d_output, data))[0])


def _scaled_gradient(op: Op, d_output: Tensor, data: Sparse) -> Tensor:
    """The gradient of a multiple: that multiple."""
    scaled: Tensor = op.forward(d_output) if op.name != "_copy" else d_output
    return scaled


def _no_gradient(op: Op, d_output: Tensor, data: Sparse) -> Sparse:
    return type(data).empty(tuple(data.shape), data.dtype, data.data.device)


def _zeros_like(op: Op, data: Sparse) -> Sparse:
    return type(data).empty(tuple(data.shape), data.dtype, data.data.device)


_sparse_kernels("abs square relu", _on_stored, backward=_stored_gradient)
_sparse_kernels("sign round rint ceil floor trunc fix BlockGrad", _on_stored, backward=_no_gradient)
_sparse_kernels("negative _copy _mul_scalar _div_scalar", _on_stored, backward=_scaled_gradient)
_sparse_kernels(
    "sqrt cbrt expm1 log1p sin tan arcsin arctan degrees radians sinh tanh arcsinh arctanh "
    "make_loss _contrib_gradientmultiplier _contrib_round_ste _contrib_sign_ste",
    _on_stored,
)
_sparse_kernels("_scatter_plus_scalar _scatter_minus_scalar", _on_stored)
_sparse_kernels("zeros_like", _zeros_like, backward=_no_gradient)


def _keeps_zero(op: Op) -> bool:
    """Whether the operator gives 0 for 0."""
    return not bool(op.forward(torch.zeros(1)).any())


_sparse_kernels(
    "_plus_scalar _minus_scalar _equal_scalar _not_equal_scalar _greater_scalar "
    "_greater_equal_scalar _lesser_scalar _lesser_equal_scalar",
    _on_stored,
    when_numbers=_keeps_zero,
)
kernel_of("_contrib_quadratic", "csr", out="csr", when_numbers=_keeps_zero)(_on_stored)


def _clip(op: Op, data: Sparse) -> Sparse:
    if not op.attr("a_min") <= 0 <= op.attr("a_max"):
        bounds = f"[{op.attr('a_min')}, {op.attr('a_max')}]"
        raise argument_error("clip", "data", data.stype, f"zero must lie in {bounds}")
    return _on_stored(op, data)


_sparse_kernels("clip", _clip)


# Two sparse arrays --------------------------------------------------------------------------------


def _linear_gradient(op: Op, d_output: Tensor, lhs: Value, rhs: Value) -> tuple[Tensor, Tensor]:
    return d_output, -d_output if op.name == "elemwise_sub" else d_output


def _rows_with_rows(op: Op, lhs: RowSparse, rhs: RowSparse) -> RowSparse:
    if same_rows(lhs, rhs):
        return lhs.with_data(op.forward(lhs.data, rhs.data))
    rows = torch.unique(torch.cat([lhs.indices, rhs.indices]))
    return RowSparse(op.forward(_spread(lhs, rows), _spread(rhs, rows)), rows, lhs.shape)


def _spread(value: RowSparse, rows: Tensor) -> Tensor:
    """The stored rows at their places among `rows`, which has them all, sorted."""
    spread = value.data.new_zeros(len(rows), *value.shape[1:])
    return spread.index_copy_(0, torch.searchsorted(rows, value.indices), value.data)


def _united(places: Tensor) -> tuple[Tensor, Tensor]:
    """(the distinct places, sorted; the number of each among them) for sorted runs of places."""
    if places.is_cuda:
        ordered, order = places.sort(stable=True)
    else:  # NumPy sees the runs and merges them: 2 ms where torch.unique takes 8
        order = torch.from_numpy(np.argsort(places.numpy(), kind="stable"))
        ordered = places[order]
    is_new = torch.ones_like(ordered, dtype=torch.bool)
    torch.ne(ordered[1:], ordered[:-1], out=is_new[1:])
    owner = torch.empty_like(order).scatter_(0, order, is_new.cumsum(0) - 1)
    return ordered[nonzero(is_new)], owner


_HAS_MKL: bool = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]


def _csr_plus_csr(op: Op, lhs: Csr, rhs: Csr) -> Csr:
    """Sum or difference; MKL takes a third of the time of merging places (3 and 9 ms)."""
    is_float = lhs.data.dtype in (torch.float32, torch.float64)
    if not _HAS_MKL or lhs.data.is_cuda or not is_float:
        return _csr_with_csr(op, lhs, rhs)
    sign = -1 if op.name == "elemwise_sub" else 1
    total = torch.add(lhs.to_torch_csr(), rhs.to_torch_csr(), alpha=sign)
    data = total.values()
    result = Csr(data, total.crow_indices(), total.col_indices(), lhs.shape)
    return result if bool(data.all()) else result.kept(data.ne(0))


def _csr_with_csr(op: Op, lhs: Csr, rhs: Csr) -> Csr:
    """At the places of either; as in MXNet, zeros are not stored."""
    places = [m.rows() * m.shape[1] + m.indices for m in (lhs, rhs)]
    both, owner = _united(torch.cat(places))
    values = []
    for matrix, at in zip((lhs, rhs), torch.split(owner, [len(p) for p in places]), strict=True):
        values.append(matrix.data.new_zeros(len(both)).index_add_(0, at, matrix.data))
    data = op.forward(*values)
    kept = nonzero(data)
    return Csr.of_sorted(both[kept], data[kept], lhs.shape)


for _stype, _sum, _function in (
    ("row_sparse", _rows_with_rows, _rows_with_rows),
    ("csr", _csr_plus_csr, _csr_with_csr),
):
    _sums = kernel_of("elemwise_add elemwise_sub _grad_add", _stype, _stype, out=_stype,
                      backward=_linear_gradient)  # fmt: skip
    _sums(_sum)
    kernel_of("elemwise_mul _maximum _minimum _hypot", _stype, _stype, out=_stype)(_function)


def _same_gradient(op: Op, d_output: Tensor, *args: RowSparse) -> tuple[Tensor, ...]:
    return (d_output,) * len(args)


@kernel_of("add_n", "row_sparse", ..., out="row_sparse", backward=_same_gradient)
def _sum_of_rows(op: Op, *args: RowSparse) -> RowSparse:
    indices = torch.cat([a.indices for a in args])
    return RowSparse.of_rows(indices, torch.cat([a.data for a in args]), args[0].shape)


# A sparse array and a dense one -------------------------------------------------------------------


def _at_stored(places: Sparse, dense: Tensor) -> Tensor:
    """The elements of a dense array, whose axes of length 1 repeat, at the stored places."""
    if isinstance(places, RowSparse):
        return dense.index_select(0, places.indices.long())
    dense = dense.reshape((1,) * (2 - dense.dim()) + tuple(dense.shape))
    n_rows, n_columns = dense.shape
    rows = places.rows() if n_rows > 1 else 0
    columns = places.indices.long() if n_columns > 1 else 0
    taken = dense[rows, columns]
    return taken if taken.dim() else taken.expand(len(places.data))


def _sparse_first(op: Op, lhs: Sparse, rhs: Tensor) -> Sparse:
    return lhs.with_data(op.forward(lhs.data, _at_stored(lhs, rhs)))


def _sparse_second(op: Op, lhs: Tensor, rhs: Sparse) -> Sparse:
    return rhs.with_data(op.forward(_at_stored(rhs, lhs), rhs.data))


for _stype in ("csr", "row_sparse"):
    kernel_of("elemwise_mul", _stype, "default", out=_stype)(_sparse_first)
    kernel_of("elemwise_mul", "default", _stype, out=_stype)(_sparse_second)


kernel_of("broadcast_mul broadcast_div", "csr", "default", out="csr")(_sparse_first)


@kernel_of("_scatter_elemwise_div", "row_sparse", "default csr row_sparse", out="row_sparse")
def _divided(op: Op, lhs: RowSparse, rhs: Value) -> RowSparse:
    divisor = (
        rhs.take(lhs.indices) if isinstance(rhs, RowSparse) else _at_stored(lhs, dense_of(rhs))
    )
    return lhs.with_data(op.forward(lhs.data, divisor))


@kernel_of("elemwise_add elemwise_sub", "csr row_sparse", "default", backward=_linear_gradient)
def _added_to_sparse(op: Op, lhs: Sparse, rhs: Tensor) -> Tensor:
    result = rhs.clone() if op.name == "elemwise_add" else -rhs
    return _add_stored(result, lhs, 1)


@kernel_of("elemwise_add elemwise_sub", "default", "csr row_sparse", backward=_linear_gradient)
def _added_to_dense(op: Op, lhs: Tensor, rhs: Sparse) -> Tensor:
    return _add_stored(lhs.clone(), rhs, 1 if op.name == "elemwise_add" else -1)


def _add_stored(total: Tensor, value: Sparse, sign: int) -> Tensor:
    """Adds the stored values to a dense array, in place."""
    if isinstance(value, RowSparse):
        return total.index_add_(0, value.indices.long(), value.data, alpha=sign)
    places = (value.rows(), value.indices.long())
    return total.index_put_(places, value.data * sign, accumulate=True)


def _like_rhs(op: Op, lhs: Value, rhs: Sparse) -> Value:
    return cast_storage(lhs, rhs.stype)


for _stype in ("csr", "row_sparse"):
    kernel_of("_identity_with_attr_like_rhs", f"default {_stype}", _stype, out=_stype)(_like_rhs)
