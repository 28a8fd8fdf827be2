# SPDX-License-Identifier: Apache-2.0
"""Element-by-element operators on sparse arrays: what is not stored is zero, and stays so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...base.errors import argument_error
from ..kernel import kernel_of
from ..schema import Op
from . import scipy_csr
from .indices import nonzero, put_rows, united
from .storage import (
    Csr,
    RowSparse,
    Sparse,
    Value,
    cast_storage,
    dense_of,
    rows_of,
    same_places,
)

__all__: list[str] = []


def _sparse_kernels(names: str, function: Callable[..., Any], **rules: Any) -> None:
    """`function` for operators of one array, in CSR and in row_sparse storage."""
    for stype in ("csr", "row_sparse"):
        kernel_of(names, stype, out=stype, **rules)(function)


# One array ----------------------------------------------------------------------------------------


def _on_stored(op: Op, data: Sparse) -> Sparse:
    return data.with_data(op.forward(data.data))


def _at(d_output: Value, places: Sparse) -> Tensor:
    """A gradient at the stored places of a value."""
    if isinstance(places, RowSparse):
        return rows_of(d_output, places.indices)
    return dense_of(d_output)[places.rows(), places.indices.long()]


def _stored_gradient(op: Op, d_output: Value, data: Sparse) -> Sparse:
    """The gradient of an operator whose derivative at 0 is 0: at the stored places only."""
    leaf = data.data.detach().requires_grad_()
    with torch.enable_grad():
        stored = op.forward(leaf)
    return data.with_data(torch.autograd.grad(stored, leaf, _at(d_output, data))[0])


def _scaled_gradient(op: Op, d_output: Value, data: Sparse) -> Value:
    """The gradient of a multiple: that multiple."""
    return d_output if op.name == "_copy" else _of_stored(op.forward, d_output)


def _of_stored(function: Callable[[Tensor], Tensor], value: Value) -> Value:
    """What a function that gives 0 for 0 makes of a value in any storage."""
    return function(value) if isinstance(value, Tensor) else value.with_data(function(value.data))


def _no_gradient(op: Op, d_output: Value, data: Sparse) -> Sparse:
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


_LINEAR = ("elemwise_add", "elemwise_sub", "_grad_add")


def _linear_gradient(op: Op, d_output: Value, lhs: Value, rhs: Value) -> tuple[Value, Value]:
    return d_output, _of_stored(torch.neg, d_output) if op.name == "elemwise_sub" else d_output


def _rows_with_rows(op: Op, lhs: RowSparse, rhs: RowSparse) -> RowSparse:
    if same_places(lhs, rhs):
        return lhs.with_data(op.forward(lhs.data, rhs.data))
    if op.name in _LINEAR:
        more = -rhs.data if op.name == "elemwise_sub" else rhs.data
        indices = torch.cat([lhs.indices, rhs.indices])
        return RowSparse.of_rows(indices, torch.cat([lhs.data, more]), lhs.shape)
    rows, *places = united(lhs.indices, rhs.indices)
    spread = [
        put_rows(value.data.new_zeros(len(rows), *value.shape[1:]), at, value.data)
        for value, at in zip((lhs, rhs), places, strict=True)
    ]
    return RowSparse(op.forward(*spread), rows, lhs.shape)


def _csr_with_csr(op: Op, lhs: Csr, rhs: Csr) -> Csr:
    """At the places of either; as in MXNet, zeros are not stored."""
    if same_places(lhs, rhs):
        result = lhs.with_data(op.forward(lhs.data, rhs.data))
        return result if bool(result.data.all()) else result.kept(result.data.ne(0))
    found = scipy_csr.combined(op.name, lhs, rhs)
    if found is not None:
        return found
    both, data = _at_either(op, lhs.data, rhs.data, lhs.places(), rhs.places())
    if not bool(data.all()):
        kept = nonzero(data)
        both, data = both.index_select(0, kept), data.index_select(0, kept)
    return Csr.of_sorted(both, data, lhs.shape)


def _at_either(
    op: Op, lhs: Tensor, rhs: Tensor, lhs_places: Tensor, rhs_places: Tensor
) -> tuple[Tensor, Tensor]:
    """(places that are in either, what the operator gives there)."""
    both, *owners = united(lhs_places, rhs_places)
    spread = (
        data.new_zeros(len(both)).index_add_(0, at, data)
        for data, at in zip((lhs, rhs), owners, strict=True)
    )
    return both, op.forward(*spread)


for _stype, _function in (("row_sparse", _rows_with_rows), ("csr", _csr_with_csr)):
    _sums = kernel_of(" ".join(_LINEAR), _stype, _stype, out=_stype,
                      backward=_linear_gradient)  # fmt: skip
    _sums(_function)
    kernel_of("elemwise_mul _maximum _minimum _hypot", _stype, _stype, out=_stype)(_function)


def _same_gradient(op: Op, d_output: Value, *args: RowSparse) -> tuple[Value, ...]:
    return (d_output,) * len(args)


@kernel_of("add_n", "row_sparse", ..., out="row_sparse", backward=_same_gradient)
def _sum_of_rows(op: Op, *args: RowSparse) -> RowSparse:
    if all(same_places(a, args[0]) for a in args):
        return args[0].with_data(op.forward(*(a.data for a in args)))
    indices = torch.cat([a.indices for a in args])
    return RowSparse.of_rows(indices, torch.cat([a.data for a in args]), args[0].shape)


# A sparse array and a dense one -------------------------------------------------------------------


def _at_stored(places: Sparse, dense: Tensor) -> Tensor:
    """The elements of a dense array, whose axes of length 1 repeat, at the stored places."""
    if isinstance(places, RowSparse):
        return dense.index_select(0, places.indices.long())
    dense = dense.reshape((1,) * (2 - dense.dim()) + tuple(dense.shape))
    n_rows, n_columns = dense.shape
    if n_rows == 1 != n_columns:
        return dense[0].index_select(0, places.indices)
    rows = places.rows() if n_rows != 1 else 0
    columns = places.indices.long() if n_columns != 1 else 0
    taken = dense[rows, columns]
    return taken if taken.dim() else taken.expand(len(places.data))


def _sparse_first(op: Op, lhs: Sparse, rhs: Tensor) -> Sparse:
    return lhs.with_data(op.forward(lhs.data, _at_stored(lhs, rhs)))


def _sparse_second(op: Op, lhs: Tensor, rhs: Sparse) -> Sparse:
    return rhs.with_data(op.forward(_at_stored(rhs, lhs), rhs.data))


for _stype in ("csr", "row_sparse"):
    kernel_of("elemwise_mul", _stype, "default", out=_stype)(_sparse_first)
    kernel_of("elemwise_mul", "default", _stype, out=_stype)(_sparse_second)


def _repeat(lhs: Csr, n_rows: int, n_columns: int) -> Csr:
    """Return a matrix whose single row or column, or both, is repeated to the given shape."""
    if lhs.shape[1] != n_columns:
        columns = torch.arange(n_columns, device=lhs.data.device, dtype=lhs.indices.dtype)
        data = lhs.data.repeat_interleave(n_columns)
        indices = columns.repeat(len(lhs.data))
        lhs = Csr(data, lhs.indptr * n_columns, indices, (lhs.shape[0], n_columns))
    if lhs.shape[0] != n_rows:
        starts = torch.arange(n_rows + 1, device=lhs.data.device, dtype=lhs.indptr.dtype)
        data, indices = lhs.data.repeat(n_rows), lhs.indices.repeat(n_rows)
        lhs = Csr(data, starts * len(lhs.data), indices, (n_rows, n_columns))
    return lhs


@kernel_of("broadcast_mul broadcast_div", "csr", "default", out="csr")
def _csr_broadcast(op: Op, lhs: Csr, rhs: Tensor) -> Csr:
    if rhs.dim() > 2:
        reason = f"must have one or two axes beside a csr matrix, got {rhs.dim()}: reshape it"
        raise argument_error(op.name, "rhs", tuple(rhs.shape), reason)
    sizes = zip(lhs.shape, (1, 1, *rhs.shape)[-2:], strict=True)
    lhs = _repeat(lhs, *(other if own == 1 else own for own, other in sizes))
    return lhs.with_data(op.forward(lhs.data, _at_stored(lhs, rhs)))


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
